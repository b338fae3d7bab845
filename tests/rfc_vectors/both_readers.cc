#include "tests/rfc_vectors/both_readers.h"

#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"
#include "schema/authsys.h"
#include "schema/builtin.h"
#include "schema/mount.h"
#include "schema/nfs3.h"
#include "schema/nlm.h"
#include "schema/rpc.h"
#include "schema/rpcrdma.h"

namespace helio::vectors {

namespace {

std::span<const xdr::TypeCodec> codecs_of(std::string_view schema) {
    if (schema == "authsys") return authsys::type_codecs();
    if (schema == "mount") return mount::type_codecs();
    if (schema == "nfs3") return nfs3::type_codecs();
    if (schema == "nlm") return nlm::type_codecs();
    if (schema == "rpc") return rpc::type_codecs();
    if (schema == "rpcrdma") return rpcrdma::type_codecs();
    throw std::invalid_argument("no codecs for " + std::string{schema});
}

const idl::Schema& schema_of(std::string_view name) {
    static std::map<std::string, std::unique_ptr<const idl::Schema>, std::less<>> parsed;
    auto found = parsed.find(name);
    if (found == parsed.end()) {
        idl::Parsed one = builtin::parse(name);
        if (!one.schema) throw std::invalid_argument(one.report());
        found = parsed.emplace(name, std::move(one.schema)).first;
    }
    return *found->second;
}

reflect::DecodeOptions options_for(xdr::Mode mode) {
    reflect::DecodeOptions options;
    options.strict = mode == xdr::Mode::strict;
    return options;
}

}  // namespace

BothReaders::BothReaders(std::string_view schema, std::string_view type)
    : codec_(nullptr), type_(schema_of(schema).type(type)) {
    for (const xdr::TypeCodec& one : codecs_of(schema))
        if (one.name == type) codec_ = &one;
    if (codec_ == nullptr || type_ == nullptr)
        throw std::invalid_argument("no type " + std::string{type});
}

xdr::DecodeError BothReaders::typed(ByteView bytes, xdr::Mode mode, xdr::Arena& arena) const {
    xdr::Arena written;  // separate, so that `arena` holds only what decoding allocated
    xdr::Reader in{bytes, arena, mode};
    xdr::Writer out{written};
    if (codec_->recode(in, out) && in.finish()) return {};
    if (in.ok()) throw std::logic_error("decodes but does not encode: " + to_string(out.error()));
    return in.error();
}

xdr::DecodeError BothReaders::reflective(ByteView bytes, xdr::Mode mode) const {
    return reflect::decode(bytes, *type_, options_for(mode)).error;
}

xdr::Bytes BothReaders::recoded(ByteView bytes) const {
    xdr::Arena arena;
    xdr::Reader in{bytes, arena, xdr::Mode::strict};
    xdr::Writer out{arena};
    if (!codec_->recode(in, out) || !in.finish()) return {};
    return out.joined();
}

xdr::Bytes BothReaders::through_json(ByteView bytes) const {
    const reflect::Tree tree = reflect::decode(bytes, *type_);
    if (!tree.ok()) return {};
    auto encoded = reflect::encode(*type_, reflect::to_json(tree));
    return encoded ? *std::move(encoded) : xdr::Bytes{};
}

}  // namespace helio::vectors
