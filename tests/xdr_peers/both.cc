#include "tests/xdr_peers/both.h"

#include <algorithm>
#include <stdexcept>

#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"
#include "xdr_peers/constructs.h"

namespace xdr_peers {

using helio::ByteView;
namespace reflect = helio::reflect;
namespace xdr = helio::xdr;

namespace {

std::string refusal(const xdr::DecodeError& error) {
    if (error.fault != xdr::Fault::trailing_bytes) return "refused";
    return "left " + std::to_string(error.got);
}

const xdr::TypeCodec& codec_named(std::string_view name) {
    const auto codecs = constructs::type_codecs();
    const auto found = std::ranges::find(codecs, name, &xdr::TypeCodec::name);
    if (found == codecs.end()) throw std::runtime_error("no codec for " + std::string(name));
    return *found;
}

}  // namespace

Peer& peer() {
    static Peer instance(RPCGEN_PEER);
    return instance;
}

const helio::idl::Schema& schema() {
    static const auto parsed =
        helio::idl::parse_file(HELIO_SOURCE_DIR "/tests/xdr_peers/constructs.x");
    if (!parsed.schema) throw std::runtime_error(parsed.report());
    return *parsed.schema;
}

const helio::idl::Type& type_named(std::string_view name) {
    const helio::idl::Type* const type = schema().type(name);
    if (type == nullptr) throw std::runtime_error("our schema has no " + std::string(name));
    return *type;
}

std::string our_echo(std::string_view type, ByteView bytes) {
    xdr::Arena arena;
    xdr::Reader in{bytes, arena, xdr::Mode::strict};
    xdr::Writer out{arena};
    const bool good = codec_named(type).recode(in, out);
    if (!in.finish()) return refusal(in.error());
    if (!good) return "unencodable";
    return "ok " + to_hex(out.joined());
}

std::string reflective_echo(const helio::idl::Type& type, ByteView bytes) {
    const reflect::Tree tree = reflect::decode(bytes, type);
    if (!tree.ok()) return refusal(tree.error);
    const auto encoded = reflect::encode(type, reflect::to_json(tree));
    return encoded ? "ok " + to_hex(*encoded) : "unencodable: " + to_string(encoded.error());
}

}  // namespace xdr_peers
