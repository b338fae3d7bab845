// Client: one client id at a server and the session for blocking calls, plus sessions whose slots a
// run uses. Only the thread that made it uses it; the slots it hands out belong to their takers.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "helio/load/nfs/file_client.h"
#include "helio/load/nfs/v4/compound.h"
#include "helio/xdr/arena.h"
#include "schema/nfs4_service.h"

namespace helio::load::nfs::v4 {

class Client final : public FileClient {
 public:
    explicit Client(const ExportTarget& target);

    const Handle& root() const override { return root_; }
    TransferLimits limits() override;
    Handle look_up(const Handle& directory, const std::string& name) override;
    Handle make_directory(const Handle& parent, const std::string& name) override;
    File make_file(const Handle& parent, const std::string& name, std::uint64_t size) override;
    void remove_file(const Handle& parent, const std::string& name) override;
    void remove_directory(const Handle& parent, const std::string& name) override;
    std::uint32_t write(const File& file, std::uint64_t offset, ByteView data) override;
    void commit(const File& file) override;
    ByteView read(const File& file, std::uint64_t offset, std::uint32_t size) override;
    std::vector<Entry> list(const Handle& directory, Place& place, std::uint32_t reply_bytes,
                            WithAttributes attributes) override;
    void open(File& file) override;
    void close(File& file) override;
    void hold_locks(const std::vector<File>& files, std::uint32_t count) override;
    void release_locks() override;
    void renew() override;
    std::unique_ptr<Calls> make_calls(std::size_t slots) override;
    void end_run() override;
    void leave() override;

    // ---- For the calls of a run ----
    std::uint32_t minor_version() const { return minor_version_; }
    // A number that no other slot of this client has had.
    std::uint64_t next_owner() { return next_owner_++; }
    void close_state(const Handle& file, const nfs4::stateid4& state);
    void unlock_all(const Handle& file, const nfs4::stateid4& state);

 private:
    struct Held {
        Handle file;
        nfs4::stateid4 state;
    };
    struct Session {
        nfs4::sessionid4 id{};
        nfs4::channel_attrs4 fore{};
    };

    void introduce();
    Session create_session(std::uint32_t slots);
    std::vector<SessionSlot> take_slots(std::size_t count);
    void destroy(const nfs4::sessionid4& session);
    nfs4::nfsstat4 destroy_client();
    // Without SEQUENCE. Repeats it while the server asks to wait.
    nfs4::COMPOUND4res send(const std::string& what, std::vector<nfs4::nfs_argop4> operations,
                            SessionSlot* slot = nullptr);
    // In the session; throws unless all operations succeed. `result` is without SEQUENCE, and valid
    // until the next call.
    xdr::Array<nfs4::nfs_resop4> call(const std::string& what,
                                      std::vector<nfs4::nfs_argop4> operations);
    [[noreturn]] void refuse(const std::string& what, const std::string& why) const;
    // Of a result that may not be what was asked for.
    template <class T>
    const T& insist(const std::string& what, const T* result) const;

    const ExportTarget target_;
    const std::uint32_t minor_version_;
    const std::string owner_;
    transport::Client channel_;
    nfs4::NFS_V4::Client nfs_{channel_};
    std::uint64_t verifier_ = 1;  // of this incarnation
    nfs4::clientid4 id_ = 0;
    std::uint32_t create_sequence_ = 0;
    Session session_;
    SessionSlot slot_;
    bool lost_answer_ = false;  // the session's slot may have moved on or not
    std::chrono::seconds lease_{0};
    std::chrono::steady_clock::time_point renewed_;
    std::vector<nfs4::sessionid4> run_sessions_;
    std::vector<SessionSlot> free_slots_;
    std::uint64_t next_owner_ = 0;
    Handle root_;
    std::vector<Held> held_;
    xdr::Arena arena_;
};

// `client` outlives it.
std::unique_ptr<Calls> make_calls(Client& client, std::vector<SessionSlot> slots);

}  // namespace helio::load::nfs::v4
