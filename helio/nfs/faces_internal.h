// The two faces of a procedure over its one body: at once if that is possible, else on the pool.
#pragma once

#include <type_traits>

#include "helio/base/task.h"
#include "helio/nfs/request.h"
#include "helio/transport/offload.h"

namespace helio::nfs {

// What services share.
struct Desk {
    const Exports& exports;
    transport::Pool* pool;  // nullptr: procedures wait where they are called
};

template <auto Body, class... Arguments>
auto at_once(const Desk& desk, xdr::CallContext& context, Arguments&... arguments) {
    Request request{desk.exports, rpc::call_of(context),
                    desk.pool != nullptr ? Where::at_once : Where::here};
    request.begin();
    auto result = Body(request, arguments...);
    request.end();
    if (desk.pool != nullptr && request.must_wait()) [[unlikely]]
        context.set_outcome(xdr::Outcome::suspended);
    else if (request.stays_silent()) [[unlikely]]
        context.set_outcome(xdr::Outcome::silent);
    return result;
}

// A named function with parameters that outlive it, as coroutines are here: the arguments are kept
// with the call, the desk with the service.
template <auto Body, class... Arguments>
auto in_pool(const Desk& desk, xdr::CallContext& context, Arguments&... arguments)
    -> Task<std::invoke_result_t<decltype(Body), Request&, Arguments&...>> {
    Request request{desk.exports, rpc::call_of(context), Where::elsewhere};
    std::invoke_result_t<decltype(Body), Request&, Arguments&...> result{};
    co_await transport::offload(*desk.pool, [&] {
        request.begin();
        result = Body(request, arguments...);
        request.end();
    });
    request.hand_over();
    if (request.stays_silent()) context.set_outcome(xdr::Outcome::silent);
    co_return result;
}

}  // namespace helio::nfs
