// Made by `helio gen` from constructs.x. Changes belong there; this file is written anew.
#include "constructs_service.h"

#include "helio/xdr/plain.h"

namespace test::constructs {

namespace xdr = ::helio::xdr;

namespace {

xdr::Outcome serve_CONSTRUCTS_V1_NULL(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    if (!(in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<CONSTRUCTS_V1::Service*>(service);
    self.NULL_(call);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<nullptr>(
            self, &CONSTRUCTS_V1::Service::NULL_async, call);
    return xdr::Outcome::success;
}

xdr::Outcome serve_CONSTRUCTS_V1_TRY(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    views argument1{};
    if (!(decode_views(in, argument1) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<CONSTRUCTS_V1::Service*>(service);
    const auto result = self.TRY(call, argument1);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_outcome>(
            self, &CONSTRUCTS_V1::Service::TRY_async, call, call.keep(argument1));
    return encode_outcome(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

xdr::Outcome serve_CONSTRUCTS_V1_ECHO(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    std::string_view argument1{};
    std::int32_t argument2{};
    if (!(xdr::decode_plain(in, argument1) && xdr::decode_plain(in, argument2) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<CONSTRUCTS_V1::Service*>(service);
    const auto result = self.ECHO(call, argument1, argument2);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<xdr::kEncodePlain<std::string_view>>(
            self, &CONSTRUCTS_V1::Service::ECHO_async, call, call.keep(argument1), call.keep(argument2));
    return xdr::encode_plain(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

namespace table_of_CONSTRUCTS_V1 {
constexpr xdr::ProcedureNote kNotes_NULL[] = {{"idempotent", ""}};
constexpr xdr::ProcedureNote kNotes_ECHO[] = {{"idempotent", ""}, {"priority", "high"}};
constexpr xdr::ProcedureInfo kProcedures[3] = {
    {0u, "CONSTRUCTS_NULL", "NULL", true, kNotes_NULL, serve_CONSTRUCTS_V1_NULL, false, 0u},
    {1u, "CONSTRUCTS_TRY", "TRY", false, {}, serve_CONSTRUCTS_V1_TRY, false, xdr::kUnbounded},
    {2u, "CONSTRUCTS_ECHO", "ECHO", true, kNotes_ECHO, serve_CONSTRUCTS_V1_ECHO, false, xdr::kUnbounded},
};
constexpr xdr::VersionInfo kInfo{536871065u, 1u, "CONSTRUCTS_PROG", "CONSTRUCTS_V1", std::span{kProcedures, 3}};
}  // namespace table_of_CONSTRUCTS_V1

}  // namespace

const xdr::VersionInfo& CONSTRUCTS_V1::info() { return table_of_CONSTRUCTS_V1::kInfo; }

void CONSTRUCTS_V1::Service::NULL_(xdr::CallContext& call) { return call.wait<void>(); }
::helio::Task<void> CONSTRUCTS_V1::Service::NULL_async(xdr::CallContext&) { return {}; }
outcome CONSTRUCTS_V1::Service::TRY(xdr::CallContext& call, const views&) { return call.wait<outcome>(); }
::helio::Task<outcome> CONSTRUCTS_V1::Service::TRY_async(xdr::CallContext&, const views&) { return {}; }
std::string_view CONSTRUCTS_V1::Service::ECHO(xdr::CallContext& call, const std::string_view&, const std::int32_t&) { return call.wait<std::string_view>(); }
::helio::Task<std::string_view> CONSTRUCTS_V1::Service::ECHO_async(xdr::CallContext&, const std::string_view&, const std::int32_t&) { return {}; }

::helio::Result<void, xdr::CallError> CONSTRUCTS_V1::Client::NULL_() {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(CONSTRUCTS_V1::info(), CONSTRUCTS_V1::info().procedures[0]);
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    if (!(in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return {};
}

xdr::Call<void> CONSTRUCTS_V1::AsyncClient::NULL_() {
    auto call = channel_.begin(CONSTRUCTS_V1::info(), CONSTRUCTS_V1::info().procedures[0]);
    call->send();
    return xdr::Call<void>{std::move(call)};
}

::helio::Result<outcome, xdr::CallError> CONSTRUCTS_V1::Client::TRY(const views& argument1) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(CONSTRUCTS_V1::info(), CONSTRUCTS_V1::info().procedures[1]);
    if (!encode_views(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    outcome result{};
    if (!(decode_outcome(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<outcome> CONSTRUCTS_V1::AsyncClient::TRY(const views& argument1) {
    auto call = channel_.begin(CONSTRUCTS_V1::info(), CONSTRUCTS_V1::info().procedures[1]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_views(out, argument1));
    return {std::move(call), decode_outcome};
}

::helio::Result<std::string_view, xdr::CallError> CONSTRUCTS_V1::Client::ECHO(const std::string_view& argument1, const std::int32_t& argument2) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(CONSTRUCTS_V1::info(), CONSTRUCTS_V1::info().procedures[2]);
    if (!xdr::encode_plain(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    if (!xdr::encode_plain(out, argument2)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    std::string_view result{};
    if (!(xdr::decode_plain(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<std::string_view> CONSTRUCTS_V1::AsyncClient::ECHO(const std::string_view& argument1, const std::int32_t& argument2) {
    auto call = channel_.begin(CONSTRUCTS_V1::info(), CONSTRUCTS_V1::info().procedures[2]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, xdr::encode_plain(out, argument1) && xdr::encode_plain(out, argument2));
    return {std::move(call), xdr::decode_plain};
}

namespace {

xdr::Outcome serve_CONSTRUCTS_V2_NULL(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    if (!(in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<CONSTRUCTS_V2::Service*>(service);
    self.NULL_(call);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<nullptr>(
            self, &CONSTRUCTS_V2::Service::NULL_async, call);
    return xdr::Outcome::success;
}

xdr::Outcome serve_CONSTRUCTS_V2_TRY(void* service, xdr::CallContext& call, [[maybe_unused]] xdr::Reader& in,
                     [[maybe_unused]] xdr::Writer& out) {
    views argument1{};
    node argument2{};
    if (!(decode_views(in, argument1) && decode_node(in, argument2) && in.finish())) return xdr::Outcome::garbage_arguments;
    auto& self = *static_cast<CONSTRUCTS_V2::Service*>(service);
    const auto result = self.TRY(call, argument1, argument2);
    if (call.outcome() != xdr::Outcome::success) [[unlikely]]
        return !call.waits() ? call.outcome() : xdr::continue_later<encode_maybe_word>(
            self, &CONSTRUCTS_V2::Service::TRY_async, call, call.keep(argument1), call.keep(argument2));
    return encode_maybe_word(out, result) ? xdr::Outcome::success : xdr::Outcome::system_error;
}

namespace table_of_CONSTRUCTS_V2 {
constexpr xdr::ProcedureInfo kProcedures[2] = {
    {0u, "CONSTRUCTS_NULL", "NULL", false, {}, serve_CONSTRUCTS_V2_NULL, false, 0u},
    {7u, "CONSTRUCTS_TRY", "TRY", false, {}, serve_CONSTRUCTS_V2_TRY, false, 8u},
};
constexpr xdr::VersionInfo kInfo{536871065u, 2u, "CONSTRUCTS_PROG", "CONSTRUCTS_V2", std::span{kProcedures, 2}};
}  // namespace table_of_CONSTRUCTS_V2

}  // namespace

const xdr::VersionInfo& CONSTRUCTS_V2::info() { return table_of_CONSTRUCTS_V2::kInfo; }

void CONSTRUCTS_V2::Service::NULL_(xdr::CallContext& call) { return call.wait<void>(); }
::helio::Task<void> CONSTRUCTS_V2::Service::NULL_async(xdr::CallContext&) { return {}; }
maybe_word CONSTRUCTS_V2::Service::TRY(xdr::CallContext& call, const views&, const node&) { return call.wait<maybe_word>(); }
::helio::Task<maybe_word> CONSTRUCTS_V2::Service::TRY_async(xdr::CallContext&, const views&, const node&) { return {}; }

::helio::Result<void, xdr::CallError> CONSTRUCTS_V2::Client::NULL_() {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(CONSTRUCTS_V2::info(), CONSTRUCTS_V2::info().procedures[0]);
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    if (!(in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return {};
}

xdr::Call<void> CONSTRUCTS_V2::AsyncClient::NULL_() {
    auto call = channel_.begin(CONSTRUCTS_V2::info(), CONSTRUCTS_V2::info().procedures[0]);
    call->send();
    return xdr::Call<void>{std::move(call)};
}

::helio::Result<maybe_word, xdr::CallError> CONSTRUCTS_V2::Client::TRY(const views& argument1, const node& argument2) {
    [[maybe_unused]] xdr::Writer& out = channel_.begin(CONSTRUCTS_V2::info(), CONSTRUCTS_V2::info().procedures[1]);
    if (!encode_views(out, argument1)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    if (!encode_node(out, argument2)) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_arguments, out.error()});
    xdr::Reader* const reply = channel_.exchange();
    if (reply == nullptr) return ::helio::fail(channel_.why());
    xdr::Reader& in = *reply;
    maybe_word result{};
    if (!(decode_maybe_word(in, result) && in.finish())) return ::helio::fail(xdr::CallError{xdr::Outcome::garbage_reply, in.error()});
    return result;
}

xdr::Call<maybe_word> CONSTRUCTS_V2::AsyncClient::TRY(const views& argument1, const node& argument2) {
    auto call = channel_.begin(CONSTRUCTS_V2::info(), CONSTRUCTS_V2::info().procedures[1]);
    xdr::Writer& out = call->arguments();
    xdr::send_or_fail(*call, encode_views(out, argument1) && encode_node(out, argument2));
    return {std::move(call), decode_maybe_word};
}

}  // namespace test::constructs
