#include "helio/inspect/pipeline/pipeline.h"

#include <stdexcept>

#include <fmt/format.h>

#include "helio/inspect/capture/segment.h"
#include "helio/inspect/flow/flows.h"
#include "helio/inspect/head.h"
#include "helio/inspect/pairing.h"
#include "helio/inspect/pipeline/exchange_views_internal.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {
namespace {

// Packets between two reports of progress; a power of two.
constexpr std::uint64_t kProgressPackets = 4096;
constexpr std::size_t kDatagramSizeMax = 65535;  // UDP's length has 16 bits
constexpr std::size_t kMarkSize = 4;
constexpr std::uint32_t kLastFragment = 0x80000000;  // of a record mark

std::size_t read_fully(ByteSource& source, std::span<std::byte> into) {
    std::size_t have = 0;
    while (const std::size_t got = source.read(into.subspan(have))) have += got;
    return have;
}

// A whole file that is a single RPC message, such as the payload of a datagram.
bool is_lone_message(ByteView file, const Catalogue& catalogue) {
    if (file.size() > kDatagramSizeMax || file.size() < 2 * kMarkSize) return false;
    const std::uint32_t fragment = xdr::load_u32(file.data()) & ~kLastFragment;
    if (fragment <= file.size() - kMarkSize &&
        plausible(file.subspan(kMarkSize, fragment), fragment, catalogue))
        return false;  // a record mark
    return plausible(file, file.size(), catalogue);
}

}  // namespace

class Pipeline::Impl final {
 public:
    Impl(const PipelineOptions& options, const Catalogue& catalogue, PipelineOutput& output)
        : views_(options, catalogue, output),
          pairing_(views_, catalogue, views_.pairing_options()),
          dissector_(pairing_),
          flows_(pairing_, catalogue, views_.flow_options()) {}

    bool packet(const Packet& packet) {
        if (++pairing_.ledger().packets == 1) views_.start(packet.time_ns);
        Segment segment;
        if (dissector_.dissect(packet, segment)) flows_.segment(segment);
        while (dissector_.left_over(segment)) flows_.segment(segment);
        return !views_.enough();
    }
    void flush() { views_.flush(); }
    PipelineResult finish() {
        Segment segment;
        while (dissector_.flush(segment)) flows_.segment(segment);
        flows_.finish();
        pairing_.finish();
        return views_.finish(pairing_.ledger());
    }

 private:
    ExchangeViews views_;
    Pairing pairing_;
    Dissector dissector_;
    Flows flows_;
};

Pipeline::Pipeline(const PipelineOptions& options, const Catalogue& catalogue,
                   PipelineOutput& output)
    : impl_(std::make_unique<Impl>(options, catalogue, output)) {}
Pipeline::~Pipeline() = default;
bool Pipeline::packet(const Packet& packet) { return impl_->packet(packet); }
void Pipeline::flush() { impl_->flush(); }
PipelineResult Pipeline::finish() { return impl_->finish(); }

PipelineResult explain_packets(const PipelineOptions& options, const Catalogue& catalogue,
                               PacketSource& packets, PipelineOutput& output) {
    Pipeline pipeline{options, catalogue, output};
    Packet packet;
    while (packets.next(packet)) {
        if (packet.bytes.empty())
            pipeline.flush();
        else if (!pipeline.packet(packet))
            break;
    }
    return pipeline.finish();
}

PipelineResult explain_captures(const PipelineOptions& options, const Catalogue& catalogue,
                                std::span<const NamedSource> captures, PipelineOutput& output) {
    Pipeline pipeline{options, catalogue, output};
    bool broken = false;
    for (const NamedSource& capture : captures) {
        CaptureReader reader{*capture.source};
        Packet packet;
        while (reader.next(packet)) {
            if (!pipeline.packet(packet)) break;
            if (packet.number % kProgressPackets == 0)
                output.progress(reader.bytes_read(), capture.source->size());
        }
        if (!reader.error().empty()) {
            output.note(fmt::format("{}: {}; everything before it is explained", capture.name,
                                    reader.error()));
            broken = true;
        } else if (reader.cut_off() != 0) {
            output.note(fmt::format("{}: the file ends within a packet, after {} of its bytes",
                                    capture.name, reader.cut_off()));
        }
    }
    PipelineResult result = pipeline.finish();
    result.input_broken = broken;
    return result;
}

PipelineResult explain_streams(const PipelineOptions& options, const Catalogue& catalogue,
                               std::span<const NamedSource> directions, PipelineOutput& output) {
    if (directions.size() > 2)
        throw std::runtime_error(
            "files without packets hold one direction each; at most two are possible");
    PipelineOptions words = options;
    if (words.view == View::automatic) words.view = View::words;
    ExchangeViews views{words, catalogue, output};
    Pairing pairing{views, catalogue, views.pairing_options()};
    RecordBuffers buffers{kRecordSizeMax};
    for (std::uint8_t direction = 0; direction < directions.size(); ++direction) {
        ByteSource& source = *directions[direction].source;
        std::vector<std::byte> block(kDatagramSizeMax + 1);
        std::size_t got = read_fully(source, block);
        const ByteView first = std::span{block}.first(got);
        if (is_lone_message(first, catalogue)) {
            output.note(fmt::format("{}: read as one message without a record mark",
                                    directions[direction].name));
            Message message;
            message.direction = direction;
            message.carrier = Carrier::stream;
            message.bytes = first;
            message.size = got;
            pairing.message(message);
            continue;
        }
        output.note(fmt::format("{}: not a capture or text; read as the bytes of a connection",
                                directions[direction].name));
        RecordCutter cutter{pairing, catalogue, buffers};
        const RecordCutter::Origin origin{0, 0, nullptr, direction, Carrier::stream};
        for (; got != 0 && !views.enough(); got = source.read(block))
            cutter.data(std::span{block}.first(got), origin);
        cutter.finish(origin);
    }
    pairing.finish();
    return views.finish(pairing.ledger());
}

}  // namespace helio::inspect
