#include <ctime>

#include "tests/vfs_conformance/fixture.h"

namespace helio::tests::names_test {
namespace {

using VfsNames = Vfs;

TEST_P(VfsNames, ThatAreNotThereAreNotFound) {
    c.lookup(root(), "missing");
    EXPECT_EQ(c.status, Status::not_found);
    ASSERT_TRUE(c.found.directory) << "clients cache that it is not there";
    expect_same(*c.found.directory, c.attributes(root()));
    EXPECT_EQ(c.remove(root(), "missing"), Status::not_found);
    expect_unchanged(c.change, c.attributes(root()), root());
    EXPECT_EQ(c.rmdir(root(), "missing"), Status::not_found);
    EXPECT_EQ(c.rename(root(), "missing", root(), "other"), Status::not_found);
}

TEST_P(VfsNames, AreFoundWithAllAttributes) {
    const FileId a = file("a", "text");
    EXPECT_EQ(got(c, c.lookup(root(), "a")), a);
    expect_same(c.found.attributes, c.attributes(a));
    ASSERT_TRUE(c.found.directory);
    expect_same(*c.found.directory, c.attributes(root()));
}

TEST_P(VfsNames, AreInDirectoriesOnly) {
    const FileId a = file("a");
    const FileId sub = directory("sub");
    const FileId link = got(c, c.symlink(root(), "link", "sub"));
    const FileId fifo = got(c, c.mknod(root(), "fifo", FileType::fifo));
    for (const FileId& wrong : {a, link, fifo}) {
        c.lookup(wrong, "x");
        EXPECT_EQ(c.status, Status::not_a_directory);
        c.create(wrong, "x");
        EXPECT_EQ(c.status, Status::not_a_directory);
        c.mkdir(wrong, "x");
        EXPECT_EQ(c.status, Status::not_a_directory);
        EXPECT_EQ(c.remove(wrong, "x"), Status::not_a_directory);
        EXPECT_EQ(c.rmdir(wrong, "x"), Status::not_a_directory);
        EXPECT_EQ(c.rename(wrong, "x", sub, "y"), Status::not_a_directory);
        EXPECT_EQ(c.rename(root(), "a", wrong, "y"), Status::not_a_directory);
        EXPECT_EQ(c.link(a, wrong, "y"), Status::not_a_directory);
        c.list(wrong);
        EXPECT_EQ(c.status, Status::not_a_directory);
    }
}

TEST_P(VfsNames, AreBytes) {
    std::vector<std::string> names = {
        " ",   "  leading", "trailing ", "new\nline", "\x01\x02\x7f", "*?",          "\\",
        "...", ".hidden",   "..x",       "-",         "\xff\xfe",     "caf\xc3\xa9", "cafe\xcc\x81",
        "A",   "a"};
    std::string all;
    for (int byte = 1; byte < 256; ++byte) {
        if (byte != '/') all.push_back(static_cast<char>(byte));
    }
    names.push_back(all);  // 254 of them
    std::vector<FileId> ids;
    for (const auto& name : names) ids.push_back(file(name, name));
    for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_EQ(got(c, c.lookup(root(), names[i])), ids[i]) << names[i];
        EXPECT_EQ(c.read(ids[i]), names[i]);
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(sorted_names(root()), names);
    for (const auto& name : names) EXPECT_EQ(c.remove(root(), name), Status::ok) << name;
    EXPECT_TRUE(sorted_names(root()).empty());
}

TEST_P(VfsNames, MayHave255Bytes) {
    const std::string longest(255, 'n');
    const FileId sub = got(c, c.mkdir(root(), longest));
    const FileId a = got(c, c.create(sub, longest));
    EXPECT_EQ(got(c, c.lookup(sub, longest)), a);
    c.lookup(sub, longest.substr(1));
    EXPECT_EQ(c.status, Status::not_found);
    const std::string other(255, 'm');
    EXPECT_EQ(c.rename(sub, longest, sub, other), Status::ok);
    EXPECT_EQ(c.link(a, sub, longest), Status::ok);
    EXPECT_EQ(c.names(sub).size(), 2u);
}

TEST_P(VfsNames, LeadDeepDown) {
    FileId at = root();
    std::vector<FileId> way;
    for (int depth = 0; depth < 200; ++depth) {
        way.push_back(at);
        at = got(c, c.mkdir(at, "a rather long name of a directory on the way"));
    }
    const FileId deep = got(c, c.create(at, "a"));
    ASSERT_EQ(c.write(deep, 0, "deep"), Status::ok);
    EXPECT_EQ(c.read(deep), "deep");
    EXPECT_EQ(got(c, c.lookup(at, "..")), way.back());
    EXPECT_EQ(c.rename(root(), "a rather long name of a directory on the way", at, "b"),
              Status::invalid);
    ASSERT_EQ(c.remove(at, "a"), Status::ok);
    for (; !way.empty(); way.pop_back())
        ASSERT_EQ(c.rmdir(way.back(), "a rather long name of a directory on the way"), Status::ok);
    EXPECT_TRUE(sorted_names(root()).empty());
}

TEST_P(VfsNames, CreateTellsOfTheDirectory) {
    const Attributes before = c.attributes(root());
    tick();
    got(c, c.create(root(), "a"));
    expect_change(c.change, before, root());
    const Attributes between = c.attributes(root());
    c.create(root(), "a");
    EXPECT_EQ(c.status, Status::exists);
    expect_unchanged(c.change, between, root());
}

TEST_P(VfsNames, UncheckedCreateOpensWhatExists) {
    const FileId a = file("a", "text", 0600);
    EXPECT_EQ(got(c, c.create(root(), "a", 0777, CreateMode::unchecked)), a);
    EXPECT_EQ(c.made.attributes.mode, 0600u) << "it is not made, so it keeps its mode";
    EXPECT_EQ(c.made.attributes.size, 4u);
    NewFile cut;
    cut.attributes.size = 0;
    EXPECT_EQ(got(c, c.create(root(), "a", cut)), a);
    EXPECT_EQ(c.made.attributes.size, 0u);
    EXPECT_EQ(c.read(a), "");
    EXPECT_EQ(c.attributes(a).mode, 0600u);
}

TEST_P(VfsNames, UncheckedCreateOpensRegularFilesOnly) {
    directory("sub");
    c.create(root(), "sub", 0644, CreateMode::unchecked);
    EXPECT_TRUE(one_of(c.status, {Status::is_a_directory, Status::exists})) << name_of(c.status);
    got(c, c.symlink(root(), "link", "nowhere"));
    c.create(root(), "link", 0644, CreateMode::unchecked);
    EXPECT_NE(c.status, Status::ok);
    got(c, c.mknod(root(), "fifo", FileType::fifo));
    c.create(root(), "fifo", 0644, CreateMode::unchecked);
    EXPECT_NE(c.status, Status::ok);
    EXPECT_EQ(sorted_names(root()), (std::vector<std::string>{"fifo", "link", "sub"}))
        << "the link was not followed";
}

TEST_P(VfsNames, CreateThatFailsLeavesNothing) {
    NewFile how;
    for (const CreateMode mode : {CreateMode::unchecked, CreateMode::guarded}) {
        how.mode = mode;
        how.attributes = {};
        how.attributes.size = UINT64_MAX;
        c.create(root(), "a", how);
        EXPECT_EQ(c.status, Status::too_big);
        how.attributes = {};
        how.attributes.modified = {NewTime::How::set, {1, 1'000'000'000}};
        c.create(root(), "a", how);
        EXPECT_EQ(c.status, Status::invalid);
        EXPECT_TRUE(sorted_names(root()).empty());
    }
    NewNode what;
    what.attributes.modified = how.attributes.modified;
    c.make(root(), "sub", what);
    EXPECT_EQ(c.status, Status::invalid);
    EXPECT_TRUE(sorted_names(root()).empty());
}

TEST_P(VfsNames, GuardedCreateWantsAFreeName) {
    file("a", "text");
    directory("sub");
    got(c, c.symlink(root(), "link", "nowhere"));
    for (const char* name : {"a", "sub", "link"}) {
        c.create(root(), name, 0644, CreateMode::guarded);
        EXPECT_EQ(c.status, Status::exists) << name;
    }
    EXPECT_EQ(c.read(c.lookup(root(), "a")), "text");
}

TEST_P(VfsNames, ExclusiveCreateKnowsItsOwn) {
    for (const std::uint64_t verifier :
         {std::uint64_t{0}, std::uint64_t{1}, UINT64_MAX, std::uint64_t{0x8000000080000000},
          std::uint64_t{0x0123456789abcdef}}) {
        const std::string name = "a" + std::to_string(verifier);
        const FileId made = got(c, c.create_exclusive(root(), name, verifier));
        EXPECT_EQ(c.made.attributes.size, 0u);
        EXPECT_EQ(c.made.attributes.mode & 077, 0u) << "until it is said, it is for nobody else";
        EXPECT_EQ(got(c, c.create_exclusive(root(), name, verifier)), made);
        for (const unsigned bit : {0u, 30u, 31u, 32u, 62u, 63u}) {
            if (bit % 32 == 31 && !traits().whole_verifiers) continue;
            c.create_exclusive(root(), name, verifier ^ (std::uint64_t{1} << bit));
            EXPECT_EQ(c.status, Status::exists) << verifier << " " << bit;
        }
    }
}

TEST_P(VfsNames, ExclusiveCreateWantsAFreeName) {
    file("a", "text");
    directory("sub");
    got(c, c.symlink(root(), "link", "nowhere"));
    for (const char* name : {"a", "sub", "link"}) {
        c.create_exclusive(root(), name, 0);
        EXPECT_EQ(c.status, Status::exists) << name;
        c.create_exclusive(root(), name, 12345);
        EXPECT_EQ(c.status, Status::exists) << name;
    }
}

TEST_P(VfsNames, ExclusiveCreateIsFollowedByAttributes) {
    const FileId made = got(c, c.create_exclusive(root(), "a", 99));
    Changes changes;
    changes.mode = 0640;
    changes.modified.how = changes.accessed.how = NewTime::How::now;
    ASSERT_EQ(c.set(made, changes), Status::ok);
    EXPECT_EQ(c.attributes(made).mode, 0640u);
    const std::int64_t now = std::time(nullptr);
    EXPECT_NEAR(static_cast<double>(c.attributes(made).modified.seconds), static_cast<double>(now),
                5.0);
    ASSERT_EQ(c.write(made, 0, "text"), Status::ok);
    EXPECT_EQ(c.read(made), "text");
    // After that it is an ordinary file.
    c.create_exclusive(root(), "a", 99);
    EXPECT_EQ(c.status, Status::exists);
}

TEST_P(VfsNames, ExclusiveCreateIsForgottenWithTheFile) {
    const FileId first = got(c, c.create_exclusive(root(), "a", 99));
    ASSERT_EQ(c.remove(root(), "a"), Status::ok);
    file("a", "another");
    c.create_exclusive(root(), "a", 99);
    EXPECT_EQ(c.status, Status::exists);
    ASSERT_EQ(c.remove(root(), "a"), Status::ok);
    EXPECT_NE(got(c, c.create_exclusive(root(), "a", 99)), first);
}

TEST_P(VfsNames, DirectoriesAreMade) {
    const Attributes before = c.attributes(root());
    tick();
    const FileId sub = got(c, c.mkdir(root(), "sub", 0750));
    expect_change(c.change, before, root());
    expect_same(c.made.attributes, c.attributes(sub));
    EXPECT_EQ(c.made.attributes.type, FileType::directory);
    EXPECT_EQ(c.made.attributes.mode, 0750u);
    EXPECT_TRUE(sorted_names(sub).empty());
    EXPECT_EQ(got(c, c.lookup(root(), "sub")), sub);
}

TEST_P(VfsNames, NothingIsMadeOverWhatExists) {
    file("file");
    directory("directory");
    got(c, c.symlink(root(), "link", "nowhere"));
    const Attributes before = c.attributes(root());
    for (const char* name : {"file", "directory", "link"}) {
        c.mkdir(root(), name);
        EXPECT_EQ(c.status, Status::exists) << name;
        c.symlink(root(), name, "x");
        EXPECT_EQ(c.status, Status::exists) << name;
        c.mknod(root(), name, FileType::fifo);
        EXPECT_EQ(c.status, Status::exists) << name;
        expect_unchanged(c.change, before, root());
    }
}

TEST_P(VfsNames, FifosAndSocketsAreMade) {
    for (const FileType type : {FileType::fifo, FileType::socket}) {
        const FileId odd = got(c, c.mknod(root(), "odd", type, 0, 0, 0620));
        EXPECT_EQ(c.attributes(odd).type, type);
        EXPECT_EQ(c.attributes(odd).mode, 0620u);
        EXPECT_EQ(c.attributes(odd).size, 0u);
        EXPECT_EQ(got(c, c.lookup(root(), "odd")), odd);
        ASSERT_EQ(c.remove(root(), "odd"), Status::ok);
    }
}

TEST_P(VfsNames, DevicesAreMadeBySuperusers) {
    if (!traits().superuser) {
        c.mknod(root(), "null", FileType::character_device, 1, 3);
        EXPECT_EQ(c.status, Status::not_permitted);
        return;
    }
    for (const FileType type : {FileType::character_device, FileType::block_device}) {
        for (const auto& [major, minor] :
             {std::pair{1u, 3u}, {0u, 0u}, {255u, 255u}, {4095u, 1048575u}}) {
            const FileId device = got(c, c.mknod(root(), "device", type, major, minor, 0600));
            EXPECT_EQ(c.attributes(device).type, type);
            EXPECT_EQ(c.attributes(device).device_major, major);
            EXPECT_EQ(c.attributes(device).device_minor, minor);
            ASSERT_EQ(c.remove(root(), "device"), Status::ok);
        }
    }
}

TEST_P(VfsNames, RegularFilesAreCreatedNotMade) {
    c.mknod(root(), "a", FileType::regular);
    EXPECT_TRUE(one_of(c.status, {Status::bad_type, Status::invalid})) << name_of(c.status);
    EXPECT_TRUE(sorted_names(root()).empty());
}

TEST_P(VfsNames, AreRemoved) {
    file("a", "text");
    got(c, c.symlink(root(), "link", "a"));
    got(c, c.mknod(root(), "fifo", FileType::fifo));
    for (const char* name : {"link", "fifo", "a"}) {
        const Attributes before = c.attributes(root());
        tick();
        ASSERT_EQ(c.remove(root(), name), Status::ok) << name;
        expect_change(c.change, before, root());
        c.lookup(root(), name);
        EXPECT_EQ(c.status, Status::not_found) << name;
        if (*name != 'a') got(c, c.lookup(root(), "a"));
    }
}

TEST_P(VfsNames, OfDirectoriesAreNotRemovedAsFiles) {
    directory("sub");
    const Attributes before = c.attributes(root());
    EXPECT_TRUE(one_of(c.remove(root(), "sub"), {Status::is_a_directory, Status::not_permitted}))
        << name_of(c.status);
    expect_unchanged(c.change, before, root());
    got(c, c.lookup(root(), "sub"));
}

TEST_P(VfsNames, OfFilesAreNotRemovedAsDirectories) {
    file("a");
    directory("sub");
    got(c, c.symlink(root(), "link", "sub"));
    EXPECT_EQ(c.rmdir(root(), "a"), Status::not_a_directory);
    EXPECT_EQ(c.rmdir(root(), "link"), Status::not_a_directory);
    EXPECT_EQ(sorted_names(root()).size(), 3u);
}

TEST_P(VfsNames, DirectoriesAreRemovedWhenEmpty) {
    const FileId sub = directory("sub");
    got(c, c.create(sub, "a"));
    const Attributes before = c.attributes(root());
    tick();
    EXPECT_TRUE(one_of(c.rmdir(root(), "sub"), {Status::not_empty, Status::exists}))
        << name_of(c.status);
    expect_unchanged(c.change, before, root());
    ASSERT_EQ(c.remove(sub, "a"), Status::ok);
    ASSERT_EQ(c.rmdir(root(), "sub"), Status::ok);
    expect_change(c.change, before, root());
}

TEST_P(VfsNames, AreLinked) {
    const FileId a = file("a", "text");
    const FileId sub = directory("sub");
    const Attributes before = c.attributes(sub);
    tick();
    ASSERT_EQ(c.link(a, sub, "b"), Status::ok);
    expect_change(c.change, before, sub);
    ASSERT_TRUE(c.after);
    expect_same(*c.after, c.attributes(a));
    EXPECT_EQ(got(c, c.lookup(sub, "b")), a);
}

TEST_P(VfsNames, AreNotLinkedOverOthers) {
    const FileId a = file("a");
    file("b", "text");
    const Attributes before = c.attributes(root());
    EXPECT_EQ(c.link(a, root(), "b"), Status::exists);
    expect_unchanged(c.change, before, root());
    EXPECT_EQ(c.link(a, root(), "a"), Status::exists);
    EXPECT_EQ(c.attributes(a).links, 1u);
}

TEST_P(VfsNames, DirectoriesAreNotLinked) {
    const FileId sub = directory("sub");
    EXPECT_TRUE(
        one_of(c.link(sub, root(), "again"), {Status::not_permitted, Status::is_a_directory}))
        << name_of(c.status);
    EXPECT_EQ(sorted_names(root()).size(), 1u);
}

TEST_P(VfsNames, LinksToSymbolicLinksAreToTheLink) {
    const FileId a = file("a", "text");
    const FileId link = got(c, c.symlink(root(), "link", "a"));
    ASSERT_EQ(c.link(link, root(), "second"), Status::ok);
    EXPECT_EQ(got(c, c.lookup(root(), "second")), link);
    EXPECT_EQ(c.attributes(link).links, 2u);
    EXPECT_EQ(c.attributes(a).links, 1u);
    EXPECT_EQ(c.read_link(link), "a");
}

TEST_P(VfsNames, LinksHaveAnEnd) {
    const FileId a = file("a");
    const std::uint32_t links_max = fs().limits().links_max;
    if (links_max > 40'000) GTEST_SKIP() << "too many to try";
    const FileId sub = directory("sub");
    for (std::uint32_t links = 2; links <= links_max; ++links)
        ASSERT_EQ(c.link(a, sub, std::to_string(links)), Status::ok) << links;
    EXPECT_EQ(c.link(a, sub, "one more"), Status::too_many_links);
    EXPECT_EQ(c.attributes(a).links, links_max);
    ASSERT_EQ(c.remove(sub, "2"), Status::ok);
    EXPECT_EQ(c.link(a, sub, "one more"), Status::ok);
}

TEST_P(VfsNames, SymbolicLinksAreNeverFollowed) {
    const FileId sub = directory("sub");
    const FileId secret = got(c, c.create(sub, "secret"));
    const FileId link = got(c, c.symlink(root(), "link", "sub"));
    EXPECT_EQ(got(c, c.lookup(root(), "link")), link);
    EXPECT_EQ(c.found.attributes.type, FileType::symlink);
    c.lookup(link, "secret");
    EXPECT_EQ(c.status, Status::not_a_directory);
    EXPECT_EQ(c.remove(link, "secret"), Status::not_a_directory);
    c.attributes(secret);
    EXPECT_EQ(c.status, Status::ok);
}

INSTANTIATE_TEST_SUITE_P(All, VfsNames, testing::ValuesIn(backends()),
                         [](const auto& the) { return the.param.name; });

}  // namespace
}  // namespace helio::tests::names_test
