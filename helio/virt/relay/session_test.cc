#include "helio/virt/relay/session.h"

#include <fcntl.h>

#include <gtest/gtest.h>

#include "testing/virt/relay.h"

namespace helio::virt::relay::session_test {

using namespace helio::virt::relay::testing;

namespace {

constexpr std::string_view kNotProd = "deny *:domain=prod-*";

Fd any_fd() { return Fd{open("/dev/null", O_RDONLY | O_CLOEXEC)}; }

bool is_question(const Message& message) {
    return message.header.procedure == kLookupByUuid && message.header.serial >= 0x80000000;
}

// A daemon that answers questions: UUIDs of 1s are prod-1, of 2s test-2. Returns the rest.
std::vector<Message> answer_questions(Talk& talk) {
    std::vector<Message> others;
    while (true) {
        const std::vector<Message> arrived = talk.at_daemon();
        if (arrived.empty()) return others;
        for (const Message& one : arrived) {
            if (!is_question(one)) {
                others.push_back(one);
                continue;
            }
            const int digit = static_cast<int>(one.payload.at(0));
            talk.daemon(reply(kLookupByUuid, one.header.serial,
                              domain(digit == 1 ? "prod-1" : "test-2", digit)));
        }
    }
}

TEST(RelaySession, PassesEverythingAsItCame) {
    Talk talk({}, {.watch_messages = true});
    const Bytes stream = frame::make_virnet_message(
        head(209, 5, VirnetType::stream, VirnetStatus::more), text("data"));
    const Bytes hole = frame::make_virnet_message(
        head(209, 5, VirnetType::stream_hole, VirnetStatus::more), words({0, 4096, 0}));
    const Bytes said =
        call(kConnectOpen, 1, words({0, 0})) + ping() + call(9999, 2) + stream + hole;
    talk.client(said);
    EXPECT_EQ(talk.bytes_at_daemon(), said);
    const Bytes event = frame::make_virnet_message(head(318, 1, VirnetType::message), words({1}));
    const Bytes heard = reply(9999, 2) + event + reply(kConnectOpen, 1) + stream + hole + ping();
    talk.daemon(heard);
    EXPECT_EQ(talk.bytes_at_client(), heard);
    EXPECT_EQ(talk.said, said);
    EXPECT_EQ(talk.heard, heard);
    ASSERT_EQ(talk.ended.size(), 2u);  // in the order of their replies
    EXPECT_EQ(talk.ended[0].procedure, nullptr);
    EXPECT_EQ(talk.ended[0].end, CallRecord::End::good);
    EXPECT_EQ(talk.ended[1].procedure->name, "ConnectOpen");
    EXPECT_EQ(talk.ended[1].arguments, R"({"name": null, "flags": 0})");
    EXPECT_EQ(talk.session().problem(), "");
}

TEST(RelaySession, AnswersWhatIsDeniedByItself) {
    Talk talk({"deny DomainDestroy"}, {.watch_messages = true});
    talk.client(call(kNodeGetInfo, 1) + call(kDomainDestroy, 2, domain("a", 2)) +
                call(kNodeGetInfo, 3));
    const auto passed = talk.at_daemon();
    ASSERT_EQ(passed.size(), 2u);
    EXPECT_EQ(passed[1].header.serial, 3u);
    const auto told = talk.at_client();
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].header, head(kDomainDestroy, 2, VirnetType::reply, VirnetStatus::error));
    EXPECT_EQ(virt::open_error(told[0].payload)->code, virt::VIR_ERR_OPERATION_DENIED);
    EXPECT_EQ(messages_of(talk.heard).size(), 1u);
    ASSERT_EQ(talk.ended.size(), 1u);
    EXPECT_FALSE(talk.ended[0].allowed);
    EXPECT_EQ(talk.ended[0].rule, 1u);
    talk.session().finish();  // the others get no reply
    ASSERT_EQ(talk.ended.size(), 3u);
    EXPECT_EQ(talk.ended[2].end, CallRecord::End::none);
}

// The daemon answers in any order. With one serial for two calls, the audit would show the outcome
// of each as the other's.
TEST(RelaySession, ASerialBelongsToOneCall) {
    Talk talk({});
    talk.client(call(kDomainDestroy, 7, domain("a", 1)) + call(kDomainDestroy, 7, domain("b", 2)) +
                call(kNodeGetInfo, 7));
    EXPECT_EQ(talk.at_daemon().size(), 1u);
    const auto told = talk.at_client();
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0].header, head(kDomainDestroy, 7, VirnetType::reply, VirnetStatus::error));
    EXPECT_EQ(virt::open_error(told[0].payload)->code, virt::VIR_ERR_RPC);
    ASSERT_EQ(talk.ended.size(), 2u);
    EXPECT_FALSE(talk.ended[0].allowed);
    EXPECT_NE(talk.ended[0].arguments.find("\"b\""), std::string::npos);
    EXPECT_NE(talk.ended[0].reason.find("serial 7 is in use"), std::string::npos);
    talk.daemon(reply(kDomainDestroy, 7));
    ASSERT_EQ(talk.ended.size(), 3u);
    EXPECT_TRUE(talk.ended[2].allowed);
    EXPECT_EQ(talk.ended[2].end, CallRecord::End::good);
    EXPECT_NE(talk.ended[2].arguments.find("\"a\""), std::string::npos);
    talk.client(call(kNodeGetInfo, 7));  // it is free again
    EXPECT_EQ(talk.at_daemon().size(), 1u);
}

TEST(RelaySession, AsksTheDaemonForNames) {
    Talk talk({kNotProd});
    talk.client(call(kDomainDestroy, 7, domain("test-2", 1)));  // a lie
    EXPECT_TRUE(answer_questions(talk).empty());
    ASSERT_EQ(talk.ended.size(), 1u);
    EXPECT_FALSE(talk.ended[0].allowed);
    talk.client(call(kDomainDestroy, 8, domain("test-2", 2)));
    const auto passed = answer_questions(talk);
    ASSERT_EQ(passed.size(), 1u);
    EXPECT_EQ(passed[0].header.serial, 8u);
    EXPECT_EQ(passed[0].payload, domain("test-2", 2));
    const auto told = talk.at_client();  // no answers to questions
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].header.serial, 7u);
}

// While a question is open, the client's calls wait, but the daemon's messages pass.
TEST(RelaySession, KeepsTheOrderWhileItAsks) {
    Talk talk({kNotProd});
    talk.client(call(kNodeGetInfo, 0x80000000) + call(kDomainDestroy, 2, domain("test-2", 2)) +
                call(kNodeGetInfo, 3) + ping());
    auto arrived = talk.at_daemon();
    ASSERT_EQ(arrived.size(), 2u);
    const VirnetHeader question = arrived[1].header;
    EXPECT_NE(question.serial, 0x80000000);  // that one is in use
    EXPECT_TRUE(talk.session().is_waiting());
    talk.daemon(ping() + reply(kNodeGetInfo, 0x80000000));
    EXPECT_EQ(talk.at_client().size(), 2u);
    EXPECT_TRUE(talk.at_daemon().empty());
    talk.daemon(reply(kLookupByUuid, question.serial, domain("test-2", 2)));
    arrived = talk.at_daemon();
    ASSERT_EQ(arrived.size(), 3u);
    EXPECT_EQ(arrived[0].header.serial, 2u);
    EXPECT_EQ(arrived[1].header.serial, 3u);
    EXPECT_TRUE(talk.at_client().empty());
}

TEST(RelaySession, ADomainThatTheDaemonDoesNotKnowIsDenied) {
    for (const Bytes& said :
         {frame::make_virnet_message(
              head(kLookupByUuid, 0x80000000, VirnetType::reply, VirnetStatus::error)),
          reply(kLookupByUuid, 0x80000000), reply(kLookupByUuid, 0x80000000, words({99}))}) {
        Talk talk({kNotProd});
        talk.client(call(kDomainDestroy, 2, domain("test-2", 2)));
        EXPECT_EQ(talk.at_daemon().size(), 1u);
        talk.daemon(said);
        EXPECT_TRUE(talk.at_daemon().empty());
        const auto told = talk.at_client();
        ASSERT_EQ(told.size(), 1u);
        EXPECT_EQ(told[0].header.status, VirnetStatus::error);
        EXPECT_FALSE(talk.ended.at(0).allowed);
    }
}

TEST(RelaySession, DescriptorsTravelWithTheirMessage) {
    Talk talk({"deny DomainDestroy"});
    const VirnetHeader with_two = head(kNodeGetInfo, 1, VirnetType::call_with_fds);
    const Bytes zeros(2, std::byte{0});
    talk.client_fds.push_back(any_fd());
    talk.client_fds.push_back(any_fd());
    const int first = talk.client_fds[0].get();
    talk.client(frame::make_virnet_message(with_two, words({2})) + zeros);
    EXPECT_EQ(talk.bytes_at_daemon(), frame::make_virnet_message(with_two, words({2})) + zeros);
    ASSERT_EQ(talk.fds.size(), 2u);
    EXPECT_EQ(talk.fds[0].get(), first);
    EXPECT_TRUE(talk.client_fds.empty());
    // With a reply; those of a denied call are closed.
    talk.fds.clear();
    talk.daemon_fds.push_back(any_fd());
    talk.daemon(
        frame::make_virnet_message(head(kNodeGetInfo, 1, VirnetType::reply_with_fds), words({1})) +
        Bytes(1, std::byte{0}));
    EXPECT_EQ(talk.bytes_at_client().size(), 28u + 4 + 1);
    EXPECT_EQ(talk.fds.size(), 1u);
    talk.fds.clear();
    talk.client_fds.push_back(any_fd());
    talk.client(frame::make_virnet_message(head(kDomainDestroy, 2, VirnetType::call_with_fds),
                                           words({1}) + domain("a", 2)) +
                Bytes(1, std::byte{0}));
    EXPECT_TRUE(talk.at_daemon().empty());
    EXPECT_TRUE(talk.fds.empty());
    EXPECT_TRUE(talk.client_fds.empty());
    EXPECT_EQ(talk.session().problem(), "");
}

TEST(RelaySession, DescriptorsThatDoNotComeEndIt) {
    for (const std::uint32_t count : {1u, 33u}) {
        Talk talk({});
        talk.client(frame::make_virnet_message(head(kNodeGetInfo, 1, VirnetType::call_with_fds),
                                               words({count})) +
                    Bytes(count, std::byte{0}));
        EXPECT_NE(talk.session().problem(), "") << count;
        EXPECT_TRUE(talk.session().has_ended());
        EXPECT_TRUE(talk.at_daemon().empty());
    }
    Talk no_count({});
    no_count.client(frame::make_virnet_message(head(kNodeGetInfo, 1, VirnetType::call_with_fds)));
    EXPECT_NE(no_count.session().problem(), "");
    // TCP carries none: the call fails, and the connection continues.
    Talk tcp({}, {.daemon_takes_descriptors = false});
    tcp.client_fds.push_back(any_fd());
    tcp.client(
        frame::make_virnet_message(head(kNodeGetInfo, 1, VirnetType::call_with_fds), words({1})) +
        Bytes(1, std::byte{0}) + call(kNodeGetInfo, 2));
    EXPECT_EQ(tcp.at_client().size(), 1u);
    EXPECT_EQ(tcp.at_daemon().size(), 1u);
}

TEST(RelaySession, BadMessagesEndIt) {
    const Bytes short_length = words({27}), long_length = words({(32u << 20) + 5});
    const Bytes odd = frame::make_virnet_message(head(kNodeGetInfo, 1, static_cast<VirnetType>(9)));
    const Bytes event = frame::make_virnet_message(head(318, 1, VirnetType::message));
    for (const Bytes& one : {short_length, long_length, odd, event, reply(kNodeGetInfo, 1)}) {
        Talk talk({});
        talk.client(call(kNodeGetInfo, 1) + one + call(kNodeGetInfo, 2));
        EXPECT_TRUE(talk.session().has_ended());
        EXPECT_TRUE(talk.session().problem().starts_with("the client sent "));
        EXPECT_EQ(talk.at_daemon().size(), 1u);
    }
    for (const Bytes& one : {short_length, long_length, odd, call(kNodeGetInfo, 1)}) {
        Talk talk({});
        talk.daemon(ping() + one + ping());
        EXPECT_TRUE(talk.session().problem().starts_with("the daemon sent "));
        EXPECT_EQ(talk.at_client().size(), 1u);
    }
}

// Every way of splitting both streams gives the same result. The daemon answers questions at once.
TEST(RelaySession, CutsNowhereElse) {
    const Bytes from_client = call(kConnectOpen, 1, words({0, 0})) +
                              call(kDomainDestroy, 2, domain("prod-1", 2)) +
                              call(kDomainDestroy, 3, domain("test-2", 2)) + ping();
    const Bytes before =
        reply(kConnectOpen, 1) + ping() + reply(kLookupByUuid, 0x80000000, domain("test-2", 2));
    const Bytes from_daemon =
        before + reply(kLookupByUuid, 0x80000001, domain("test-2", 2)) + reply(kDomainDestroy, 3);
    const auto talked = [&](std::size_t client_cut, std::size_t daemon_cut) {
        Talk talk({kNotProd});
        const auto say = [&](bool client, std::size_t begin, std::size_t end) {
            const Bytes& all = client ? from_client : from_daemon;
            const Bytes part(all.begin() + static_cast<long>(begin),
                             all.begin() + static_cast<long>(end));
            client ? talk.client(part) : talk.daemon(part);
        };
        say(true, 0, client_cut);
        say(true, client_cut, from_client.size());
        const std::size_t first = std::min(daemon_cut, before.size());
        const std::size_t last = std::max(daemon_cut, before.size());
        say(false, 0, first);
        say(false, first, before.size());
        say(false, before.size(), last);
        say(false, last, from_daemon.size());
        return std::pair{talk.bytes_at_daemon(), talk.bytes_at_client()};
    };
    const auto whole = talked(0, 0);
    EXPECT_EQ(messages_of(whole.first).size(), 5u);
    EXPECT_EQ(messages_of(whole.second).size(), 4u);
    for (std::size_t n = 0; n <= from_client.size(); ++n) ASSERT_EQ(talked(n, 0), whole) << n;
    for (std::size_t n = 0; n <= from_daemon.size(); ++n) ASSERT_EQ(talked(0, n), whole) << n;
}

TEST(RelaySession, SaslThatWouldEncryptIsRefused) {
    Talk tcp({}, {.daemon_takes_descriptors = false});
    tcp.client(call(kAuthList, 1) + call(kSaslInit, 2));
    EXPECT_EQ(tcp.at_daemon().size(), 1u);
    const auto told = tcp.at_client();
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(virt::open_error(told[0].payload)->code, virt::VIR_ERR_AUTH_FAILED);
    Talk local({});
    local.client(call(kSaslInit, 2));
    EXPECT_EQ(local.at_daemon().size(), 1u);
}

TEST(RelaySession, TellsThatThereIsNoDaemon) {
    Talk talk({});
    talk.session().daemon_is_unreachable("gone");
    talk.client(call(kAuthList, 1) + call(kAuthList, 2));
    const auto told = talk.at_client();
    ASSERT_EQ(told.size(), 1u);
    EXPECT_NE(virt::open_error(told[0].payload)->message.find("gone"), std::string::npos);
    EXPECT_TRUE(talk.session().has_ended());
}

TEST(RelaySession, ReadsNoFurtherWithTooManyCallsUnderWay) {
    Talk talk({}, {.show_arguments = false});
    Bytes many;
    for (std::uint32_t i = 0; i <= kRelayCallsUnderWayMax; ++i) {
        const Bytes one = call(kNodeGetInfo, i + 1);
        many.insert(many.end(), one.begin(), one.end());
    }
    talk.client(many);
    EXPECT_EQ(talk.at_daemon().size(), kRelayCallsUnderWayMax);
    talk.daemon(reply(kNodeGetInfo, 1));
    EXPECT_EQ(talk.at_daemon().size(), 1u);
}

TEST(RelaySession, ShowsArgumentsWithinBounds) {
    Talk talk({});
    talk.client(
        call(kSecretSetValue, 1, uuid(1) + words({0}) + text("u") + text("key") + words({0})));
    talk.client(call(kLookupByName, 2, text(std::string(1000, 'x'))));
    talk.client(call(kLookupByName, 3, text(std::string(100'000, 'x'))));
    talk.client(call(kLookupByName, 4, words({9})));
    talk.session().finish();
    ASSERT_EQ(talk.ended.size(), 4u);
    for (const CallRecord& one : talk.ended) {
        switch (one.header.serial) {
            case 1:
                EXPECT_EQ(one.arguments + one.note, "(not shown)");
                break;
            case 2:
                EXPECT_TRUE(one.arguments_cut);
                EXPECT_EQ(one.arguments.size(), kRelayShownMax);
                break;
            case 3:
                EXPECT_EQ(one.arguments + one.note, "(100004 bytes)");
                break;
            default:
                EXPECT_TRUE(one.note.starts_with("(undecodable"));
        }
    }
}

}  // namespace
}  // namespace helio::virt::relay::session_test
