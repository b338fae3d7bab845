// Makes a capture of NFS version 3 over TCP, and beside it a JSON file with its contents, so that
// programs that read the capture can be checked. The same arguments make the same bytes.
//
//   explain_make_capture small FILE PAIRS    many small calls; FILE.json holds the truth
//   explain_make_capture data FILE BYTES     so many bytes of READ and WRITE, 64 KiB to 1 MiB each
//   explain_make_capture offload FILE BYTES  the same in segments such as receive offload makes
//
// Clients come from reserved ports with AUTH_SYS and groups, mount, and look up each file before
// they use it. The latency of an answer is a base plus an exponential tail, by procedure.
#include <array>
#include <cmath>
#include <map>
#include <queue>

#include "bench/explain/nfs_calls.h"

namespace bench {
namespace {

constexpr std::uint32_t kMountProgram = 100005;
constexpr std::uint32_t kVersion = 3;
constexpr std::uint32_t kDirectories = 64;
constexpr std::uint32_t kFilesPerDirectory = 64;
// The root, the directories, the files: objects have these numbers, in this order.
constexpr std::uint32_t kObjects = 1 + kDirectories + kDirectories * kFilesPerDirectory;
constexpr std::uint32_t kNoObject = kObjects;
constexpr std::size_t kReceiveOffloadSize = 45 * 1448;  // 64 KiB, IP's bound, holds no more
constexpr std::uint64_t kSeed = 5;
constexpr std::size_t kFilesShown = 20;

struct Operation {
    const char* name;
    std::uint32_t program;
    std::uint32_t number;
    std::uint32_t base_us;  // the least time that an answer takes
    std::uint32_t tail_us;  // mean of the exponential part
};
enum Which : std::uint8_t { kMnt, kGetattr, kLookup, kAccess, kRead, kWrite };
constexpr std::array<Operation, 6> kOperations{{
    {"mount.3.MNT", kMountProgram, 1, 900, 300},
    {"nfs3.GETATTR", kNfsProgram, 1, 20, 30},
    {"nfs3.LOOKUP", kNfsProgram, 3, 30, 60},
    {"nfs3.ACCESS", kNfsProgram, 4, 20, 25},
    {"nfs3.READ", kNfsProgram, 6, 80, 200},
    {"nfs3.WRITE", kNfsProgram, 7, 150, 900},
}};

struct Timed : Counts {
    std::vector<std::uint32_t> latencies_us;
};

struct Client {
    Words credential;
    std::uint64_t calls = 0;
};

// A call that was sent, until its answer is.
struct Pending {
    std::uint64_t when_us = 0;
    std::uint64_t order = 0;  // of equal times, the first made comes first
    std::uint32_t connection = 0;
    bool answer = false;  // else the call itself is due
    Which which = kGetattr;
    std::uint32_t xid = 0;
    std::uint32_t object = 0;
    std::uint32_t found = kNoObject;  // by LOOKUP
    std::uint32_t size = 0;           // of data
    std::uint64_t sent_us = 0;

    bool operator>(const Pending& other) const {
        return when_us != other.when_us ? when_us > other.when_us : order > other.order;
    }
};

struct Line {
    Connection tcp;
    std::uint32_t client = 0;
    std::uint32_t xid = 0;
    bool mount = false;
};

std::string name_of(std::uint32_t object) {
    char text[40];
    if (object <= kDirectories)
        std::snprintf(text, sizeof text, "project-%02u", object - 1);
    else
        std::snprintf(text, sizeof text, "measurement-%04u.dat", object - 1 - kDirectories);
    return text;
}

std::uint32_t parent_of(std::uint32_t object) {
    return object <= kDirectories ? 0 : 1 + (object - 1 - kDirectories) / kFilesPerDirectory;
}

std::string path_of(std::uint32_t object) {
    return object == 0 ? "/srv/data" : path_of(parent_of(object)) + "/" + name_of(object);
}

class Generator {
 public:
    Generator(const std::string& path, bool data, bool offload, std::uint64_t amount)
        : path_(path), data_(data), offload_(offload), amount_(amount), file_(path) {
        noise_.resize((1u << 20) + 4096);
        for (char& byte : noise_) byte = static_cast<char>(random_.next());
        per_object_.resize(kObjects);
        make_clients();
    }

    void run() {
        for (std::uint32_t i = 0; i < lines_.size(); ++i) {
            file_.handshake(lines_[i].tcp, kStart_us + i * 50);
            const std::uint32_t depth = lines_[i].mount ? 1 : data_ ? 2 : 4;
            for (std::uint32_t slot = 0; slot < depth; ++slot) {
                // Mounts come first; NFS begins when they are done.
                const std::uint64_t wait_us = lines_[i].mount ? 2000 : 100'000;
                due_.push({.when_us = kStart_us + wait_us + slot * 7,
                           .order = order_++,
                           .connection = i});
            }
        }
        while (!due_.empty()) {
            Pending now = due_.top();
            due_.pop();
            now.answer ? answer(now) : call(now);
        }
        file_.close();
        write_truth();
    }

 private:
    void make_clients() {
        const std::uint32_t clients = data_ ? 4 : 8;
        for (std::uint32_t i = 0; i < clients; ++i) {
            clients_.push_back({.credential = credential_of(i, 4 + i)});
            // Reserved ports, as clients use them, and unassigned in Wireshark's tables, so that
            // all contenders find the same calls.
            const std::uint16_t ports[] = {712, 724, 732, 758, 788, 810, 828, 840};
            for (const bool mount : {true, false}) {
                Line line;
                line.client = i;
                line.mount = mount;
                line.xid = static_cast<std::uint32_t>(random_.next());
                line.tcp = connection_of(i, static_cast<std::uint16_t>(ports[i] - (mount ? 1 : 0)),
                                         mount ? 20048 : 2049, random_);
                if (offload_) line.tcp.segment_size = kReceiveOffloadSize;
                lines_.push_back(line);
            }
        }
    }

    bool done() const { return data_ ? made_ >= amount_ : pairs_ >= amount_; }

    // One that LOOKUP has named already; the first ones more often than the last.
    std::uint32_t some_object(bool regular) {
        const std::uint32_t first = regular ? 1 + kDirectories : 0;
        if (named_ <= first) return 0;
        const std::uint64_t range = named_ - first;
        return first + static_cast<std::uint32_t>(random_.below(random_.below(range) + 1));
    }

    Which choose() {
        if (data_ || named_ <= 1 + kDirectories) {
            if (named_ < kObjects && (named_ <= 1 + kDirectories || random_.below(64) == 0))
                return kLookup;
            return random_.below(10) < 6 ? kRead : kWrite;
        }
        const std::uint64_t roll = random_.below(100);
        return roll < 32   ? kGetattr
               : roll < 57 ? kLookup
               : roll < 82 ? kAccess
               : roll < 95 ? kRead
                           : kWrite;
    }

    void call(Pending& now) {
        Line& line = lines_[now.connection];
        if (!line.mount && done()) return;
        now.which = line.mount ? kMnt : choose();
        now.xid = line.xid++;
        now.sent_us = now.when_us;
        now.size = 0;
        now.found = kNoObject;
        if (now.which == kRead || now.which == kWrite) {
            now.object = some_object(true);
            now.size = data_ ? (64u << 10) << random_.below(5) : small_size();
        } else if (now.which == kLookup) {
            choose_name(now);
        } else {
            now.object = now.which == kMnt ? 0 : some_object(false);
        }
        write_call(line, now);
        ++clients_[line.client].calls;
        ++pairs_;
        made_ += now.size;
        const Operation& operation = kOperations[now.which];
        const double even = static_cast<double>(random_.next() >> 11) * 0x1p-53;  // 0 ≤ it < 1
        const double tail = -std::log(1.0 - even) * operation.tail_us;
        now.when_us += operation.base_us + static_cast<std::uint64_t>(tail);
        now.answer = true;
        now.order = order_++;
        due_.push(now);
    }

    // Some records need a second segment.
    std::uint32_t small_size() {
        return random_.below(16) == 0 ? 2048
                                      : 64 + 4 * static_cast<std::uint32_t>(random_.below(100));
    }

    void choose_name(Pending& now) {
        if (named_ < kObjects) {
            now.found = named_++;
        } else if (random_.below(50) != 0) {
            now.found = 1 + static_cast<std::uint32_t>(random_.below(kObjects - 1));
        }
        now.object = now.found == kNoObject
                         ? 1 + static_cast<std::uint32_t>(random_.below(kDirectories))
                         : parent_of(now.found);
    }

    void write_call(Line& line, const Pending& now) {
        const Operation& operation = kOperations[now.which];
        begin_call(out_, now.xid, operation.program, kVersion, operation.number,
                   clients_[line.client].credential);
        if (now.which == kMnt)
            out_.text("/srv/data");
        else
            put_handle(out_, now.object);
        if (now.which == kLookup)
            out_.text(now.found == kNoObject ? "absent-" + std::to_string(now.xid % 100)
                                             : name_of(now.found));
        if (now.which == kAccess) out_.word(0x1f);
        if (now.size > 0) {
            out_.hyper(random_.below(1024) << 16);
            out_.word(now.size);
        }
        if (now.which == kWrite) {
            out_.word(0);  // UNSTABLE
            some_data(now.size);
        }
        out_.end_record();
        file_.send(line.tcp, 0, now.when_us, out_);
        if (now.size > 65536 && now.which == kWrite)
            file_.acknowledge(line.tcp, 1, now.when_us + 5);
    }

    void answer(Pending& now) {
        Line& line = lines_[now.connection];
        const bool absent = now.which == kLookup && now.found == kNoObject;
        begin_reply(out_, now.xid);
        out_.word(absent ? kNoEntry : 0);
        write_result(now, absent);
        out_.end_record();
        file_.send(line.tcp, 1, now.when_us, out_);
        if (now.size > 65536 || now.xid % 8 == 0) file_.acknowledge(line.tcp, 0, now.when_us + 5);
        Timed& counts = counts_[now.which];
        ++counts.calls;
        counts.errors += absent;
        counts.bytes += now.size;
        counts.latencies_us.push_back(static_cast<std::uint32_t>(now.when_us - now.sent_us));
        if (line.mount) return;
        ++per_object_[now.object];
        now.when_us += 5 + random_.below(200);
        now.answer = false;
        now.order = order_++;
        due_.push(now);
    }

    void write_result(const Pending& now, bool absent) {
        switch (now.which) {
            case kMnt:
                put_handle(out_, 0);
                out_.word(1);
                out_.word(1);
                break;
            case kGetattr:
                attributes(now.object);
                break;
            case kLookup:
                if (!absent) {
                    put_handle(out_, now.found);
                    out_.word(1);
                    attributes(now.found);
                }
                out_.word(1);
                attributes(now.object);
                break;
            case kAccess:
                out_.word(1);
                attributes(now.object);
                out_.word(0x1f);
                break;
            case kRead:
                out_.word(1);
                attributes(now.object);
                out_.word(now.size);
                out_.word(0);
                some_data(now.size);
                break;
            case kWrite:
                out_.word(0);
                out_.word(1);
                attributes(now.object);
                out_.word(now.size);
                out_.word(0);
                out_.hyper(kSeed);
                break;
        }
    }

    // RFC 1813 §2.6: 84 bytes.
    void attributes(std::uint32_t object) {
        const bool directory = object <= kDirectories;
        const std::uint32_t head[] = {directory ? 2u : 1u, directory ? 0755u : 0644u, 1, 1000, 100};
        for (const std::uint32_t word : head) out_.word(word);
        const std::uint64_t size = directory ? 4096 : 64u << 20;
        const std::uint64_t time = (kStart_us / 1'000'000 - object) << 32 | 123456789;
        for (const std::uint64_t hyper : {size, size, std::uint64_t{0}, std::uint64_t{7},
                                          std::uint64_t{object} + 128, time, time, time})
            out_.hyper(hyper);
    }

    void some_data(std::uint32_t size) {
        out_.opaque(noise_.data() + 4 * random_.below(1024), size);
    }

    void write_truth() {
        Truth truth{path_, file_, pairs_};
        truth.object("procedures");
        for (std::size_t i = 0; i < counts_.size(); ++i)
            if (counts_[i].calls > 0)
                truth.entry(kOperations[i].name, counts_[i], percentiles(counts_[i]));
        truth.object("clients");
        for (std::uint32_t i = 0; i < clients_.size(); ++i)
            truth.entry(dotted(address_of_client(i)), clients_[i].calls);
        truth.object("busiest_files");
        std::multimap<std::uint64_t, std::uint32_t, std::greater<>> busiest;
        for (std::uint32_t i = 0; i < kObjects; ++i) busiest.emplace(per_object_[i], i);
        std::size_t shown = 0;
        for (const auto& [calls, object] : busiest)
            if (shown++ < kFilesShown) truth.entry(path_of(object), calls);
    }

    static std::string percentiles(Timed& counts) {
        std::sort(counts.latencies_us.begin(), counts.latencies_us.end());
        std::string out;
        for (const int percent : {50, 90, 99, 100}) {
            const std::size_t at = (counts.calls * percent + 99) / 100 - 1;
            out += ",\"p" + std::to_string(percent) +
                   "_us\":" + std::to_string(counts.latencies_us[at]);
        }
        return out;
    }

    const std::string path_;
    const bool data_;
    const bool offload_;
    const std::uint64_t amount_;
    CaptureFile file_;
    Random random_{kSeed};
    std::vector<char> noise_;
    std::vector<Client> clients_;
    std::vector<Line> lines_;
    std::priority_queue<Pending, std::vector<Pending>, std::greater<>> due_;
    std::uint64_t order_ = 0;
    std::uint32_t named_ = 1;  // objects whose handle a client has seen: the root, by MNT
    std::uint64_t pairs_ = 0;
    std::uint64_t made_ = 0;  // bytes of data
    std::array<Timed, kOperations.size()> counts_;
    std::vector<std::uint64_t> per_object_;
    Words out_;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
    const std::string what = argc == 4 ? argv[1] : "";
    if (what != "small" && what != "data" && what != "offload")
        bench::die("the arguments are small FILE PAIRS, data FILE BYTES or offload FILE BYTES");
    const std::uint64_t amount = std::strtoull(argv[3], nullptr, 10);
    bench::Generator(argv[2], what != "small", what == "offload", amount).run();
}
