// Captures: packets → calls → a view of them, and the ledger at the end.
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <functional>
#include <stdexcept>

#include <fmt/format.h>

#include "cli/explain.h"
#include "cli/explain_views.h"
#include "helio/inspect/capture/reader.h"
#include "helio/inspect/capture/segment.h"
#include "helio/inspect/flow/flows.h"
#include "helio/inspect/pairing.h"

namespace helio::cli {
namespace {

using inspect::Dissector;
using inspect::Flows;
using inspect::Packet;
using inspect::Pairing;
using inspect::Segment;

// How far a long file is read, on the terminal that standard error is.
class Progress final {
 public:
    explicit Progress(const ExplainFlags& flags)
        : wanted_(isatty(STDERR_FILENO) != 0 &&
                  (isatty(STDOUT_FILENO) == 0 || flags.view == ExplainView::stats)) {}
    ~Progress() {
        if (shown_) fmt::print(stderr, "\r\x1b[K");
    }
    void at(std::uint64_t read, std::uint64_t size) {
        if (!wanted_ || size < kLong || read < next_) return;
        next_ = read + kStep;
        shown_ = true;
        const auto done =
            static_cast<std::size_t>(static_cast<double>(read) * 40 / static_cast<double>(size));
        fmt::print(stderr, "\r[{:<40}] {} of {} MiB",
                   std::string(std::min<std::size_t>(done, 40), '='), read >> 20, size >> 20);
        std::fflush(stderr);
    }

 private:
    static constexpr std::uint64_t kLong = 32u << 20;
    static constexpr std::uint64_t kStep = 4u << 20;
    const bool wanted_;
    bool shown_ = false;
    std::uint64_t next_ = 0;
};

// All that comes after packets; captures, streams and interfaces differ only in what feeds it.
class Chain final {
 public:
    Chain(const ExplainFlags& flags, const inspect::Catalogue& catalogue)
        : views_(flags, catalogue),
          pairing_(views_, catalogue, views_.pairing_options()),
          dissector_(pairing_),
          flows_(pairing_, catalogue, views_.flow_options()) {}

    // False: as much as was wanted has been shown.
    bool packet(const Packet& packet) {
        if (++pairing_.ledger().packets == 1) views_.start(packet.time_ns);
        Segment segment;
        if (dissector_.dissect(packet, segment)) flows_.segment(segment);
        while (dissector_.left_over(segment)) flows_.segment(segment);
        return !views_.enough();
    }
    int finish() {
        Segment segment;
        while (dissector_.flush(segment)) flows_.segment(segment);
        flows_.finish();
        pairing_.finish();
        return views_.finish(pairing_.ledger());
    }
    Pairing& pairing() { return pairing_; }
    ExplainViews& views() { return views_; }

 private:
    ExplainViews views_;
    Pairing pairing_;
    Dissector dissector_;
    Flows flows_;
};

}  // namespace

int explain_captures(const ExplainFlags& flags, const inspect::Catalogue& catalogue,
                     std::vector<std::unique_ptr<ExplainInput>> inputs) {
    Chain chain{flags, catalogue};
    Progress progress{flags};
    bool broken = false;
    for (const auto& input : inputs) {
        inspect::CaptureReader reader{*input};
        Packet packet;
        while (reader.next(packet)) {
            if (!chain.packet(packet)) break;
            if ((packet.number & 0xfff) == 0) progress.at(reader.bytes_read(), input->size());
        }
        if (!reader.error().empty()) {
            fmt::print(stderr, "helio: {}: {}; what came before it is explained\n", input->path(),
                       reader.error());
            broken = true;
        } else if (reader.cut_off() != 0) {
            fmt::print(stderr, "helio: {}: ends within a packet, of which {} bytes are there\n",
                       input->path(), reader.cut_off());
        }
    }
    const int code = chain.finish();
    return broken ? 1 : code;
}

int explain_streams(const ExplainFlags& flags, const inspect::Catalogue& catalogue,
                    std::vector<std::unique_ptr<ExplainInput>> inputs) {
    if (inputs.size() > 2)
        throw std::runtime_error("bytes without packets: one file for each direction, two at most");
    ExplainFlags words = flags;
    if (words.view == ExplainView::by_input) words.view = ExplainView::words;
    ExplainViews views{words, catalogue};
    Pairing pairing{views, catalogue, views.pairing_options()};
    inspect::RecordBuffers buffers{inspect::kRecordSizeMax};
    fmt::print(stderr, "helio: no capture and no text: read as the bytes of a connection\n");
    for (std::uint8_t direction = 0; direction < inputs.size(); ++direction) {
        inspect::RecordCutter cutter{pairing, catalogue, buffers};
        const inspect::RecordCutter::Place place{0, 0, nullptr, direction,
                                                 inspect::Carrier::stream};
        std::vector<std::byte> block(64u << 10);
        while (const std::size_t got = inputs[direction]->read(block)) {
            cutter.data(std::span{block}.first(got), place);
            if (views.enough()) break;
        }
        cutter.finish(place);
    }
    pairing.finish();
    return views.finish(pairing.ledger());
}

int explain_from(const ExplainFlags& flags, const inspect::Catalogue& catalogue,
                 const std::function<bool(inspect::Packet&)>& next) {
    Chain chain{flags, catalogue};
    Packet packet;
    while (next(packet)) {
        if (!packet.bytes.empty() && !chain.packet(packet)) break;
        if (packet.bytes.empty()) chain.views().flush();
    }
    return chain.finish();
}

}  // namespace helio::cli
