// Converts between the host's types and libvirt's wire types. Results are views of copies in the
// call's arena, which live until the reply has been sent.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
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

// A copy of the text that outlives the procedure. The call fails if there is no memory for it.
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
// The same as optional text.
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
inline ByteView kept_bytes(xdr::CallContext& call, const std::vector<std::byte>& bytes) {
    const xdr::Array<std::byte> copy = kept(call, bytes);
    return {copy.data(), copy.size()};
}
// A bitmap of that many processors, all set.
inline std::vector<std::byte> all_cpus(unsigned count) {
    std::vector<std::byte> map((count + 7) / 8);
    for (unsigned i = 0; i < count; ++i) map[i / 8] |= std::byte{1} << (i % 8);
    return map;
}
// Optional text from the wire.
inline std::optional<std::string_view> optional_text(remote::remote_string text) {
    if (text == nullptr) return std::nullopt;
    return *text;
}
inline std::string_view text_or_empty(remote::remote_string text) {
    return optional_text(text).value_or(std::string_view());
}

inline std::int32_t to_wire(xdr::CallContext&, bool value) { return value ? 1 : 0; }
inline std::int32_t to_wire(xdr::CallContext&, std::int32_t value) { return value; }
inline std::uint64_t to_wire(xdr::CallContext&, std::uint64_t value) { return value; }
inline std::string_view to_wire(xdr::CallContext& call, const std::string& text) {
    return kept(call, text);
}
inline ByteView to_wire(xdr::CallContext& call, const std::vector<std::byte>& bytes) {
    return kept_bytes(call, bytes);
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
inline remote::remote_nonnull_secret to_wire(xdr::CallContext& call, const host::SecretKey& key) {
    return {.uuid = to_wire(key.uuid),
            .usageType = key.usage_type,
            .usageID = kept(call, key.usage_id)};
}
inline remote::remote_network_dhcp_lease to_wire(xdr::CallContext& call, const host::Lease& lease) {
    return {.iface = kept(call, lease.interface_name),
            .expirytime = lease.expires_s,
            .type = 0,
            .mac = kept_string(call, lease.mac),
            .iaid = nullptr,
            .ipaddr = kept(call, lease.address),
            .prefix = lease.prefix,
            .hostname = kept_string(call, lease.hostname),
            .clientid = nullptr};
}

// The result of a procedure that the host refused.
template <class Result = void>
Result refused(xdr::CallContext& call, const host::Error& error) {
    return fail_call<Result>(call, to_wire(error));
}
// The same for a procedure on a domain. Like libvirt, name the domain if it does not exist.
template <class Result = void>
Result refused(xdr::CallContext& call, const remote::remote_nonnull_domain& domain,
               host::Error error) {
    if (error.code == host::ErrorCode::no_domain)
        error.message += " (" + std::string(domain.name) + ")";
    return refused<Result>(call, error);
}
// Completes a procedure on a domain that has no results.
inline void complete(xdr::CallContext& call, const remote::remote_nonnull_domain& domain,
                     const host::Outcome<void>& outcome) {
    if (!outcome) refused(call, domain, outcome.error());
}

inline bool is_read_only(xdr::CallContext& call) { return server::client_of(call).is_read_only(); }
// Refuses what a read-only client may not ask for.
template <class Result>
Result denied(xdr::CallContext& call) {
    return server::client_of(call).deny<Result>(rpc::call_of(call));
}

// Refuses to send a list that is longer than the protocol allows.
template <class Result>
Result refused_too_many(xdr::CallContext& call, std::string_view what, std::size_t count,
                        std::size_t most) {
    std::string message = "Too many ";
    message.append(what).append(" '").append(std::to_string(count)).append("' for limit '");
    message.append(std::to_string(most)).append("'");
    return fail_call<Result>(call, virt_error(VIR_ERR_RPC, VIR_FROM_REMOTE, message));
}

// The results of a procedure that lists objects: all of them, or only their count if the client
// does not need them.
template <class Result, class Item>
Result list_of(xdr::CallContext& call, const std::vector<Item>& items, std::int32_t need_results,
               std::string_view what, std::size_t most) {
    const auto count = static_cast<decltype(Result::ret)>(items.size());
    if (need_results == 0) return {{}, count};
    if (items.size() > most) return refused_too_many<Result>(call, what, items.size(), most);
    std::vector<decltype(to_wire(call, items[0]))> all;
    all.reserve(items.size());
    for (const Item& one : items) all.push_back(to_wire(call, one));
    return {kept(call, all), count};
}

// Names of objects, or other text that `text_of` gives for them, up to the client's limit.
template <class Items, class TextOf>
xdr::Array<remote::remote_nonnull_string> names_of(xdr::CallContext& call, const Items& items,
                                                   std::int32_t most, TextOf text_of) {
    std::vector<remote::remote_nonnull_string> names;
    for (const auto& one : items) {
        if (static_cast<std::int64_t>(names.size()) >= most) break;
        names.push_back(kept(call, std::invoke(text_of, one)));
    }
    return kept(call, names);
}

// Builds a list of virTypedParameter.
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
