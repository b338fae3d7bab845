// Between the host's words and libvirt's wire types. Results are views: what they point at is
// copied into the call's arena, where it stays until the reply has been sent.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "helio/rpc/call.h"
#include "helio/virt/host/host.h"
#include "helio/virt/server/server_client.h"
#include "schema/remote.h"

namespace helio::virt::daemon {

namespace remote = ::helio::remote;

inline host::Uuid uuid_of(const remote::remote_uuid& wire) {
    host::Uuid uuid;
    std::memcpy(uuid.bytes.data(), wire.data(), uuid.bytes.size());
    return uuid;
}
inline remote::remote_uuid to_wire(const host::Uuid& uuid) {
    remote::remote_uuid wire;
    std::memcpy(wire.data(), uuid.bytes.data(), wire.size());
    return wire;
}
inline VirtError to_wire(const host::Error& error) {
    return {.code = static_cast<int>(error.code),
            .domain = static_cast<int>(error.source),
            .message = error.message};
}

// Text that outlives the procedure. A call without memory ends with an error.
inline std::string_view kept(xdr::CallContext& call, std::string_view text) {
    if (text.empty()) return {};
    char* const copy = call.arena().make<char>(text.size());
    if (copy == nullptr) {
        call.set_outcome(xdr::Outcome::system_error);
        return {};
    }
    std::memcpy(copy, text.data(), text.size());
    return {copy, text.size()};
}
// Text that may be missing.
inline remote::remote_string kept_string(xdr::CallContext& call, std::string_view text) {
    auto* const there = call.arena().make<remote::remote_nonnull_string>();
    if (there == nullptr) {
        call.set_outcome(xdr::Outcome::system_error);
        return nullptr;
    }
    *there = kept(call, text);
    return there;
}
template <class T>
xdr::Array<T> kept(xdr::CallContext& call, const std::vector<T>& items) {
    if (items.empty()) return {};
    T* const copy = call.arena().make<T>(items.size());
    if (copy == nullptr) {
        call.set_outcome(xdr::Outcome::system_error);
        return {};
    }
    std::uninitialized_copy(items.begin(), items.end(), copy);
    return {copy, items.size()};
}

inline remote::remote_nonnull_domain to_wire(xdr::CallContext& call, const host::DomainKey& key) {
    return {.name = kept(call, key.name), .uuid = to_wire(key.uuid), .id = key.id};
}
inline remote::remote_nonnull_network to_wire(xdr::CallContext& call, const host::NetworkKey& key) {
    return {.name = kept(call, key.name), .uuid = to_wire(key.uuid)};
}
inline remote::remote_nonnull_storage_pool to_wire(xdr::CallContext& call,
                                                   const host::PoolKey& key) {
    return {.name = kept(call, key.name), .uuid = to_wire(key.uuid)};
}
inline remote::remote_nonnull_storage_vol to_wire(xdr::CallContext& call,
                                                  const host::VolumeKey& key) {
    return {.pool = kept(call, key.pool), .name = kept(call, key.name), .key = kept(call, key.key)};
}

// What a procedure returns that the host refused.
template <class Result = void>
Result refused(xdr::CallContext& call, const host::Error& error) {
    return fail_call<Result>(call, to_wire(error));
}
// The same of a domain, whose name libvirt adds when there is none of that uuid.
template <class Result = void>
Result refused(xdr::CallContext& call, const remote::remote_nonnull_domain& domain,
               host::Error error) {
    if (error.code == host::ErrorCode::no_domain)
        error.message += " (" + std::string(domain.name) + ")";
    return refused<Result>(call, error);
}

// A list that is longer than the protocol allows.
template <class Result>
Result refused_too_many(xdr::CallContext& call, std::string_view what, std::size_t count,
                        std::size_t most) {
    std::string message = "Too many ";
    message.append(what).append(" '").append(std::to_string(count)).append("' for limit '");
    message.append(std::to_string(most)).append("'");
    return fail_call<Result>(call, virt_error(VIR_ERR_RPC, VIR_FROM_REMOTE, message));
}

// virTypedParameter, for lists of them.
class TypedParams final {
 public:
    using Value = remote::remote_typed_param_value;
    void add(std::string_view field, std::int32_t value) { push(field, Value::of_i(value)); }
    void add(std::string_view field, std::uint32_t value) { push(field, Value::of_ui(value)); }
    void add(std::string_view field, std::int64_t value) { push(field, Value::of_l(value)); }
    void add(std::string_view field, std::uint64_t value) { push(field, Value::of_ul(value)); }
    void add(std::string_view field, std::string_view value) { push(field, Value::of_s(value)); }
    xdr::Array<remote::remote_typed_param> take(xdr::CallContext& call) {
        const auto all = kept(call, items_);
        items_.clear();
        return all;
    }

 private:
    void push(std::string_view field, const Value& value) {
        items_.push_back({.field = field, .value = value});
    }
    std::vector<remote::remote_typed_param> items_;
};

}  // namespace helio::virt::daemon
