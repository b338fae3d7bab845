// State: the directory for data that must survive a server: the key that seals handles, and the
// state files of back ends.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "helio/base/system/trusted_directory.h"
#include "helio/nfs/wire/handle.h"

namespace helio::serve {

class State final {
 public:
    // Creates the directory (0700) and the key (0600) if they are missing. If they cannot be
    // written, problem() says so, and a temporary key is used. Throws std::runtime_error for an
    // existing key that cannot be used, since another one would make every handle stale; and for a
    // directory or key that others could have made or changed.
    static State open(const std::string& directory);
    // The same without creating anything, for --check: problem() and exceptions are those of
    // open().
    static State inspect(const std::string& directory);

    const std::string& directory() const { return directory_; }
    const nfs::HandleKey& key() const { return key_; }
    bool persistent() const { return problem_.empty(); }
    const std::string& problem() const { return problem_; }
    // The path of a state file, such as the "index" of a source. Empty if nothing can be kept.
    std::string file_of(std::string_view kind, std::string_view source) const;
    // Opens a file beside it, for a lock. Only if file_of() is not empty.
    Result<Fd, TrustError> open_lock_of(std::string_view kind, std::string_view source) const;

 private:
    enum class Missing { create, leave };
    static State open(const std::string& directory, Missing missing);
    void open_directory(const std::string& directory, Missing missing);

    std::string directory_;
    std::optional<TrustedDirectory> folder_;  // that directory; empty: it could not be opened
    nfs::HandleKey key_;
    std::string problem_;
};

}  // namespace helio::serve
