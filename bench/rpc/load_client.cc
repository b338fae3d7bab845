// A closed loop of NULL calls: N connections with D calls in flight on each; each reply is replaced
// by a call at once. As simple as a load generator can be, so that the server is measured and not
// the client. Every reply is checked: its xid is in flight, it is accepted, it is SUCCESS.
//
//   load_client --port PORT --program P --version V [--connections 8] [--depth 8]
//               [--seconds 2] [--warmup 0.5] [--server-pid PID]
//
// After the warm-up it counts for the given seconds and prints one JSON object: calls per second,
// latency (from the send to the receive that brings the reply), its own CPU time, and with
// --server-pid that of the server, whole process, from the kernel's nanosecond clock.
#include <sys/epoll.h>
#include <time.h>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/rpc/histogram.h"
#include "bench/rpc/wire.h"

namespace bench {
namespace {

// This many calls of 44 bytes fit in any socket buffer, so that sending a new batch never waits
// while replies wait to be read.
constexpr std::uint32_t kDepthMax = 1024;
constexpr std::uint32_t kConnectionsMax = 4096;
constexpr std::size_t kWholeCall = kMarkSize + kCallSize;
constexpr std::size_t kWholeReply = kMarkSize + kReplySize;
constexpr std::size_t kReceiveSize = 64 << 10;
constexpr int kSilenceMaxMs = 10'000;  // longer without a reply: the server hangs
constexpr std::size_t kEventsMax = 256;

struct Options {
    std::uint16_t port = 0;
    std::uint32_t program = 0;
    std::uint32_t version = 0;
    std::uint32_t connections = 8;
    std::uint32_t depth = 8;
    double seconds = 2;
    double warmup = 0.5;
    pid_t server = 0;
};

std::uint64_t nanoseconds(clockid_t clock) {
    timespec time;
    insist(clock_gettime(clock, &time), "clock_gettime");
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(time.tv_nsec);
}

// Counters at one moment; a measurement is the difference of two.
struct Moment {
    std::uint64_t calls = 0;
    std::uint64_t time = 0;
    std::uint64_t client_cpu = 0;
    std::uint64_t server_cpu = 0;
};

// A call in flight. The xid's low bits are the number of its slot, so that a reply finds it without
// a search; the high bits count.
struct Slot {
    std::uint32_t xid = 0;
    bool in_flight = false;
    std::uint64_t sent = 0;
};

struct Connection {
    int socket = -1;
    std::size_t received = 0;  // bytes of a reply that has come in part
    std::vector<char> in = std::vector<char>(kReceiveSize);
    std::vector<char> out;
};

class Load {
 public:
    explicit Load(const Options& options) : options_(options), connections_(options.connections) {
        std::uint32_t slots = 1;
        while (slots < options.connections * options.depth) slots *= 2;
        slots_.resize(slots);
        for (std::uint32_t i = 0; i < slots; ++i) slots_[i].xid = i;
        if (options.server != 0 &&
            clock_getcpuclockid(options.server, &server_clock_.emplace()) != 0)
            die("--server-pid: no such process");
        for (std::uint32_t i = 0; i < options.connections; ++i) open(i);
    }

    void run() {
        const std::uint64_t start = nanoseconds(CLOCK_MONOTONIC);
        for (std::uint32_t i = 0; i < options_.connections; ++i) {
            Connection& connection = connections_[i];
            for (std::uint32_t j = 0; j < options_.depth; ++j)
                add_call(connection, i * options_.depth + j, start);
            send_calls(connection);
        }
        loop_until(start + to_nanoseconds(options_.warmup));
        latency_ = Histogram();
        const Moment before = now();
        loop_until(before.time + to_nanoseconds(options_.seconds));
        report(before, now());
        drain();
    }

 private:
    static std::uint64_t to_nanoseconds(double seconds) {
        return static_cast<std::uint64_t>(seconds * 1e9);
    }

    void open(std::uint32_t index) {
        Connection& connection = connections_[index];
        sockaddr_in address = loopback(options_.port);
        connection.socket = insist(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
        insist(connect(connection.socket, generic(address), sizeof address), "connect");
        send_at_once(connection.socket);
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u32 = index;
        insist(epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.socket, &event), "epoll_ctl");
    }

    void loop_until(std::uint64_t end) {
        for (std::uint64_t time = 0; time < end;) time = turn();
    }

    // Leaves the server with nothing to answer: writing to a client that is gone is another matter,
    // and kills a server that does not handle SIGPIPE.
    void drain() {
        draining_ = true;
        while (in_flight_ > 0) turn();
    }

    // Waits for replies, receives them, sends the next calls. Returns the time of the last ones.
    std::uint64_t turn() {
        std::array<epoll_event, kEventsMax> events;
        std::uint64_t time = 0;
        const int count = epoll_wait(epoll_, events.data(), kEventsMax, kSilenceMaxMs);
        if (count == 0) die("no reply for ten seconds");
        if (count < 0 && errno != EINTR) die("epoll_wait", errno);
        for (int i = 0; i < count; ++i) {
            Connection& connection = connections_[events[i].data.u32];
            receive(connection);
            time = nanoseconds(CLOCK_MONOTONIC);
            take_replies(connection, time);
            send_calls(connection);
        }
        return time;
    }

    static void receive(Connection& connection) {
        const ssize_t size = recv(connection.socket, connection.in.data() + connection.received,
                                  kReceiveSize - connection.received, MSG_DONTWAIT);
        if (size == 0) die("the server closed the connection");
        if (size < 0 && errno != EAGAIN && errno != EINTR) die("recv", errno);
        if (size > 0) connection.received += static_cast<std::size_t>(size);
    }

    void take_replies(Connection& connection, std::uint64_t time) {
        char* const in = connection.in.data();
        std::size_t at = 0;
        for (; connection.received - at >= kWholeReply; at += kWholeReply) {
            const std::uint32_t index = check(in + at);
            Slot& slot = slots_[index];
            latency_.add(time - slot.sent);
            slot.in_flight = false;
            --in_flight_;
            ++calls_;
            if (!draining_) add_call(connection, index, time);
        }
        connection.received -= at;
        if (at > 0 && connection.received > 0) std::memmove(in, in + at, connection.received);
    }

    // The slot of a good reply; anything else ends the run, since its figures would mean nothing.
    std::uint32_t check(const char* reply) const {
        // After the xid: REPLY, MSG_ACCEPTED, AUTH_NONE without a body, SUCCESS.
        static constexpr char kAccepted[20] = {0, 0, 0, 1};
        if (get_word(reply) != (kLastFragment | kReplySize))
            die("a reply is not one fragment of 24 bytes");
        const std::uint32_t xid = get_word(reply + kMarkSize);
        const auto index = static_cast<std::uint32_t>(xid & (slots_.size() - 1));
        if (slots_[index].xid != xid || !slots_[index].in_flight)
            die("a reply to no call in flight");
        if (std::memcmp(reply + kMarkSize + 4, kAccepted, sizeof kAccepted) != 0)
            die("a reply is not accepted with SUCCESS");
        return index;
    }

    void add_call(Connection& connection, std::uint32_t index, std::uint64_t time) {
        Slot& slot = slots_[index];
        slot.xid += static_cast<std::uint32_t>(slots_.size());
        slot.in_flight = true;
        ++in_flight_;
        slot.sent = time;
        const std::size_t end = connection.out.size();
        connection.out.resize(end + kWholeCall);  // the rest is zero: CALL, NULL, AUTH_NONE twice
        char* const call = connection.out.data() + end;
        put_word(call, kLastFragment | kCallSize);
        put_word(call + 4, slot.xid);
        put_word(call + 12, 2);
        put_word(call + 16, options_.program);
        put_word(call + 20, options_.version);
    }

    static void send_calls(Connection& connection) {
        for (std::size_t sent = 0; sent < connection.out.size();) {
            const ssize_t size = send(connection.socket, connection.out.data() + sent,
                                      connection.out.size() - sent, MSG_NOSIGNAL);
            if (size < 0 && errno != EINTR) die("send", errno);
            if (size > 0) sent += static_cast<std::size_t>(size);
        }
        connection.out.clear();
    }

    Moment now() const {
        return {.calls = calls_,
                .time = nanoseconds(CLOCK_MONOTONIC),
                .client_cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID),
                .server_cpu = server_clock_ ? nanoseconds(*server_clock_) : 0};
    }

    void report(const Moment& before, const Moment& after) const {
        const auto calls = static_cast<double>(after.calls - before.calls);
        const double seconds = static_cast<double>(after.time - before.time) / 1e9;
        if (calls == 0) die("not one reply within the measured time");
        const auto microseconds = [&](double share) {
            return static_cast<double>(latency_.quantile(share)) / 1e3;
        };
        std::printf("{\"connections\": %u, \"depth\": %u, \"calls\": %.0f, \"seconds\": %.6f, ",
                    options_.connections, options_.depth, calls, seconds);
        std::printf("\"calls_per_s\": %.0f, ", calls / seconds);
        std::printf("\"p50_us\": %.2f, \"p90_us\": %.2f, \"p99_us\": %.2f, \"max_us\": %.2f, ",
                    microseconds(0.5), microseconds(0.9), microseconds(0.99), microseconds(1));
        if (server_clock_) {
            const double cpu = static_cast<double>(after.server_cpu - before.server_cpu);
            std::printf("\"server_cpu_s\": %.6f, \"server_us_per_call\": %.4f, ", cpu / 1e9,
                        cpu / 1e3 / calls);
        }
        std::printf("\"client_cpu_s\": %.6f}\n",
                    static_cast<double>(after.client_cpu - before.client_cpu) / 1e9);
    }

    const Options options_;
    const int epoll_ = insist(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    std::vector<Connection> connections_;
    std::vector<Slot> slots_;  // a power of two of them; connection i has those from i × depth on
    std::optional<clockid_t> server_clock_;
    Histogram latency_;
    std::uint64_t calls_ = 0;
    std::uint32_t in_flight_ = 0;
    bool draining_ = false;
};

double number(const char* text, double lowest, double highest) {
    char* end = nullptr;
    const double value = std::strtod(text, &end);  // also reads 0x20000099
    if (end == text || *end != '\0' || !(value >= lowest && value <= highest))
        die("an option's value is not a number in its range");
    return value;
}

Options parse(int argc, char** argv) {
    Options options;
    if (argc % 2 == 0) die("each option has one value; see the head of load_client.cc");
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i];
        const auto count = [&](double lowest, double highest) {
            return static_cast<std::uint32_t>(number(argv[i + 1], lowest, highest));
        };
        if (name == "--port")
            options.port = static_cast<std::uint16_t>(count(1, 65535));
        else if (name == "--program")
            options.program = count(0, UINT32_MAX);
        else if (name == "--version")
            options.version = count(0, UINT32_MAX);
        else if (name == "--connections")
            options.connections = count(1, kConnectionsMax);
        else if (name == "--depth")
            options.depth = count(1, kDepthMax);
        else if (name == "--seconds")
            options.seconds = number(argv[i + 1], 0.01, 3600);
        else if (name == "--warmup")
            options.warmup = number(argv[i + 1], 0, 3600);
        else if (name == "--server-pid")
            options.server = static_cast<pid_t>(count(1, INT32_MAX));
        else
            die("unknown option; see the head of load_client.cc");
    }
    if (options.port == 0) die("--port is missing");
    return options;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) { bench::Load(bench::parse(argc, argv)).run(); }
