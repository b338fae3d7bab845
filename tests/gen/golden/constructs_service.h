// Made by `helio gen` from constructs.x. Changes belong there; this file is written anew.
#pragma once

#include "helio/xdr/program.h"
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

    // A server derives from this and overrides what it offers; the rest is unavailable. Arguments are
    // views that live as long as the call, results may point into call.arena().
    class Service : public xdr::ServiceBase {
       public:
        virtual void NULL_(xdr::CallContext& call);
        virtual outcome TRY(xdr::CallContext& call, const views& argument1);
        // Several arguments.
        virtual std::string_view ECHO(xdr::CallContext& call, const std::string_view& argument1, const std::int32_t& argument2);

        const xdr::VersionInfo& info() const final { return CONSTRUCTS_V1::info(); }
        xdr::Outcome serve(std::uint32_t procedure, xdr::CallContext& call, xdr::Reader& in,
                           xdr::Writer& out) final;
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
};

struct CONSTRUCTS_V2 {
    static constexpr std::uint32_t program = 536871065u;
    static constexpr std::uint32_t version = 2u;

    enum Procedure : std::uint32_t {
        NULL_ = 0u,
        TRY = 7u,
    };

    static const xdr::VersionInfo& info();

    // A server derives from this and overrides what it offers; the rest is unavailable. Arguments are
    // views that live as long as the call, results may point into call.arena().
    class Service : public xdr::ServiceBase {
       public:
        virtual void NULL_(xdr::CallContext& call);
        virtual maybe_word TRY(xdr::CallContext& call, const views& argument1, const node& argument2);

        const xdr::VersionInfo& info() const final { return CONSTRUCTS_V2::info(); }
        xdr::Outcome serve(std::uint32_t procedure, xdr::CallContext& call, xdr::Reader& in,
                           xdr::Writer& out) final;
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
};

}  // namespace test::constructs
