// Every procedure of NFS and MOUNT with its arguments cut at every byte: GARBAGE_ARGS, and nothing
// else.
#include <gtest/gtest.h>

#include <functional>

#include "testing/nfs/server.h"

namespace helio::nfs::truncation_test {
namespace {

struct Cut : ::testing::Test {
    TestServer server;
    const Handle root = server.root();

    std::size_t header_bytes() const {
        xdr::Arena arena;
        xdr::Writer out{arena};
        HELIO_ASSERT(rpc::put_call(out, 0, 0, 0, 0, server.credential));
        return out.joined().size();
    }
    void grind(const char* name, const std::function<void()>& call) {
        call();
        const Bytes whole = server.arguments;
        const std::size_t head = header_bytes();
        ASSERT_GT(whole.size(), head) << name;
        for (std::size_t size = head; size < whole.size(); ++size) {
            Bytes cut{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)};
            xdr::store_u32(cut.data(), ++xid_);
            const Bytes reply = server.send(cut);
            xdr::Arena arena;
            const auto opened = rpc::open_reply(reply, arena);
            ASSERT_TRUE(opened && opened->error) << name << " cut to " << size;
            EXPECT_EQ(opened->error->outcome, xdr::Outcome::garbage_arguments)
                << name << " cut to " << size;
        }
    }

 private:
    std::uint32_t xid_ = 1'000'000;  // a new one each time: none is a retransmission
};

TEST_F(Cut, Version3) {
    using namespace nfs3;
    auto nfs = server.v3();
    const nfs_fh3 fh{root.view()};
    sattr3 all;
    all.mode = 0644;
    all.uid = 1000;
    all.gid = 1000;
    all.size = 1;
    all.atime = set_atime::of_atime({1, 2});
    all.mtime = set_mtime::of_mtime({1, 2});
    grind("GETATTR", [&] { nfs.GETATTR({fh}); });
    grind("SETATTR", [&] { nfs.SETATTR({fh, all, nfstime3{1, 2}}); });
    grind("LOOKUP", [&] { nfs.LOOKUP({{fh, "name"}}); });
    grind("ACCESS", [&] { nfs.ACCESS({fh, 63}); });
    grind("READLINK", [&] { nfs.READLINK({fh}); });
    grind("READ", [&] { nfs.READ({fh, 0, 4096}); });
    grind("WRITE", [&] { nfs.WRITE({fh, 0, 5, FILE_SYNC, as_bytes("bytes")}); });
    grind("CREATE", [&] { nfs.CREATE({{fh, "a"}, createhow3::of_obj_attributes(GUARDED, all)}); });
    grind("CREATE", [&] { nfs.CREATE({{fh, "b"}, createhow3::of_verf({})}); });
    grind("MKDIR", [&] { nfs.MKDIR({{fh, "c"}, all}); });
    grind("SYMLINK", [&] { nfs.SYMLINK({{fh, "d"}, {all, "text"}}); });
    grind("MKNOD", [&] { nfs.MKNOD({{fh, "e"}, mknoddata3::of_device(NF3CHR, {all, {1, 3}})}); });
    grind("MKNOD", [&] { nfs.MKNOD({{fh, "f"}, mknoddata3::of_pipe_attributes(NF3FIFO, all)}); });
    grind("REMOVE", [&] { nfs.REMOVE({{fh, "a"}}); });
    grind("RMDIR", [&] { nfs.RMDIR({{fh, "c"}}); });
    grind("RENAME", [&] { nfs.RENAME({{fh, "d"}, {fh, "dd"}}); });
    grind("LINK", [&] { nfs.LINK({fh, {fh, "link"}}); });
    grind("READDIR", [&] { nfs.READDIR({fh, 0, {}, 4096}); });
    grind("READDIRPLUS", [&] { nfs.READDIRPLUS({fh, 0, {}, 4096, 4096}); });
    grind("FSSTAT", [&] { nfs.FSSTAT({fh}); });
    grind("FSINFO", [&] { nfs.FSINFO({fh}); });
    grind("PATHCONF", [&] { nfs.PATHCONF({fh}); });
    grind("COMMIT", [&] { nfs.COMMIT({fh, 0, 0}); });
}

TEST_F(Cut, Version2) {
    using namespace nfs2;
    auto nfs = server.v2();
    const fhandle fh = root.bytes;
    const sattr all{0644, 1000, 1000, 1, {1, 2}, {1, 2}};
    grind("GETATTR", [&] { nfs.GETATTR(fh); });
    grind("SETATTR", [&] { nfs.SETATTR({fh, all}); });
    grind("LOOKUP", [&] { nfs.LOOKUP({fh, "name"}); });
    grind("READLINK", [&] { nfs.READLINK(fh); });
    grind("READ", [&] { nfs.READ({fh, 0, 1, 1}); });
    grind("WRITE", [&] { nfs.WRITE({fh, 0, 0, 5, as_bytes("bytes")}); });
    grind("CREATE", [&] { nfs.CREATE({{fh, "a"}, all}); });
    grind("REMOVE", [&] { nfs.REMOVE({fh, "a"}); });
    grind("RENAME", [&] { nfs.RENAME({{fh, "a"}, {fh, "b"}}); });
    grind("LINK", [&] { nfs.LINK({fh, {fh, "b"}}); });
    grind("SYMLINK", [&] { nfs.SYMLINK({{fh, "s"}, "text", all}); });
    grind("MKDIR", [&] { nfs.MKDIR({{fh, "d"}, all}); });
    grind("RMDIR", [&] { nfs.RMDIR({fh, "d"}); });
    grind("READDIR", [&] { nfs.READDIR({fh, {}, 512}); });
    grind("STATFS", [&] { nfs.STATFS(fh); });
}

TEST_F(Cut, Mount) {
    auto mount = server.mount3();
    mount::MOUNTVERS::Client mount1{server};
    mount::MOUNTVERS_POSIX::Client mount2{server};
    grind("MNT", [&] { mount.MNT("/path/that/is/long"); });
    grind("UMNT", [&] { mount.UMNT("/path"); });
    grind("MNT 1", [&] { mount1.MNT("/path"); });
    grind("UMNT 1", [&] { mount1.UMNT("/path"); });
    grind("MNT 2", [&] { mount2.MNT("/path"); });
    grind("PATHCONF 2", [&] { mount2.PATHCONF("/path"); });
}

}  // namespace
}  // namespace helio::nfs::truncation_test
