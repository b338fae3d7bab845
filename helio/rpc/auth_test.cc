// A flavor of the table, from INIT to DESTROY, with everything that RPCSEC_GSS (RFC 2203) asks of
// an envelope: contexts that belong to a connection, sequence numbers, verifiers over headers,
// results that are wrapped for integrity or privacy, retransmissions with another sequence number.
// Its cryptography is none: a keyed hash, and XOR.
#include "helio/rpc/auth.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <set>

#include "helio/base/siphash.h"
#include "helio/rpc/probe_for_test.h"
#include "helio/xdr/plain.h"
#include "schema/rpc.h"

namespace helio::rpc {
namespace {

using probe::Bytes;
using probe::Core;
using probe::PROBE_V2;
using probe::StreamLine;

constexpr std::uint32_t kToy = 300'000;
enum Control : std::uint32_t { kInit, kData, kDestroy };
enum Protection : std::uint32_t { kPlain, kIntegrity, kPrivacy };
constexpr std::size_t kMacSize = 8;

Bytes mac(ByteView bytes) {
    const std::uint64_t hash = siphash24(11, 22, bytes);
    Bytes out(kMacSize);
    std::memcpy(out.data(), &hash, kMacSize);
    return out;
}
Bytes mac_of(std::uint32_t word) { return mac(xdr::word(word)); }

Bytes scrambled(ByteView bytes) {
    Bytes out{bytes.begin(), bytes.end()};
    for (std::byte& one : out) one ^= std::byte{0x5a};
    return out;
}

Bytes opaque(ByteView body) {
    Bytes out = xdr::word(static_cast<std::uint32_t>(body.size()));
    xdr::append(out, body);
    out.resize(4 + padded(body.size()));
    return out;
}

// sequence + content, as the wire has them.
Bytes wrapped(Protection protection, std::uint32_t sequence, ByteView content) {
    if (protection == kPlain) return {content.begin(), content.end()};
    Bytes body = xdr::word(sequence);
    xdr::append(body, content);
    if (protection == kPrivacy) return opaque(scrambled(body));
    Bytes out = opaque(body);
    xdr::append(out, opaque(mac(body)));
    return out;
}

// The content; nothing when it is not what it should be.
std::optional<Bytes> unwrapped(Protection protection, std::uint32_t sequence, ByteView bytes) {
    if (protection == kPlain) return Bytes{bytes.begin(), bytes.end()};
    xdr::Arena arena;
    xdr::Reader in{bytes, arena};
    ByteView body, sum;
    if (!xdr::decode_plain(in, body)) return std::nullopt;
    if (protection == kIntegrity && !xdr::decode_plain(in, sum)) return std::nullopt;
    if (!in.finish()) return std::nullopt;
    Bytes plain{body.begin(), body.end()};
    if (protection == kPrivacy) plain = scrambled(body);
    if (protection == kIntegrity && !xdr::same(sum, mac(body))) return std::nullopt;
    if (plain.size() < 4 || xdr::load_u32(plain.data()) != sequence) return std::nullopt;
    plain.erase(plain.begin(), plain.begin() + 4);
    return plain;
}

struct ToyState final : AuthState {
    std::map<std::uint32_t, std::set<std::uint32_t>> contexts;  // and sequence numbers they used
    static inline int alive = 0;
    ToyState() { ++alive; }
    ~ToyState() override { --alive; }
};

class ToySecurity final : public CallSecurity {
 public:
    ToySecurity(Call& call, Control control, std::uint32_t context, std::uint32_t sequence,
                Protection protection)
        : call_(call),
          control_(control),
          context_(context),
          sequence_(sequence),
          protection_(protection) {}

    std::uint64_t caller() const override { return context_; }
    std::size_t reply_bytes() const override {
        const std::size_t wrapping = protection_ == kPlain       ? 0
                                     : protection_ == kIntegrity ? 4 + 4 + 4 + kMacSize
                                                                 : 4 + 4;
        return kMacSize + wrapping;
    }
    Verifier verifier() override {
        verifier_ = mac_of(control_ == kInit ? context_ : sequence_);
        return {kToy, verifier_};
    }
    Results results() const override {
        if (control_ != kData) return Results::own;
        return protection_ == kPlain ? Results::plain : Results::protected_;
    }
    bool put_results(ByteView plain, xdr::Writer& out) override {
        if (control_ == kInit) return xdr::encode_plain(out, context_);
        if (control_ == kDestroy) return true;
        return out.append(wrapped(protection_, sequence_, plain));
    }

 private:
    Call& call_;
    const Control control_;
    const std::uint32_t context_;
    const std::uint32_t sequence_;
    const Protection protection_;
    Bytes verifier_;
};

class Toy final : public AuthFlavor {
 public:
    std::uint32_t number() const override { return kToy; }
    Refusal accept(const Presented& presented, std::unique_ptr<AuthState>& kept, Call& call,
                   ByteView& arguments) override {
        if (presented.credential.size() != 16) return {Refusal::Kind::auth_error, AUTH_BADCRED};
        const auto word = [&](std::size_t i) {
            return xdr::load_u32(presented.credential.data() + 4 * i);
        };
        if (!kept) kept = std::make_unique<ToyState>();
        auto& state = static_cast<ToyState&>(*kept);
        std::uint32_t context = word(1);
        if (word(0) == kInit) {
            context = ++made;
            state.contexts[context];
        } else {
            if (presented.verifier_flavor != kToy ||
                !xdr::same(presented.verifier, mac(presented.header)))
                return {Refusal::Kind::auth_error, AUTH_BADVERF};
            const auto found = state.contexts.find(context);
            if (found == state.contexts.end())
                return {Refusal::Kind::auth_error, AUTH_REJECTEDCRED};
            if (!found->second.insert(word(2)).second) return {Refusal::Kind::ignore};
            if (word(0) == kDestroy) state.contexts.erase(found);
        }
        const auto protection = static_cast<Protection>(word(3));
        if (word(0) == kData) {
            const auto plain = unwrapped(protection, word(2), arguments);
            if (!plain) return {Refusal::Kind::garbage_arguments};
            auto* const copy = call.arena().make<std::byte>(plain->size());
            std::copy(plain->begin(), plain->end(), copy);
            arguments = {copy, plain->size()};
        }
        call.credential.uid = context;
        call.security = std::make_unique<ToySecurity>(call, static_cast<Control>(word(0)), context,
                                                      word(2), protection);
        return {};
    }
    std::uint32_t made = 0;
};

struct Said {
    std::uint32_t xid = 1;
    std::uint32_t procedure = 0;
    Control control = kData;
    std::uint32_t context = 1;
    std::uint32_t sequence = 0;
    Protection protection = kPlain;
    Bytes arguments = {};
    bool forged = false;
};

Bytes message_of(const Said& said) {
    Bytes out;
    for (const std::uint32_t one :
         {said.xid, 0u, 2u, PROBE_V2::program, PROBE_V2::version, said.procedure, kToy, 16u,
          static_cast<std::uint32_t>(said.control), said.context, said.sequence,
          static_cast<std::uint32_t>(said.protection)})
        xdr::append(out, xdr::word(one));
    Bytes verifier = mac(out);
    if (said.forged) verifier[3] ^= std::byte{1};
    if (said.control == kInit) {
        xdr::append(out, xdr::word(0));
        xdr::append(out, xdr::word(0));
    } else {
        xdr::append(out, xdr::word(kToy));
        xdr::append(out, opaque(verifier));
    }
    xdr::append(out, said.control == kData ? wrapped(said.protection, said.sequence, said.arguments)
                                           : said.arguments);
    return out;
}

// What was answered: the accepted reply's status and results, if its verifier is right.
struct Heard {
    std::optional<xdr::CallError> error;
    std::optional<Bytes> results;
};
Heard open(const Bytes& reply, const Said& said) {
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
    Heard exchange(StreamLine& line, const Said& said) {
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
    EXPECT_EQ(gone.error->low, static_cast<std::uint32_t>(AUTH_REJECTEDCRED));
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
    EXPECT_EQ(forged.error->low, static_cast<std::uint32_t>(AUTH_BADVERF));
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
    const Said said{.procedure = 4,
                    .sequence = 1,
                    .protection = kPrivacy,
                    .arguments = opaque(as_bytes("later"))};
    line->say(message_of(said));
    EXPECT_TRUE(line->heard().empty());
    core.service.gate.let_all_go();
    const auto replies = line->heard();
    ASSERT_EQ(replies.size(), 1u);
    EXPECT_EQ(open(replies[0], said).results, opaque(as_bytes("later")));
    // The connection goes first: its state stays for the call that holds it.
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
        Said said{.xid = 100u + protection,
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
        // Somebody else's call only looks the same.
        said.context = 2;
        EXPECT_EQ(exchange(line, said).results, xdr::word(static_cast<std::uint32_t>(before) + 20));
    }
}

// However much the flavor adds, results that are made to fit do.
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

// A piece of a file is read when somebody has to look at its bytes.
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
    const auto exchange_one = [&](const Said& said) {
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
}  // namespace helio::rpc
