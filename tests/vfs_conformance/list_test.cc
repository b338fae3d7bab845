#include <map>
#include <set>

#include "tests/vfs_conformance/fixture.h"

namespace helio::tests::list_test {
namespace {

class VfsList : public Vfs {
 protected:
    // Names that a listing has given, and how often.
    using Seen = std::map<std::string, int>;

    FileId filled(std::size_t count) {
        const FileId sub = directory("sub");
        for (std::size_t i = 0; i < count; ++i) got(c, c.create(sub, "file" + std::to_string(i)));
        return sub;
    }
    // One piece of a listing; false when it was the last.
    bool step(const FileId& id, std::size_t count, Seen& seen) {
        const auto entries = c.list(id, cookie_, count, false, verifier_);
        EXPECT_EQ(c.status, Status::ok);
        for (const auto& entry : entries) {
            ++seen[entry.name];
            cookie_ = entry.cookie;
        }
        verifier_ = c.listed.verifier;
        EXPECT_TRUE(!entries.empty() || c.listed.end) << "a listing that does not move on";
        return c.status == Status::ok && !c.listed.end && !entries.empty();
    }

    std::uint64_t cookie_ = 0;
    std::uint64_t verifier_ = 0;
};

TEST_P(VfsList, EmptyDirectoryHasItsDots) {
    const FileId sub = directory("sub");
    const auto entries = c.list(sub);
    ASSERT_EQ(c.status, Status::ok);
    EXPECT_TRUE(c.listed.end);
    ASSERT_EQ(entries.size(), 2u);
    std::map<std::string, std::uint64_t> fileids;
    for (const auto& entry : entries) fileids[entry.name] = entry.fileid;
    ASSERT_TRUE(fileids.count("."));
    ASSERT_TRUE(fileids.count(".."));
    EXPECT_EQ(fileids["."], c.attributes(sub).fileid);
    EXPECT_EQ(fileids[".."], c.attributes(root()).fileid);
    ASSERT_TRUE(c.listed.directory);
    EXPECT_EQ(c.listed.directory->fileid, c.attributes(sub).fileid);
}

TEST_P(VfsList, DotsOfTheRootAreTheRoot) {
    for (const auto& entry : c.list(root(), 0, SIZE_MAX, true)) {
        EXPECT_EQ(entry.fileid, c.attributes(root()).fileid) << entry.name;
        if (entry.id) {
            EXPECT_EQ(*entry.id, root()) << "nothing above can be reached";
        }
        if (entry.attributes) {
            EXPECT_EQ(entry.attributes->fileid, c.attributes(root()).fileid);
        }
    }
}

TEST_P(VfsList, SaysWhatIsThere) {
    file("file", "text");
    directory("directory");
    got(c, c.symlink(root(), "link", "x"));
    got(c, c.mknod(root(), "fifo", FileType::fifo));
    std::set<std::string> names;
    for (const auto& entry : c.list(root())) {
        EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
        if (entry.name == "." || entry.name == "..") continue;
        c.lookup(root(), entry.name);
        EXPECT_EQ(entry.fileid, c.found.attributes.fileid) << entry.name;
        EXPECT_NE(entry.cookie, 0u) << "that is the beginning";
    }
    EXPECT_EQ(names, (std::set<std::string>{".", "..", "directory", "fifo", "file", "link"}));
}

TEST_P(VfsList, GivesDetailsWhenAsked) {
    file("file", "text");
    directory("directory");
    got(c, c.symlink(root(), "link", "x"));
    std::size_t detailed = 0;
    for (const auto& entry : c.list(root(), 0, SIZE_MAX, true)) {
        if (entry.name == "." || entry.name == "..") continue;
        ASSERT_TRUE(entry.id) << entry.name;
        ASSERT_TRUE(entry.attributes) << entry.name;
        EXPECT_EQ(*entry.id, got(c, c.lookup(root(), entry.name)));
        expect_same(*entry.attributes, c.found.attributes);
        ++detailed;
    }
    EXPECT_EQ(detailed, 3u);
    for (const auto& entry : c.list(root(), 0, SIZE_MAX, false)) {
        EXPECT_FALSE(entry.id) << entry.name;
        EXPECT_FALSE(entry.attributes) << entry.name;
    }
}

TEST_P(VfsList, GoesOnFromEveryCookie) {
    const FileId sub = filled(50);
    const auto all = c.list(sub);
    ASSERT_EQ(all.size(), 52u);
    for (std::size_t from = 0; from < all.size(); ++from) {
        const auto rest = c.list(sub, all[from].cookie, SIZE_MAX, false, c.listed.verifier);
        ASSERT_EQ(c.status, Status::ok);
        ASSERT_EQ(rest.size(), all.size() - from - 1) << from;
        for (std::size_t i = 0; i < rest.size(); ++i) {
            EXPECT_EQ(rest[i].name, all[from + 1 + i].name);
            EXPECT_EQ(rest[i].cookie, all[from + 1 + i].cookie);
        }
        EXPECT_TRUE(c.listed.end);
    }
}

TEST_P(VfsList, CookiesDiffer) {
    const FileId sub = filled(300);
    std::set<std::uint64_t> cookies;
    for (const auto& entry : c.list(sub)) EXPECT_TRUE(cookies.insert(entry.cookie).second);
}

TEST_P(VfsList, EndsExactlyAtTheEnd) {
    const FileId sub = filled(8);
    c.list(sub, 0, 9);
    EXPECT_FALSE(c.listed.end) << "one has been left";
    const auto all = c.list(sub, 0, 10);
    EXPECT_EQ(all.size(), 10u);
    // It may not report the end yet, but does when the listing continues.
    const auto none = c.list(sub, all.back().cookie, 10, false, c.listed.verifier);
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(c.status, Status::ok);
    EXPECT_TRUE(c.listed.end);
}

TEST_P(VfsList, NoRoomForOneIsNotTheEnd) {
    const FileId sub = filled(3);
    EXPECT_TRUE(c.list(sub, 0, 0).empty());
    EXPECT_EQ(c.status, Status::ok);
    EXPECT_FALSE(c.listed.end);
}

TEST_P(VfsList, PiecesOfAnySizeMakeTheWhole) {
    const FileId sub = filled(200);
    const auto whole = sorted_names(sub);
    ASSERT_EQ(whole.size(), 200u);
    for (const std::size_t piece : {1u, 2u, 3u, 7u, 50u, 199u, 200u, 201u, 1000u})
        EXPECT_EQ(sorted_names(sub, piece), whole) << piece;
}

TEST_P(VfsList, TenThousandInSmallPieces) {
    const FileId sub = filled(10'000);
    Seen seen;
    while (step(sub, 37, seen)) {
    }
    EXPECT_EQ(seen.size(), 10'002u);
    for (const auto& [name, times] : seen) EXPECT_EQ(times, 1) << name;
}

TEST_P(VfsList, WhileNamesGo) {
    const FileId sub = filled(4'000);
    Seen seen;
    std::size_t gone = 0;
    while (step(sub, 100, seen)) {
        // Some that have been seen, some that have not, and often the one the cookie is of.
        for (int i = 0; i < 30 && gone < 2'000; ++i, ++gone)
            ASSERT_EQ(c.remove(sub, "file" + std::to_string(2 * gone)), Status::ok);
    }
    for (const auto& [name, times] : seen) EXPECT_EQ(times, 1) << name;
    for (std::size_t i = 1; i < 4'000; i += 2)
        EXPECT_EQ(seen.count("file" + std::to_string(i)), 1u) << i;
}

TEST_P(VfsList, WhileAllThatWasSeenGoes) {
    const FileId sub = filled(2'000);
    Seen seen;
    Seen piece;
    bool more = true;
    while (more) {
        piece.clear();
        more = step(sub, 64, piece);
        for (const auto& [name, times] : piece) {
            EXPECT_EQ(times, 1);
            EXPECT_EQ(++seen[name], 1) << name;
            if (name != "." && name != "..") {
                ASSERT_EQ(c.remove(sub, name), Status::ok);
            }
        }
    }
    EXPECT_EQ(seen.size(), 2'002u) << "as rm -r reads and removes";
    EXPECT_EQ(c.rmdir(root(), "sub"), Status::ok);
}

TEST_P(VfsList, WhileNamesCome) {
    const FileId sub = filled(1'000);
    Seen seen;
    std::size_t come = 0;
    while (step(sub, 100, seen)) {
        for (int i = 0; i < 20 && come < 200; ++i, ++come)
            got(c, c.create(sub, "new" + std::to_string(come)));
    }
    for (const auto& [name, times] : seen) EXPECT_EQ(times, 1) << name;
    for (std::size_t i = 0; i < 1'000; ++i)
        EXPECT_EQ(seen.count("file" + std::to_string(i)), 1u) << i;
}

TEST_P(VfsList, WhileNamesComeGoAndMove) {
    const FileId sub = filled(2'000);
    const FileId other = directory("other");
    Seen seen;
    std::size_t at = 0;
    while (step(sub, 50, seen)) {
        for (int i = 0; i < 10 && at < 500; ++i, ++at) {
            const std::string number = std::to_string(4 * at);
            got(c, c.create(sub, "new" + number));
            ASSERT_EQ(c.remove(sub, "file" + number), Status::ok);
            ASSERT_EQ(c.rename(sub, "file" + std::to_string(4 * at + 1), other, number),
                      Status::ok);
        }
    }
    for (const auto& [name, times] : seen) EXPECT_EQ(times, 1) << name;
    for (std::size_t i = 0; i < 2'000; ++i) {
        if (i % 4 < 2) continue;
        EXPECT_EQ(seen.count("file" + std::to_string(i)), 1u) << i;
    }
}

TEST_P(VfsList, TwoListingsDoNotDisturbEachOther) {
    const FileId sub = filled(500);
    std::uint64_t cookies[2] = {0, 0};
    std::uint64_t verifiers[2] = {0, 0};
    Seen seen[2];
    bool more[2] = {true, true};
    while (more[0] || more[1]) {
        for (const std::size_t which : {0u, 1u}) {
            if (!more[which]) continue;
            cookie_ = cookies[which];
            verifier_ = verifiers[which];
            more[which] = step(sub, which == 0 ? 7 : 31, seen[which]);
            cookies[which] = cookie_;
            verifiers[which] = verifier_;
        }
    }
    EXPECT_EQ(seen[0].size(), 502u);
    EXPECT_EQ(seen[1].size(), 502u);
}

TEST_P(VfsList, OfRenamedDirectoriesGoOn) {
    const FileId sub = filled(100);
    Seen seen;
    ASSERT_TRUE(step(sub, 40, seen));
    ASSERT_EQ(c.rename(root(), "sub", root(), "renamed"), Status::ok);
    while (step(sub, 40, seen)) {
    }
    EXPECT_EQ(seen.size(), 102u);
}

TEST_P(VfsList, CookiesNobodyGaveDoNoHarm) {
    const FileId sub = filled(100);
    for (const std::uint64_t cookie :
         {std::uint64_t{12345}, static_cast<std::uint64_t>(INT64_MAX),
          static_cast<std::uint64_t>(INT64_MAX) + 1, UINT64_MAX - 1, UINT64_MAX}) {
        const auto entries = c.list(sub, cookie);
        EXPECT_TRUE(one_of(c.status, {Status::ok, Status::bad_cookie, Status::invalid}))
            << name_of(c.status);
        EXPECT_LE(entries.size(), 102u);
        std::set<std::string> names;
        for (const auto& entry : entries) EXPECT_TRUE(names.insert(entry.name).second);
    }
    EXPECT_EQ(c.list(sub).size(), 102u);
}

INSTANTIATE_TEST_SUITE_P(All, VfsList, testing::ValuesIn(backends()),
                         [](const auto& the) { return the.param.name; });

}  // namespace
}  // namespace helio::tests::list_test
