#include "helio/backend/posix/nodes/mount_watch_internal.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <string>

#include "testing/backend/fuse_server.h"
#include "testing/backend/own_mounts.h"
#include "testing/backend/posix_export.h"

namespace helio::backend::mount_watch_test {
namespace {

using vfs::Status;

TEST(MountTable, TellsWhereOthersAreMounted) {
    const std::string local = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n";
    const std::string fuse =
        "50 27 0:50 / /srv/my\\040data/a rw shared:1 master:2 - fuse.sshfs host: rw\n";
    EXPECT_EQ(find_others("", "/srv"), OthersMounted::nowhere);
    EXPECT_EQ(find_others(local, "/srv"), OthersMounted::nowhere);
    EXPECT_EQ(find_others(local + fuse, "/srv"), OthersMounted::below);
    EXPECT_EQ(find_others(fuse + local, "/"), OthersMounted::below);
    EXPECT_EQ(find_others(local + fuse, "/srv/my data"), OthersMounted::below);
    EXPECT_EQ(find_others(local + fuse, "/srv/my"), OthersMounted::elsewhere);
    EXPECT_EQ(find_others(local + fuse, "/srv/my data/a"), OthersMounted::elsewhere);
    EXPECT_EQ(find_others(local + fuse, "/home"), OthersMounted::elsewhere);
    const auto type = [](const std::string& name) {
        return find_others("1 2 0:1 / /srv/x rw - " + name + " none rw\n", "/srv");
    };
    for (const char* one : {"fuse", "nfs", "nfs4", "cifs", "9p", "virtiofs", "ceph"})
        EXPECT_EQ(type(one), OthersMounted::below) << one;
    for (const char* one : {"xfs", "tmpfs", "fusectl", "nfsd", "overlay"})
        EXPECT_EQ(type(one), OthersMounted::nowhere) << one;
}

struct IgnoredEntries final : vfs::EntrySink {
    bool add(const vfs::Entry&) override { return true; }
};

class MountedBelow : public PosixExport {
 protected:
    template <class Body>
    void with_own_mounts(const Body& body) {
        files.reset();
        in_own_mounts([&] {
            start();
            const bool could = body();
            files.reset();
            return could;
        });
    }

    // Makes a call on a thread that must not wait for the server. If it waits, the server
    // continues, and the test fails.
    template <class Call>
    Status on_connection(FuseServer& server, const Call& call) {
        vfs::Caller connection = caller;
        connection.may_block = false;
        auto status = std::async(std::launch::async, [&] { return call(connection); });
        while (status.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
            if (server.was_asked()) server.resume();
        EXPECT_FALSE(server.was_asked());
        return status.get();
    }
};

TEST_P(MountedBelow, AFileSystemThatHangsIsNotTouchedOnTheConnection) {
    std::filesystem::create_directories(in("outer/mount"));
    put("outer/near", "on the export's own file system");
    with_own_mounts([&] {
        const vfs::FileId outer = find("outer");
        const vfs::FileId covered = find("outer/mount");
        find("outer/near");
        FuseServer server;
        if (!server.mount(in("outer/mount"))) return false;
        const vfs::FileId mounted = find("outer/mount");
        const vfs::FileId file = find("outer/mount/file");
        EXPECT_NE(mounted, covered);
        EXPECT_EQ(text(file), FuseServer::kText);

        server.stop();
        vfs::Attributes attributes;
        vfs::LookupOut found;
        vfs::AccessOut access;
        vfs::ReadOut read;
        vfs::Space space;
        vfs::ListOut listed;
        IgnoredEntries ignored;
        Heap heap;
        const vfs::ListFrom from{.details = true, .room = 1u << 16};
        for (const vfs::FileId& id : {mounted, file}) {
            EXPECT_EQ(
                on_connection(
                    server, [&](const auto& as) { return files->attributes(as, id, attributes); }),
                Status::would_block);
            EXPECT_EQ(on_connection(server,
                                    [&](const auto& as) {
                                        return files->access(as, id, vfs::access::kRead, access);
                                    }),
                      Status::would_block);
            EXPECT_EQ(
                on_connection(server, [&](const auto& as) { return files->space(as, id, space); }),
                Status::would_block);
        }
        EXPECT_EQ(
            on_connection(
                server, [&](const auto& as) { return files->read(as, file, 0, 100, heap, read); }),
            Status::would_block);
        for (const char* name : {"file", ".", ".."})
            EXPECT_EQ(on_connection(
                          server,
                          [&](const auto& as) { return files->lookup(as, mounted, name, found); }),
                      Status::would_block)
                << name;
        // The name of the mount point, and the files beside it.
        EXPECT_EQ(
            on_connection(server,
                          [&](const auto& as) { return files->lookup(as, outer, "mount", found); }),
            Status::would_block);
        EXPECT_EQ(on_connection(server,
                                [&](const auto& as) {
                                    return files->list(as, outer, from, ignored, listed);
                                }),
                  Status::would_block);
        EXPECT_EQ(
            on_connection(server,
                          [&](const auto& as) { return files->lookup(as, outer, "near", found); }),
            Status::ok);
        EXPECT_EQ(
            on_connection(server,
                          [&](const auto& as) { return files->attributes(as, outer, attributes); }),
            Status::ok);
        EXPECT_EQ(
            on_connection(
                server, [&](const auto& as) { return files->attributes(as, covered, attributes); }),
            Status::ok)
            << "the directory under the mount";

        server.resume();
        EXPECT_EQ(find("outer/mount"), mounted);
        EXPECT_EQ(text(file), FuseServer::kText);
        return true;
    });
}
INSTANTIATE_TEST_SUITE_P(Each, MountedBelow, testing::Values(false, true), handles_named);

}  // namespace
}  // namespace helio::backend::mount_watch_test
