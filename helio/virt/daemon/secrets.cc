// Secrets.
#include "helio/virt/daemon/remote_service_internal.h"

namespace helio::virt::daemon {

namespace {

remote::remote_nonnull_secret secret_on_wire(xdr::CallContext& call, const host::SecretKey& key) {
    return {.uuid = to_wire(key.uuid),
            .usageType = key.usage_type,
            .usageID = kept(call, key.usage_id)};
}

template <class Returned>
Returned give_secret(xdr::CallContext& call, const host::Outcome<host::SecretKey>& key) {
    if (!key) return refused<Returned>(call, key.error());
    return {.secret = secret_on_wire(call, *key)};
}

}  // namespace

remote::remote_connect_num_of_secrets_ret RemoteService::CONNECT_NUM_OF_SECRETS(xdr::CallContext&) {
    return {.num = static_cast<std::int32_t>(host_.secrets().size())};
}

remote::remote_connect_list_secrets_ret RemoteService::CONNECT_LIST_SECRETS(
    xdr::CallContext& call, const remote::remote_connect_list_secrets_args& args) {
    std::vector<std::string_view> uuids;
    for (const host::SecretKey& one : host_.secrets()) {
        if (static_cast<std::int64_t>(uuids.size()) >= args.maxuuids) break;
        uuids.push_back(kept(call, host::to_text(one.uuid)));
    }
    return {.uuids = kept(call, uuids)};
}

remote::remote_connect_list_all_secrets_ret RemoteService::CONNECT_LIST_ALL_SECRETS(
    xdr::CallContext& call, const remote::remote_connect_list_all_secrets_args& args) {
    std::vector<remote::remote_nonnull_secret> all;
    for (const host::SecretKey& one : host_.secrets()) all.push_back(secret_on_wire(call, one));
    const auto count = static_cast<std::uint32_t>(all.size());
    if (args.need_results == 0) return {.secrets = {}, .ret = count};
    return {.secrets = kept(call, all), .ret = count};
}

remote::remote_secret_lookup_by_uuid_ret RemoteService::SECRET_LOOKUP_BY_UUID(
    xdr::CallContext& call, const remote::remote_secret_lookup_by_uuid_args& args) {
    return give_secret<remote::remote_secret_lookup_by_uuid_ret>(
        call, host_.secret_by_uuid(uuid_of(args.uuid)));
}

remote::remote_secret_lookup_by_usage_ret RemoteService::SECRET_LOOKUP_BY_USAGE(
    xdr::CallContext& call, const remote::remote_secret_lookup_by_usage_args& args) {
    return give_secret<remote::remote_secret_lookup_by_usage_ret>(
        call, host_.secret_by_usage(args.usageType, args.usageID));
}

remote::remote_secret_define_xml_ret RemoteService::SECRET_DEFINE_XML(
    xdr::CallContext& call, const remote::remote_secret_define_xml_args& args) {
    return give_secret<remote::remote_secret_define_xml_ret>(call, host_.define_secret(args.xml));
}

remote::remote_secret_get_xml_desc_ret RemoteService::SECRET_GET_XML_DESC(
    xdr::CallContext& call, const remote::remote_secret_get_xml_desc_args& args) {
    const auto xml = host_.secret_xml(uuid_of(args.secret.uuid));
    if (!xml) return refused<remote::remote_secret_get_xml_desc_ret>(call, xml.error());
    return {.xml = kept(call, *xml)};
}

void RemoteService::SECRET_SET_VALUE(xdr::CallContext& call,
                                     const remote::remote_secret_set_value_args& args) {
    const auto done =
        host_.set_secret_value(uuid_of(args.secret.uuid), {args.value.begin(), args.value.end()});
    if (!done) refused(call, done.error());
}

remote::remote_secret_get_value_ret RemoteService::SECRET_GET_VALUE(
    xdr::CallContext& call, const remote::remote_secret_get_value_args& args) {
    const auto value = host_.secret_value(uuid_of(args.secret.uuid));
    if (!value) return refused<remote::remote_secret_get_value_ret>(call, value.error());
    const xdr::Array<std::byte> bytes = kept(call, *value);
    return {.value = ByteView(bytes.data(), bytes.size())};
}

void RemoteService::SECRET_UNDEFINE(xdr::CallContext& call,
                                    const remote::remote_secret_undefine_args& args) {
    const auto done = host_.undefine_secret(uuid_of(args.secret.uuid));
    if (!done) refused(call, done.error());
}

}  // namespace helio::virt::daemon
