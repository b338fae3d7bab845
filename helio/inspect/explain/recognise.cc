// Recognises bytes by content.
#include <algorithm>

#include <fmt/format.h>

#include "helio/inspect/capture/segment.h"
#include "helio/inspect/explain/explain_internal.h"
#include "helio/reflect/decode.h"

namespace helio::inspect {
namespace {

constexpr std::uint32_t kLastFragment = 0x80000000;
constexpr std::uint32_t kMarkedSizeMax = 64u << 20;  // a larger one is not a record mark
constexpr std::uint32_t kVirnetSizeMin = 28;
constexpr std::uint32_t kVirnetSizeMax =
    (32u << 20) + 4;                               // VIR_NET_MESSAGE_MAX and the word itself
constexpr std::size_t kRdmaHeaderMax = 64u << 10;  // real ones fit in 4 KiB
constexpr std::uint64_t kUnknownSize = 1u << 30;
constexpr std::uint32_t kEthernetLink = 1;  // LINKTYPE_ numbers
constexpr std::uint32_t kRawLink = 101;
constexpr std::size_t kHeadersMin = 28;       // IPv4 and UDP
constexpr std::size_t kEmptyPacketMax = 256;  // Ethernet with tags, IPv6, TCP with all its options

bool onc_here(ByteView bytes, const Catalogue& known) {
    return plausible(bytes, bytes.size() & ~std::size_t{3}, known) ||
           plausible(bytes, kUnknownSize, known);
}

std::string onc_reason(ByteView bytes, const Catalogue& known) {
    if (word_at(bytes, 1) != 0) return "its second word is 1 (REPLY), followed by a valid status";
    const std::uint32_t program = word_at(bytes, 3);
    return fmt::format(
        "its second word is 0 (CALL), its third RPC version 2, its fourth program {}{}", program,
        known.knows_program(program) ? ", which is known" : "");
}

bool try_record_mark(ByteView bytes, const Catalogue& known, Guess& guess) {
    if (bytes.size() < 16) return false;
    std::uint32_t mark = word_at(bytes, 0);
    const std::uint32_t size = mark & ~kLastFragment;
    if (size < kDeniedHeadMin || size > kMarkedSizeMax || size % 4 != 0) return false;
    const ByteView inside = bytes.subspan(4, std::min<std::size_t>(size, bytes.size() - 4));
    const bool last = (mark & kLastFragment) != 0;
    if (!plausible(inside, last ? size : kUnknownSize, known)) return false;
    std::size_t end = 4 + std::size_t{size};
    std::size_t fragments = 1;
    while ((mark & kLastFragment) == 0 && bytes.size() >= end + 4) {
        mark = word_at(bytes.subspan(end), 0);
        end += 4 + (mark & ~kLastFragment);
        ++fragments;
    }
    guess.found = true;
    guess.around = Guess::Around::record_mark;
    guess.whole = end <= bytes.size() && (mark & kLastFragment) != 0;
    guess.size = std::min(end, bytes.size());
    guess.why =
        fmt::format("record mark {:#010x} announces {} bytes{}; {}", word_at(bytes, 0), size,
                    fragments == 1 ? "" : fmt::format(", the first of {} fragments", fragments),
                    onc_reason(inside, known));
    return true;
}

bool try_rdma(ByteView bytes, const Catalogue& known, const idl::Type* rdma_msg, Guess& guess) {
    if (rdma_msg == nullptr || bytes.size() < 16 || word_at(bytes, 1) != 1) return false;
    const std::uint32_t credits = word_at(bytes, 2);
    const std::uint32_t kind = word_at(bytes, 3);
    if (credits == 0 || credits > 65535 || kind > 4) return false;
    const reflect::Tree tree = reflect::decode(bytes.first(std::min(bytes.size(), kRdmaHeaderMax)),
                                               *rdma_msg, {.strict = false});
    if (!tree.ok() && tree.error.fault != xdr::Fault::truncated) return false;
    const ByteView inside = bytes.subspan(tree.consumed);
    const bool same =
        inside.size() >= 12 && word_at(inside, 0) == word_at(bytes, 0) && onc_here(inside, known);
    if (credits == 1 && !same) return false;  // as likely a denied reply
    guess.found = true;
    guess.around = Guess::Around::rdma;
    guess.size = bytes.size();
    guess.why = fmt::format(
        "its second word is RPC-over-RDMA version 1, followed by {} credits and a message type{}",
        credits, same ? "; the message after the header has the same xid" : "");
    return true;
}

bool virnet_header(ByteView bytes, const Catalogue& known) {
    return bytes.size() >= 24 && known.knows_virnet_program(word_at(bytes, 0)) &&
           word_at(bytes, 3) <= 6 && word_at(bytes, 5) <= 2;
}

bool try_virnet(ByteView bytes, const Catalogue& known, Guess& guess) {
    if (virnet_header(bytes, known)) {
        guess.around = Guess::Around::nothing;
        guess.size = bytes.size();
        guess.why = fmt::format("its first word is libvirt's program {:#010x}", word_at(bytes, 0));
    } else if (bytes.size() >= kVirnetSizeMin && virnet_header(bytes.subspan(4), known) &&
               word_at(bytes, 0) >= kVirnetSizeMin && word_at(bytes, 0) <= kVirnetSizeMax) {
        guess.around = Guess::Around::virnet_length;
        guess.size = std::min<std::size_t>(word_at(bytes, 0), bytes.size());
        guess.whole = word_at(bytes, 0) <= bytes.size();
        guess.why = fmt::format("a length of {} bytes, then libvirt's program {:#010x}",
                                word_at(bytes, 0), word_at(bytes, 1));
    } else {
        return false;
    }
    guess.found = true;
    guess.shape = Shape::virnet;
    return true;
}

bool try_onc(ByteView bytes, const Catalogue& known, Guess& guess) {
    if (!onc_here(bytes, known)) return false;
    guess.found = true;
    guess.around = Guess::Around::nothing;
    guess.size = bytes.size();
    guess.why = onc_reason(bytes, known);
    return true;
}

// Too few words of a call to be sure.
bool try_short(ByteView bytes, const Catalogue& known, Guess& guess) {
    const bool call = bytes.size() >= 12 && word_at(bytes, 1) == 0 && word_at(bytes, 2) == 2;
    const bool strange = call && bytes.size() >= 16 && !known.knows_program(word_at(bytes, 3));
    Head head;
    const bool other = !call && bytes.size() >= 12 && read_head(bytes, head);
    if ((!call || strange) && !other) return false;
    guess.found = true;
    guess.around = Guess::Around::nothing;
    guess.size = bytes.size();
    guess.why = call ? "its second word is 0 (CALL) and its third RPC version 2; it is short"
                     : "its second word is 1 (REPLY); there is little other evidence";
    return true;
}

bool try_headless(ByteView bytes, const Catalogue& known, Guess& guess) {
    if (bytes.size() < 16) return false;
    const bool call =
        word_at(bytes, 0) == 2 && known.knows_program(word_at(bytes, 1)) &&
        known.find(Shape::onc, word_at(bytes, 1), word_at(bytes, 2), word_at(bytes, 3)) != nullptr;
    const bool reply = word_at(bytes, 0) == 1 && word_at(bytes, 1) == 0 && word_at(bytes, 2) <= 7 &&
                       word_at(bytes, 3) <= 400;
    if (!call && !reply) return false;
    guess.found = true;
    guess.around = Guess::Around::body_only;
    guess.size = bytes.size();
    guess.why = call ? "it starts with RPC version 2 and a known program, without xid and direction"
                     : "it starts with 1 (REPLY) and 0 (MSG_ACCEPTED), without the xid";
    return true;
}

bool try_all(ByteView bytes, const Catalogue& known, const idl::Type* rdma_msg, bool headless,
             Guess& guess) {
    return try_record_mark(bytes, known, guess) || try_rdma(bytes, known, rdma_msg, guess) ||
           try_virnet(bytes, known, guess) || try_onc(bytes, known, guess) ||
           (headless && try_headless(bytes, known, guess));
}

class NobodyListens final : public MessageSink {
 public:
    void message(const Message&) override {}
    void unread(Unread, std::uint64_t, std::uint64_t) override {}
};

bool dissect(ByteView bytes, std::uint32_t link, Segment& segment) {
    if (bytes.size() < kHeadersMin) return false;
    NobodyListens nobody;
    Dissector dissector{nobody};
    const Packet packet{.number = 1,
                        .time_ns = 0,
                        .link = link,
                        .original_size = static_cast<std::uint32_t>(bytes.size()),
                        .bytes = bytes};
    return dissector.dissect(packet, segment);
}

}  // namespace

PacketHeaders packet_headers(ByteView bytes) {
    PacketHeaders out;
    for (const std::uint32_t link : {kRawLink, kEthernetLink}) {
        Segment segment;
        if (!dissect(bytes, link, segment) || segment.payload.empty()) continue;
        const auto* const begin = segment.payload.data();
        if (begin < bytes.data() || begin >= bytes.data() + bytes.size()) continue;
        out.size = static_cast<std::size_t>(begin - bytes.data());
        out.payload = std::min(segment.payload.size(), bytes.size() - out.size);
        out.cut = segment.payload_size > segment.payload.size();
        out.text = fmt::format(
            "{}IP and {} headers, {} to {}", link == kEthernetLink ? "Ethernet, " : "",
            segment.tcp ? "TCP" : "UDP", to_string(segment.source), to_string(segment.destination));
        return out;
    }
    return out;
}

bool is_empty_packet(ByteView bytes) {
    if (bytes.size() > kEmptyPacketMax) return false;
    for (const std::uint32_t link : {kRawLink, kEthernetLink}) {
        Segment segment;
        if (dissect(bytes, link, segment)) return segment.payload_size == 0;
    }
    return false;
}

Guess recognise(ByteView bytes, const Catalogue& catalogue, const idl::Type* rdma_msg,
                bool headless, bool deep) {
    Guess guess;
    if (try_all(bytes, catalogue, rdma_msg, headless, guess)) return guess;
    if (deep) {
        if (PacketHeaders headers = packet_headers(bytes); headers.size != 0) {
            const ByteView payload = bytes.subspan(headers.size, headers.payload);
            if (try_all(payload, catalogue, rdma_msg, false, guess) ||
                try_short(payload, catalogue, guess)) {
                guess.skip = headers.size;
                guess.before = std::move(headers.text);
                return guess;
            }
        }
        if (try_short(bytes, catalogue, guess)) return guess;
    }
    for (std::size_t at = 4; at + kDeniedHeadMin <= bytes.size(); at += 4) {
        const ByteView here = bytes.subspan(at);
        if (!try_record_mark(here, catalogue, guess) && !try_virnet(here, catalogue, guess) &&
            !(word_at(here, 1) == 0 && try_onc(here, catalogue, guess)))
            continue;
        guess.skip = at;
        guess.before = "bytes before the first message";
        guess.unread = true;
        return guess;
    }
    return guess;
}

}  // namespace helio::inspect
