// Directories that are listed repeatedly, and by several clients at once. A back end may cache what
// it has read, but must always return what is there.
#include <chrono>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "tests/vfs_conformance/fixture.h"

namespace helio::tests::relist_test {
namespace {

using vfs::ListedForTest;

class VfsRelist : public Vfs {
 protected:
    using Entries = std::map<std::string, ListedForTest>;

    FileId filled(std::size_t count) {
        const FileId sub = directory("sub");
        for (std::size_t i = 0; i < count; ++i) got(c, c.create(sub, "file" + std::to_string(i)));
        return sub;
    }
    // Waits until a back end may assume that the next change gets another timestamp.
    static void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

    Entries entries_of(const FileId& id) {
        Entries entries;
        for (auto& entry : c.list(id, 0, SIZE_MAX, true)) {
            if (entry.name == "." || entry.name == "..") continue;
            const std::string name = entry.name;
            EXPECT_TRUE(entries.emplace(name, std::move(entry)).second) << name << " twice";
        }
        EXPECT_EQ(c.status, Status::ok);
        EXPECT_TRUE(c.listed.end);
        return entries;
    }
    // Expects a listing of exactly these names that agrees with lookups.
    void expect_listed(const FileId& id, const std::set<std::string>& names) {
        const Entries entries = entries_of(id);
        for (const auto& [name, entry] : entries) {
            EXPECT_TRUE(names.count(name)) << name;
            const FileId found = c.lookup(id, name);
            ASSERT_EQ(c.status, Status::ok) << name;
            ASSERT_TRUE(entry.id && entry.attributes) << name;
            EXPECT_EQ(*entry.id, found) << name;
            EXPECT_EQ(entry.fileid, c.found.attributes.fileid) << name;
            expect_same(*entry.attributes, c.found.attributes);
        }
        EXPECT_EQ(entries.size(), names.size());
    }
};

TEST_P(VfsRelist, ShowsEveryChangeAtOnce) {
    const FileId sub = directory("sub");
    std::set<std::string> names;
    const auto add = [&](const std::string& name) {
        names.insert(name);
        return got(c, c.create(sub, name));
    };
    const auto away = [&](const std::string& name) {
        EXPECT_EQ(c.remove(sub, name), Status::ok);
        names.erase(name);
    };
    const FileId a = add("a");
    for (const char* name : {"b", "c", "d", "e"}) add(name);
    const std::vector<std::pair<const char*, std::function<void()>>> changes = {
        {"nothing", [] {}},
        {"a new name", [&] { add("f"); }},
        {"a name that goes", [&] { away("b"); }},
        {"the same name for another file",
         [&] {
             away("c");
             add("c");
         }},
        {"a file that grows", [&] { EXPECT_EQ(c.write(a, 0, "text"), Status::ok); }},
        {"a mode", [&] { EXPECT_EQ(c.chmod(a, 0600), Status::ok); }},
        {"a second name",
         [&] {
             names.insert("g");
             EXPECT_EQ(c.link(a, sub, "g"), Status::ok);
         }},
        {"a second name in another directory",
         [&] { EXPECT_EQ(c.link(a, root(), "outside"), Status::ok); }},
        {"a file that shrinks by its other name",
         [&] { EXPECT_EQ(c.truncate(c.lookup(root(), "outside"), 1), Status::ok); }},
        {"a name that is moved",
         [&] {
             EXPECT_EQ(c.rename(sub, "d", sub, "h"), Status::ok);
             names.erase("d");
             names.insert("h");
         }},
        {"a name that is moved over another",
         [&] {
             EXPECT_EQ(c.rename(sub, "e", sub, "f"), Status::ok);
             names.erase("e");
         }},
        {"a directory",
         [&] {
             names.insert("dir");
             got(c, c.mkdir(sub, "dir"));
         }},
        {"something in that", [&] { got(c, c.mkdir(c.lookup(sub, "dir"), "inner")); }},
        {"all names but one", [&] {
             const std::set<std::string> all = names;
             for (const std::string& name : all)
                 if (name != "a" && name != "dir") away(name);
         }}};
    for (const auto& [what, change] : changes) {
        SCOPED_TRACE(what);
        // Twice, so that the second listing may come from a cache.
        for (int times = 0; times < 2; ++times) {
            settle();
            expect_listed(sub, names);
        }
        change();
        expect_listed(sub, names);
    }
}

// A new file is never mistaken for an old one of the same name, even if it reuses the inode.
TEST_P(VfsRelist, ReturnsIdsOfTheCurrentFiles) {
    const FileId sub = filled(20);
    std::map<std::string, FileId> last;
    for (int round = 0; round < 10; ++round) {
        settle();
        for (int times = 0; times < 2; ++times) {
            for (const auto& [name, entry] : entries_of(sub)) {
                ASSERT_TRUE(entry.id) << name;
                EXPECT_EQ(*entry.id, c.lookup(sub, name)) << name;
                if (times == 0) {
                    EXPECT_NE(*entry.id, last[name]) << name;
                }
                last[name] = *entry.id;
            }
        }
        for (int i = 0; i < 20; ++i)
            ASSERT_EQ(c.remove(sub, "file" + std::to_string(i)), Status::ok);
        for (int i = 19; i >= 0; --i) got(c, c.create(sub, "file" + std::to_string(i)));
    }
}

// Interleaved listings of one directory, each with its own cookie and varying piece sizes.
class Interleaved {
 public:
    Interleaved(ClientForTest& client, const FileId& directory, std::size_t count)
        : client_(client), directory_(directory), listings_(count) {}

    // Reads the next piece of a random one. Returns false when all have ended.
    bool step(std::mt19937& random) {
        std::vector<Listing*> open;
        for (Listing& one : listings_)
            if (!one.ended) open.push_back(&one);
        if (open.empty()) return false;
        Listing& one = *open[random() % open.size()];
        const auto entries =
            client_.list(directory_, one.cookie, 1 + random() % 700, random() % 2 == 0);
        EXPECT_EQ(client_.status, Status::ok);
        for (const auto& entry : entries) {
            ++one.seen[entry.name];
            one.cookie = entry.cookie;
        }
        one.ended = client_.listed.end || client_.status != Status::ok;
        return true;
    }
    // How often each listing returned each name.
    std::vector<std::map<std::string, int>> seen() const {
        std::vector<std::map<std::string, int>> all;
        for (const Listing& one : listings_) all.push_back(one.seen);
        return all;
    }

 private:
    struct Listing {
        std::uint64_t cookie = 0;
        bool ended = false;
        std::map<std::string, int> seen;
    };
    ClientForTest& client_;
    const FileId directory_;
    std::vector<Listing> listings_;
};

TEST_P(VfsRelist, InterleavedListingsAreComplete) {
    const FileId sub = filled(3'000);
    settle();
    std::mt19937 random(1);
    Interleaved listings(c, sub, 20);
    while (listings.step(random)) {
    }
    for (const auto& seen : listings.seen()) {
        EXPECT_EQ(seen.size(), 3'002u);
        for (const auto& [name, times] : seen) EXPECT_EQ(times, 1) << name;
    }
}

TEST_P(VfsRelist, InterleavedListingsAreCompleteWhileNamesChange) {
    const FileId sub = filled(2'000);
    std::mt19937 random(2);
    Interleaved listings(c, sub, 20);
    for (int round = 0; listings.step(random); ++round) {
        if (round % 8 == 0) settle();  // allows caching now and then
        if (round % 3 == 0) got(c, c.create(sub, "new" + std::to_string(round)));
        if (round < 900 && round % 3 == 1) {
            ASSERT_EQ(c.remove(sub, "file" + std::to_string(2 * round)), Status::ok);
        }
    }
    for (const auto& seen : listings.seen()) {
        for (const auto& [name, times] : seen) EXPECT_EQ(times, 1) << name;
        for (int i = 1; i < 2'000; i += 2)
            EXPECT_EQ(seen.count("file" + std::to_string(i)), 1u) << i;
    }
}

// Takes few entries at a time.
class SmallSink final : public vfs::EntrySink {
 public:
    bool add(const vfs::Entry& entry) override {
        if (room == 0) return false;
        --room;
        last = entry.cookie;
        ++seen[std::string(entry.name)];
        const bool dots = entry.name == "." || entry.name == "..";
        details = details && (dots || (entry.id != nullptr && entry.attributes != nullptr));
        return true;
    }
    std::size_t room = 0;
    std::map<std::string, int> seen;
    std::uint64_t last = 0;
    bool details = true;
};

// Entries accepted before would_block count, and are not returned again.
TEST_P(VfsRelist, InterruptedListingsContinue) {
    const FileId sub = filled(400);
    for (const bool settled : {false, true}) {
        if (settled) settle();
        SmallSink sink;
        vfs::ListOut out;
        for (int calls = 0; !out.end && calls < 1'000; ++calls) {
            sink.room = 30;
            vfs::Caller caller = c.caller();
            caller.may_block = false;
            const std::size_t before = sink.seen.size();
            Status status =
                fs().list(caller, sub, {.cookie = sink.last, .details = true}, sink, out);
            if (status == Status::would_block)
                status =
                    fs().list(c.caller(), sub, {.cookie = sink.last, .details = true}, sink, out);
            EXPECT_EQ(status, Status::ok);
            EXPECT_GT(sink.seen.size() + (out.end ? 1 : 0), before) << "it does not move on";
        }
        EXPECT_TRUE(out.end);
        EXPECT_TRUE(sink.details);
        EXPECT_EQ(sink.seen.size(), 402u);
        for (const auto& [name, times] : sink.seen) EXPECT_EQ(times, 1) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(All, VfsRelist, testing::ValuesIn(backends()),
                         [](const auto& the) { return the.param.name; });

}  // namespace
}  // namespace helio::tests::relist_test
