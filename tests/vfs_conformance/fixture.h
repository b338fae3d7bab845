// The basis of the conformance suite: a fresh file system of each back end, callers, and shared
// comparisons.
#pragma once

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "testing/vfs/client.h"
#include "tests/vfs_conformance/backends.h"

namespace helio::tests {

using vfs::Attributes;
using vfs::Before;
using vfs::Change;
using vfs::Changes;
using vfs::ClientForTest;
using vfs::CreateMode;
using vfs::FileId;
using vfs::FileSystem;
using vfs::FileType;
using vfs::NewFile;
using vfs::NewNode;
using vfs::NewTime;
using vfs::Stability;
using vfs::Status;
using vfs::Time;

class Vfs : public testing::TestWithParam<Backend> {
 protected:
    Vfs() : instance_(GetParam().make()), c(instance_->fs(), 0, 0) {}

    const Traits& traits() const { return GetParam().traits; }
    FileSystem& fs() { return instance_->fs(); }
    FileId root() { return fs().root(); }

    // Waits until the clock has advanced enough for a change to be noticed.
    void tick() const {
        if (!traits().distinct_times) std::this_thread::sleep_for(std::chrono::milliseconds(12));
    }

    // The id from an operation, which must have succeeded.
    static FileId got(const ClientForTest& client, const FileId& id) {
        EXPECT_EQ(client.status, Status::ok);
        EXPECT_GT(id.size, 0);
        return id;
    }
    FileId file(std::string_view name, std::string_view text = {}, std::uint32_t mode = 0644) {
        const FileId id = got(c, c.create(root(), name, mode));
        if (!text.empty()) {
            EXPECT_EQ(c.write(id, 0, text), Status::ok);
        }
        return id;
    }
    FileId directory(std::string_view name, std::uint32_t mode = 0755) {
        return got(c, c.mkdir(root(), name, mode));
    }

    static bool one_of(Status status, std::initializer_list<Status> good) {
        return std::find(good.begin(), good.end(), status) != good.end();
    }

    // Everything that must be the same when queried twice.
    static void expect_same(const Attributes& left, const Attributes& right) {
        EXPECT_EQ(left.type, right.type);
        EXPECT_EQ(left.mode, right.mode);
        EXPECT_EQ(left.links, right.links);
        EXPECT_EQ(left.uid, right.uid);
        EXPECT_EQ(left.gid, right.gid);
        EXPECT_EQ(left.size, right.size);
        EXPECT_EQ(left.device_major, right.device_major);
        EXPECT_EQ(left.device_minor, right.device_minor);
        EXPECT_EQ(left.fsid, right.fsid);
        EXPECT_EQ(left.fileid, right.fileid);
        EXPECT_EQ(left.modified, right.modified);
        EXPECT_EQ(left.changed, right.changed);
    }

    // The operation reported `id`'s attributes before and after.
    void expect_change(const Change& change, const Attributes& before, const FileId& id) {
        if (traits().knows_before) {
            EXPECT_TRUE(change.before);
        }
        if (change.before) {
            EXPECT_EQ(*change.before, vfs::before(before));
        }
        ASSERT_TRUE(change.after);
        ClientForTest asker(fs(), 0, 0);
        expect_same(*change.after, asker.attributes(id));
    }
    // The same for a failed one that changed nothing.
    void expect_unchanged(const Change& change, const Attributes& before, const FileId& id) {
        if (change.before) {
            EXPECT_EQ(*change.before, vfs::before(before));
        }
        if (change.after) expect_same(*change.after, before);
        ClientForTest asker(fs(), 0, 0);
        expect_same(asker.attributes(id), before);
    }

    std::vector<std::string> sorted_names(const FileId& id, std::size_t piece = SIZE_MAX) {
        auto names = c.names(id, piece);
        std::sort(names.begin(), names.end());
        return names;
    }

    const std::unique_ptr<Instance> instance_;

 public:
    ClientForTest c;  // uid 0
};

// For tests that make no sense where everybody is the server's user.
class VfsRights : public Vfs {
 protected:
    void SetUp() override {
        if (!traits().identities) GTEST_SKIP() << "everybody is the server's user here";
    }
    ClientForTest alice{fs(), 1001, 2001, {2001, 3001}};
    ClientForTest bob{fs(), 1002, 2002};
    ClientForTest carol{fs(), 1003, 2003, {2003, 2001}};  // in alice's group
};

}  // namespace helio::tests
