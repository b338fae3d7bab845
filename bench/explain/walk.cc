// The limit: the cost of finding every record of a capture and doing nothing with it. The file is
// mapped; a loop goes from packet to packet, through Ethernet, IPv4 and TCP, and in each direction
// of each connection from record mark to record mark. It trusts the file: no loss, no disorder, no
// cut packets, no other protocols. Everything beyond this is the cost of explaining.
//
//   explain_walk FILE      prints packets, connections' directions, records, and their bytes
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <unordered_map>

#include "bench/explain/capture_file.h"

namespace bench {
namespace {

struct Direction {
    std::uint32_t left = 0;  // of the fragment
    std::uint32_t mark = 0;  // as much of it as was there
    std::uint32_t mark_size = 0;
};

struct Found {
    std::uint64_t packets = 0;
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
};

void walk_payload(Direction& on, const unsigned char* at, std::size_t size, Found& found) {
    while (size > 0) {
        if (on.left == 0) {
            on.mark = on.mark << 8 | *at++;
            --size;
            if (++on.mark_size < 4) continue;
            on.left = on.mark & 0x7fffffff;
            found.records += on.mark >> 31;
            found.bytes += on.left;
            on.mark_size = 0;
        }
        const std::uint32_t step = static_cast<std::uint32_t>(std::min<std::size_t>(on.left, size));
        on.left -= step;
        at += step;
        size -= step;
    }
}

class Walk {
 public:
    void packet(const unsigned char* at, Found& found) {
        ++found.packets;
        const unsigned char* ip = at + kEthernetSize;
        const unsigned char* tcp = ip + (ip[0] & 15) * 4;
        const unsigned char* payload = tcp + (tcp[12] >> 4) * 4;
        const unsigned char* end = ip + (ip[2] << 8 | ip[3]);
        if (ip[9] != 6 || payload == end) return;
        Ends ends;
        std::memcpy(&ends.addresses, ip + 12, 8);
        std::memcpy(&ends.ports, tcp, 4);
        walk_payload(directions_[ends], payload, static_cast<std::size_t>(end - payload), found);
    }
    std::size_t directions() const { return directions_.size(); }

 private:
    struct Ends {
        std::uint64_t addresses;
        std::uint32_t ports;
        bool operator==(const Ends&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Ends& ends) const {
            return (ends.addresses ^ ends.ports) * 0x9e3779b97f4a7c15 >> 20;
        }
    };
    std::unordered_map<Ends, Direction, Hash> directions_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
    if (argc != 2) bench::die("the one argument is a capture of make_capture");
    const int fd = open(argv[1], O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (fd < 0 || fstat(fd, &about) < 0) bench::die(argv[1], errno);
    const std::size_t size = static_cast<std::size_t>(about.st_size);
    void* map = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (map == MAP_FAILED) bench::die(argv[1], errno);
    madvise(map, size, MADV_SEQUENTIAL);
    const unsigned char* file = static_cast<const unsigned char*>(map);
    bench::Walk walk;
    bench::Found found;
    for (std::size_t at = bench::kFileHeaderSize; at + bench::kPacketHeaderSize <= size;) {
        std::uint32_t captured;
        std::memcpy(&captured, file + at + 8, sizeof captured);
        walk.packet(file + at + bench::kPacketHeaderSize, found);
        at += bench::kPacketHeaderSize + captured;
    }
    std::printf("{\"packets\":%zu,\"directions\":%zu,\"records\":%zu,\"bytes\":%zu}\n",
                std::size_t{found.packets}, walk.directions(), std::size_t{found.records},
                std::size_t{found.bytes});
}
