// Procedures that only forward to the host, as templates for the rows of the table. The row's type
// supplies the arguments and results:
//
//     table.DOMAIN_DESTROY = forward_to<&Host::destroy_domain>;
#pragma once

#include <functional>
#include <type_traits>

#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using host::Host;

// The results of a procedure. Rows accept functions and coroutines; without this constraint, a row
// without arguments could not tell a template of one from the other.
template <class T>
concept Results = std::is_aggregate_v<T>;

// The domain that a call is about, directly or through one of its snapshots.
template <class Args>
const remote::remote_nonnull_domain& domain_of(const Args& args) requires(
    requires { args.dom; } || requires { args.snap; } || requires { args.snapshot; }) {
    if constexpr (requires { args.dom; })
        return args.dom;
    else if constexpr (requires { args.snap; })
        return args.snap.dom;
    else
        return args.snapshot.dom;
}

// The argument by which the host finds the object of a call: a uuid, the key of a volume, a name or
// an XML text.
template <class Args>
auto object_of(const Args& args) {
    if constexpr (requires { domain_of(args); })
        return uuid_of(domain_of(args).uuid);
    else if constexpr (requires { args.net; })
        return uuid_of(args.net.uuid);
    else if constexpr (requires { args.pool; })
        return uuid_of(args.pool.uuid);
    else if constexpr (requires { args.secret; })
        return uuid_of(args.secret.uuid);
    else if constexpr (requires { args.vol; })
        return args.vol.key;
    else if constexpr (requires { args.uuid; })
        return uuid_of(args.uuid);
    else if constexpr (requires { args.id; })
        return args.id;
    else if constexpr (requires { args.name; })
        return args.name;
    else if constexpr (requires { args.key; })
        return args.key;
    else if constexpr (requires { args.path; })
        return args.path;
    else
        return args.xml;
}

// The flags of a call; 0 for older procedures, which have none.
template <class Args>
std::uint32_t flags_of(const Args& args) {
    if constexpr (requires { args.flags; })
        return args.flags;
    else
        return 0;
}

// virDomainModificationImpact, from the flags if the procedure has any.
template <class Args>
host::Impact impact_of(const Args& args, host::Impact without_flags = host::Impact::current) {
    if constexpr (requires { args.flags; })
        return static_cast<host::Impact>(args.flags & 3);
    else
        return without_flags;
}

// Refuses a call. The message names the domain if the call is about one.
template <class Ret, class Args>
Ret refuse(xdr::CallContext& call, const Args& args, const host::Error& error) {
    if constexpr (requires { domain_of(args); })
        return refused<Ret>(call, domain_of(args), error);
    else
        return refused<Ret>(call, error);
}

// Calls a method of the host on the object of the call. A procedure with one result returns what
// the method returned, or `Part` of it.
template <auto Method, auto Part = std::identity{}, class Ret, class Args>
Ret forward_to(Context& context, xdr::CallContext& call, const Args& args) {
    const auto outcome = (context.host.*Method)(object_of(args));
    if (!outcome) return refuse<Ret>(call, args, outcome.error());
    if constexpr (!std::is_void_v<Ret>) return {to_wire(call, std::invoke(Part, *outcome))};
}

// Sets whether an object starts with the host.
template <auto Method, class Args>
void set_autostart(Context& context, xdr::CallContext& call, const Args& args) {
    const auto done = (context.host.*Method)(object_of(args), args.autostart != 0);
    if (!done) refuse<void>(call, args, done.error());
}

// Counts the objects that the host lists for these flags.
template <auto List, std::uint32_t Flags, Results Ret>
Ret list_count(Context& context, xdr::CallContext&) {
    return {static_cast<std::int32_t>((context.host.*List)(Flags).size())};
}

// Names of the objects that the host lists for these flags, up to the client's limit.
template <auto List, std::uint32_t Flags, class Ret, class Args>
Ret list_names(Context& context, xdr::CallContext& call, const Args& args) {
    const auto keys = (context.host.*List)(Flags);
    return {names_of(call, keys, args.maxnames, [](const auto& key) { return key.name; })};
}

}  // namespace helio::virt::daemon
