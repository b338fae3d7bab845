#include "bench/codec/sample.h"

namespace bench {
namespace {

constexpr std::size_t kGids = 16;        // the most AUTH_SYS carries, and what Linux often sends
constexpr std::size_t kHandleSize = 32;  // what knfsd and we hand out
constexpr std::size_t kPayloadSize = 65536;  // READ of 64 KiB
constexpr std::size_t kEntries = 100;

Bytes patterned(std::size_t size, std::uint32_t seed) {
    Bytes bytes(size);
    for (auto& byte : bytes) {
        seed = seed * 1664525u + 1013904223u;  // Numerical Recipes' generator; any pattern will do
        byte = static_cast<std::byte>(seed >> 24);
    }
    return bytes;
}

Fattr3 attributes(std::uint32_t type, std::uint64_t fileid) {
    return {.type = type,
            .mode = 0644,
            .nlink = 1,
            .uid = 1000,
            .gid = 1000,
            .size = 0x1'2345'6789 + fileid,  // above 4 GiB: both halves of the word count
            .used = 0x1'2346'0000,
            .rdev_major = 8,
            .rdev_minor = 17,
            .fsid = 0xfeed'f00d'cafe'beef,
            .fileid = fileid,
            .atime = {1'700'000'000, 123'456'789},
            .mtime = {1'700'000'001, 987'654'321},
            .ctime = {1'700'000'002, 555'555'555}};
}

ReplyHeader success(std::uint32_t xid) {
    ReplyHeader header;  // accepted, AUTH_NONE, SUCCESS: all of them zero
    header.xid = xid;
    return header;
}

constexpr std::uint32_t kRegularFile = 1;
constexpr std::uint32_t kDirectory = 2;

}  // namespace

std::string_view name_of(Message message) {
    switch (message) {
        case Message::getattr_call:
            return "getattr_call";
        case Message::getattr_res:
            return "getattr_res";
        case Message::getattr_reply:
            return "getattr_reply";
        case Message::read_res:
            return "read_res";
        case Message::read_reply:
            return "read_reply";
        case Message::readdirplus_reply:
            return "readdirplus_reply";
    }
    return {};
}

Sample::Sample() : handle_(patterned(kHandleSize, 1)), payload_(patterned(kPayloadSize, 2)) {
    for (std::uint32_t i = 0; i < kGids; ++i) gids_.push_back(1000 + 7 * i);
    names_.push_back("client-13.lan");  // thirteen bytes: three of padding

    getattr_call.header = {.xid = 0x5e1f0001,
                           .rpc_version = 2,
                           .program = 100003,
                           .version = 3,
                           .procedure = 1,
                           .credential = {.stamp = 0x65a1b2c3,
                                          .machine_name = names_.back(),
                                          .uid = 1000,
                                          .gid = 1000,
                                          .gids = gids_},
                           .verifier = {}};
    getattr_call.object = handle_;

    getattr_reply.header = success(0x5e1f0001);
    getattr_reply.results.attributes = attributes(kRegularFile, 4711);

    read_reply.header = success(0x5e1f0002);
    ReadRes& read = read_reply.results;
    read.file_attributes = {true, attributes(kRegularFile, 4712)};
    read.count = kPayloadSize;
    read.eof = true;
    read.data = payload_;

    readdirplus_reply.header = success(0x5e1f0003);
    ReaddirplusRes& directory = readdirplus_reply.results;
    directory.dir_attributes = {true, attributes(kDirectory, 2)};
    for (std::size_t i = 0; i < directory.cookie_verifier.size(); ++i)
        directory.cookie_verifier[i] = static_cast<std::byte>(0xa0 + i);
    fill_entries();
    directory.entries = entries_.data();
    directory.eof = true;
}

void Sample::fill_entries() {
    entries_.resize(kEntries);
    for (std::size_t i = 0; i < kEntries; ++i) {
        // Ten to fourteen bytes, so that every amount of padding occurs.
        names_.push_back("entry-" + std::to_string(1000 + i) + std::string(i % 5, 'x'));
        handles_.push_back(patterned(kHandleSize, static_cast<std::uint32_t>(100 + i)));
        entries_[i] = {.fileid = 5000 + i,
                       .name = names_.back(),
                       .cookie = i + 1,
                       .attributes = {true, attributes(kRegularFile, 5000 + i)},
                       .handle = {true, handles_.back()},
                       .next = i + 1 < kEntries ? &entries_[i + 1] : nullptr};
    }
}

}  // namespace bench
