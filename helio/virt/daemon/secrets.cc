// Secrets.
#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

remote_nonnull_secret secret_on_wire(xdr::CallContext& call, const host::SecretKey& key) {
    return {.uuid = to_wire(key.uuid),
            .usageType = key.usage_type,
            .usageID = kept(call, key.usage_id)};
}

template <class Returned>
Returned give_secret(xdr::CallContext& call, const host::Outcome<host::SecretKey>& key) {
    if (!key) return refused<Returned>(call, key.error());
    return {.secret = secret_on_wire(call, *key)};
}

remote_connect_num_of_secrets_ret connect_num_of_secrets(Context& context, xdr::CallContext&) {
    return {.num = static_cast<std::int32_t>(context.host.secrets().size())};
}

remote_connect_list_secrets_ret connect_list_secrets(Context& context, xdr::CallContext& call,
                                                     const remote_connect_list_secrets_args& args) {
    std::vector<std::string_view> uuids;
    for (const host::SecretKey& one : context.host.secrets()) {
        if (static_cast<std::int64_t>(uuids.size()) >= args.maxuuids) break;
        uuids.push_back(kept(call, host::to_text(one.uuid)));
    }
    return {.uuids = kept(call, uuids)};
}

remote_connect_list_all_secrets_ret connect_list_all_secrets(
    Context& context, xdr::CallContext& call, const remote_connect_list_all_secrets_args& args) {
    std::vector<remote_nonnull_secret> all;
    for (const host::SecretKey& one : context.host.secrets())
        all.push_back(secret_on_wire(call, one));
    const auto count = static_cast<std::uint32_t>(all.size());
    if (args.need_results == 0) return {.secrets = {}, .ret = count};
    return {.secrets = kept(call, all), .ret = count};
}

remote_secret_lookup_by_uuid_ret secret_lookup_by_uuid(
    Context& context, xdr::CallContext& call, const remote_secret_lookup_by_uuid_args& args) {
    return give_secret<remote_secret_lookup_by_uuid_ret>(
        call, context.host.secret_by_uuid(uuid_of(args.uuid)));
}

remote_secret_lookup_by_usage_ret secret_lookup_by_usage(
    Context& context, xdr::CallContext& call, const remote_secret_lookup_by_usage_args& args) {
    return give_secret<remote_secret_lookup_by_usage_ret>(
        call, context.host.secret_by_usage(args.usageType, args.usageID));
}

remote_secret_define_xml_ret secret_define_xml(Context& context, xdr::CallContext& call,
                                               const remote_secret_define_xml_args& args) {
    return give_secret<remote_secret_define_xml_ret>(call, context.host.define_secret(args.xml));
}

remote_secret_get_xml_desc_ret secret_get_xml_desc(Context& context, xdr::CallContext& call,
                                                   const remote_secret_get_xml_desc_args& args) {
    const auto xml = context.host.secret_xml(uuid_of(args.secret.uuid));
    if (!xml) return refused<remote_secret_get_xml_desc_ret>(call, xml.error());
    return {.xml = kept(call, *xml)};
}

void secret_set_value(Context& context, xdr::CallContext& call,
                      const remote_secret_set_value_args& args) {
    const auto done = context.host.set_secret_value(uuid_of(args.secret.uuid),
                                                    {args.value.begin(), args.value.end()});
    if (!done) refused(call, done.error());
}

remote_secret_get_value_ret secret_get_value(Context& context, xdr::CallContext& call,
                                             const remote_secret_get_value_args& args) {
    const auto value = context.host.secret_value(uuid_of(args.secret.uuid));
    if (!value) return refused<remote_secret_get_value_ret>(call, value.error());
    const xdr::Array<std::byte> bytes = kept(call, *value);
    return {.value = ByteView(bytes.data(), bytes.size())};
}

void secret_undefine(Context& context, xdr::CallContext& call,
                     const remote_secret_undefine_args& args) {
    const auto done = context.host.undefine_secret(uuid_of(args.secret.uuid));
    if (!done) refused(call, done.error());
}

}  // namespace

void add_secrets(Table& table) {
    table.CONNECT_NUM_OF_SECRETS = connect_num_of_secrets;
    table.CONNECT_LIST_SECRETS = connect_list_secrets;
    table.CONNECT_LIST_ALL_SECRETS = connect_list_all_secrets;
    table.SECRET_LOOKUP_BY_UUID = secret_lookup_by_uuid;
    table.SECRET_LOOKUP_BY_USAGE = secret_lookup_by_usage;
    table.SECRET_DEFINE_XML = secret_define_xml;
    table.SECRET_GET_XML_DESC = secret_get_xml_desc;
    table.SECRET_SET_VALUE = secret_set_value;
    table.SECRET_GET_VALUE = secret_get_value;
    table.SECRET_UNDEFINE = secret_undefine;
}

}  // namespace helio::virt::daemon
