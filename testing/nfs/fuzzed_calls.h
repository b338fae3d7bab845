// FuzzedCalls: makes any sequence of calls to NFS and MOUNT from the input of a fuzz target. The
// server must answer with complete messages that fit their transport, give out only its own
// handles, log lines that are safe for a terminal, and still serve afterwards.
//
// The input is a list of calls: transport and user, program and version, procedure, a length in
// words, and the arguments. Handles cannot be guessed, so the word 0xfeed00NN stands for handle NN
// of those given out so far in version 3's form, 0xfeed01NN in version 2's. For version 4,
// 0xfeed0200 is the SEQUENCE of the next call on slot 0, 0xfeed0201 that of the last one, and
// 0xfeed03NN the stateid NN.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "helio/base/assert.h"
#include "testing/nfs/server.h"

namespace helio::nfs {

class FuzzedCalls final {
 public:
    explicit FuzzedCalls(TestServer& server) : server_(server) {
        const std::size_t exports = server.exports.table()->size();
        for (std::size_t i = 0; i < exports; ++i) handles_.push_back(server.root(i));
        connect();
    }
    // Sees every reply.
    std::function<void(ByteView)> watch;
    // Called instead of an NFS call if the first byte says so.
    std::function<void(unsigned)> interfere;
    static constexpr unsigned kInterferences = 0xf0;  // from here on

    void run(ByteView input) {
        while (input.size() >= 4) {
            const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(input[i]); };
            const std::size_t length = std::min<std::size_t>(at(3) * 4u, input.size() - 4);
            if (interfere && at(0) >= kInterferences)
                interfere(at(0) - kInterferences);
            else
                call(at(0), at(1), at(2), input.subspan(4, length));
            input = input.subspan(4 + length);
        }
        check();
    }

 private:
    static constexpr std::size_t kHandlesMax = 64;
    static constexpr std::uint32_t kLongForm = 0xfeed0000;
    static constexpr std::uint32_t kFixedForm = 0xfeed0100;
    static constexpr std::uint32_t kSequence = 0xfeed0200;
    static constexpr std::uint32_t kStateid = 0xfeed0300;

    // A session of version 4, which calls may use or destroy.
    void connect() {
        using namespace nfs4;
        auto client = server_.v4();
        EXCHANGE_ID4args who{};
        who.eia_clientowner.co_ownerid = as_bytes("fuzz");
        who.eia_state_protect = state_protect4_a::of(SP4_NONE);
        const nfs_argop4 introduce = nfs_argop4::of_opexchange_id(who);
        const auto introduced = client.COMPOUND({"", 1, {&introduce, 1}});
        HELIO_ASSERT(introduced && introduced->status == NFS4_OK);
        const auto& id = introduced->resarray[0].opexchange_id().eir_resok4();
        CREATE_SESSION4args create{};
        create.csa_clientid = id.eir_clientid;
        create.csa_sequence = id.eir_sequenceid;
        create.csa_fore_chan_attrs = {0, 1 << 20, 1 << 20, 4096, 64, 8, {}};
        const nfs_argop4 make = nfs_argop4::of_opcreate_session(create);
        const auto made = client.COMPOUND({"", 1, {&make, 1}});
        HELIO_ASSERT(made && made->status == NFS4_OK);
        session_ = made->resarray[0].opcreate_session().csr_resok4().csr_sessionid;
    }
    void put_sequence(Bytes& out, bool again) const {
        xdr::Arena arena;
        xdr::Writer writer{arena};
        const std::uint32_t number = again && sequence_ > 0 ? sequence_ : sequence_ + 1;
        HELIO_ASSERT(encode_nfs_argop4(
            writer, nfs4::nfs_argop4::of_opsequence({session_, number, 0, 0, sequence_ % 2 == 0})));
        const Bytes bytes = writer.joined();
        out.insert(out.end(), bytes.begin(), bytes.end());
    }
    void put_stateid(Bytes& out, std::uint32_t word) const {
        const nfs4::stateid4 id =
            stateids_.empty() ? nfs4::stateid4{} : stateids_[(word & 0xff) % stateids_.size()];
        const std::size_t at = out.size();
        out.resize(at + 16);
        xdr::store_u32(out.data() + at, id.seqid);
        std::memcpy(out.data() + at + 4, id.other.data(), 12);
    }
    void learn_compound(ByteView results) {
        xdr::Arena arena;
        xdr::Reader in{results, arena, xdr::Mode::strict};
        nfs4::COMPOUND4res done;
        HELIO_ASSERT(decode_COMPOUND4res(in, done) && in.finish());
        for (const nfs4::nfs_resop4& one : done.resarray) {
            if (const auto* sequence = one.if_opsequence();
                sequence != nullptr && sequence->has_sr_resok4())
                sequence_ = sequence->sr_resok4().sr_sequenceid;
            if (const auto* open = one.if_opopen();
                open != nullptr && open->has_resok4() && stateids_.size() < kHandlesMax)
                stateids_.push_back(open->resok4().stateid);
            if (const auto* lock = one.if_oplock();
                lock != nullptr && lock->has_resok4() && stateids_.size() < kHandlesMax)
                stateids_.push_back(lock->resok4().lock_stateid);
            if (const auto* handle = one.if_opgetfh(); handle != nullptr && handle->has_resok4())
                learn_handle(handle->resok4().object);
        }
    }
    void learn_handle(ByteView bytes) {
        HELIO_ASSERT(open_handle(kTestKey, bytes));
        if (handles_.size() >= kHandlesMax) return;
        Handle handle;
        handle.size = static_cast<std::uint8_t>(bytes.size());
        std::memcpy(handle.bytes.data(), bytes.data(), bytes.size());
        handles_.push_back(handle);
    }

    void put_handle(Bytes& out, std::uint32_t word) const {
        const Handle& handle = handles_[(word & 0xff) % handles_.size()];
        if ((word & 0xff00) != 0) {
            out.insert(out.end(), handle.bytes.begin(), handle.bytes.end());
            return;
        }
        const std::size_t at = out.size();
        out.resize(at + 4 + padded(handle.size));
        xdr::store_u32(out.data() + at, handle.size);
        std::memcpy(out.data() + at + 4, handle.bytes.data(), handle.size);
    }
    Bytes arguments_from(ByteView bytes) const {
        Bytes out;
        for (; bytes.size() >= 4; bytes = bytes.subspan(4)) {
            const std::uint32_t word = xdr::load_u32(bytes.data());
            const std::uint32_t form = word & 0xffff'ff00;
            if (form == kLongForm || form == kFixedForm)
                put_handle(out, word);
            else if (form == kSequence)
                put_sequence(out, (word & 0xff) != 0);
            else if (form == kStateid)
                put_stateid(out, word);
            else
                out.insert(out.end(), bytes.begin(), bytes.begin() + 4);
        }
        out.insert(out.end(), bytes.begin(), bytes.end());
        return out;
    }
    // LOOKUP, CREATE and so on: a handle right after the status, or after a presence word.
    void learn(ByteView results) {
        for (const std::size_t at : {std::size_t{4}, std::size_t{8}}) {
            if (handles_.size() >= kHandlesMax || results.size() < at + 4) return;
            const std::uint32_t size = xdr::load_u32(results.data() + at);
            if (size < 12 || size > kHandleMax || results.size() < at + 4 + size) continue;
            if (!open_handle(kTestKey, results.subspan(at + 4, size))) continue;
            Handle handle;
            handle.size = static_cast<std::uint8_t>(size);
            std::memcpy(handle.bytes.data(), results.data() + at + 4, size);
            handles_.push_back(handle);
        }
    }

    void call(unsigned who, unsigned which, unsigned procedure, ByteView bytes) {
        struct Version {
            std::uint32_t program, version;
        };
        static constexpr Version versions[] = {{100003, 3}, {100003, 2}, {100005, 3},
                                               {100005, 1}, {100005, 2}, {100003, 4}};
        const Version& version = versions[which % std::size(versions)];
        const bool udp = who % 4 == 3;
        server_.peer.transport = udp ? rpc::Transport::udp : rpc::Transport::tcp;
        server_.peer.local = udp;  // others are not served over UDP
        const std::uint32_t uid = who % 8 < 4 ? 1000 : 0;
        xdr::Arena arena;
        xdr::Writer out{arena};
        const bool compound = version.version == 4;
        HELIO_ASSERT(rpc::put_call(out, ++xid_, version.program, version.version,
                                   compound ? 1 : procedure % 23,
                                   rpc::ClientCredential::sys(uid, uid, {}, "fuzz")));
        Bytes message = out.joined();
        const Bytes arguments = arguments_from(bytes);
        message.insert(message.end(), arguments.begin(), arguments.end());
        if (udp && message.size() > rpc::kDatagramBytesMax) return;
        const Bytes reply = server_.send(message);
        HELIO_ASSERT(!reply.empty());  // nothing here is busy
        HELIO_ASSERT(!udp || reply.size() <= rpc::kDatagramBytesMax);
        if (watch) watch(reply);
        const auto opened = rpc::open_reply(reply, arena);
        HELIO_ASSERT(opened && opened->xid == xid_);
        HELIO_ASSERT(!opened->error || opened->error->outcome != xdr::Outcome::garbage_reply);
        HELIO_ASSERT(!opened->error || opened->error->outcome != xdr::Outcome::system_error);
        if (opened->error) return;
        if (compound)
            learn_compound(opened->results);
        else
            learn(opened->results);
    }

    void check() {
        for (const std::string& line : server_.lines)
            for (const char byte : line)
                HELIO_ASSERT(static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f);
        const auto root = server_.v3().GETATTR({{handles_[0].view()}});
        HELIO_ASSERT(root && root->has_resok());
    }

    TestServer& server_;
    std::vector<Handle> handles_;
    nfs4::sessionid4 session_{};
    std::uint32_t sequence_ = 0;
    std::vector<nfs4::stateid4> stateids_;
    std::uint32_t xid_ = 0;
};

}  // namespace helio::nfs
