// An interface, by libpcap, until Ctrl-C.
#include <pcap/pcap.h>

#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "cli/common.h"
#include "cli/explain.h"
#include "cli/explain_views.h"
#include "cli/interrupt.h"

namespace helio::cli {
namespace {

constexpr int kSnapLength = 262144;  // libpcap's most
constexpr int kWaitMs = 200;         // lines wait no longer than this for more to come
constexpr int kBufferBytes = 16 << 20;

// libpcap's numbers are the operating system's, files' and ours are the registry's; they differ
// where systems do.
std::uint32_t link_of(int datalink) {
    return datalink == DLT_RAW ? 101 : static_cast<std::uint32_t>(datalink);
}

using Handle = std::unique_ptr<pcap_t, decltype(&pcap_close)>;

Handle open_interface(const std::string& interface) {
    char problem[PCAP_ERRBUF_SIZE] = "";
    Handle handle{pcap_create(interface.c_str(), problem), &pcap_close};
    if (!handle)
        throw std::runtime_error(
            fmt::format("cannot capture from '{}': {}", shown(interface), problem));
    pcap_set_snaplen(handle.get(), kSnapLength);
    pcap_set_promisc(handle.get(), 1);
    pcap_set_timeout(handle.get(), kWaitMs);
    pcap_set_immediate_mode(handle.get(), 1);
    pcap_set_buffer_size(handle.get(), kBufferBytes);
    pcap_set_tstamp_precision(handle.get(), PCAP_TSTAMP_PRECISION_NANO);
    if (const int status = pcap_activate(handle.get()); status < 0) {
        const bool rights = status == PCAP_ERROR_PERM_DENIED;
        throw std::runtime_error(fmt::format("cannot capture from '{}': {}{}", shown(interface),
                                             pcap_statustostr(status),
                                             rights ? "; it takes root or CAP_NET_RAW" : ""));
    }
    if (pcap_setnonblock(handle.get(), 0, problem) < 0)
        throw std::runtime_error(
            fmt::format("cannot capture from '{}': {}", shown(interface), problem));
    return handle;
}

}  // namespace

int explain_live(const ExplainFlags& flags, const inspect::Catalogue& catalogue) {
    const Handle handle = open_interface(flags.live);
    const Interrupt interrupt;
    const std::uint32_t link = link_of(pcap_datalink(handle.get()));
    const bool nano = pcap_get_tstamp_precision(handle.get()) == PCAP_TSTAMP_PRECISION_NANO;
    fmt::print(stderr, "helio: capturing from {}; Ctrl-C ends it\n", shown(flags.live));
    std::uint64_t number = 0;
    const int code = explain_from(flags, catalogue, [&](inspect::Packet& packet) {
        if (interrupt.came()) return false;
        pcap_pkthdr* header = nullptr;
        const unsigned char* bytes = nullptr;
        const int status = pcap_next_ex(handle.get(), &header, &bytes);
        packet = {};
        if (status < 0) {
            fmt::print(stderr, "helio: {}: {}\n", shown(flags.live), pcap_geterr(handle.get()));
            return false;
        }
        if (status == 0) return true;  // nothing in this time
        packet.number = ++number;
        packet.time_ns = std::int64_t{header->ts.tv_sec} * 1'000'000'000 +
                         header->ts.tv_usec * (nano ? 1 : 1000);
        packet.link = link;
        packet.original_size = header->len;
        packet.bytes = {reinterpret_cast<const std::byte*>(bytes), header->caplen};
        return true;
    });
    pcap_stat counts{};
    if (pcap_stats(handle.get(), &counts) == 0 && counts.ps_drop != 0)
        fmt::print(stderr, "helio: {} packets were dropped before they could be read\n",
                   counts.ps_drop);
    return code;
}

}  // namespace helio::cli
