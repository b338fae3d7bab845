// Actor: operations on names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tests/simulation/actor.h"

namespace helio::simulation {

using namespace nfs3;

namespace {

bool is_regular(const File& file) { return file.type == NF3REG; }
bool is_directory(const File& file) { return file.type == NF3DIR; }
bool is_no_directory(const File& file) { return file.type != NF3DIR; }

createverf3 verifier_of(std::uint64_t number) {
    createverf3 out{};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(number >> (8 * i));
    return out;
}

}  // namespace

void Actor::mount() {
    set("MNT", [this](Exchange& exchange) {
        const auto answer = mount::MOUNT_V3::Client{exchange}.MNT("/");
        if (!has_reply_ || !answer) return;
        is_checked_ = true;
        if (answer->has_mountinfo()) root_ = copy(answer->mountinfo().fhandle);
        check(!root_.empty() || plan_.fail_one_in != 0, "cannot mount");
    });
}

void Actor::find_shared() {
    set("LOOKUP of what is shared", [this](Exchange& exchange) {
        const auto answer = Nfs{exchange}.LOOKUP({{{root_}, kSharedDirectory}});
        if (succeeded(answer, NFS3_OK)) shared_handle_ = copy(answer->resok().object.data);
    });
}

// `is`: it becomes that directory of the actor's.
void Actor::make_directory(std::size_t parent, const std::string& name,
                           std::optional<std::size_t> is) {
    set(fmt::format("MKDIR {}/{}", parent, name), [=, this](Exchange& exchange) {
        const nfs_fh3 where = is == std::size_t{0} ? nfs_fh3{root_} : directory(parent);
        const bool exists = is != std::size_t{0} && find({parent, name}) != nullptr;
        sattr3 attributes;
        attributes.mode = 0755;
        const auto answer = Nfs{exchange}.MKDIR({{where, name}, attributes});
        if (!succeeded(answer, exists ? NFS3ERR_EXIST : NFS3_OK)) return;
        const auto& made = answer->resok();
        if (is != std::size_t{0}) add({parent, name}, NF3DIR, made.obj, made.obj_attributes);
        check(made.obj.has_value(), "without a handle");
        if (is) handles_[*is] = copy(made.obj->data);
    });
}

void Actor::create_guarded() {
    const Place place = any_place();
    set(fmt::format("CREATE guarded {}/{}", place.directory, place.name),
        [=, this](Exchange& exchange) {
            const auto answer = Nfs{exchange}.CREATE({{directory(place.directory), place.name},
                                                      createhow3::of_obj_attributes(GUARDED, {})});
            if (!succeeded(answer, find(place) ? NFS3ERR_EXIST : NFS3_OK)) return;
            const auto& made = answer->resok();
            compare(*add(place, NF3REG, made.obj, made.obj_attributes), *made.obj_attributes);
        });
}

// Again with the verifier that made it, or with another.
void Actor::create_exclusive() {
    const Place place =
        dice_.one_in(2) ? any_place()
                        : some_place([](const File& file) { return file.verifier.has_value(); });
    const auto before = find(place);
    const bool again = before && before->verifier && dice_.one_in(2);
    const std::uint64_t verifier = again ? *before->verifier : dice_.below(UINT64_MAX);
    set(fmt::format("CREATE exclusive {}/{}{}", place.directory, place.name, again ? " again" : ""),
        [=, this](Exchange& exchange) {
            const auto answer = Nfs{exchange}.CREATE({{directory(place.directory), place.name},
                                                      createhow3::of_verf(verifier_of(verifier))});
            if (!succeeded(answer, before && !again ? NFS3ERR_EXIST : NFS3_OK)) return;
            const auto& made = answer->resok();
            if (!again) add(place, NF3REG, made.obj, made.obj_attributes)->verifier = verifier;
            compare(*find(place), *made.obj_attributes);
            check(std::ranges::equal(made.obj->data, find(place)->handle), "another file");
        });
}

// Truncates an existing file.
void Actor::create_unchecked() {
    const Place place = dice_.one_in(2) ? any_place() : some_place(is_regular);
    const auto before = find(place);
    if (before && !is_regular(*before)) return lookup();
    set(fmt::format("CREATE unchecked {}/{}", place.directory, place.name),
        [=, this](Exchange& exchange) {
            sattr3 empty;
            empty.size = 0;
            const auto answer =
                Nfs{exchange}.CREATE({{directory(place.directory), place.name},
                                      createhow3::of_obj_attributes(UNCHECKED, empty)});
            if (!succeeded(answer, NFS3_OK)) return;
            const auto& made = answer->resok();
            if (!before) add(place, NF3REG, made.obj, made.obj_attributes);
            find(place)->content.clear();
            find(place)->changed.reset();
            compare(*find(place), *made.obj_attributes);
            check(std::ranges::equal(made.obj->data, find(place)->handle), "another file");
        });
}

void Actor::make_link() {
    const Place from = some_place(is_regular);
    const auto file = find(from);
    if (!file || !is_regular(*file)) return create_guarded();
    const Place to = any_place();
    set(fmt::format("LINK {}/{} {}/{}", from.directory, from.name, to.directory, to.name),
        [=, this](Exchange& exchange) {
            const auto answer =
                Nfs{exchange}.LINK({{file->handle}, {directory(to.directory), to.name}});
            if (!succeeded(answer, find(to) ? NFS3ERR_EXIST : NFS3_OK)) return;
            ++file->links;
            directories_[to.directory][to.name] = file;
            learn(*file, answer->resok().file_attributes);
        });
}

void Actor::make_symlink() {
    const Place place = any_place();
    const std::string text = random_text(dice_.between(1, 60));
    set(fmt::format("SYMLINK {}/{}", place.directory, place.name), [=, this](Exchange& exchange) {
        const auto answer =
            Nfs{exchange}.SYMLINK({{directory(place.directory), place.name}, {{}, text}});
        if (!succeeded(answer, find(place) ? NFS3ERR_EXIST : NFS3_OK)) return;
        const auto& made = answer->resok();
        add(place, NF3LNK, made.obj, made.obj_attributes)->content = text;
    });
}

void Actor::remove() {
    const Place place = some_place(is_no_directory);
    const auto before = find(place);
    if (before && is_directory(*before)) return lookup();
    set(fmt::format("REMOVE {}/{}", place.directory, place.name), [=, this](Exchange& exchange) {
        const auto answer = Nfs{exchange}.REMOVE({{directory(place.directory), place.name}});
        if (succeeded(answer, before ? NFS3_OK : NFS3ERR_NOENT)) drop(place);
    });
}

void Actor::remove_directory() {
    const Place place = some_place(is_directory);
    const auto before = find(place);
    const nfsstat3 expected = !before                 ? NFS3ERR_NOENT
                              : is_directory(*before) ? NFS3_OK
                                                      : NFS3ERR_NOTDIR;
    set(fmt::format("RMDIR {}/{}", place.directory, place.name), [=, this](Exchange& exchange) {
        const auto answer = Nfs{exchange}.RMDIR({{directory(place.directory), place.name}});
        if (succeeded(answer, expected)) directories_[place.directory].erase(place.name);
    });
}

void Actor::rename() {
    const Place from = dice_.one_in(4) ? any_place() : some_place([](const File&) { return true; });
    const Place to = any_place();
    const auto moved = find(from);
    const auto replaced = find(to);
    if (moved && replaced && is_directory(*moved) != is_directory(*replaced)) return lookup();
    set(fmt::format("RENAME {}/{} {}/{}", from.directory, from.name, to.directory, to.name),
        [=, this](Exchange& exchange) {
            const auto answer = Nfs{exchange}.RENAME(
                {{directory(from.directory), from.name}, {directory(to.directory), to.name}});
            if (!succeeded(answer, moved ? NFS3_OK : NFS3ERR_NOENT)) return;
            if (moved == replaced) return;  // two names of one file: nothing happens
            if (replaced) drop(to);
            directories_[from.directory].erase(from.name);
            directories_[to.directory][to.name] = moved;
            moved->changed.reset();
        });
}

void Actor::lookup() {
    const Place place = any_place();
    const auto file = find(place);
    set(fmt::format("LOOKUP {}/{}", place.directory, place.name), [=, this](Exchange& exchange) {
        const auto answer = Nfs{exchange}.LOOKUP({{directory(place.directory), place.name}});
        if (!succeeded(answer, file ? NFS3_OK : NFS3ERR_NOENT)) return;
        check(std::ranges::equal(answer->resok().object.data, file->handle), "another file");
        learn(*file, answer->resok().obj_attributes);
    });
}

// ---- Listings, page by page ----

void Actor::list() {
    constexpr std::uint32_t kSizes[] = {600, 1000, 65'536};
    if (!listing_) {
        listing_.emplace();
        listing_->directory = dice_.below(kDirectories);
        listing_->plus = dice_.one_in(2);
        listing_->size = dice_.pick(kSizes);
    }
    set(fmt::format("{} {} from {}", listing_->plus ? "READDIRPLUS" : "READDIR",
                    listing_->directory, listing_->names.size()),
        [this](Exchange& exchange) {
            const nfs_fh3 where = directory(listing_->directory);
            const auto& [number, plus, size, cookie, verifier, names] = *listing_;
            if (plus) {
                const auto answer =
                    Nfs{exchange}.READDIRPLUS({where, cookie, verifier, size, size});
                if (!succeeded(answer, NFS3_OK)) return;
                for (auto* one = answer->resok().reply.entries; one; one = one->nextentry) {
                    const auto file = find({number, std::string(one->name)});
                    if (!file || file->handle == handles_[1] || !one->name_attributes) continue;
                    compare(*file, *one->name_attributes);
                }
                take_page(answer->resok());
            } else {
                const auto answer = Nfs{exchange}.READDIR({where, cookie, verifier, size});
                if (succeeded(answer, NFS3_OK)) take_page(answer->resok());
            }
        });
}

template <class Reply>
void Actor::take_page(const Reply& page) {
    for (auto* one = page.reply.entries; one != nullptr; one = one->nextentry) {
        listing_->names.emplace_back(one->name);
        listing_->cookie = one->cookie;
    }
    listing_->verifier = page.cookieverf;
    if (!page.reply.eof) return;
    std::vector<std::string> expected{".", ".."};
    for (const auto& [name, file] : directories_[listing_->directory]) expected.push_back(name);
    std::sort(expected.begin(), expected.end());
    std::sort(listing_->names.begin(), listing_->names.end());
    check(
        listing_->names == expected,
        fmt::format("{} instead of {}", fmt::join(listing_->names, " "), fmt::join(expected, " ")));
    listing_.reset();
}

// ---- Contested names ----

void Actor::fight() {
    const std::size_t number = dice_.below(kSharedNames);
    const bool creates = dice_.one_in(2);
    const std::string name = SharedNames::name(number);
    set(fmt::format("{} {}", creates ? "CREATE" : "REMOVE", name), [=, this](Exchange& exchange) {
        // Either is possible; which of them it was is accounted for.
        const auto either = [this](const auto& answer, nfsstat3 other) {
            if (!has_reply_ || !answer) return false;
            return judge(answer->status(), answer->status() == other ? other : NFS3_OK);
        };
        int& balance = shared_.balance[number];
        if (!creates) {
            const auto answer = Nfs{exchange}.REMOVE({{{shared_handle_}, name}});
            if (either(answer, NFS3ERR_NOENT)) --balance;
            return;
        }
        const auto answer = Nfs{exchange}.CREATE(
            {{{shared_handle_}, name}, createhow3::of_obj_attributes(GUARDED, {})});
        if (either(answer, NFS3ERR_EXIST)) ++balance;
    });
}

}  // namespace helio::simulation
