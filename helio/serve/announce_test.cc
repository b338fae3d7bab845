#include "helio/serve/announce.h"

#include <gtest/gtest.h>

#include <string>

#include "helio/nfs/serve.h"

namespace helio::serve::announce_test {
namespace {

transport::Endpoint at(const char* host, std::uint16_t port) {
    return transport::resolve(host, port)->front();
}

using Lines = std::vector<std::string>;
constexpr Versions kOnlyOld{.four = false};

TEST(Announce, MountLines) {
    EXPECT_EQ(
        mount_lines({at("127.0.0.1", 12049)}, "/"),
        (Lines{"Linux    sudo mount -t nfs -o port=12049 127.0.0.1:/ /mnt",
               "NFS 3    sudo mount -t nfs -o "
               "vers=3,proto=tcp,port=12049,mountport=12049,mountproto=tcp,nolock 127.0.0.1:/ /mnt",
               "macOS 26 sudo mount -t nfs -o vers=4.1,port=12049 127.0.0.1:/ ~/mnt",
               "FreeBSD  mount -t nfs -o nfsv4,minorversion=1,port=12049 127.0.0.1:/ /mnt",
               "macOS    sudo mount -t nfs -o "
               "vers=3,tcp,port=12049,mountport=12049,locallocks 127.0.0.1:/ ~/mnt",
               "libnfs   nfs-ls 'nfs://127.0.0.1/?nfsport=12049&mountport=12049'",
               "         nfs-cat 'nfs://127.0.0.1//FILE?nfsport=12049&mountport=12049'"}));
    const Lines all = mount_lines({at("10.0.0.1", 2049), {}, true}, "/a");
    ASSERT_EQ(all.size(), 9u);
    EXPECT_EQ(all[0], "Linux    sudo mount -t nfs 10.0.0.1:/a /mnt");
    EXPECT_EQ(all[2], "macOS 26 sudo mount -t nfs -o vers=4.1 10.0.0.1:/a ~/mnt");
    EXPECT_EQ(all[3], "FreeBSD  mount -t nfs -o nfsv4,minorversion=1 10.0.0.1:/a /mnt");
    EXPECT_EQ(all[7], "Windows  mount -o nolock,anon 10.0.0.1:/a Z:");
    const Lines six = mount_lines({at("::1", 2049)}, "/it's");
    ASSERT_EQ(six.size(), 5u) << "libnfs has no IPv6";
    EXPECT_EQ(six[0], "Linux    sudo mount -t nfs '[::1]:/it'\\''s' /mnt");
    EXPECT_EQ("Linux    " + nfs::mount_command("::1", 2049, "/it's"), six[0]);
}

TEST(Announce, MountLinesOfOtherVersions) {
    const Lines new_only =
        mount_lines({at("10.0.0.1", 2049), {.three = false, .two = false}, true}, "/a");
    ASSERT_EQ(new_only.size(), 3u) << "nothing for version 3";
    EXPECT_EQ(new_only[0], "Linux    sudo mount -t nfs 10.0.0.1:/a /mnt");
    EXPECT_EQ(mount_lines({at("10.0.0.1", 2049), {.four = false, .three = false}}, "/a"),
              (Lines{"Linux    sudo mount -t nfs -o vers=2,proto=tcp,port=2049,mountport=2049,"
                     "mountproto=tcp,nolock 10.0.0.1:/a /mnt"}));
}

TEST(Announce, MountLinesWithoutVersion4) {
    EXPECT_EQ(
        mount_lines({at("127.0.0.1", 12049), kOnlyOld}, "/"),
        (Lines{"Linux    sudo mount -t nfs -o "
               "vers=3,proto=tcp,port=12049,mountport=12049,mountproto=tcp,nolock 127.0.0.1:/ /mnt",
               "macOS    sudo mount -t nfs -o "
               "vers=3,tcp,port=12049,mountport=12049,locallocks 127.0.0.1:/ ~/mnt",
               "libnfs   nfs-ls 'nfs://127.0.0.1/?nfsport=12049&mountport=12049'",
               "         nfs-cat 'nfs://127.0.0.1//FILE?nfsport=12049&mountport=12049'"}));
    const Lines six = mount_lines({at("::1", 2049), kOnlyOld, true}, "/it's");
    ASSERT_EQ(six.size(), 4u);
    EXPECT_EQ(six[0],
              "Linux    sudo mount -t nfs -o "
              "vers=3,proto=tcp6,port=2049,mountport=2049,mountproto=tcp6,nolock "
              "'[::1]:/it'\\''s' /mnt");
    EXPECT_EQ("Linux    " + nfs::mount_command("::1", 2049, "/it's", 3), six[0]);
    const Lines all = mount_lines({at("10.0.0.1", 2049), kOnlyOld, true}, "/a");
    ASSERT_EQ(all.size(), 7u);
    EXPECT_EQ(all[3], "         nfs-cat 'nfs://10.0.0.1/a/FILE?nfsport=2049&mountport=2049'");
    EXPECT_EQ(all[5], "Windows  mount -o nolock,anon 10.0.0.1:/a Z:");
    EXPECT_EQ(all[6], "QEMU     qemu-img info nfs://10.0.0.1/a/IMAGE");
}

TEST(Announce, TheRootShowsAllExports) {
    PlannedExport data, pub;
    data.path = "/data";
    pub.path = "/pub";
    const Plan plan{data, pub};
    Announcement said{plan};
    said.listens = {at("127.0.0.1", 2049)};
    const std::string all =
        "To mount all exports:\n  Linux    sudo mount -t nfs 127.0.0.1:/ /mnt\n";
    EXPECT_NE(to_text(said).find(all), std::string::npos);
    EXPECT_NE(to_text(said).find("  Linux    sudo mount -t nfs 127.0.0.1:/pub /mnt\n"),
              std::string::npos);
    said.versions = kOnlyOld;
    EXPECT_EQ(to_text(said).find("all exports"), std::string::npos) << "MOUNT has no such root";
    const Plan single{data};
    Announcement one{single};
    one.listens = said.listens;
    EXPECT_EQ(to_text(one).find("all exports"), std::string::npos);
}

TEST(Announce, MountOverRdma) {
    PlannedExport one;
    one.path = "/data";
    const Plan plan{one};
    Announcement said{plan};
    said.listens = {at("127.0.0.1", 2049)};
    said.rdma = {at("10.0.2.2", 20049)};
    const std::string text = to_text(said);
    EXPECT_NE(text.find("and over RDMA at 10.0.2.2:20049\n"), std::string::npos);
    EXPECT_NE(text.find("vers=3,proto=rdma,port=20049,mountport=2049,mountproto=tcp,nolock "
                        "10.0.2.2:/data /mnt"),
              std::string::npos);
    // MOUNT is not available there.
    EXPECT_NE(text.find("add --listen 10.0.2.2."), std::string::npos);
    said.listens = {at("10.0.2.2", 2049)};
    EXPECT_EQ(to_text(said).find("add --listen"), std::string::npos);
}

TEST(Announce, SaysWhatIsTrueOfHandlesAndPort111) {
    PlannedExport one;
    one.path = "/";
    const Plan plan{one};
    Announcement said{plan};
    said.listens = {at("127.0.0.1", 2049)};
    said.state_directory = "/state";
    EXPECT_NE(to_text(said).find("File handles stay valid across restarts"), std::string::npos);
    EXPECT_NE(to_text(said).find("\nWindows and QEMU ask port 111"), std::string::npos);
    said.versions = kOnlyOld;
    EXPECT_NE(to_text(said).find("\nFreeBSD, Windows and QEMU ask port 111"), std::string::npos);
    said.versions = {.three = false};
    EXPECT_EQ(to_text(said).find("--portmap"), std::string::npos) << "version 4 does not ask";
    said.versions = {};
    // Another server has the index of this directory.
    said.without_state = {"/srv"};
    EXPECT_EQ(to_text(said).find("stay valid"), std::string::npos);
    EXPECT_NE(to_text(said).find("File handles of /srv may become invalid"), std::string::npos);
    said.asked_for_111 = true;
    EXPECT_EQ(to_text(said).find("--portmap"), std::string::npos) << "it was given";
    EXPECT_TRUE(to_text(said).ends_with("\nReady. Ctrl-C stops the server.\n"));
}

TEST(Announce, SaysWhoActsAsWhom) {
    PlannedExport one;
    one.path = "/";
    one.source.description = "/srv";
    one.source.acts_as_callers = true;
    Plan plan{one};
    EXPECT_NE(to_text(plan).find("root is mapped to uid 65534 gid 65534"), std::string::npos);
    plan[0].source.acts_as_callers = false;
    plan[0].rules.anonymous_uid = 1000;
    plan[0].rules.read_only = true;
    plan[0].rules.allowed = {*nfs::Network::parse("10.0.0.0/8")};
    const std::string text = to_text(plan);
    EXPECT_NE(text.find("all access is as uid 1000"), std::string::npos);
    EXPECT_NE(text.find("/srv, read-only"), std::string::npos);
    EXPECT_NE(text.find("for 10.0.0.0/8"), std::string::npos);
    Announcement said{plan};
    said.state_problem = "cannot write to /x";
    EXPECT_NE(to_text(said).find("File handles become invalid when the server stops"),
              std::string::npos);
    EXPECT_NE(to_text(said).find("Sandbox: none"), std::string::npos);
}

}  // namespace
}  // namespace helio::serve::announce_test
