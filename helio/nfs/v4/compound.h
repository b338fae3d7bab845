// Compound: one COMPOUND while it runs (RFC 8881 §16.2): its session, the current and the saved
// file, and the current stateid. Operations are functions in the files beside and below this one:
//
//     nfsstat4 putfh(Compound& compound, const PUTFH4args& args, PUTFH4res& out);
//     Task<nfsstat4> read(Compound& compound, const READ4args& args, READ4res& out);
//
// They return their status. `out` is for success; for a failure it is filled from the status,
// unless the operation has put its own result there (LOCK4denied).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "helio/nfs/server/access.h"
#include "helio/nfs/server/request.h"
#include "helio/nfs/state/state.h"
#include "helio/nfs/v4/context.h"
#include "schema/nfs4.h"

namespace helio::nfs::v4 {

// Bytes of an operation's number and result that room() sets aside for it: what they take besides
// data, names and link texts, or a little more. Exact for those that stand around a READ: Linux's
// client allows 900 bytes beside its data in a reply.
std::size_t result_bytes(nfs4::nfs_opnum4 operation);

class Compound final {
 public:
    Compound(const Context& context, rpc::Call& call)
        : request{context.shared, call}, context_(context), file_{request} {}

    Request request;

    state::State& state() const { return context_.state; }
    const Context& context() const { return context_; }
    state::Instant now() const { return context_.now(); }
    state::Principal principal() const {
        const rpc::Credential& who = request.call().credential;
        return {who.flavor, who.uid};
    }

    // The current file; empty: there is none.
    ByteView current() const { return current_.view(); }
    ByteView saved() const { return saved_.view(); }
    // False: these bytes are too long for one of our handles.
    bool go_to(ByteView handle);
    void leave() {
        current_ = {};
        is_open_ = false;
        current_stateid_.reset();
    }
    // Checks the current file's handle and the caller's rights to its export, once for all
    // operations that want the same. If it returns ok, file() may be used.
    vfs::Status open(Intent intent);
    Access& file() { return file_; }
    // Attributes of the current file that the operation before has read, so that GETATTR does not
    // read them again. Null if there are none, or if the file may have been changed since.
    const vfs::Attributes* fresh_attributes() const { return fresh_ ? &*fresh_ : nullptr; }
    void note_attributes(const vfs::Attributes& attributes) { fresh_ = attributes; }
    void forget_attributes() { fresh_.reset(); }
    void save() {
        saved_ = current_;
        saved_stateid_ = current_stateid_;
    }
    void restore() {
        current_ = saved_;
        is_open_ = false;
        current_stateid_ = saved_stateid_;
    }

    // The stateid that an argument means, which may be the current one. False: there is none.
    bool resolve(const nfs4::stateid4& from, state::StateId& out) const;
    void set_stateid(const state::StateId& id) { current_stateid_ = id; }

    // What a stateid of READ or WRITE stands for, for the current file, which it opens.
    state::Found find(const nfs4::stateid4& stateid, std::uint8_t wanted);
    // The pseudo root has neither open files nor locks: it consists of directories.
    bool is_pseudo(const Export& where) const;
    // NFS4ERR_GRACE: a share reservation that has not been reclaimed yet may forbid this access
    // without an open file (§8.4.2.1).
    nfs4::nfsstat4 check_stateless(const state::StateId& id, std::uint8_t wanted);
    // An open of the current file, or null: for files that have lost their last name.
    std::shared_ptr<vfs::OpenFile> any_open();
    // The state's key of the current file, which is open.
    state::FileKey key() const { return {file_.where().tag, file_.id()}; }

    // Bytes of the reply that are left for the data of this operation, by the transport's and the
    // session's limits. What other operations need besides is set aside.
    std::size_t room() const;
    // The error of an operation whose data does not fit.
    nfs4::nfsstat4 too_big() const {
        return cache_reply ? nfs4::NFS4ERR_REP_TOO_BIG_TO_CACHE : nfs4::NFS4ERR_REP_TOO_BIG;
    }
    void use(std::size_t bytes) { results_bytes_ += bytes; }

    std::shared_ptr<state::Session> session;  // from SEQUENCE on
    std::uint32_t slot = 0;
    bool cache_reply = false;
    std::uint32_t operations = 0;   // in the call
    std::size_t set_aside = 0;      // result_bytes() of all of them
    std::uint64_t fingerprint = 0;  // of the call
    std::size_t request_bytes = 0;
    std::uint32_t minor_version = 0;

    // SEQUENCE recognised a retry: the whole reply of the first time, or that there is none.
    std::optional<std::vector<std::byte>> replay;
    bool uncached_retry = false;

 private:
    const Context& context_;
    std::size_t results_bytes_ = 0;
    Access file_;  // of the current handle
    bool is_open_ = false;
    Intent opened_for_ = Intent::read;
    Handle current_;
    Handle saved_;
    std::optional<state::StateId> current_stateid_;
    std::optional<state::StateId> saved_stateid_;
    std::optional<vfs::Attributes> fresh_;
};

nfs4::stateid4 to_wire(const state::StateId& id);
state::StateId from_wire(const nfs4::stateid4& id);

// For operations that change a directory.
nfs4::change_info4 to_wire(const vfs::Change& change);

}  // namespace helio::nfs::v4
