// Actor: operations on files, and the final comparison.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tests/simulation/actor.h"

namespace helio::simulation {

using namespace nfs3;

namespace {

bool any_file(const File&) { return true; }
bool is_regular(const File& file) { return file.type == NF3REG; }

std::uint64_t number_of(const writeverf3& verifier) {
    std::uint64_t out = 0;
    std::memcpy(&out, verifier.data(), sizeof out);
    return out;
}

}  // namespace

void Actor::get_attributes() {
    const auto file = find(some_place(any_file));
    if (!file) return create_guarded();
    set("GETATTR", [=, this](Exchange& exchange) {
        const auto answer = Nfs{exchange}.GETATTR({{file->handle}});
        if (succeeded(answer, NFS3_OK)) learn(*file, answer->resok().obj_attributes);
    });
}

void Actor::set_mode() {
    constexpr std::uint32_t kModes[] = {0600, 0644, 0700, 0755};
    const auto file = find(some_place(any_file));
    if (!file || file->type == NF3LNK) return create_guarded();
    const std::uint32_t mode = dice_.pick(kModes);
    set(fmt::format("SETATTR mode {:o}", mode), [=, this](Exchange& exchange) {
        sattr3 changes;
        changes.mode = mode;
        const auto answer = Nfs{exchange}.SETATTR({{file->handle}, changes, {}});
        if (!succeeded(answer, NFS3_OK)) return;
        file->mode = mode;
        file->verifier.reset();
        learn(*file, answer->resok().obj_wcc.after);
    });
}

void Actor::set_size() {
    const auto file = find(some_place(is_regular));
    if (!file || !is_regular(*file)) return create_guarded();
    const std::size_t size = dice_.below(file->content.size() + 2000);
    set(fmt::format("SETATTR size {}", size), [=, this](Exchange& exchange) {
        sattr3 changes;
        changes.size = size;
        const auto answer = Nfs{exchange}.SETATTR({{file->handle}, changes, {}});
        if (!succeeded(answer, NFS3_OK)) return;
        file->content.resize(size);
        file->verifier.reset();
        learn(*file, answer->resok().obj_wcc.after);
    });
}

// With the change time the file has, or with one it never had.
void Actor::set_guarded() {
    const auto file = find(
        some_place([](const File& one) { return is_regular(one) && one.changed.has_value(); }));
    if (!file || !is_regular(*file) || !file->changed) return get_attributes();
    const bool matches = dice_.one_in(2);
    const nfstime3 guard = matches ? *file->changed : nfstime3{1, 1};
    set(fmt::format("SETATTR guarded, {}", matches ? "in time" : "too late"),
        [=, this](Exchange& exchange) {
            sattr3 changes;
            changes.mode = 0666;
            const auto answer = Nfs{exchange}.SETATTR({{file->handle}, changes, guard});
            if (!succeeded(answer, matches ? NFS3_OK : NFS3ERR_NOT_SYNC)) return;
            file->mode = 0666;
            file->verifier.reset();
            learn(*file, answer->resok().obj_wcc.after);
        });
}

void Actor::write() {
    constexpr std::size_t kSizes[] = {1, 80, 900, 9000, 70'000};
    constexpr stable_how kStable[] = {UNSTABLE, DATA_SYNC, FILE_SYNC};
    const auto file = find(some_place(is_regular));
    if (!file || !is_regular(*file)) return create_guarded();
    const std::string text = random_text(std::min(dice_.pick(kSizes), plan_.bytes_max));
    const std::size_t offset = dice_.below(file->content.size() + 100);
    const stable_how stable = dice_.pick(kStable);
    set(fmt::format("WRITE {} at {}", text.size(), offset), [=, this](Exchange& exchange) {
        const auto size = static_cast<std::uint32_t>(text.size());
        const auto answer =
            Nfs{exchange}.WRITE({{file->handle}, offset, size, stable, as_bytes(text)});
        if (!succeeded(answer, NFS3_OK)) return;
        check(answer->resok().count == size, "not all of it");
        check(answer->resok().committed >= stable, "less stable than it was asked for");
        check(number_of(answer->resok().verf) == kWriteVerifier, "another verifier");
        if (file->content.size() < offset + size) file->content.resize(offset + size);
        file->content.replace(offset, size, text);
        learn(*file, answer->resok().file_wcc.after);
    });
}

void Actor::read() {
    constexpr std::uint32_t kCounts[] = {10, 4000, 33'000, 200'000};
    const auto file = find(some_place(is_regular));
    if (!file || !is_regular(*file)) return create_guarded();
    const std::uint32_t count = dice_.pick(kCounts);
    const std::size_t offset = dice_.one_in(2) ? 0 : dice_.below(file->content.size() + 10);
    set(fmt::format("READ {} at {}", count, offset), [=, this](Exchange& exchange) {
        const auto answer = Nfs{exchange}.READ({{file->handle}, offset, count});
        if (!succeeded(answer, NFS3_OK)) return;
        const std::string& content = file->content;
        const std::string_view expected =
            std::string_view{content}.substr(std::min(offset, content.size()), count);
        const auto& got = answer->resok();
        check(as_text(got.data.bytes()) == expected,
              fmt::format("{} other bytes, {} expected", got.data.size(), expected.size()));
        check(got.eof == (offset + expected.size() >= content.size()), "wrong about the end");
    });
}

void Actor::read_link() {
    const auto file = find(some_place([](const File& one) { return one.type == NF3LNK; }));
    if (!file || file->type != NF3LNK) return make_symlink();
    set("READLINK", [=, this](Exchange& exchange) {
        const auto answer = Nfs{exchange}.READLINK({{file->handle}});
        if (succeeded(answer, NFS3_OK))
            check(answer->resok().data == file->content, "another text");
    });
}

void Actor::commit() {
    const auto file = find(some_place(is_regular));
    if (!file || file->type != NF3REG) return create_guarded();
    set("COMMIT", [=, this](Exchange& exchange) {
        const auto answer = Nfs{exchange}.COMMIT({{file->handle}, 0, 0});
        if (succeeded(answer, NFS3_OK))
            check(number_of(answer->resok().verf) == kWriteVerifier, "another verifier");
    });
}

// ---- At the end, without the server ----

namespace {

struct Names final : vfs::EntrySink {
    std::map<std::string, vfs::FileId> found;
    bool add(const vfs::Entry& entry) override {
        if (entry.name != "." && entry.name != "..") found[std::string(entry.name)] = *entry.id;
        return true;
    }
};

struct Space final : vfs::Memory {
    std::vector<std::byte> bytes;
    std::shared_ptr<const void> owner;
    std::span<std::byte> take(std::size_t size) override {
        bytes.resize(size);
        return bytes;
    }
    ByteView borrow(ByteView view, std::shared_ptr<const void> from) override {
        owner = std::move(from);
        return view;
    }
    Payload file(int, std::uint64_t, std::size_t, std::shared_ptr<const void>) override {
        return {};
    }
};

}  // namespace

void Actor::compare_file(vfs::FileSystem& files, const vfs::FileId& id, const File& file) const {
    const vfs::Caller superuser;
    vfs::Attributes attributes;
    check(files.attributes(superuser, id, attributes) == vfs::Status::ok, "a file is gone");
    check(attributes.links == file.links,
          fmt::format("{} links instead of {}", attributes.links, file.links));
    if (file.type != NF3LNK) check(attributes.mode == file.mode, "another mode");
    if (file.type == NF3DIR) return;
    Space space;
    if (file.type == NF3LNK) {
        vfs::LinkText text;
        check(files.read_link(superuser, id, space, text) == vfs::Status::ok, "cannot read a link");
        return check(text.text == file.content, "another text");
    }
    vfs::ReadOut out;
    const auto size = static_cast<std::uint32_t>(file.content.size());
    check(files.read(superuser, id, 0, size + 1, space, out) == vfs::Status::ok, "cannot read");
    check(as_text(out.data.bytes()) == file.content,
          fmt::format("other content: {} bytes instead of {}", out.data.size(), size));
}

void Actor::compare(vfs::FileSystem& files) const {
    const vfs::Caller superuser;
    vfs::LookupOut own;
    check(files.lookup(superuser, files.root(), name_, own) == vfs::Status::ok, "no directory");
    vfs::FileId at = own.id;
    for (std::size_t i = 0; i < kDirectories; ++i) {
        Names names;
        vfs::ListOut out;
        vfs::ListFrom from;
        from.details = true;
        check(files.list(superuser, at, from, names, out) == vfs::Status::ok && out.end, "no list");
        for (const auto& [name, id] : names.found)
            check(directories_[i].count(name) == 1, name + " is there and should not be");
        vfs::FileId inner;
        for (const auto& [name, file] : directories_[i]) {
            check(names.found.count(name) == 1, name + " should be there and is not");
            if (file->handle == handles_[1])
                inner = names.found[name];
            else
                compare_file(files, names.found[name], *file);
        }
        at = inner;
    }
}

}  // namespace helio::simulation
