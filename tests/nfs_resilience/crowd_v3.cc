#include <algorithm>
#include <initializer_list>
#include <set>
#include <thread>

#include "helio/xdr/wire.h"
#include "schema/nfs3_service.h"
#include "tests/nfs_resilience/crowd.h"

namespace helio::tests {
namespace {

using namespace nfs3;

constexpr std::size_t kOwnFilesOfVersion3Max = 12;
constexpr std::size_t kFileSizeMax = 200'000;

class GuestOfVersion3 final : public Guest {
 public:
    using Guest::Guest;

 private:
    // The expected state of a file that no other guest changes.
    struct Own {
        std::string name;
        unsigned place = 0;  // which of the shared directories
        std::uint64_t fileid = 0;
        std::string content;
        std::shared_ptr<Shown> shown;
        ByteView handle() const { return shown->handle; }
    };

    void step() override;
    void leave() override {
        while (!own_.empty()) remove_own(own_.size() - 1);
        for (const std::string& name : came_) expect_ok(remove(stage_.listed, name), "a leaver");
    }

    // ---- Helpers ----
    NFS_V3::Client nfs() { return NFS_V3::Client{client_}; }
    void expect_status(nfsstat3 got, std::initializer_list<nfsstat3> allowed,
                       const std::string& what) {
        if (std::find(allowed.begin(), allowed.end(), got) == allowed.end())
            wrong(what + ": " + std::string(to_string(got)));
    }
    void expect_ok(nfsstat3 got, const std::string& what) { expect_status(got, {NFS3_OK}, what); }
    nfsstat3 remove(ByteView directory, std::string_view name) {
        return answered(nfs().REMOVE({{{directory}, name}}), "REMOVE").status();
    }
    nfsstat3 rename(ByteView from, std::string_view name, ByteView to, std::string_view new_name) {
        return answered(nfs().RENAME({{{from}, name}, {{to}, new_name}}), "RENAME").status();
    }
    nfsstat3 write(ByteView file, std::uint64_t offset, std::string_view bytes, stable_how how);
    // Empty if there is no such name.
    Bytes lookup(ByteView directory, std::string_view name);
    std::string read(ByteView file, const std::string& what);
    std::optional<fattr3> attributes(ByteView file) {
        const auto got = answered(nfs().GETATTR({{file}}), "GETATTR");
        expect_status(got.status(), {NFS3_OK, NFS3ERR_STALE}, "GETATTR");
        if (!got.has_resok()) return {};
        return got.resok().obj_attributes;
    }
    createhow3 any_how() {
        sattr3 first;
        first.mode = 0644;
        if (random(3) == 0) {
            createverf3 verifier;
            for (std::byte& one : verifier) one = static_cast<std::byte>(random(256));
            return createhow3::of_verf(verifier);
        }
        return createhow3::of_obj_attributes(random(2) == 0 ? GUARDED : UNCHECKED, first);
    }
    Own& any_own() { return own_[random(static_cast<std::uint32_t>(own_.size()))]; }
    ByteView place(unsigned number) const { return stage_.shared[number]; }

    // ---- What guests do ----
    void make_own();
    void write_own();
    void resize_own();
    void check_own();
    void move_own();
    void replace_own();
    void link_own();
    void remove_own(std::size_t number);
    void look_at_others();
    void be_first();
    void contest();
    void count_under_lock();
    void come_and_go();
    void list();
    void list_names_alone();
    void make_directory();
    void make_symlink();
    void replace_common();
    void ask_around();

    std::vector<Own> own_;
    std::vector<std::string> came_;
    std::size_t next_first_ = 0;
    std::uint64_t last_count_ = 0;
};

void GuestOfVersion3::step() {
    if (own_.empty()) return make_own();
    const std::uint32_t dice = random(100);
    if (dice < 8)
        return own_.size() < kOwnFilesOfVersion3Max ? make_own()
                                                    : remove_own(random(kOwnFilesOfVersion3Max));
    if (dice < 22) return write_own();
    if (dice < 25) return resize_own();
    if (dice < 36) return check_own();
    if (dice < 44) return move_own();
    if (dice < 46 && own_.size() > 1) return replace_own();
    if (dice < 50) return link_own();
    if (dice < 62) return look_at_others();
    if (dice < 68) return be_first();
    if (dice < 75) return contest();
    if (dice < 82) return count_under_lock();
    if (dice < 89) return come_and_go();
    if (dice < 91) return list();
    if (dice < 92) return list_names_alone();
    if (dice < 94) return make_directory();
    if (dice < 96) return make_symlink();
    if (dice < 98) return replace_common();
    ask_around();
}

nfsstat3 GuestOfVersion3::write(ByteView file, std::uint64_t offset, std::string_view bytes,
                                stable_how how) {
    while (!bytes.empty()) {
        const auto count = static_cast<std::uint32_t>(bytes.size());
        const auto got =
            answered(nfs().WRITE({{file}, offset, count, how, as_bytes(bytes)}), "WRITE");
        if (!got.has_resok()) return got.status();
        check(got.resok().count > 0 && got.resok().count <= count, "WRITE counts wrong");
        check(got.resok().committed >= how, "WRITE is less stable than asked for");
        offset += got.resok().count;
        bytes.remove_prefix(got.resok().count);
    }
    return NFS3_OK;
}

Bytes GuestOfVersion3::lookup(ByteView directory, std::string_view name) {
    const auto got = answered(nfs().LOOKUP({{{directory}, name}}), "LOOKUP");
    expect_status(got.status(), {NFS3_OK, NFS3ERR_NOENT}, "LOOKUP " + std::string(name));
    if (!got.has_resok()) return {};
    const ByteView handle = got.resok().object.data;
    return {handle.begin(), handle.end()};
}

std::string GuestOfVersion3::read(ByteView file, const std::string& what) {
    std::string out;
    for (;;) {
        const auto got = answered(nfs().READ({{file}, out.size(), 1 + random(70'000)}), "READ");
        expect_ok(got.status(), "READ of " + what);
        out += as_text(got.resok().data);
        if (got.resok().eof) return out;
        check(!got.resok().data.empty(), "READ does not come on");
    }
}

// ---- Files of one's own, in directories of everybody's ----

void GuestOfVersion3::make_own() {
    Own made;
    made.name = fresh_name("own");
    made.place = random(2);
    const createhow3 how = any_how();
    const auto got = answered(nfs().CREATE({{{place(made.place)}, made.name}, how}), "CREATE");
    expect_ok(got.status(), "CREATE of a name that is nobody else's");
    check(got.resok().obj.has_value() && got.resok().obj_attributes.has_value(), "CREATE tells");
    const fattr3 attributes = *got.resok().obj_attributes;
    check(attributes.type == NF3REG && attributes.size == 0 && attributes.nlink == 1,
          "a new file is empty, and has one name");
    check(attributes.uid == who_.uid, "a new file is its maker's");
    made.fileid = attributes.fileid;
    made.shown = std::make_shared<Shown>();
    const ByteView handle = got.resok().obj->data;
    made.shown->handle.assign(handle.begin(), handle.end());
    made.shown->label = label_of(made.name);
    if (how.mode() == EXCLUSIVE) {
        sattr3 first;
        first.mode = 0644;
        first.atime.set(SET_TO_SERVER_TIME);
        first.mtime.set(SET_TO_SERVER_TIME);
        expect_ok(answered(nfs().SETATTR({{made.handle()}, first, {}}), "SETATTR").status(),
                  "SETATTR after an exclusive CREATE");
    }
    made.content = made.shown->label;
    expect_ok(write(made.handle(), 0, made.content, random(10) == 0 ? FILE_SYNC : UNSTABLE),
              "WRITE to a new file");
    stage_.show(made.shown);
    own_.push_back(std::move(made));
}

void GuestOfVersion3::write_own() {
    Own& mine = any_own();
    const std::size_t most = random(8) == 0 ? 60'000 : 5'000;
    const std::size_t offset =
        kLabelSize + random(random(4) == 0
                                ? 100'000
                                : static_cast<std::uint32_t>(mine.content.size() - kLabelSize + 1));
    const std::string bytes = random_text(1 + random(static_cast<std::uint32_t>(most)));
    const stable_how how = random(12) == 0 ? (random(2) == 0 ? FILE_SYNC : DATA_SYNC) : UNSTABLE;
    expect_ok(write(mine.handle(), offset, bytes, how), "WRITE to a file of one's own");
    if (mine.content.size() < offset + bytes.size()) mine.content.resize(offset + bytes.size());
    mine.content.replace(offset, bytes.size(), bytes);
    if (random(20) == 0) {
        const auto got = answered(nfs().COMMIT({{mine.handle()}, 0, 0}), "COMMIT");
        expect_ok(got.status(), "COMMIT");
        check(got.resok().file_wcc.after->size == mine.content.size(), "the size at COMMIT");
    }
}

void GuestOfVersion3::resize_own() {
    Own& mine = any_own();
    sattr3 change;
    const std::size_t size = kLabelSize + random(kFileSizeMax - kLabelSize);
    change.size = size;
    const auto got = answered(nfs().SETATTR({{mine.handle()}, change, {}}), "SETATTR");
    expect_ok(got.status(), "SETATTR of the size");
    check(got.resok().obj_wcc.before->size == mine.content.size(), "the size before");
    check(got.resok().obj_wcc.after->size == size, "the size after");
    mine.content.resize(size);
}

void GuestOfVersion3::check_own() {
    Own& mine = any_own();
    check(lookup(place(mine.place), mine.name) == mine.shown->handle, "a handle has changed");
    const auto now = attributes(mine.handle());
    check(now.has_value(), "a file of one's own is stale");
    check(now->type == NF3REG && now->fileid == mine.fileid && now->nlink == 1 &&
              now->size == mine.content.size() && now->uid == who_.uid && now->mode == 0644,
          "attributes of " + mine.name);
    check(read(mine.handle(), mine.name) == mine.content, "content of " + mine.name);
}

void GuestOfVersion3::move_own() {
    Own& mine = any_own();
    const std::string name = fresh_name("own");
    const unsigned to = random(2);
    expect_ok(rename(place(mine.place), mine.name, place(to), name), "RENAME of one's own");
    if (random(2) == 0) check(lookup(place(mine.place), mine.name).empty(), "the old name is left");
    mine.name = name;
    mine.place = to;
    check(lookup(place(to), name) == mine.shown->handle, "RENAME has changed the handle");
}

// One of one's own over another.
void GuestOfVersion3::replace_own() {
    const std::size_t first = random(static_cast<std::uint32_t>(own_.size()));
    const std::size_t second = (first + 1) % own_.size();
    Own& stays = own_[first];
    const Own lost = own_[second];
    lost.shown->going = true;
    expect_ok(rename(place(stays.place), stays.name, place(lost.place), lost.name),
              "RENAME over one's own");
    lost.shown->gone = true;
    check(!attributes(lost.handle()), "a file is there that was replaced");
    stays.name = lost.name;
    stays.place = lost.place;
    own_.erase(own_.begin() + static_cast<std::ptrdiff_t>(second));
}

void GuestOfVersion3::link_own() {
    Own& mine = any_own();
    const unsigned to = random(2);
    const std::string name = fresh_name("link");
    const auto linked = answered(nfs().LINK({{mine.handle()}, {{place(to)}, name}}), "LINK");
    expect_ok(linked.status(), "LINK");
    check(linked.resok().file_attributes->nlink == 2, "links after LINK");
    check(lookup(place(to), name) == mine.shown->handle, "a link has another handle");
    // Either name may go: the file stays, and its handle with it.
    if (random(2) == 0) {
        expect_ok(remove(place(mine.place), mine.name), "REMOVE of the first name");
        mine.name = name;
        mine.place = to;
    } else {
        expect_ok(remove(place(to), name), "REMOVE of a link");
    }
    const auto now = attributes(mine.handle());
    check(now && now->nlink == 1, "links after REMOVE");
}

void GuestOfVersion3::remove_own(std::size_t number) {
    const Own mine = own_[number];
    own_.erase(own_.begin() + static_cast<std::ptrdiff_t>(number));
    mine.shown->going = true;
    expect_ok(remove(place(mine.place), mine.name), "REMOVE of one's own");
    mine.shown->gone = true;
    check(!attributes(mine.handle()), "a file is there that was removed");
    check(lookup(place(mine.place), mine.name).empty(), "a name is there that was removed");
}

// Its own content or none: a handle outlives its file, and never becomes another's.
void GuestOfVersion3::look_at_others() {
    const auto shown = stage_.pick(random(1u << 20));
    if (!shown) return;
    const bool gone = shown->gone;
    const auto got = answered(nfs().READ({{shown->handle}, 0, kLabelSize}), "READ");
    expect_status(got.status(), {NFS3_OK, NFS3ERR_STALE}, "READ of another's file");
    if (!got.has_resok()) return check(shown->going, "a file that is there is stale");
    check(!gone, "a file can be read that was removed");
    check(as_text(got.resok().data) == shown->label, "a handle shows another file");
}

// ---- Contested names ----

void GuestOfVersion3::be_first() {
    if (next_first_ == kFirstNames) return;
    const std::string name = "first-" + std::to_string(next_first_);
    createhow3 how = any_how();
    if (how.mode() == UNCHECKED) how = createhow3::of_obj_attributes(GUARDED, {});
    const auto got = answered(nfs().CREATE({{{stage_.contest}, name}, how}), "CREATE");
    expect_status(got.status(), {NFS3_OK, NFS3ERR_EXIST}, "CREATE of a name that all want");
    if (got.has_resok()) ++stage_.winners[next_first_];
    ++next_first_;
}

void GuestOfVersion3::contest() {
    const std::uint32_t which = random(kContestedNames);
    const std::string name = "contested-" + std::to_string(which);
    if (random(2) == 0) {
        const auto how = createhow3::of_obj_attributes(GUARDED, {});
        const auto got = answered(nfs().CREATE({{{stage_.contest}, name}, how}), "CREATE");
        expect_status(got.status(), {NFS3_OK, NFS3ERR_EXIST}, "CREATE of a contested name");
        if (got.has_resok()) ++stage_.balance[which];
    } else {
        const nfsstat3 got = remove(stage_.contest, name);
        expect_status(got, {NFS3_OK, NFS3ERR_NOENT}, "REMOVE of a contested name");
        if (got == NFS3_OK) --stage_.balance[which];
    }
}

// The guest that has renamed "free" holds the lock; the count under it must agree with our own.
void GuestOfVersion3::count_under_lock() {
    const std::string held = "held-" + std::to_string(who_.number);
    const nfsstat3 got = rename(stage_.locks, "free", stage_.locks, held);
    expect_status(got, {NFS3_OK, NFS3ERR_NOENT}, "RENAME of the lock");
    if (got != NFS3_OK) return;
    check(stage_.holder.exchange(static_cast<int>(who_.number)) == -1, "two hold the lock");
    const std::string before = read(stage_.counter, "the counter");
    check(before.size() == 8, "the counter's size");
    const std::uint64_t count = xdr::load_u64(as_bytes(before).data());
    check(count == stage_.counted, "the counter has lost a step");
    check(count >= last_count_, "the counter goes back");
    std::array<std::byte, 8> next;
    xdr::store_u64(next.data(), count + 1);
    expect_ok(write(stage_.counter, 0, as_text(next), UNSTABLE), "WRITE of the counter");
    last_count_ = ++stage_.counted;
    stage_.holder = -1;
    expect_ok(rename(stage_.locks, held, stage_.locks, "free"), "RENAME back");
}

// A name that always exists, with a new file each time.
void GuestOfVersion3::replace_common() {
    const Bytes there = lookup(stage_.locks, "common");
    check(!there.empty(), "a name that is only ever replaced was not there");
    const auto got = answered(nfs().READ({{there}, 0, 100}), "READ");
    expect_status(got.status(), {NFS3_OK, NFS3ERR_STALE}, "READ of the common file");
    if (got.has_resok()) check(got.resok().data.size() == kLabelSize, "the common file is cut");
    const std::string name = fresh_name("common");
    sattr3 first;
    first.mode = 0644;
    const auto how = createhow3::of_obj_attributes(GUARDED, first);
    expect_ok(answered(nfs().CREATE({{{stage_.locks}, name}, how}), "CREATE").status(), "CREATE");
    expect_ok(write(lookup(stage_.locks, name), 0, label_of(name), UNSTABLE), "WRITE");
    expect_ok(rename(stage_.locks, name, stage_.locks, "common"), "RENAME over the common file");
}

// ---- Directories ----

// Names that come are never used twice, so that no listing may show one twice.
void GuestOfVersion3::come_and_go() {
    if (came_.size() < 8 && random(2) == 0) {
        came_.push_back(fresh_name("comes"));
        const auto got =
            answered(nfs().CREATE({{{stage_.listed}, came_.back()}, any_how()}), "CREATE");
        expect_ok(got.status(), "CREATE of one that comes");
    } else if (!came_.empty()) {
        const std::size_t which = random(static_cast<std::uint32_t>(came_.size()));
        const std::string name = came_[which];
        came_.erase(came_.begin() + static_cast<std::ptrdiff_t>(which));
        if (random(3) == 0) {
            const std::string other = fresh_name("comes");
            expect_ok(rename(stage_.listed, name, stage_.listed, other), "RENAME of one that came");
            came_.push_back(other);
        } else {
            expect_ok(remove(stage_.listed, name), "REMOVE of one that came");
        }
    }
}

void GuestOfVersion3::list() {
    const std::vector<std::string> mine = came_;
    std::set<std::string> seen;
    READDIRPLUS3args args{{stage_.listed}, 0, {}, 200 + random(2'000), 600 + random(6'000)};
    for (bool end = false; !end;) {
        const auto got = answered(nfs().READDIRPLUS(args), "READDIRPLUS");
        expect_ok(got.status(), "READDIRPLUS");
        const dirlistplus3& page = got.resok().reply;
        check(page.eof || page.entries != nullptr, "READDIRPLUS does not come on");
        for (const entryplus3* one = page.entries; one != nullptr; one = one->nextentry) {
            const std::string name{one->name};
            check(seen.insert(name).second, "listed twice: " + name);
            args.cookie = one->cookie;
            const auto known = stage_.staying.find(name);
            if (known == stage_.staying.end()) continue;
            check(one->name_handle && one->name_attributes, name + " is listed by its name alone");
            const ByteView handle = one->name_handle->data;
            check(Bytes(handle.begin(), handle.end()) == known->second, "another handle: " + name);
            check(one->name_attributes->fileid == one->fileid && one->name_attributes->nlink == 1 &&
                      one->name_attributes->size == kLabelSize,
                  "attributes of " + name);
        }
        args.cookieverf = got.resok().cookieverf;
        end = page.eof;
    }
    for (const auto& [name, handle] : stage_.staying) check(seen.contains(name), "missed: " + name);
    for (const std::string& name : mine) check(seen.contains(name), "missed: " + name);
}

void GuestOfVersion3::list_names_alone() {
    std::set<std::string> seen;
    READDIR3args args{{stage_.listed}, 0, {}, 300 + random(4'000)};
    for (bool end = false; !end;) {
        const auto got = answered(nfs().READDIR(args), "READDIR");
        expect_ok(got.status(), "READDIR");
        for (const entry3* one = got.resok().reply.entries; one != nullptr; one = one->nextentry) {
            check(seen.emplace(one->name).second, "listed twice: " + std::string(one->name));
            args.cookie = one->cookie;
        }
        args.cookieverf = got.resok().cookieverf;
        end = got.resok().reply.eof;
    }
    for (const auto& [name, handle] : stage_.staying) check(seen.contains(name), "missed: " + name);
}

void GuestOfVersion3::make_directory() {
    const std::string name = fresh_name("directory");
    const unsigned from = random(2), to = random(2);
    sattr3 first;
    first.mode = 0755;
    const auto made = answered(nfs().MKDIR({{{place(from)}, name}, first}), "MKDIR");
    expect_ok(made.status(), "MKDIR");
    const ByteView view = made.resok().obj->data;
    const Bytes handle{view.begin(), view.end()};
    check(made.resok().obj_attributes->type == NF3DIR, "what MKDIR makes");
    const auto how = createhow3::of_obj_attributes(GUARDED, {});
    expect_ok(answered(nfs().CREATE({{{handle}, "inside"}, how}), "CREATE").status(), "CREATE");
    const std::string moved = name + "-moved";
    expect_ok(rename(place(from), name, place(to), moved), "RENAME of a directory");
    check(lookup(handle, "..") == stage_.shared[to], "the parent of a directory that was moved");
    check(!lookup(handle, "inside").empty(), "what is inside a directory that was moved");
    const diropargs3 it{{place(to)}, moved};
    expect_status(answered(nfs().RMDIR({it}), "RMDIR").status(), {NFS3ERR_NOTEMPTY}, "RMDIR");
    expect_ok(remove(handle, "inside"), "REMOVE inside");
    expect_ok(answered(nfs().RMDIR({it}), "RMDIR").status(), "RMDIR");
    check(!attributes(handle), "a directory is there that was removed");
}

void GuestOfVersion3::make_symlink() {
    const std::string name = fresh_name("symlink");
    const std::string text = "to/" + name;
    const auto made = answered(nfs().SYMLINK({{{place(0)}, name}, {{}, text}}), "SYMLINK");
    expect_ok(made.status(), "SYMLINK");
    const Bytes handle = lookup(place(0), name);
    const auto got = answered(nfs().READLINK({{handle}}), "READLINK");
    expect_ok(got.status(), "READLINK");
    check(got.resok().data == text, "another text than was given");
    expect_ok(remove(place(0), name), "REMOVE of a link");
}

void GuestOfVersion3::ask_around() {
    const nfs_fh3 where{place(random(2))};
    expect_ok(answered(nfs().FSSTAT({where}), "FSSTAT").status(), "FSSTAT");
    expect_ok(answered(nfs().FSINFO({where}), "FSINFO").status(), "FSINFO");
    expect_ok(answered(nfs().PATHCONF({where}), "PATHCONF").status(), "PATHCONF");
    const auto may = answered(nfs().ACCESS({where, 0x3f}), "ACCESS");
    expect_ok(may.status(), "ACCESS");
    check((may.resok().access & ACCESS3_MODIFY) != 0, "a directory of all is closed to some");
}

}  // namespace

std::unique_ptr<Guest> make_guest_of_version_3(Stage& stage, const std::string& server,
                                               const Guest::Who& who) {
    return std::make_unique<GuestOfVersion3>(stage, server, who);
}

}  // namespace helio::tests
