#include "helio/virt/wire/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "helio/xdr/arena.h"
#include "helio/xdr/reader.h"
#include "schema/virnet.h"

namespace helio::virt {

namespace {

// libvirt's text before the detail, as its clients show it.
constexpr std::array<std::pair<int, std::string_view>, 27> kMeanings{{
    {VIR_ERR_INTERNAL_ERROR, "internal error"},
    {VIR_ERR_NO_MEMORY, "out of memory"},
    {VIR_ERR_NO_SUPPORT, "this function is not supported by the connection driver"},
    {VIR_ERR_NO_CONNECT, "no connection driver available for"},
    {VIR_ERR_INVALID_CONN, "invalid connection pointer in"},
    {VIR_ERR_INVALID_DOMAIN, "invalid domain pointer in"},
    {VIR_ERR_INVALID_ARG, "invalid argument"},
    {VIR_ERR_OPERATION_FAILED, "operation failed"},
    {VIR_ERR_XML_ERROR, "XML error"},
    {VIR_ERR_DOM_EXIST, "domain already exists"},
    {VIR_ERR_OPERATION_DENIED, "operation forbidden"},
    {VIR_ERR_NETWORK_EXIST, "network already exists"},
    {VIR_ERR_NO_DOMAIN, "Domain not found"},
    {VIR_ERR_NO_NETWORK, "Network not found"},
    {VIR_ERR_AUTH_FAILED, "authentication failed"},
    {VIR_ERR_NO_STORAGE_POOL, "Storage pool not found"},
    {VIR_ERR_NO_STORAGE_VOL, "Storage volume not found"},
    {VIR_ERR_OPERATION_INVALID, "Requested operation is not valid"},
    {VIR_ERR_OPERATION_TIMEOUT, "Timed out during operation"},
    {VIR_ERR_INVALID_STREAM, "invalid stream pointer"},
    {VIR_ERR_ARGUMENT_UNSUPPORTED, "argument unsupported"},
    {VIR_ERR_OPERATION_ABORTED, "operation aborted"},
    {VIR_ERR_AUTH_CANCELLED, "authentication cancelled"},
    {VIR_ERR_OPERATION_UNSUPPORTED, "Operation not supported"},
    {VIR_ERR_ACCESS_DENIED, "access denied"},
    {VIR_ERR_STORAGE_VOL_EXIST, "storage volume already exists"},
    {VIR_ERR_AUTH_UNAVAILABLE, "authentication unavailable"},
}};

// Not within a UTF-8 character.
std::string_view shortened(std::string_view text) {
    if (text.size() <= virnet::VIR_NET_MESSAGE_STRING_MAX) return text;
    std::size_t size = virnet::VIR_NET_MESSAGE_STRING_MAX;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
    return text.substr(0, size);
}

}  // namespace

std::string_view meaning_of(int code) {
    const auto* const found = std::find_if(kMeanings.begin(), kMeanings.end(),
                                           [&](const auto& one) { return one.first == code; });
    return found == kMeanings.end() ? std::string_view{} : found->second;
}

VirtError virt_error(int code, int domain, std::string_view detail) {
    const std::string_view meaning = meaning_of(code);
    VirtError error{code, domain, VIR_ERR_ERROR, std::string{meaning}};
    if (!meaning.empty() && !detail.empty()) error.message += ": ";
    error.message += detail;
    return error;
}

int domain_of_function(std::string_view function) {
    // The first match wins; determined from libvirtd 9.0, function by function.
    static constexpr std::array<std::pair<std::string_view, VirtErrorDomain>, 12> kParts{{
        {"virDomainSnapshot", VIR_FROM_DOMAIN_SNAPSHOT},
        {"virDomainRevertToSnapshot", VIR_FROM_DOMAIN_SNAPSHOT},
        {"virDomainCheckpoint", VIR_FROM_DOMAIN_CHECKPOINT},
        {"virNetwork", VIR_FROM_NETWORK},
        {"virNWFilter", VIR_FROM_NWFILTER},
        {"virStorage", VIR_FROM_STORAGE},
        {"virConnectFindStoragePoolSources", VIR_FROM_STORAGE},
        {"virNodeDevice", VIR_FROM_NODEDEV},
        {"virInterface", VIR_FROM_INTERFACE},
        {"virSecret", VIR_FROM_SECRET},
        {"virStream", VIR_FROM_STREAMS},
        {"virAdm", VIR_FROM_ADMIN},
    }};
    for (const auto& [prefix, domain] : kParts)
        if (function.starts_with(prefix)) return domain;
    return VIR_FROM_DOMAIN;
}

// As libvirtd fills it in, including the message's format and its arguments.
bool put_error(xdr::Writer& out, const VirtError& error) {
    const std::string_view meaning = meaning_of(error.code);
    std::string_view detail = error.message;
    std::string format = "%s";
    const bool is_meaning = !meaning.empty() && detail == meaning;  // there is no detail
    if (is_meaning) {
        format = meaning;
    } else if (!meaning.empty() && detail.starts_with(meaning) &&
               detail.substr(meaning.size()).starts_with(": ")) {
        format = fmt::format("{}: %s", meaning);
        detail.remove_prefix(meaning.size() + 2);
    }
    const std::string_view whole = shortened(error.message);
    const std::string_view format_view = format;
    detail = shortened(detail);

    virnet::virNetMessageError body;
    body.code = error.code;
    body.domain = error.domain;
    body.message = &whole;
    body.level = error.level;
    body.str1 = &format_view;
    body.str2 = is_meaning ? nullptr : &detail;
    body.int1 = body.int2 = -1;
    // A Writer references long strings, and these belong to the caller.
    if (whole.size() >= xdr::kReferenceMin) {
        xdr::Arena arena;
        xdr::Writer copy{arena};
        return virnet::encode_virNetMessageError(copy, body) && out.append(copy.joined());
    }
    return virnet::encode_virNetMessageError(out, body);
}

std::optional<VirtError> open_error(ByteView bytes) {
    xdr::Arena arena;
    xdr::Reader in{bytes, arena};
    virnet::virNetMessageError body;
    if (!virnet::decode_virNetMessageError(in, body) || !in.finish()) return std::nullopt;
    VirtError error{body.code, body.domain, body.level, {}};
    if (body.message != nullptr) error.message = *body.message;
    return error;
}

bool says_unknown_procedure(const VirtError& error) {
    return error.code == VIR_ERR_RPC && error.domain == VIR_FROM_RPC &&
           error.level == VIR_ERR_ERROR && error.message.starts_with("unknown procedure");
}

}  // namespace helio::virt
