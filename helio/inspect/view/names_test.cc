#include "helio/inspect/view/names.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "testing/inspect/exchange.h"

namespace helio::inspect::names_test {
namespace {

// Handles are one byte here: "0a".
struct Capture {
    Names names{builtin_catalogue()};

    void learn(std::string_view procedure, const std::string& arguments,
               const std::string& result) {
        ExchangeMaker made{procedure, arguments};
        made.reply(result);
        names.learn(made.exchange());
    }
    void mount(std::string_view path, std::string_view handle) {
        learn(
            "mount.3.MNT", fmt::format(R"("{}")", path),
            fmt::format(
                R"({{"fhs_status": "MNT3_OK", "mountinfo": {{"fhandle": "{}", "auth_flavors": []}}}})",
                handle));
    }
    void lookup(std::string_view directory, std::string_view name, std::string_view object) {
        learn("nfs3.LOOKUP", what("what", directory, name),
              fmt::format(R"({{"status": "NFS3_OK", "resok": {{"object": {{"data": "{}"}},
                          "obj_attributes": null, "dir_attributes": null}}}})",
                          object));
    }
    static std::string what(std::string_view field, std::string_view directory,
                            std::string_view name) {
        return fmt::format(R"({{"{}": {{"dir": {{"data": "{}"}}, "name": "{}"}}}})", field,
                           directory, name);
    }
    std::string path(std::string_view handle) { return names.path(names.id(xdr::hex(handle))); }
};

constexpr const char* kDone =
    R"({"status": "NFS3_OK", "resok": {"dir_wcc": {"before": null, "after": null}}})";

TEST(Names, AreLearnedFromMountAndLookup) {
    Capture capture;
    capture.mount("/export", "01");
    capture.lookup("01", "a", "02");
    capture.lookup("02", "b", "03");
    EXPECT_EQ(capture.path("01"), "/export");
    EXPECT_EQ(capture.path("03"), "/export/a/b");
}

TEST(Names, TheRootHasOneSlash) {
    Capture capture;
    capture.mount("/", "01");
    capture.lookup("01", "a", "02");
    EXPECT_EQ(capture.path("01"), "/");
    EXPECT_EQ(capture.path("02"), "/a");
}

TEST(Names, UnknownHandlesAreShownByAHashThatStays) {
    Capture one, other;
    one.mount("/x", "09");  // so that the numbers differ
    const std::string unknown = one.path("0102");
    EXPECT_EQ(unknown, other.path("0102"));
    EXPECT_EQ(unknown.size(), 11u);
    EXPECT_TRUE(unknown.starts_with("fh:"));
    EXPECT_NE(unknown, one.path("0103"));
    one.lookup("0102", "b", "05");
    EXPECT_EQ(one.path("05"), unknown + "/b");
    one.mount("/late", "0102");
    EXPECT_EQ(one.path("05"), "/late/b");
}

TEST(Names, NumbersAreSmallAndStay) {
    Capture capture;
    EXPECT_EQ(capture.names.id(xdr::hex("0a")), 1u);
    EXPECT_EQ(capture.names.id(xdr::hex("0b")), 2u);
    EXPECT_EQ(capture.names.id(xdr::hex("0a")), 1u);
    EXPECT_EQ(capture.names.count(), 2u);
    EXPECT_EQ(capture.names.id(ByteView{}), kNoFile);
    EXPECT_EQ(capture.names.id(xdr::Bytes(kHandleSizeMax)), 3u);
    EXPECT_EQ(capture.names.id(xdr::Bytes(kHandleSizeMax + 1)), kNoFile);
}

TEST(Names, RenameMovesAndRemoveForgets) {
    Capture capture;
    capture.mount("/e", "01");
    capture.lookup("01", "a", "02");
    capture.lookup("02", "f", "03");
    capture.lookup("01", "old", "04");
    const auto rename = [&](std::string_view from, std::string_view name, std::string_view to,
                            std::string_view to_name) {
        capture.learn(
            "nfs3.RENAME",
            fmt::format(R"({{"from": {{"dir": {{"data": "{}"}}, "name": "{}"}},
                            "to": {{"dir": {{"data": "{}"}}, "name": "{}"}}}})",
                        from, name, to, to_name),
            R"({"status": "NFS3_OK", "resok": {"fromdir_wcc": {"before": null, "after": null},
                "todir_wcc": {"before": null, "after": null}}})");
    };
    rename("02", "f", "01", "old");
    EXPECT_EQ(capture.path("03"), "/e/old");
    EXPECT_TRUE(capture.path("04").starts_with("fh:"));  // it was overwritten
    rename("01", "a", "01", "directory with a longer name");
    capture.lookup("02", "g", "05");
    EXPECT_EQ(capture.path("05"), "/e/directory with a longer name/g");
    capture.learn("nfs3.REMOVE", Capture::what("object", "01", "old"), kDone);
    EXPECT_TRUE(capture.path("03").starts_with("fh:"));
}

TEST(Names, FailuresTeachNothing) {
    Capture capture;
    capture.mount("/e", "01");
    capture.lookup("01", "a", "02");
    capture.learn(
        "nfs3.REMOVE", Capture::what("object", "01", "a"),
        R"({"status": "NFS3ERR_ACCES", "resfail": {"dir_wcc": {"before": null, "after": null}}})");
    EXPECT_EQ(capture.path("02"), "/e/a");
}

TEST(Names, DotsAndSlashesAreNoNames) {
    Capture capture;
    capture.mount("/e", "01");
    capture.lookup("01", "a", "02");
    capture.lookup("02", "..", "01");
    capture.lookup("02", ".", "02");
    capture.lookup("02", "x/y", "03");
    EXPECT_EQ(capture.path("01"), "/e");
    EXPECT_EQ(capture.path("02"), "/e/a");
    EXPECT_TRUE(capture.path("03").starts_with("fh:"));
}

TEST(Names, ReaddirplusNamesAll) {
    Capture capture;
    capture.mount("/e", "01");
    capture.learn(
        "nfs3.READDIRPLUS",
        R"({"dir": {"data": "01"}, "cookie": 0, "cookieverf": "0000000000000000", "dircount": 1, "maxcount": 1})",
        R"({"status": "NFS3_OK", "resok": {"dir_attributes": null, "cookieverf": "0000000000000000",
                      "reply": {"entries": [
                        {"fileid": 1, "name": "..", "cookie": 1, "name_attributes": null, "name_handle": {"data": "07"}},
                        {"fileid": 2, "name": "x", "cookie": 2, "name_attributes": null, "name_handle": {"data": "02"}},
                        {"fileid": 3, "name": "y", "cookie": 3, "name_attributes": null, "name_handle": null},
                        {"fileid": 4, "name": "z", "cookie": 4, "name_attributes": null, "name_handle": {"data": "03"}}],
                      "eof": true}}})");
    EXPECT_EQ(capture.path("02"), "/e/x");
    EXPECT_EQ(capture.path("03"), "/e/z");
    EXPECT_TRUE(capture.path("07").starts_with("fh:"));
}

TEST(Names, Version2AndMountVersion1) {
    Capture capture;
    const std::string root(64, '1');
    const std::string file(64, '2');
    capture.learn("mount.1.MNT", R"("/old")",
                  fmt::format(R"({{"status": 0, "directory": "{}"}})", root));
    capture.learn("nfs2.LOOKUP", fmt::format(R"({{"dir": "{}", "name": "a"}})", root),
                  fmt::format(R"({{"status": "NFS_OK", "diropok": {{"file": "{}", "attributes": {{
            "type": "NFREG", "mode": 0, "nlink": 1, "uid": 0, "gid": 0, "size": 0, "blocksize": 0, "rdev": 0,
            "blocks": 0, "fsid": 0, "fileid": 0, "atime": {{"seconds": 0, "useconds": 0}},
            "mtime": {{"seconds": 0, "useconds": 0}}, "ctime": {{"seconds": 0, "useconds": 0}}}}}}}})",
                              file));
    EXPECT_EQ(capture.path(file), "/old/a");
    capture.learn("nfs2.REMOVE", fmt::format(R"({{"dir": "{}", "name": "a"}})", root),
                  R"("NFS_OK")");
    EXPECT_TRUE(capture.path(file).starts_with("fh:"));
}

TEST(Names, PathsOfCalls) {
    Capture capture;
    capture.mount("/e", "01");
    const auto path = [&](std::string_view procedure, std::string_view arguments) {
        ExchangeMaker made{procedure, arguments};
        std::string out;
        if (!capture.names.append_path(out, made.exchange())) return std::string{"none"};
        if (std::string to; capture.names.append_target(to, made.exchange())) out += " > " + to;
        return out;
    };
    EXPECT_EQ(path("nfs3.GETATTR", R"({"object": {"data": "01"}})"), "/e");
    EXPECT_EQ(path("nfs3.LOOKUP", Capture::what("what", "01", "new")), "/e/new");
    EXPECT_EQ(path("mount.3.MNT", R"("/export")"), "/export");
    EXPECT_EQ(path("nfs3.NULL", "null"), "none");
    EXPECT_EQ(path("nfs3.RENAME", R"({"from": {"dir": {"data": "01"}, "name": "a"},
                                      "to": {"dir": {"data": "01"}, "name": "b"}})"),
              "/e/a > /e/b");
    EXPECT_EQ(path("nfs3.LINK",
                   R"({"file": {"data": "01"}, "link": {"dir": {"data": "01"}, "name": "b"}})"),
              "/e > /e/b");
}

// A capture can claim that a directory contains itself.
TEST(Names, RingsEnd) {
    Capture capture;
    capture.lookup("01", "a", "02");
    capture.lookup("02", "b", "01");
    EXPECT_TRUE(capture.path("01").starts_with(".../"));
    EXPECT_LT(capture.path("01").size(), kPathSizeMax + 300);
}

TEST(Names, WhatIsKnownStaysWhenThereIsNoRoom) {
    Capture capture;
    capture.mount("/e", "01");
    for (std::uint32_t i = 0; i < kNamesMax; ++i) {
        xdr::Bytes handle = xdr::word(i);
        capture.names.id(handle);
    }
    EXPECT_EQ(capture.names.count(), kNamesMax);
    EXPECT_EQ(capture.names.id(xdr::hex("aabb")), kNoFile);
    EXPECT_EQ(capture.path("01"), "/e");
    ExchangeMaker made{"nfs3.LOOKUP", Capture::what("what", "aabb", "x")};
    std::string path;
    EXPECT_TRUE(capture.names.append_path(path, made.exchange()));
    EXPECT_TRUE(path.starts_with("fh:") && path.ends_with("/x")) << path;
}

}  // namespace
}  // namespace helio::inspect::names_test
