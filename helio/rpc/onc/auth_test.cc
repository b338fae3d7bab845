// A flavor of the table, from INIT to DESTROY, with wrapped results and with retransmissions that
// carry another sequence number.
#include "helio/rpc/onc/auth.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "testing/rpc/toy_flavor.h"

namespace helio::rpc::auth_test {
namespace {

using probe::Bytes;
using probe::Core;
using probe::PROBE_V2;
using probe::StreamLine;
using namespace toy;

// The accepted reply's status and results, if its verifier is right.
struct Heard {
    std::optional<xdr::CallError> error;
    std::optional<Bytes> results;
};
Heard open(const Bytes& reply, const ProtectedCall& said) {
    xdr::Arena arena;
    const auto opened = open_reply(reply, arena);
    EXPECT_TRUE(opened && opened->xid == said.xid);
    Heard out;
    out.error = opened->error;
    if (xdr::load_u32(reply.data() + 8) != MSG_ACCEPTED) return out;
    // Verifier: kToy, 8 bytes, the MAC of the sequence number or of the new context.
    EXPECT_EQ(xdr::load_u32(reply.data() + 12), kToy);
    EXPECT_EQ(xdr::load_u32(reply.data() + 16), kMacSize);
    const ByteView verifier = ByteView{reply}.subspan(20, kMacSize);
    EXPECT_TRUE(xdr::same(verifier, mac_of(said.control == kInit ? said.context : said.sequence)));
    if (!out.error)
        out.results = said.control == kData
                          ? unwrapped(said.protection, said.sequence, opened->results)
                          : Bytes{opened->results.begin(), opened->results.end()};
    return out;
}

class Auth : public testing::Test {
 protected:
    ServerOptions options() {
        ServerOptions out = Core::small();
        out.flavors = {toy};
        out.records.record_bytes = 4096;
        return out;
    }
    // The one reply, opened.
    Heard exchange(StreamLine& line, const ProtectedCall& said) {
        line.say(message_of(said));
        const auto replies = line.heard();
        EXPECT_EQ(replies.size(), 1u);
        return replies.empty() ? Heard{} : open(replies[0], said);
    }
    Heard init(StreamLine& line, std::uint32_t expected) {
        return exchange(line, {.control = kInit, .context = expected});
    }
    Bytes pair(std::uint32_t a, std::uint32_t b) {
        Bytes out = xdr::word(a);
        xdr::append(out, xdr::word(b));
        return out;
    }

    std::shared_ptr<Toy> toy = std::make_shared<Toy>();
    Core core{options()};
};

TEST_F(Auth, TheFlavorAnswersItsOwnMessages) {
    StreamLine line{core};
    const Heard made = init(line, 1);
    EXPECT_EQ(made.results, xdr::word(1));
    EXPECT_EQ(exchange(line, {.control = kDestroy, .context = 1, .sequence = 1}).results, Bytes{});
    const Heard gone = exchange(line, {.context = 1, .sequence = 2});
    ASSERT_TRUE(gone.error);
    EXPECT_EQ(gone.error->outcome, xdr::Outcome::auth_error);
    EXPECT_EQ(std::get<xdr::CallError::AuthStatus>(gone.error->reason).number,
              static_cast<std::uint32_t>(AUTH_REJECTEDCRED));
}

TEST_F(Auth, ArgumentsAndResultsAreProtected) {
    StreamLine line{core};
    init(line, 1);
    std::uint32_t sequence = 0;
    for (const Protection protection : {kPlain, kIntegrity, kPrivacy}) {
        const Heard added = exchange(line, {.procedure = 1,
                                            .sequence = ++sequence,
                                            .protection = protection,
                                            .arguments = pair(40, 2)});
        EXPECT_EQ(added.results, xdr::word(42)) << protection;
        const Heard nothing =
            exchange(line, {.procedure = 0, .sequence = ++sequence, .protection = protection});
        EXPECT_EQ(nothing.results, Bytes{}) << protection;
        const Heard who =
            exchange(line, {.procedure = 13, .sequence = ++sequence, .protection = protection});
        ASSERT_TRUE(who.results);
        EXPECT_EQ(xdr::load_u32(who.results->data()), kToy);
        EXPECT_EQ(xdr::load_u32(who.results->data() + 4), 1u);
    }
}

TEST_F(Auth, WhatIsForgedOrRepeatedRunsNothing) {
    StreamLine line{core};
    init(line, 1);
    const Heard forged =
        exchange(line, {.procedure = 3, .sequence = 1, .arguments = xdr::word(5), .forged = true});
    ASSERT_TRUE(forged.error);
    EXPECT_EQ(std::get<xdr::CallError::AuthStatus>(forged.error->reason).number,
              static_cast<std::uint32_t>(AUTH_BADVERF));
    // Its arguments changed on the way.
    Bytes changed = message_of(
        {.procedure = 3, .sequence = 2, .protection = kIntegrity, .arguments = xdr::word(5)});
    changed[changed.size() - 18] ^= std::byte{1};
    line.say(changed);
    EXPECT_EQ(line.heard().size(), 1u);
    // A sequence number that was used is not answered at all (RFC 2203 §5.3.3.1).
    EXPECT_EQ(exchange(line, {.procedure = 3, .sequence = 3, .arguments = xdr::word(5)}).results,
              xdr::word(5));
    line.say(message_of({.procedure = 3, .sequence = 3, .arguments = xdr::word(5)}));
    EXPECT_TRUE(line.heard().empty());
    EXPECT_EQ(core.service.sum, 5);
}

TEST_F(Auth, AContextBelongsToItsConnection) {
    StreamLine other{core, 8};
    {
        StreamLine line{core};
        init(line, 1);
        init(other, 2);
        EXPECT_EQ(ToyState::alive, 2);
        EXPECT_TRUE(exchange(other, {.context = 1, .sequence = 1}).error);
        EXPECT_FALSE(exchange(other, {.context = 2, .sequence = 1}).error);
    }
    EXPECT_EQ(ToyState::alive, 1);
}

TEST_F(Auth, OtherEndsHaveAVerifierToo) {
    StreamLine line{core};
    init(line, 1);
    struct Row {
        std::uint32_t procedure;
        Bytes arguments;
        xdr::Outcome outcome;
    };
    std::uint32_t sequence = 0;
    for (const Row& row : {Row{99, {}, xdr::Outcome::procedure_unavailable},
                           Row{1, xdr::word(1), xdr::Outcome::garbage_arguments},
                           Row{8, {}, xdr::Outcome::system_error}}) {
        const Heard heard = exchange(line, {.procedure = row.procedure,
                                            .sequence = ++sequence,
                                            .protection = kIntegrity,
                                            .arguments = row.arguments});
        ASSERT_TRUE(heard.error) << row.procedure;
        EXPECT_EQ(heard.error->outcome, row.outcome) << row.procedure;
    }
}

TEST_F(Auth, ACallThatWaitsIsProtectedWhenItEnds) {
    auto line = std::make_unique<StreamLine>(core);
    init(*line, 1);
    const ProtectedCall said{.procedure = 4,
                             .sequence = 1,
                             .protection = kPrivacy,
                             .arguments = opaque(as_bytes("later"))};
    line->say(message_of(said));
    EXPECT_TRUE(line->heard().empty());
    core.service.gate.let_all_go();
    const auto replies = line->heard();
    ASSERT_EQ(replies.size(), 1u);
    EXPECT_EQ(open(replies[0], said).results, opaque(as_bytes("later")));
    // The connection closes first: its state stays for the call that holds it.
    line->say(message_of({.xid = 2,
                          .procedure = 5,
                          .sequence = 2,
                          .protection = kPrivacy,
                          .arguments = xdr::word(3)}));
    line.reset();
    EXPECT_EQ(ToyState::alive, 1);
    core.service.gate.let_all_go();
    EXPECT_EQ(core.service.sum, 3);
    EXPECT_EQ(ToyState::alive, 0);
}

// RFC 2203 §5.3.3.1: a retransmission has a new sequence number, so that its bytes differ.
TEST_F(Auth, ARetransmissionRunsOnceAndIsProtectedAnew) {
    StreamLine line{core};
    init(line, 1);
    init(line, 2);
    std::uint32_t sequence = 0;
    for (const Protection protection : {kPlain, kIntegrity, kPrivacy}) {
        ProtectedCall said{.xid = 100u + protection,
                           .procedure = 3,
                           .protection = protection,
                           .arguments = xdr::word(10)};
        const int before = core.service.sum;
        for (int i = 0; i < 3; ++i) {
            said.sequence = ++sequence;
            EXPECT_EQ(exchange(line, said).results,
                      xdr::word(static_cast<std::uint32_t>(before) + 10));
        }
        EXPECT_EQ(core.service.sum, before + 10);
        // Another client's call that looks the same.
        said.context = 2;
        EXPECT_EQ(exchange(line, said).results, xdr::word(static_cast<std::uint32_t>(before) + 20));
    }
}

// However much the flavor adds, results that are made to fit do fit.
TEST_F(Auth, TheFlavorsShareOfAReplyIsCounted) {
    StreamLine line{core};
    init(line, 1);
    constexpr std::size_t kHeader = 24;
    std::uint32_t sequence = 0;
    for (const Protection protection : {kPlain, kIntegrity, kPrivacy}) {
        const std::size_t share = protection == kPlain ? 8 : protection == kIntegrity ? 28 : 16;
        // BLANK's results are a length and that many bytes.
        const auto fits = static_cast<std::uint32_t>(4096 - kHeader - share - 4);
        for (const std::uint32_t size : {fits, fits + 4}) {
            const Heard heard = exchange(line, {.procedure = 15,
                                                .sequence = ++sequence,
                                                .protection = protection,
                                                .arguments = xdr::word(size)});
            EXPECT_EQ(heard.error.has_value(), size > fits) << protection << ' ' << size;
        }
    }
}

// A piece of a file is read if its bytes are needed here.
class FileService final : public PROBE_V2::Service {
 public:
    FileService() {
        EXPECT_EQ(write(file.get(), "0123456789", 10), 10);
        piece = {file.get(), 2};
    }
    probe::probe_slice SLICE(xdr::CallContext& context, const std::uint32_t& size) override {
        was_offered = call_of(context).sends_files;
        room = call_of(context).results_bytes_max();
        return {Payload{piece, size}};
    }
    const Fd file{memfd_create("piece", MFD_CLOEXEC)};
    FilePiece piece;
    bool was_offered = false;
    std::size_t room = 0;
};

TEST_F(Auth, PiecesOfFilesAreReadToBeProtected) {
    FileService service;
    Server server{options()};
    server.add(service);
    Worker worker{server};
    struct Owner final : Session::Owner {
        void output_ready() override {}
        std::shared_ptr<DuplicateCache::Waiter> make_waiter(const Peer&) override { return {}; }
    } owner;
    StreamSession session{worker, owner, server.make_envelope(), probe::peer_at(7)};
    const auto exchange_one = [&](const ProtectedCall& said) {
        const Bytes record = StreamLine::record(message_of(said));
        const BufferRef buffer = worker.buffers().take(record.size());
        std::copy(record.begin(), record.end(), buffer->bytes.get());
        session.receive(buffer, {buffer->bytes.get(), record.size()});
        Bytes reply = session.take_output()->writer->joined();
        reply.erase(reply.begin(), reply.begin() + 4);
        return open(reply, said);
    };
    exchange_one({.control = kInit, .context = 1});
    const Heard plain = exchange_one({.procedure = 17, .sequence = 1, .arguments = xdr::word(5)});
    EXPECT_EQ(plain.results, opaque(as_bytes("23456")));
    EXPECT_TRUE(service.was_offered);
    EXPECT_EQ(service.room, 4096u - 24 - 8);
    const Heard secret = exchange_one(
        {.procedure = 17, .sequence = 2, .protection = kPrivacy, .arguments = xdr::word(5)});
    EXPECT_EQ(secret.results, opaque(as_bytes("23456")));
    EXPECT_FALSE(service.was_offered);
    EXPECT_EQ(service.room, 4096u - 24 - 16);
}

// Every message cut at every byte: refused or ignored, and never more than the procedure did.
TEST_F(Auth, EveryTruncationIsRefused) {
    StreamLine line{core};
    init(line, 1);
    std::uint32_t sequence = 0;
    for (const Protection protection : {kPlain, kIntegrity, kPrivacy}) {
        const std::size_t size =
            message_of({.procedure = 3, .protection = protection, .arguments = xdr::word(1)})
                .size();
        for (std::size_t cut = 0; cut < size; ++cut) {
            Bytes message = message_of({.xid = 7,
                                        .procedure = 3,
                                        .sequence = ++sequence,
                                        .protection = protection,
                                        .arguments = xdr::word(1)});
            message.resize(cut);
            line.say(message);
            for (const Bytes& reply : line.heard()) {
                xdr::Arena arena;
                const auto opened = open_reply(reply, arena);
                ASSERT_TRUE(opened && opened->error) << protection << ' ' << cut;
            }
        }
    }
    EXPECT_EQ(core.service.sum, 0);
}

}  // namespace
}  // namespace helio::rpc::auth_test
