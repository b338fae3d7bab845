// RecoveryLog: the clients of NFS 4 that hold state, as a file in the state directory. Lines of
// "+HEX" and "-HEX" are appended; the file is written anew at each start. A line is on disk before
// add() returns; a lost "-" only means that the next start waits for a client that does not come.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/fd.h"
#include "helio/nfs/state/recovery.h"
#include "helio/serve/state/state.h"

namespace helio::serve {

// Lines read at the start; more clients than a server can have at once.
inline constexpr std::size_t kRecoveryLinesMax = 1'000'000;

class RecoveryLog final : public nfs::state::Recovery {
 public:
    // Without a place to keep them, or if another server uses it, nothing is recorded; `problem`
    // then says why.
    static std::unique_ptr<nfs::state::Recovery> open(const State& state, std::string& problem);

    std::vector<std::string> recorded() override { return recorded_; }
    bool add(std::string_view owner) override;
    void remove(std::string_view owner) override;

 private:
    RecoveryLog(Fd lock, Fd file) : lock_(std::move(lock)), file_(std::move(file)) {}
    bool append(char sign, std::string_view owner);

    Fd lock_;
    Fd file_;
    std::mutex mutex_;
    std::vector<std::string> recorded_;
};

// The owners whose last line is a "+". Lines that are not understood are skipped: the last one may
// be cut.
std::vector<std::string> owners_in(std::string_view text);

}  // namespace helio::serve
