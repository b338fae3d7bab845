#include "cli/explain/live_capture.h"

#include <pcap/pcap.h>
#include <poll.h>

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "cli/common.h"
#include "helio/base/text/escape.h"

namespace helio::cli {
namespace {

constexpr int kSnapLength = 262144;          // the maximum of libpcap
constexpr int kWaitMs = 100;                 // between checks for a signal
constexpr int kBufferBytes = 16 << 20;       // of the kernel
constexpr std::uint32_t kLinkTypeRaw = 101;  // LINKTYPE_RAW in the registry of capture files

// pcap_datalink() returns numbers of the operating system, capture files hold those of the
// registry. They differ only for raw IP.
std::uint32_t link_type_of(int datalink) {
    return datalink == DLT_RAW ? kLinkTypeRaw : static_cast<std::uint32_t>(datalink);
}

void wait_readable(int fd) {
    pollfd ready{fd, POLLIN, 0};
    poll(&ready, 1, kWaitMs);
}

}  // namespace

struct LiveCapture::Handle {
    explicit Handle(const std::string& interface) {
        char problem[PCAP_ERRBUF_SIZE] = "";
        pcap.reset(pcap_create(interface.c_str(), problem));
        const auto fail = [&interface](std::string_view why) {
            throw std::runtime_error(
                fmt::format("cannot capture from '{}': {}", printable(interface), why));
        };
        if (!pcap) fail(problem);
        pcap_set_snaplen(pcap.get(), kSnapLength);
        pcap_set_promisc(pcap.get(), 1);
        pcap_set_timeout(pcap.get(), kWaitMs);
        pcap_set_immediate_mode(pcap.get(), 1);
        pcap_set_buffer_size(pcap.get(), kBufferBytes);
        pcap_set_tstamp_precision(pcap.get(), PCAP_TSTAMP_PRECISION_NANO);
        if (const int status = pcap_activate(pcap.get()); status < 0)
            fail(fmt::format(
                "{}{}", pcap_statustostr(status),
                status == PCAP_ERROR_PERM_DENIED ? "; capturing needs root or CAP_NET_RAW" : ""));
        // In immediate mode a blocking read returns only for packets: neither a signal nor the
        // timeout ends it.
        if (pcap_setnonblock(pcap.get(), 1, problem) < 0) fail(problem);
        fd = pcap_get_selectable_fd(pcap.get());
        link_type = link_type_of(pcap_datalink(pcap.get()));
        nanoseconds = pcap_get_tstamp_precision(pcap.get()) == PCAP_TSTAMP_PRECISION_NANO;
    }

    std::unique_ptr<pcap_t, decltype(&pcap_close)> pcap{nullptr, &pcap_close};
    int fd = -1;  // readable when packets wait; -1: the device has none, and is polled
    std::uint32_t link_type = 0;
    bool nanoseconds = false;
};

LiveCapture::LiveCapture(const std::string& interface, inspect::PipelineOutput& output)
    : interface_(interface), output_(output), handle_(std::make_unique<Handle>(interface)) {
    output_.note(fmt::format("capturing from {}; press Ctrl-C to stop", printable(interface)));
}

LiveCapture::~LiveCapture() = default;

bool LiveCapture::next(inspect::Packet& packet) {
    pcap_t* const pcap = handle_->pcap.get();
    pcap_pkthdr* header = nullptr;
    const unsigned char* bytes = nullptr;
    packet = {};
    int status = 0;
    while (status == 0) {
        if (idle_) wait_readable(handle_->fd);
        if (interrupt_.came()) return false;
        status = pcap_next_ex(pcap, &header, &bytes);
        // Nothing is waiting: let the reader write its output, and sleep the next time.
        if (status == 0 && !std::exchange(idle_, true)) return true;
    }
    idle_ = false;
    if (status < 0) {
        output_.note(fmt::format("{}: {}", printable(interface_), pcap_geterr(pcap)));
        return false;
    }
    packet.number = ++packets_;
    packet.time_ns = std::int64_t{header->ts.tv_sec} * 1'000'000'000 +
                     header->ts.tv_usec * (handle_->nanoseconds ? 1 : 1000);
    packet.link = handle_->link_type;
    packet.original_size = header->len;
    packet.bytes = {reinterpret_cast<const std::byte*>(bytes), header->caplen};
    return true;
}

void LiveCapture::note_drops() {
    pcap_stat counts{};
    if (pcap_stats(handle_->pcap.get(), &counts) == 0 && counts.ps_drop != 0)
        output_.note(
            fmt::format("{} packets were dropped before they could be read", counts.ps_drop));
}

}  // namespace helio::cli
