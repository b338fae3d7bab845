// Handler: a row of a generated Table, which is a server written as functions instead of a class:
//
//     Time now(Clock& clock, rpc::Call& call, const Zone& zone);
//     Task<Alarm> wake(Clock& clock, rpc::Call& call, Time when);
//
//     CLOCK_V1::TableService<Clock, rpc::Call> service{clock, {.NOW = now, .WAKE = wake}};
//
// A coroutine takes its arguments by value, because they must survive until it resumes. If it ends
// without waiting it costs no more than a function call. An empty row is an unavailable procedure.
#pragma once

#include <type_traits>

#include "helio/xdr/program.h"

namespace helio::xdr {

// `Context` is the object the functions work on, `Call` the server's class for calls, and
// `Signature` the procedure as declared in the schema: Result(Arguments...).
template <class Context, class Call, class Signature>
class Handler;

template <class Context, class Call, class Result, class... Arguments>
class Handler<Context, Call, Result(Arguments...)> final {
 public:
    using Function = Result (*)(Context& context, Call& call, const Arguments&... arguments);
    using Coroutine = Task<Result> (*)(Context& context, Call& call, Arguments... arguments);

    constexpr Handler() = default;
    constexpr Handler(Function function) : function_(function) {}
    constexpr Handler(Coroutine coroutine) : coroutine_(coroutine) {}

    Result operator()(Context& context, CallContext& call, const Arguments&... arguments) const {
        static_assert(std::is_base_of_v<CallContext, Call>);
        Call& own = static_cast<Call&>(call);
        if (coroutine_ != nullptr) return call.run(coroutine_(context, own, arguments...));
        if (function_ != nullptr) return function_(context, own, arguments...);
        return call.unavailable<Result>();
    }

 private:
    Function function_ = nullptr;
    Coroutine coroutine_ = nullptr;
};

}  // namespace helio::xdr
