// RecoveryLog: the clients of NFS 4 that hold state, as a file in the state directory. Lines of
// "+HEX" and "-HEX" are appended; the file is written anew at each start, and when it has become
// much longer than it has to be. A line is on disk before add() returns; a lost "-" only means that
// the next start waits for a client that does not come.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "helio/base/fd.h"
#include "helio/nfs/state/recovery.h"
#include "helio/serve/state/state.h"

namespace helio::serve {

// A file of fewer bytes is not worth writing anew.
inline constexpr std::size_t kRecoveryBytesKept = 1u << 20;

class RecoveryLog final : public nfs::state::Recovery {
 public:
    // Without a place to keep them, or if another server uses it, nothing is recorded; `problem`
    // then says why.
    static std::unique_ptr<nfs::state::Recovery> open(const State& state, std::string& problem);

    std::vector<std::string> recorded() override { return {owners_.begin(), owners_.end()}; }
    bool add(std::string_view owner) override;
    void remove(std::string_view owner) override;

 private:
    using Owners = std::unordered_set<std::string>;
    RecoveryLog(Fd lock, std::string path, Owners owners)
        : lock_(std::move(lock)), path_(std::move(path)), owners_(std::move(owners)) {}
    bool append(char sign, std::string_view owner);
    bool write_anew();

    Fd lock_;
    const std::string path_;
    std::mutex mutex_;
    Fd file_;
    std::size_t bytes_ = 0;       // of the file
    std::size_t write_anew_ = 0;  // at so many bytes
    Owners owners_;
};

// The owners whose last line is a "+". Lines that are not understood are skipped: the last one may
// be cut.
std::unordered_set<std::string> owners_in(std::string_view text);

}  // namespace helio::serve
