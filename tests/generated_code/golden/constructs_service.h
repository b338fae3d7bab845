// Made by `helio gen` from constructs.x. Changes belong there; this file is written anew.
#pragma once

#include "helio/xdr/handler.h"
#include "constructs.h"

namespace test::constructs {

namespace xdr = ::helio::xdr;

struct CONSTRUCTS_V1 {
    static constexpr std::uint32_t program = 536871065u;
    static constexpr std::uint32_t version = 1u;

    enum Procedure : std::uint32_t {
        NULL_ = 0u,
        TRY = 1u,
        ECHO = 2u,
    };

    static const xdr::VersionInfo& info();

    // A server derives from this and overrides, for each procedure it offers, one of two
    // functions or both; the rest is unavailable. X answers at once: it is fast and cannot
    // wait. X_async is a coroutine. With both, X tries without waiting, and hands over by
    // `return call.wait<Result>();`. Arguments are views that live as long as the call,
    // results may point into call.arena().
    class Service : public xdr::ServiceBase {
       public:
        virtual void NULL_(xdr::CallContext& call);
        virtual ::helio::Task<void> NULL_async(xdr::CallContext& call);
        virtual outcome TRY(xdr::CallContext& call, const views& argument1);
        virtual ::helio::Task<outcome> TRY_async(xdr::CallContext& call, const views& argument1);
        // Several arguments.
        virtual std::string_view ECHO(xdr::CallContext& call, const std::string_view& argument1, const std::int32_t& argument2);
        virtual ::helio::Task<std::string_view> ECHO_async(xdr::CallContext& call, const std::string_view& argument1, const std::int32_t& argument2);

        const xdr::VersionInfo& info() const final { return CONSTRUCTS_V1::info(); }
        void* service() final { return this; }
    };

    // The same server as a table: a function or a coroutine for each procedure it offers.
    // See helio/xdr/handler.h.
    template <class Context, class Call = xdr::CallContext>
    struct Table {
        xdr::Handler<Context, Call, void()> NULL_{};
        xdr::Handler<Context, Call, outcome(views)> TRY{};
        xdr::Handler<Context, Call, std::string_view(std::string_view, std::int32_t)> ECHO{};
    };

    // The context outlives the service.
    template <class Context, class Call = xdr::CallContext>
    class TableService final : public Service {
       public:
        TableService(Context& context, const Table<Context, Call>& table)
            : context_(context), table_(table) {}

        void NULL_(xdr::CallContext& call) override { return table_.NULL_(context_, call); }
        outcome TRY(xdr::CallContext& call, const views& argument1) override { return table_.TRY(context_, call, argument1); }
        std::string_view ECHO(xdr::CallContext& call, const std::string_view& argument1, const std::int32_t& argument2) override { return table_.ECHO(context_, call, argument1, argument2); }

       private:
        Context& context_;
        const Table<Context, Call> table_;
    };

    // Results are views into the channel's last reply: valid until its next call.
    class Client final {
       public:
        explicit Client(xdr::Channel& channel) : channel_(channel) {}

        ::helio::Result<void, xdr::CallError> NULL_();
        ::helio::Result<outcome, xdr::CallError> TRY(const views& argument1);
        ::helio::Result<std::string_view, xdr::CallError> ECHO(const std::string_view& argument1, const std::int32_t& argument2);

       private:
        xdr::Channel& channel_;
    };

    // A call is sent when it is made; `co_await` gives its result, with the memory it is a
    // view of. Several may be under way.
    class AsyncClient final {
       public:
        explicit AsyncClient(xdr::AsyncChannel& channel) : channel_(channel) {}

        xdr::Call<void> NULL_();
        xdr::Call<outcome> TRY(const views& argument1);
        xdr::Call<std::string_view> ECHO(const std::string_view& argument1, const std::int32_t& argument2);

       private:
        xdr::AsyncChannel& channel_;
    };
};

struct CONSTRUCTS_V2 {
    static constexpr std::uint32_t program = 536871065u;
    static constexpr std::uint32_t version = 2u;

    enum Procedure : std::uint32_t {
        NULL_ = 0u,
        TRY = 7u,
    };

    static const xdr::VersionInfo& info();

    // A server derives from this and overrides, for each procedure it offers, one of two
    // functions or both; the rest is unavailable. X answers at once: it is fast and cannot
    // wait. X_async is a coroutine. With both, X tries without waiting, and hands over by
    // `return call.wait<Result>();`. Arguments are views that live as long as the call,
    // results may point into call.arena().
    class Service : public xdr::ServiceBase {
       public:
        virtual void NULL_(xdr::CallContext& call);
        virtual ::helio::Task<void> NULL_async(xdr::CallContext& call);
        virtual maybe_word TRY(xdr::CallContext& call, const views& argument1, const node& argument2);
        virtual ::helio::Task<maybe_word> TRY_async(xdr::CallContext& call, const views& argument1, const node& argument2);

        const xdr::VersionInfo& info() const final { return CONSTRUCTS_V2::info(); }
        void* service() final { return this; }
    };

    // The same server as a table: a function or a coroutine for each procedure it offers.
    // See helio/xdr/handler.h.
    template <class Context, class Call = xdr::CallContext>
    struct Table {
        xdr::Handler<Context, Call, void()> NULL_{};
        xdr::Handler<Context, Call, maybe_word(views, node)> TRY{};
    };

    // The context outlives the service.
    template <class Context, class Call = xdr::CallContext>
    class TableService final : public Service {
       public:
        TableService(Context& context, const Table<Context, Call>& table)
            : context_(context), table_(table) {}

        void NULL_(xdr::CallContext& call) override { return table_.NULL_(context_, call); }
        maybe_word TRY(xdr::CallContext& call, const views& argument1, const node& argument2) override { return table_.TRY(context_, call, argument1, argument2); }

       private:
        Context& context_;
        const Table<Context, Call> table_;
    };

    // Results are views into the channel's last reply: valid until its next call.
    class Client final {
       public:
        explicit Client(xdr::Channel& channel) : channel_(channel) {}

        ::helio::Result<void, xdr::CallError> NULL_();
        ::helio::Result<maybe_word, xdr::CallError> TRY(const views& argument1, const node& argument2);

       private:
        xdr::Channel& channel_;
    };

    // A call is sent when it is made; `co_await` gives its result, with the memory it is a
    // view of. Several may be under way.
    class AsyncClient final {
       public:
        explicit AsyncClient(xdr::AsyncChannel& channel) : channel_(channel) {}

        xdr::Call<void> NULL_();
        xdr::Call<maybe_word> TRY(const views& argument1, const node& argument2);

       private:
        xdr::AsyncChannel& channel_;
    };
};

}  // namespace test::constructs
