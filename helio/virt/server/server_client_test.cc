#include "helio/virt/server/server_client.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "helio/virt/wire/programs.h"
#include "testing/virt/probe_service.h"

namespace helio::virt::server::server_client_test {
namespace {

using namespace probe;
using std::chrono::milliseconds;

struct ConnectionTest : testing::Test {
    explicit ConnectionTest(ServerClientOptions options = {}) : core(std::move(options)) {}
    void open() { ASSERT_EQ(line.ask(head(Procedure::OPEN)).header.status, VirnetStatus::ok); }

    ProbeCore core;
    ProbeLine line{*core.worker, core.session_factory};
};

TEST_F(ConnectionTest, ACallIsAnsweredWithItsNumbers) {
    open();
    const Heard reply = line.ask(head(Procedure::ECHO, 7), opaque("hello"));
    EXPECT_EQ(reply.header, head(Procedure::ECHO, 7, VirnetType::reply));
    EXPECT_EQ(reply.payload, opaque("hello"));
}

TEST_F(ConnectionTest, TrailingBytesDoNotMatter) {
    open();
    Bytes arguments = opaque("hello");
    arguments.resize(arguments.size() + 3, std::byte{9});
    EXPECT_EQ(line.ask(head(Procedure::ECHO), arguments).payload, opaque("hello"));
}

// libvirtd 9.0's wording; its clients compare the first.
TEST_F(ConnectionTest, ErrorsAreLibvirts) {
    const auto error = [&](VirnetHeader header, ByteView payload = {}) {
        const Heard reply = line.ask(header, payload);
        EXPECT_EQ(reply.header.type, VirnetType::reply);
        EXPECT_EQ(reply.header.serial, header.serial);
        const VirtError said = reply.error();
        EXPECT_EQ(said.level, VIR_ERR_ERROR);
        return std::to_string(said.code) + " " + std::to_string(said.domain) + " " + said.message;
    };
    EXPECT_EQ(error(head(Procedure::ECHO), opaque("x")),
              "1 7 internal error: hypervisor connection not open");
    open();
    EXPECT_EQ(error(head(999)), "39 7 unknown procedure: 999");
    EXPECT_EQ(error(head(0)), "39 7 unknown procedure: 0");
    EXPECT_EQ(error(head(0xffffffff)), "39 7 unknown procedure: -1");
    EXPECT_EQ(error(head(Procedure::EVENT), xdr::word(5)), "39 7 unknown procedure: 15");
    EXPECT_EQ(error(head(Procedure::ECHO), xdr::word(5)), "39 7 Unable to decode message payload");
    EXPECT_EQ(error(head(Procedure::ECHO, 1, VirnetType::call, VirnetStatus::error)),
              "39 7 Unexpected message status 1");
    EXPECT_EQ(error(head(Procedure::MISSING)),
              "3 18 this function is not supported by the connection driver: virStorageVolWipe");
    EXPECT_EQ(error(head(Procedure::MISSING_UNNAMED)), "39 7 unknown procedure: 14");
    EXPECT_EQ(error(head(Procedure::SPOIL), xdr::word(42)), "42 12 Domain not found: as asked");
    VirnetHeader other = head(1);
    other.version = 2;
    EXPECT_EQ(error(other), "39 7 Cannot find program 536903814 version 2");
    other.program = frame::kKeepaliveProgram;  // a keepalive program in a call
    EXPECT_EQ(error(other), "39 7 Cannot find program 1801807216 version 2");
}

TEST_F(ConnectionTest, WhatOnlyServersSayIsIgnored) {
    open();
    for (const auto type :
         {VirnetType::reply, VirnetType::message, VirnetType{7}, VirnetType{0xffffffff}})
        line.say(head(Procedure::ECHO, 1, type), opaque("x"));
    EXPECT_TRUE(line.heard().empty());
    EXPECT_FALSE(line.broken);
}

TEST_F(ConnectionTest, AnyPiecesGiveTheSame) {
    Bytes all = frame::make_virnet_message(head(Procedure::OPEN));
    xdr::append(all, frame::make_virnet_message(head(Procedure::ECHO, 2), opaque("hello")));
    xdr::append(all, frame::make_virnet_message(ping()));
    for (const std::byte one : all) line.feed(ByteView{&one, 1});
    const auto heard = line.heard();
    ASSERT_EQ(heard.size(), 3u);
    EXPECT_EQ(heard[1].payload, opaque("hello"));
    EXPECT_EQ(heard[2].header.procedure, frame::kKeepalivePong);
}

TEST_F(ConnectionTest, ABadLengthBreaksIt) {
    for (const std::uint32_t length : {0u, 27u, (32u << 20) + 5, 0xffffffffu}) {
        ProbeLine other{*core.worker, core.session_factory};
        other.feed(xdr::word(length));
        EXPECT_TRUE(other.broken) << length;
        EXPECT_TRUE(other.heard().empty());
    }
    line.feed(xdr::word(28));
    EXPECT_FALSE(line.broken);
}

// ---- Calls in flight ----

TEST_F(ConnectionTest, RepliesComeAsCallsEnd) {
    open();
    line.say(head(Procedure::WAIT, 2), opaque("slow"));
    EXPECT_EQ(line.ask(head(Procedure::ECHO, 3), opaque("quick")).header.serial, 3u);
    core.service.let_go();
    EXPECT_EQ(line.output_ready_calls, 1);
    const auto heard = line.heard();
    ASSERT_EQ(heard.size(), 1u);
    EXPECT_EQ(heard[0].header.serial, 2u);
    EXPECT_EQ(heard[0].payload, opaque("slow"));
}

TEST_F(ConnectionTest, TheSixthCallWaitsAndPingsDoNot) {
    open();
    for (std::uint32_t serial = 2; serial < 9; ++serial)
        line.say(head(Procedure::WAIT, serial), opaque("w"));
    EXPECT_EQ(core.service.waiting(), 5u);
    EXPECT_EQ(line.ask(ping()).header.procedure, frame::kKeepalivePong);
    EXPECT_FALSE(line.full);

    core.service.let_go();
    EXPECT_TRUE(line.session().has_runnable_calls());
    EXPECT_EQ(line.heard().size(), 5u);
    line.resume();
    EXPECT_EQ(core.service.waiting(), 2u);
    core.service.let_go();
    EXPECT_EQ(line.heard().size(), 2u);
    EXPECT_EQ(line.session().bytes_held(), 0u);
}

TEST_F(ConnectionTest, ReadingStopsWhenTheQueueIsFull) {
    open();
    const std::size_t most = kVirnetCallsInFlightMax + kVirnetCallsQueuedMax;
    for (std::uint32_t i = 0; i < most; ++i) line.say(head(Procedure::WAIT, i + 2), opaque("w"));
    EXPECT_FALSE(line.full);
    line.say(head(Procedure::WAIT, 1000), opaque("w"));
    EXPECT_TRUE(line.full);
    std::size_t answered = 0;
    while (core.service.waiting() > 0) {
        core.service.let_go();
        answered += line.heard().size();
        line.resume();
    }
    EXPECT_EQ(answered, most + 1);
    EXPECT_FALSE(line.full);
}

// Bytes count too, except for the first: a long call must be able to wait.
TEST_F(ConnectionTest, LongCallsFillTheQueueSooner) {
    open();
    for (std::uint32_t i = 0; i < kVirnetCallsInFlightMax; ++i)
        line.say(head(Procedure::WAIT, i + 2), opaque("w"));
    line.say(head(Procedure::WAIT, 100), opaque(std::string(2u << 20, 'x')));
    EXPECT_FALSE(line.full);
    line.say(head(Procedure::WAIT, 101), opaque("w"));
    EXPECT_TRUE(line.full);
}

TEST_F(ConnectionTest, CallsOutliveTheirConnection) {
    open();
    line.say(head(Procedure::WAIT, 2), opaque("slow"));
    line.go_away();
    EXPECT_EQ(core.service.let_go(), 1);
    EXPECT_EQ(core.worker->calls_waiting(), 0u);
}

// ---- Events, keepalive, the end ----

TEST_F(ConnectionTest, EventsGoBehindTheReplyThatIsBeingWritten) {
    open();
    line.say(head(Procedure::NUDGE, 5), xdr::word(2));
    const auto heard = line.heard();
    ASSERT_EQ(heard.size(), 3u);
    EXPECT_EQ(heard[0].header, head(Procedure::NUDGE, 5, VirnetType::reply));
    EXPECT_EQ(heard[1].header, head(Procedure::EVENT, 1, VirnetType::message));
    EXPECT_EQ(heard[1].payload, opaque(std::string(1, '\0')));
    EXPECT_EQ(heard[2].payload, opaque("\1"));
}

struct ConnectionOfFew : ConnectionTest {
    static ServerClientOptions few() {
        ServerClientOptions options;
        options.limits.output_bytes = 1000;
        options.on_begin = [](ServerClient& one) { connection = &one; };
        options.on_end = [](ServerClient&) { connection = nullptr; };
        return options;
    }
    ConnectionOfFew() : ConnectionTest(few()) {}
    static inline ServerClient* connection = nullptr;
};

TEST_F(ConnectionOfFew, WhoDoesNotTakeEventsIsCutOff) {
    ASSERT_NE(connection, nullptr);
    const Bytes bytes(100);
    for (int i = 0; i < 20; ++i)
        connection->send_event<try_bytes>(kRemoteProgram, Procedure::EVENT, &encode_try_bytes,
                                          ByteView{bytes});
    EXPECT_TRUE(line.ended);
    EXPECT_GT(line.output_ready_calls, 0);
    EXPECT_LE(line.session().output_bytes(), 1000u);
    line.go_away();
    EXPECT_EQ(connection, nullptr);
}

TEST_F(ConnectionOfFew, SilentPeersArePingedAndThenDead) {
    connection->start_keepalive();
    auto now = rpc::Worker::Clock::now();
    EXPECT_TRUE(line.session().on_tick(now + milliseconds(4000)));
    EXPECT_TRUE(line.heard().empty());
    for (unsigned i = 0; i < kKeepaliveCount; ++i) {
        now += milliseconds(5100);
        EXPECT_TRUE(line.session().on_tick(now));
        const auto heard = line.heard();
        ASSERT_EQ(heard.size(), 1u);
        EXPECT_EQ(heard[0].header, ping());
    }
    EXPECT_FALSE(line.session().on_tick(now + milliseconds(5100)));
    VirnetHeader pong = ping();
    pong.procedure = frame::kKeepalivePong;
    line.say(pong);
    EXPECT_TRUE(line.session().on_tick(now + milliseconds(5100)));
}

TEST_F(ConnectionTest, NothingIsReadBehindClose) {
    open();
    Bytes both = frame::make_virnet_message(head(Procedure::CLOSE, 2));
    xdr::append(both, frame::make_virnet_message(head(Procedure::ECHO, 3), opaque("x")));
    line.feed(both);
    EXPECT_TRUE(line.ended);
    const auto heard = line.heard();
    ASSERT_EQ(heard.size(), 1u);
    EXPECT_EQ(heard[0].header.serial, 2u);
}

// ---- Rights ----

struct ReadOnlyConnection : ConnectionTest {
    ReadOnlyConnection() : ConnectionTest({.read_only = true}) {}
};

TEST_F(ReadOnlyConnection, DeniesWhatTheSchemaDenies) {
    open();
    const auto error = line.ask(head(Procedure::CREATE)).error();
    EXPECT_EQ(error.code, VIR_ERR_OPERATION_DENIED);
    EXPECT_EQ(error.domain, VIR_FROM_DOMAIN);
    EXPECT_EQ(error.message, "operation forbidden: read only access prevents virDomainCreate");
    EXPECT_EQ(core.service.creates, 0);
    EXPECT_EQ(line.ask(head(Procedure::ECHO), opaque("x")).payload, opaque("x"));
}

struct StrangersConnection : ConnectionTest {
    StrangersConnection() : ConnectionTest({.needs_authentication = true}) {}
};

TEST_F(StrangersConnection, MayOnlyLogIn) {
    EXPECT_EQ(line.ask(head(Procedure::OPEN)).error().message, "authentication required");
    EXPECT_FALSE(line.session().may_be_idle());
    EXPECT_EQ(line.ask(ping()).header.procedure, frame::kKeepalivePong);
    EXPECT_EQ(line.ask(head(Procedure::LOGIN)).header.status, VirnetStatus::ok);
    open();
    EXPECT_TRUE(line.session().may_be_idle());
}

// ---- Descriptors ----

Bytes with_descriptors(std::uint32_t count) {
    Bytes frame = frame::make_virnet_message(
        head(Procedure::DESCRIPTORS, 9, VirnetType::call_with_fds), xdr::word(count));
    frame.resize(frame.size() + count);
    return frame;
}
std::vector<Fd> some_descriptors(std::size_t count) {
    std::vector<Fd> out;
    for (; count > 0; --count) out.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
    return out;
}

TEST_F(ConnectionTest, DescriptorsComeAndGo) {
    open();
    auto sent = some_descriptors(2);
    const int first = sent[0].get();
    ASSERT_TRUE(line.session().take_descriptors(std::move(sent)));
    Bytes both = with_descriptors(2);
    xdr::append(both, frame::make_virnet_message(head(Procedure::ECHO, 10), opaque("behind")));
    line.feed(both);
    const auto heard = line.heard();
    ASSERT_EQ(heard.size(), 2u);
    EXPECT_EQ(heard[0].header.type, VirnetType::reply_with_fds);
    EXPECT_EQ(xdr::to_hex(heard[0].payload), "0000000200000002") << "how many, and the result";
    EXPECT_EQ(heard[1].payload, opaque("behind"));
    ASSERT_EQ(line.descriptors.size(), 2u);
    EXPECT_EQ(line.descriptors[0].get(), first);
}

TEST_F(ConnectionTest, DescriptorsThatDoNotComeBreakIt) {
    open();
    line.feed(with_descriptors(1));
    EXPECT_TRUE(line.broken);
}

TEST_F(ConnectionTest, TooManyDescriptorsBreakIt) {
    open();
    line.feed(with_descriptors(frame::kVirnetFdsMax + 1));
    EXPECT_TRUE(line.broken);
    EXPECT_TRUE(line.session().take_descriptors(some_descriptors(frame::kVirnetFdsMax)));
    EXPECT_FALSE(line.session().take_descriptors(some_descriptors(frame::kVirnetFdsMax + 1)));
}

TEST_F(ConnectionTest, DescriptorsOfARefusedCallAreClosed) {
    auto sent = some_descriptors(1);
    const int fd = sent[0].get();
    ASSERT_TRUE(line.session().take_descriptors(std::move(sent)));
    line.feed(with_descriptors(1));  // not open yet
    EXPECT_EQ(line.heard().at(0).error().code, VIR_ERR_INTERNAL_ERROR);
    EXPECT_EQ(fcntl(fd, F_GETFD), -1);
}

}  // namespace
}  // namespace helio::virt::server::server_client_test
