// Secrets.
#include "helio/virt/daemon/forward_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

remote_connect_num_of_secrets_ret connect_num_of_secrets(Context& context, xdr::CallContext&) {
    return {.num = static_cast<std::int32_t>(context.host.secrets().size())};
}

remote_connect_list_secrets_ret connect_list_secrets(Context& context, xdr::CallContext& call,
                                                     const remote_connect_list_secrets_args& args) {
    return {.uuids = names_of(call, context.host.secrets(), args.maxuuids,
                              [](const host::SecretKey& key) { return to_text(key.uuid); })};
}

remote_connect_list_all_secrets_ret connect_list_all_secrets(
    Context& context, xdr::CallContext& call, const remote_connect_list_all_secrets_args& args) {
    return list_of<remote_connect_list_all_secrets_ret>(
        call, context.host.secrets(), args.need_results, "secrets", REMOTE_SECRET_LIST_MAX);
}

remote_secret_lookup_by_usage_ret secret_lookup_by_usage(
    Context& context, xdr::CallContext& call, const remote_secret_lookup_by_usage_args& args) {
    const auto key = context.host.secret_by_usage(args.usageType, args.usageID);
    if (!key) return refused<remote_secret_lookup_by_usage_ret>(call, key.error());
    return {.secret = to_wire(call, *key)};
}

void secret_set_value(Context& context, xdr::CallContext& call,
                      const remote_secret_set_value_args& args) {
    const auto done =
        context.host.set_secret_value(object_of(args), {args.value.begin(), args.value.end()});
    if (!done) refused(call, done.error());
}

}  // namespace

void add_secrets(Table& table) {
    table.CONNECT_NUM_OF_SECRETS = connect_num_of_secrets;
    table.CONNECT_LIST_SECRETS = connect_list_secrets;
    table.CONNECT_LIST_ALL_SECRETS = connect_list_all_secrets;
    table.SECRET_LOOKUP_BY_UUID = forward_to<&Host::secret_by_uuid>;
    table.SECRET_LOOKUP_BY_USAGE = secret_lookup_by_usage;
    table.SECRET_DEFINE_XML = forward_to<&Host::define_secret>;
    table.SECRET_GET_XML_DESC = forward_to<&Host::secret_xml>;
    table.SECRET_SET_VALUE = secret_set_value;
    table.SECRET_GET_VALUE = forward_to<&Host::secret_value>;
    table.SECRET_UNDEFINE = forward_to<&Host::undefine_secret>;
}

}  // namespace helio::virt::daemon
