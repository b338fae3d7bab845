// A generated client calls a generated service through a channel that is only memory: table, stubs
// and codecs together, before there is any transport.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "constructs.h"
#include "constructs_service.h"

namespace test::constructs::loopback_test {
namespace {

class Loopback final : public xdr::Channel {
 public:
    explicit Loopback(xdr::ServiceBase& service) : service_(service) {}

    xdr::Writer& begin(const xdr::VersionInfo& version,
                       const xdr::ProcedureInfo& procedure) override {
        EXPECT_EQ(version.program, service_.info().program);
        EXPECT_EQ(version.version, service_.info().version);
        arena_.reset();
        procedure_ = procedure.number;
        return arguments_.emplace(arena_);
    }
    xdr::Reader* exchange() override {
        sent_ = arguments_->joined();
        xdr::Reader in{sent_, arena_, xdr::Mode::strict};
        xdr::CallContext call{arena_};
        xdr::Writer out{arena_};
        outcome_ = service_.serve(procedure_, call, in, out);
        if (outcome_ != xdr::Outcome::success) return nullptr;
        received_ = out.joined();
        if (cut_replies) received_.resize(received_.size() - 4);
        return &results_.emplace(received_, arena_, xdr::Mode::strict);
    }
    xdr::CallError why() const override { return {outcome_, {}}; }
    bool cut_replies = false;

 private:
    xdr::ServiceBase& service_;
    xdr::Arena arena_;
    std::uint32_t procedure_ = 0;
    std::optional<xdr::Writer> arguments_;
    std::optional<xdr::Reader> results_;
    std::vector<std::byte> sent_, received_;
    xdr::Outcome outcome_ = xdr::Outcome::success;
};

class Echo final : public CONSTRUCTS_V1::Service {
 public:
    void NULL_(xdr::CallContext&) override { ++null_calls; }
    std::string_view ECHO(xdr::CallContext& call, const std::string_view& text,
                          const std::int32_t& times) override {
        auto* const out = call.arena().make<char>(text.size() * static_cast<std::size_t>(times));
        for (std::int32_t i = 0; i < times; ++i) text.copy(out + i * text.size(), text.size());
        return {out, text.size() * static_cast<std::size_t>(times)};
    }
    int null_calls = 0;
};

TEST(Loopback, ClientReachesService) {
    Echo service;
    Loopback channel{service};
    CONSTRUCTS_V1::Client client{channel};
    EXPECT_TRUE(client.NULL_().has_value());
    EXPECT_EQ(service.null_calls, 1);
    const auto echoed = client.ECHO("ab", 3);
    ASSERT_TRUE(echoed.has_value());
    EXPECT_EQ(*echoed, "ababab");
}

TEST(Loopback, WhatIsNotOverriddenIsUnavailable) {
    Echo service;
    Loopback channel{service};
    const auto result = CONSTRUCTS_V1::Client{channel}.TRY(views{.page = helio::ByteView{}});
    ASSERT_FALSE(result.has_value());
    // An argument that breaks the schema never leaves: `page` is opaque[1000].
    EXPECT_EQ(result.error().outcome, xdr::Outcome::garbage_arguments);
    EXPECT_EQ(result.error().detail.fault, xdr::Fault::too_long);

    const std::vector<std::byte> page(1000);
    const std::vector<std::int32_t> hundred(100);
    const std::vector<std::string_view> seventy(70);
    const views whole{.many_labels = seventy, .page = page, .hundred = hundred};
    const auto refused = CONSTRUCTS_V1::Client{channel}.TRY(whole);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().outcome, xdr::Outcome::procedure_unavailable);
}

TEST(Loopback, GarbageArgumentsAndUnknownProcedures) {
    Echo service;
    xdr::Arena arena;
    const std::byte three[3] = {};
    xdr::Reader short_arguments{three, arena};
    xdr::CallContext call{arena};
    xdr::Writer out{arena};
    EXPECT_EQ(service.serve(CONSTRUCTS_V1::ECHO, call, short_arguments, out),
              xdr::Outcome::garbage_arguments);
    EXPECT_EQ(service.serve(99, call, short_arguments, out), xdr::Outcome::procedure_unavailable);
    EXPECT_EQ(service.serve(0xffffffff, call, short_arguments, out),
              xdr::Outcome::procedure_unavailable);
}

TEST(Loopback, RepliesThatDoNotDecodeAreGarbage) {
    Echo service;
    Loopback channel{service};
    channel.cut_replies = true;
    const auto result = CONSTRUCTS_V1::Client{channel}.ECHO("abcd", 1);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().outcome, xdr::Outcome::garbage_reply);
    EXPECT_EQ(result.error().detail.fault, xdr::Fault::truncated);
}

// ---- A service written as a table ----

struct Counter {
    int null_calls = 0;
};
void count_null(Counter& counter, xdr::CallContext&) { ++counter.null_calls; }
helio::Task<std::string_view> echo_once(Counter&, xdr::CallContext&, std::string_view text,
                                        std::int32_t) {
    co_return text;
}

TEST(TableService, RowsAreFunctionsOrCoroutinesAndEmptyOnesUnavailable) {
    Counter counter;
    CONSTRUCTS_V1::TableService<Counter> service{counter, {.NULL_ = count_null, .ECHO = echo_once}};
    Loopback channel{service};
    CONSTRUCTS_V1::Client client{channel};
    EXPECT_TRUE(client.NULL_().has_value());
    EXPECT_TRUE(client.NULL_().has_value());
    EXPECT_EQ(counter.null_calls, 2);
    const auto echoed = client.ECHO("ab", 3);
    ASSERT_TRUE(echoed.has_value());
    EXPECT_EQ(*echoed, "ab");

    const std::vector<std::byte> page(1000);
    const std::vector<std::int32_t> hundred(100);
    const std::vector<std::string_view> seventy(70);
    const auto missing = client.TRY({.many_labels = seventy, .page = page, .hundred = hundred});
    ASSERT_FALSE(missing.has_value());
    EXPECT_EQ(missing.error().outcome, xdr::Outcome::procedure_unavailable);
}

// A server has its own class of calls; table rows receive it.
struct NamedCall final : xdr::CallContext {
    using CallContext::CallContext;
    std::string caller = "somebody";
};
std::string_view echo_caller(const Counter&, NamedCall& call, const std::string_view&,
                             const std::int32_t&) {
    return call.caller;
}

TEST(TableService, RowsTakeTheCallsOfTheirServer) {
    const Counter counter;
    CONSTRUCTS_V1::TableService<const Counter, NamedCall> service{counter, {.ECHO = echo_caller}};
    xdr::Arena arena;
    const std::byte no_text_once[8] = {};
    xdr::Reader in{no_text_once, arena};
    xdr::Writer out{arena};
    NamedCall call{arena};
    EXPECT_EQ(service.serve(CONSTRUCTS_V1::ECHO, call, in, out), xdr::Outcome::success);
    EXPECT_EQ(out.joined().size(), 4 + call.caller.size());
}

TEST(Tables, KeepNamesFlagsAndNotes) {
    const auto& v1 = CONSTRUCTS_V1::info();
    EXPECT_EQ(v1.program, 0x20000099u);
    EXPECT_EQ(v1.version, 1u);
    EXPECT_EQ(v1.program_name, "CONSTRUCTS_PROG");
    ASSERT_EQ(v1.procedures.size(), 3u);
    const auto* const echo = v1.procedure(2);
    ASSERT_NE(echo, nullptr);
    EXPECT_EQ(echo->name, "CONSTRUCTS_ECHO");
    EXPECT_EQ(echo->short_name, "ECHO");
    EXPECT_TRUE(echo->idempotent);
    ASSERT_NE(echo->note("priority"), nullptr);
    EXPECT_EQ(echo->note("priority")->argument, "high");
    EXPECT_FALSE(v1.procedure(1)->idempotent);

    const auto& v2 = CONSTRUCTS_V2::info();
    EXPECT_EQ(v2.procedure(1), nullptr);  // a gap
    ASSERT_NE(v2.procedure(7), nullptr);
    EXPECT_EQ(v2.procedure(7)->short_name, "TRY");
}

}  // namespace
}  // namespace test::constructs::loopback_test
