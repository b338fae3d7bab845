#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "helio/base/assert.h"
#include "helio/transport/server/datagram_socket_internal.h"

namespace helio::transport {

namespace {

// Datagrams per system call, each way.
constexpr std::size_t kDatagramsPerCall = 16;
constexpr std::size_t kSlotSize = 64u << 10;  // no datagram is longer
// Most calls fit, so most buffers can be reused for the next one.
constexpr std::size_t kDatagramBufferMin = 512;
constexpr std::size_t kDatagramGatherMax = 128;
// A datagram of 64 KiB has at most 16 references of 4 KiB (xdr::kReferenceMin), and the bytes
// between them.
constexpr std::size_t kSegmentsPerDatagram = 2 * (kSlotSize / xdr::kReferenceMin) + 2;

struct Control {
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(in6_pktinfo))> bytes{};
};

// Which of our addresses the datagram was sent to.
std::array<std::byte, 16> destination(msghdr& header) {
    std::array<std::byte, 16> out{};
    for (cmsghdr* one = CMSG_FIRSTHDR(&header); one != nullptr; one = CMSG_NXTHDR(&header, one)) {
        if (one->cmsg_level == IPPROTO_IP && one->cmsg_type == IP_PKTINFO) {
            in_pktinfo info;
            std::memcpy(&info, CMSG_DATA(one), sizeof info);
            out[10] = out[11] = std::byte{0xff};
            // Not ipi_addr: if it is a broadcast address, replies cannot use it.
            std::memcpy(out.data() + 12, &info.ipi_spec_dst, 4);
        } else if (one->cmsg_level == IPPROTO_IPV6 && one->cmsg_type == IPV6_PKTINFO) {
            in6_pktinfo info;
            std::memcpy(&info, CMSG_DATA(one), sizeof info);
            std::memcpy(out.data(), &info.ipi6_addr, 16);
        }
    }
    return out;
}

// The reply must come from the same address, or a client with a connected socket never sees it.
void set_source(msghdr& header, Control& control, const rpc::Peer& peer, int family) {
    constexpr std::array<std::byte, 16> kUnknown{};
    if (peer.here == kUnknown) return;
    header.msg_control = control.bytes.data();
    header.msg_controllen = control.bytes.size();
    cmsghdr* const one = CMSG_FIRSTHDR(&header);
    if (family == AF_INET) {
        in_pktinfo info{};
        std::memcpy(&info.ipi_spec_dst, peer.here.data() + 12, 4);
        one->cmsg_level = IPPROTO_IP;
        one->cmsg_type = IP_PKTINFO;
        one->cmsg_len = CMSG_LEN(sizeof info);
        std::memcpy(CMSG_DATA(one), &info, sizeof info);
        header.msg_controllen = CMSG_SPACE(sizeof info);
    } else {
        in6_pktinfo info{};
        std::memcpy(&info.ipi6_addr, peer.here.data(), 16);
        info.ipi6_ifindex = peer.scope;
        one->cmsg_level = IPPROTO_IPV6;
        one->cmsg_type = IPV6_PKTINFO;
        one->cmsg_len = CMSG_LEN(sizeof info);
        std::memcpy(CMSG_DATA(one), &info, sizeof info);
        header.msg_controllen = CMSG_SPACE(sizeof info);
    }
}

}  // namespace

DatagramSocket::DatagramSocket(ServerThread& thread, Fd socket)
    : thread_(thread),
      socket_(std::move(socket)),
      family_(local_endpoint(socket_.get()).family()),
      session_(thread.worker(), *this, thread.worker().server().make_envelope()) {
    const int on = 1;
    if (family_ == AF_INET)
        setsockopt(socket_.get(), IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
    else
        setsockopt(socket_.get(), IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
    if (const int error = thread_.loop().add(socket_.get(), Interest::read, *this); error != 0)
        throw std::system_error(error, std::generic_category(), "cannot watch a UDP socket");
}

DatagramSocket::~DatagramSocket() { thread_.loop().remove(socket_.get(), *this); }

void DatagramSocket::on_ready(Readiness) {
    const rpc::BufferRef buffer = thread_.worker().buffers().take(kDatagramsPerCall * kSlotSize);
    if (!buffer) return;
    std::array<mmsghdr, kDatagramsPerCall> messages{};
    std::array<iovec, kDatagramsPerCall> places;
    std::array<sockaddr_storage, kDatagramsPerCall> senders;
    std::array<Control, kDatagramsPerCall> controls;
    for (std::size_t i = 0; i < kDatagramsPerCall; ++i) {
        places[i] = {buffer->bytes.get() + i * kSlotSize, kSlotSize};
        msghdr& header = messages[i].msg_hdr;
        header.msg_name = &senders[i];
        header.msg_namelen = sizeof senders[i];
        header.msg_iov = &places[i];
        header.msg_iovlen = 1;
        header.msg_control = controls[i].bytes.data();
        header.msg_controllen = controls[i].bytes.size();
    }
    const int got = thread_.loop().network().recvmmsg(socket_.get(), messages.data(),
                                                      kDatagramsPerCall, MSG_DONTWAIT);
    for (int i = 0; i < got; ++i) {
        msghdr& header = messages[static_cast<std::size_t>(i)].msg_hdr;
        if (header.msg_flags & MSG_TRUNC) continue;
        rpc::Peer peer =
            to_peer({static_cast<const sockaddr*>(header.msg_name), header.msg_namelen},
                    rpc::Transport::udp);
        peer.here = destination(header);
        peer.local = peer.local || peer.here == peer.client.bytes;
        // Copied to a buffer of its own size: a waiting call must not keep the room for sixteen
        // datagrams.
        const std::size_t size = messages[static_cast<std::size_t>(i)].msg_len;
        const rpc::BufferRef own =
            thread_.worker().buffers().take(std::max(size, kDatagramBufferMin));
        if (!own) continue;
        std::memcpy(own->bytes.get(), header.msg_iov->iov_base, size);
        session_.receive(own, {own->bytes.get(), size}, peer);
    }
    send();
    watch();
}

void DatagramSocket::send() {
    if (!session_.has_output()) return watch();
    const rpc::BatchRef batch = session_.take_output();
    const auto datagrams = session_.take_datagrams();
    std::span<const xdr::Segment> segments = batch->writer->segments();
    std::size_t used = 0;  // of the first segment
    std::size_t next = 0;
    while (next < datagrams.size()) {
        std::array<mmsghdr, kDatagramsPerCall> messages{};
        std::array<iovec, kDatagramGatherMax> gather;
        std::array<Endpoint, kDatagramsPerCall> receivers;
        std::array<Control, kDatagramsPerCall> controls;
        unsigned count = 0;
        std::size_t gathered = 0;
        for (; count < kDatagramsPerCall && next < datagrams.size(); ++count, ++next) {
            if (gathered + kSegmentsPerDatagram > kDatagramGatherMax) break;
            msghdr& header = messages[count].msg_hdr;
            header.msg_iov = &gather[gathered];
            for (std::size_t left = datagrams[next].size; left > 0;) {
                HELIO_ASSERT(gathered < kDatagramGatherMax);
                const std::size_t take = std::min(left, segments.front().size() - used);
                gather[gathered++] = {
                    const_cast<std::byte*>(segments.front().bytes().data()) + used, take};
                ++header.msg_iovlen;
                left -= take;
                used += take;
                if (used == segments.front().size()) {
                    segments = segments.subspan(1);
                    used = 0;
                }
            }
            receivers[count] = to_endpoint(datagrams[next].peer, family_);
            header.msg_name = const_cast<sockaddr*>(receivers[count].address());
            header.msg_namelen = receivers[count].size();
            set_source(header, controls[count], datagrams[next].peer, family_);
        }
        // Datagrams that cannot be sent are lost: the client will try again.
        for (unsigned sent = 0; sent < count;) {
            const int done = thread_.loop().network().sendmmsg(
                socket_.get(), messages.data() + sent, count - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (done < 0 && errno == EINTR) continue;
            sent += done > 0 ? static_cast<unsigned>(done) : 1;  // one that fails is skipped
        }
    }
    watch();
}

void DatagramSocket::output_ready() { thread_.loop().defer(*this); }

void DatagramSocket::watch() {
    const bool wanted = !stopped_ && !session_.full();
    if (wanted == watching_) return;
    watching_ = wanted;
    thread_.loop().change(socket_.get(), wanted ? Interest::read : Interest::none, *this);
}

void DatagramSocket::stop_receiving() {
    stopped_ = true;
    watch();
}

void DatagramSocket::send_cached(const rpc::CachedReply& reply, const rpc::Peer& peer) {
    session_.send_cached(reply, peer);
    output_ready();
}

// If a client sends its datagram again while the call runs, the reply to the first goes to the same
// address. Unlike with streams, there is no other connection that it should go to.
std::shared_ptr<rpc::DuplicateCache::Waiter> DatagramSocket::make_waiter(const rpc::Peer&) {
    return nullptr;
}

}  // namespace helio::transport
