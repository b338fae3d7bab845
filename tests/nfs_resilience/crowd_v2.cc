#include <set>

#include "schema/nfs2_service.h"
#include "tests/nfs_resilience/crowd.h"

namespace helio::tests {
namespace {

using namespace nfs2;

constexpr std::uint32_t kLeave = UINT32_MAX;
constexpr std::size_t kOwnFilesOfVersion2Max = 6;

fhandle fixed(ByteView handle) {
    fhandle out{};
    std::copy(handle.begin(), handle.end(), out.begin());
    return out;
}

// Checks the permanent files and its own like the others do.
class GuestOfVersion2 final : public Guest {
 public:
    using Guest::Guest;

 private:
    struct Own {
        std::string name;
        unsigned place = 0;
        std::string content;
        fhandle handle{};
        std::shared_ptr<Shown> shown;
    };

    void step() override {
        if (own_.empty()) return make_own();
        switch (random(8)) {
            case 0:
                return own_.size() < kOwnFilesOfVersion2Max
                           ? make_own()
                           : remove_own(random(kOwnFilesOfVersion2Max));
            case 1:
            case 2:
                return write_own();
            case 3:
                return check_own();
            case 4:
                return move_own();
            case 5:
                return look_at_others();
            case 6:
                return contest();
            default:
                return random(4) == 0 ? list() : make_directory();
        }
    }
    void leave() override {
        while (!own_.empty()) remove_own(own_.size() - 1);
    }

    NFS_VERSION::Client nfs() { return NFS_VERSION::Client{client_}; }
    void expect_ok(nfsstat got, const char* what) {
        if (got != NFS_OK) wrong(std::string(what) + ": " + std::string(to_string(got)));
    }
    fhandle place(unsigned number) const { return fixed(stage_.shared[number]); }
    Own& any_own() { return own_[random(static_cast<std::uint32_t>(own_.size()))]; }
    static sattr with_mode(std::uint32_t mode) {
        return {mode, kLeave, kLeave, kLeave, {kLeave, kLeave}, {kLeave, kLeave}};
    }

    void write(const Own& mine, std::size_t offset, const std::string& bytes) {
        const auto at = static_cast<std::uint32_t>(offset);
        const auto got = answered(nfs().WRITE({mine.handle, 0, at, 0, as_bytes(bytes)}), "WRITE");
        expect_ok(got.status(), "WRITE to a file of one's own");
        check(got.attributes().size == std::max(mine.content.size(), offset + bytes.size()),
              "the size after WRITE");
    }
    void make_own();
    void write_own();
    void check_own();
    void move_own();
    void remove_own(std::size_t number);
    void look_at_others();
    void contest();
    void list();
    void make_directory();

    std::vector<Own> own_;
};

void GuestOfVersion2::make_own() {
    Own made;
    made.name = fresh_name("own");
    made.place = random(2);
    const auto got =
        answered(nfs().CREATE({{place(made.place), made.name}, with_mode(0644)}), "CREATE");
    expect_ok(got.status(), "CREATE of a name that is nobody else's");
    made.handle = got.diropok().file;
    check(got.diropok().attributes.size == 0, "a new file is empty");
    const std::string label = label_of(made.name);
    write(made, 0, label);
    made.content = label;
    made.shown = std::make_shared<Shown>();
    made.shown->label = label;
    // The handle in version 3's form, with its own length.
    made.shown->handle.assign(
        made.handle.begin(),
        made.handle.begin() + static_cast<std::ptrdiff_t>(stage_.counter.size()));
    stage_.show(made.shown);
    own_.push_back(std::move(made));
}

void GuestOfVersion2::write_own() {
    Own& mine = any_own();
    const std::string bytes = random_text(1 + random(NFS_MAXDATA));
    const std::size_t offset = kLabelSize + random(30'000);
    write(mine, offset, bytes);
    if (mine.content.size() < offset + bytes.size()) mine.content.resize(offset + bytes.size());
    mine.content.replace(offset, bytes.size(), bytes);
}

void GuestOfVersion2::check_own() {
    const Own& mine = any_own();
    const auto found = answered(nfs().LOOKUP({place(mine.place), mine.name}), "LOOKUP");
    expect_ok(found.status(), "LOOKUP");
    check(found.diropok().file == mine.handle, "a handle has changed");
    check(found.diropok().attributes.size == mine.content.size() &&
              found.diropok().attributes.nlink == 1,
          "attributes of " + mine.name);
    std::string content;
    while (content.size() < mine.content.size()) {
        const auto at = static_cast<std::uint32_t>(content.size());
        const auto got = answered(nfs().READ({mine.handle, at, NFS_MAXDATA, 0}), "READ");
        expect_ok(got.status(), "READ");
        check(!got.reply().data.empty(), "READ does not come on");
        content += as_text(got.reply().data);
    }
    check(content == mine.content, "content of " + mine.name);
}

void GuestOfVersion2::move_own() {
    Own& mine = any_own();
    const std::string name = fresh_name("own");
    const unsigned to = random(2);
    expect_ok(answered(nfs().RENAME({{place(mine.place), mine.name}, {place(to), name}}), "RENAME"),
              "RENAME");
    mine.name = name;
    mine.place = to;
    const auto found = answered(nfs().LOOKUP({place(to), name}), "LOOKUP");
    expect_ok(found.status(), "LOOKUP");
    check(found.diropok().file == mine.handle, "RENAME has changed the handle");
}

void GuestOfVersion2::remove_own(std::size_t number) {
    const Own mine = own_[number];
    own_.erase(own_.begin() + static_cast<std::ptrdiff_t>(number));
    mine.shown->going = true;
    expect_ok(answered(nfs().REMOVE({place(mine.place), mine.name}), "REMOVE"), "REMOVE");
    mine.shown->gone = true;
    const auto got = answered(nfs().GETATTR(mine.handle), "GETATTR");
    check(got.status() == NFSERR_STALE, "a file is there that was removed");
}

void GuestOfVersion2::look_at_others() {
    const auto shown = stage_.pick(random(1u << 20));
    if (!shown) return;
    const bool gone = shown->gone;
    const auto got = answered(nfs().READ({fixed(shown->handle), 0, kLabelSize, 0}), "READ");
    if (got.status() == NFSERR_STALE) return check(shown->going, "a file that is there is stale");
    expect_ok(got.status(), "READ of another's file");
    check(!gone, "a file can be read that was removed");
    check(as_text(got.reply().data) == shown->label, "a handle shows another file");
}

// In this version CREATE accepts an existing file, so only its REMOVE counts.
void GuestOfVersion2::contest() {
    const std::uint32_t which = random(kContestedNames);
    const std::string name = "contested-" + std::to_string(which);
    const nfsstat got = answered(nfs().REMOVE({fixed(stage_.contest), name}), "REMOVE");
    if (got == NFSERR_NOENT) return;
    expect_ok(got, "REMOVE of a contested name");
    --stage_.balance[which];
}

void GuestOfVersion2::list() {
    std::set<std::string> seen;
    readdirargs args{fixed(stage_.listed), {}, 512 + random(4'000)};
    for (bool end = false; !end;) {
        const auto got = answered(nfs().READDIR(args), "READDIR");
        expect_ok(got.status(), "READDIR");
        check(got.readdirok().eof || got.readdirok().entries != nullptr,
              "READDIR does not come on");
        for (const entry* one = got.readdirok().entries; one != nullptr; one = one->nextentry) {
            check(seen.emplace(one->name).second, "listed twice: " + std::string(one->name));
            args.cookie = one->cookie;
        }
        end = got.readdirok().eof;
    }
    for (const auto& [name, handle] : stage_.staying) check(seen.contains(name), "missed: " + name);
}

void GuestOfVersion2::make_directory() {
    const std::string name = fresh_name("directory");
    const auto made = answered(nfs().MKDIR({{place(0), name}, with_mode(0755)}), "MKDIR");
    expect_ok(made.status(), "MKDIR");
    const fhandle inside = made.diropok().file;
    expect_ok(answered(nfs().SYMLINK({{inside, "link"}, "text", with_mode(0777)}), "SYMLINK"),
              "SYMLINK");
    const auto link = answered(nfs().LOOKUP({inside, "link"}), "LOOKUP");
    expect_ok(link.status(), "LOOKUP");
    const auto text = answered(nfs().READLINK(link.diropok().file), "READLINK");
    expect_ok(text.status(), "READLINK");
    check(text.data() == "text", "another text than was given");
    expect_ok(answered(nfs().REMOVE({inside, "link"}), "REMOVE"), "REMOVE");
    expect_ok(answered(nfs().RMDIR({place(0), name}), "RMDIR"), "RMDIR");
}

}  // namespace

std::unique_ptr<Guest> make_guest_of_version_2(Stage& stage, const std::string& server,
                                               const Guest::Who& who) {
    return std::make_unique<GuestOfVersion2>(stage, server, who);
}

}  // namespace helio::tests
