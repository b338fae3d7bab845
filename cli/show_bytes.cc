#include "cli/show_bytes.h"

#include <cstdio>

#include <fmt/format.h>

#include "helio/reflect/decode.h"
#include "helio/reflect/print/table.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "helio/xdr/arena.h"
#include "schema/builtin.h"

namespace helio::cli {
namespace {

// Must the value fill all bytes?
enum class Extent : std::uint8_t { part, whole };

void show(ByteView bytes, const idl::Type& type, std::string_view title, Extent extent) {
    fmt::print(stderr, "{}\n", title);
    reflect::write_table(reflect::decode(bytes, type, {.strict = extent == Extent::whole}),
                         {.root = ""},
                         [](std::string_view line) { fmt::print(stderr, "  {}\n", line); });
}

}  // namespace

void ShowBytes::message(transport::Direction direction, ByteView bytes) {
    const bool sent = direction == transport::Direction::sent;
    std::fflush(stdout);
    if (!rpc_) rpc_ = builtin::parse("rpc").schema;
    const idl::Type& header = *rpc_->type("rpc_msg");
    const std::size_t header_size = reflect::decode(bytes, header, {.strict = false}).consumed;
    show(bytes.first(header_size), header,
         fmt::format("{} {} bytes, header {}:", sent ? "sent" : "received", bytes.size(),
                     header_size),
         Extent::part);
    xdr::Arena arena;
    const auto reply = sent ? std::nullopt : rpc::open_reply(bytes, arena);
    const bool refused = reply && reply->error;
    const ByteView rest = bytes.subspan(header_size);
    if (refused || (rest.empty() && (sent ? arguments_ : results_).wire_max == 0)) return;
    show(rest, sent ? arguments_ : results_,
         fmt::format("{}, from byte {}:", sent ? "arguments" : "results", header_size),
         Extent::whole);
}

}  // namespace helio::cli
