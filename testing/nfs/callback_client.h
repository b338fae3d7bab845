// CallbackClient: a client of NFS 4.1 that reads and writes its connection by hand, so that a test
// sees the server's callbacks and answers them as it likes: well, badly, late or never.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "helio/base/assert.h"
#include "helio/base/fd.h"
#include "helio/xdr/wire.h"
#include "schema/nfs4_cb_service.h"
#include "testing/nfs/compounds.h"
#include "testing/patience.h"

namespace helio::nfs {

// A callback as it came. It owns the bytes that the operations refer to.
struct ReceivedCallback {
    std::unique_ptr<xdr::Arena> arena = std::make_unique<xdr::Arena>();
    std::vector<std::byte> message;
    nfs4_cb::CB_COMPOUND4args args{};

    explicit ReceivedCallback(std::vector<std::byte> bytes) : message(std::move(bytes)) {
        const std::size_t verifier = 32 + (word(7) + 3) / 4 * 4;
        const std::size_t body = verifier + 8 + (word(verifier / 4 + 1) + 3) / 4 * 4;
        xdr::Reader in{ByteView{message}.subspan(body), *arena, xdr::Mode::strict};
        HELIO_ASSERT(decode_CB_COMPOUND4args(in, args) && in.finish());
    }
    std::uint32_t word(std::size_t index) const { return xdr::load_u32(&message.at(4 * index)); }
    std::uint32_t xid() const { return word(0); }
    std::uint32_t program() const { return word(3); }
    std::uint32_t flavor() const { return word(6); }
    const nfs4_cb::CB_SEQUENCE4args& sequence() const { return args.argarray[0].opcbsequence(); }
    const nfs4_cb::CB_NOTIFY_LOCK4args& notice() const {
        return args.argarray[1].opcbnotify_lock();
    }
};

class CallbackClient final {
 public:
    using Bytes = std::vector<std::byte>;
    using Operation = nfs4::nfs_argop4;
    static constexpr std::uint32_t kProgram = 0x4000'1234;

    // `turn` lets the server work, or waits a little for it.
    CallbackClient(Fd socket, std::function<void()> turn)
        : socket_(std::move(socket)), turn_(std::move(turn)) {}

    void use(Fd socket) {
        socket_ = std::move(socket);
        received_.clear();
        callbacks_.clear();
    }
    Fd take_connection() { return std::exchange(socket_, Fd{}); }

    // ---- Messages ----
    void send_bytes(ByteView bytes) {
        while (!bytes.empty()) {
            const ssize_t sent =
                ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent > 0) bytes = bytes.subspan(static_cast<std::size_t>(sent));
            if (sent < 0 && errno != EAGAIN) return;
            if (sent < 0) turn_();
        }
    }
    void send_record(ByteView message) {
        Bytes out(4);
        xdr::store_u32(out.data(), 0x8000'0000u | static_cast<std::uint32_t>(message.size()));
        out.insert(out.end(), message.begin(), message.end());
        send_bytes(out);
    }
    CompoundReply call(const std::vector<Operation>& operations) {
        send_record(compose_compound(credential_, ++xid_, operations));
        for (Bytes* message; (message = next_message()) != nullptr;)
            if (xdr::load_u32(message->data()) == xid_) return CompoundReply{std::move(*message)};
        return {};
    }
    CompoundReply send(std::vector<Operation> operations) {
        operations.insert(operations.begin(),
                          Operation::of_opsequence({session, ++sequence_, 0, 0, false}));
        return call(operations);
    }
    // Waits for a callback; without `wait`, only what has come already.
    std::optional<ReceivedCallback> callback(
        std::chrono::milliseconds wait = std::chrono::milliseconds(kTestPatience)) {
        const auto deadline = std::chrono::steady_clock::now() + wait;
        receive();
        while (callbacks_.empty()) {
            if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
            turn_();
            receive();
        }
        ReceivedCallback out{std::move(callbacks_.front())};
        callbacks_.pop_front();
        return out;
    }
    bool has_callback() {
        receive();
        return !callbacks_.empty();
    }

    // ---- Answers ----
    static Bytes reply(std::uint32_t xid, ByteView results) {
        Bytes out(24);
        xdr::store_u32(out.data(), xid);
        xdr::store_u32(out.data() + 4, 1);
        out.insert(out.end(), results.begin(), results.end());
        return out;
    }
    static nfs4_cb::CB_SEQUENCE4resok good(const ReceivedCallback& callback) {
        const auto& asked = callback.sequence();
        return {asked.csa_sessionid, asked.csa_sequenceid, asked.csa_slotid, 3, 3};
    }
    static Bytes answer(const ReceivedCallback& callback, nfs4::nfsstat4 status,
                        const nfs4_cb::CB_SEQUENCE4resok& ok) {
        using namespace nfs4_cb;
        const nfs_cb_resop4 results[] = {
            nfs_cb_resop4::of_opcbsequence(status == nfs4::NFS4_OK
                                               ? CB_SEQUENCE4res::of_csr_resok4(ok)
                                               : CB_SEQUENCE4res::of(status)),
            nfs_cb_resop4::of_opcbnotify_lock({nfs4::NFS4_OK})};
        xdr::Arena arena;
        xdr::Writer out{arena};
        const std::size_t count = status == nfs4::NFS4_OK ? 2 : 1;
        HELIO_ASSERT(encode_CB_COMPOUND4res(out, {status, {}, {results, count}}));
        return reply(callback.xid(), out.joined());
    }
    void accept(const ReceivedCallback& callback) {
        send_record(answer(callback, nfs4::NFS4_OK, good(callback)));
    }

    // ---- What clients do ----
    void introduce(std::string_view name) {
        nfs4::EXCHANGE_ID4args who{};
        who.eia_clientowner.co_ownerid = as_bytes(name);
        who.eia_state_protect = nfs4::state_protect4_a::of(nfs4::SP4_NONE);
        const auto known = call({Operation::of_opexchange_id(who)});
        const auto& ok = known.results().resarray[0].opexchange_id().eir_resok4();
        client = ok.eir_clientid;
        create_sequence = ok.eir_sequenceid;
    }
    nfs4::CREATE_SESSION4args session_args() const {
        nfs4::CREATE_SESSION4args out{};
        out.csa_clientid = client;
        out.csa_sequence = create_sequence;
        out.csa_flags = nfs4::CREATE_SESSION4_FLAG_CONN_BACK_CHAN;
        out.csa_fore_chan_attrs = {0, 1 << 20, 1 << 20, 4096, 16, 4, {}};
        out.csa_back_chan_attrs = {0, 4096, 4096, 0, 2, 16, {}};
        out.csa_cb_program = kProgram;
        out.csa_sec_parms = {&kNone, 1};
        return out;
    }
    CompoundReply create_session(const nfs4::CREATE_SESSION4args& args) {
        auto made = call({Operation::of_opcreate_session(args)});
        if (made.status() != nfs4::NFS4_OK) return made;
        session = made.results().resarray[0].opcreate_session().csr_resok4().csr_sessionid;
        sequence_ = 0;
        ++create_sequence;
        return made;
    }
    // Introduces itself, makes a session for callbacks, and opens a file.
    void start(std::string_view name) {
        introduce(name);
        HELIO_ASSERT(create_session(session_args()).status() == nfs4::NFS4_OK);
        open();
    }
    void open() {
        nfs4::OPEN4args args{};
        args.share_access = nfs4::OPEN4_SHARE_ACCESS_BOTH;
        args.owner = {client, as_bytes("process")};
        args.openhow = nfs4::openflag4::of_how(
            nfs4::createhow4::of_createattrs(nfs4::UNCHECKED4, nfs4::fattr4{}));
        args.claim = nfs4::open_claim4::of_file("file");
        const auto done = send({Operation::of(nfs4::OP_PUTROOTFH), Operation::of_opopen(args),
                                Operation::of(nfs4::OP_GETFH)});
        HELIO_ASSERT(done.status() == nfs4::NFS4_OK);
        opened = done.results().resarray[2].opopen().resok4().stateid;
        open_flags = done.results().resarray[2].opopen().resok4().rflags;
        const ByteView handle = done.results().resarray[3].opgetfh().resok4().object;
        file = {handle.begin(), handle.end()};
    }
    nfs4::nfsstat4 lock(std::string_view owner, nfs4::nfs_lock_type4 type = nfs4::WRITEW_LT) {
        nfs4::LOCK4args args{};
        args.locktype = type;
        args.length = 10;
        args.locker = nfs4::locker4::of_open_owner({0, opened, 0, {client, as_bytes(owner)}});
        const auto done = send({Operation::of_opputfh({file}), Operation::of_oplock(args)});
        if (done.status() == nfs4::NFS4_OK)
            locked = done.results().resarray[2].oplock().resok4().lock_stateid;
        return done.status();
    }
    nfs4::nfsstat4 unlock() {
        return send({Operation::of_opputfh({file}),
                     Operation::of_oplocku({nfs4::WRITE_LT, 0, locked, 0, 10})})
            .status();
    }
    nfs4::nfsstat4 close_file() {
        return send({Operation::of_opputfh({file}), Operation::of_opclose({0, opened})}).status();
    }
    nfs4::nfsstat4 bind(nfs4::channel_dir_from_client4 direction) {
        return call({Operation::of_opbind_conn_to_session({session, direction, false})}).status();
    }
    // SEQ4_STATUS_… of a SEQUENCE.
    std::uint32_t flags() {
        const auto done = send({});
        HELIO_ASSERT(done.status() == nfs4::NFS4_OK);
        return done.results().resarray[0].opsequence().sr_resok4().sr_status_flags;
    }

    // For a server without threads: a reply that has not come after so many turns will not come.
    std::size_t turns_max = SIZE_MAX;
    nfs4::sessionid4 session{};
    nfs4::clientid4 client = 0;
    std::uint32_t create_sequence = 0;
    nfs4::stateid4 opened{};
    nfs4::stateid4 locked{};
    std::uint32_t open_flags = 0;
    Bytes file;

 private:
    // Takes what has come; callbacks apart. False: the connection is closed.
    bool receive() {
        std::byte room[16384];
        ssize_t got;
        while ((got = ::recv(socket_.get(), room, sizeof room, MSG_DONTWAIT)) > 0)
            received_.insert(received_.end(), room, room + got);
        while (received_.size() >= 12) {
            const std::size_t size = xdr::load_u32(received_.data()) & 0x7fff'ffffu;
            if (received_.size() < 4 + size) break;
            const auto end = received_.begin() + static_cast<std::ptrdiff_t>(4 + size);
            Bytes message{received_.begin() + 4, end};
            received_.erase(received_.begin(), end);
            const bool is_call = xdr::load_u32(message.data() + 4) == 0;
            (is_call ? callbacks_ : replies_).push_back(std::move(message));
        }
        return got != 0;
    }
    // The next reply; nullptr if there will be none.
    Bytes* next_message() {
        const auto deadline = std::chrono::steady_clock::now() + kTestPatience;
        for (std::size_t turns = 0; replies_.empty(); ++turns) {
            if (!receive() && replies_.empty()) return nullptr;
            if (!replies_.empty()) break;
            if (turns >= turns_max || std::chrono::steady_clock::now() > deadline) return nullptr;
            turn_();
        }
        last_ = std::move(replies_.front());
        replies_.pop_front();
        return &last_;
    }

    static inline const nfs4::callback_sec_parms4 kNone = nfs4::callback_sec_parms4::of(0);
    Fd socket_;
    std::function<void()> turn_;
    rpc::ClientCredential credential_ = rpc::ClientCredential::sys(1000, 1000, {}, "test");
    std::uint32_t xid_ = 0;
    std::uint32_t sequence_ = 0;
    Bytes received_;
    Bytes last_;
    std::deque<Bytes> replies_;
    std::deque<Bytes> callbacks_;
};

}  // namespace helio::nfs
