// TrustedDirectory: a directory that only we and root can change, held open by its descriptor.
// Files in it are opened relative to that descriptor and never through a symbolic link, so that
// nobody can make us read or overwrite something else instead.
#pragma once

#include <sys/types.h>

#include <string>

#include "helio/base/fd.h"
#include "helio/base/result.h"

namespace helio {

// Why a directory or file was not opened.
struct TrustError {
    int error = 0;     // errno; 0: it exists, but others could have made or changed it
    std::string text;  // a sentence that begins with the path

    bool refused() const { return error == 0; }
};

class TrustedDirectory final {
 public:
    // The directory must belong to us or to root, and be writable by nobody else.
    static Result<TrustedDirectory, TrustError> open(const std::string& path);

    // Opens a regular file that belongs to us or to root and is writable by nobody else. `flags`
    // are those of open(2), without O_TRUNC, which would take effect before the check; `mode` is
    // for a new file. Never blocks, whatever kind of file has the name.
    Result<Fd, TrustError> open_file(const std::string& name, int flags, mode_t mode = 0600) const;
    // Creates an empty file. An existing file of this name is removed first.
    Result<Fd, TrustError> replace_file(const std::string& name, int flags,
                                        mode_t mode = 0600) const;

    const std::string& path() const { return path_; }
    std::string path_of(const std::string& name) const { return path_ + "/" + name; }
    int descriptor() const { return directory_.get(); }

 private:
    TrustedDirectory(std::string path, Fd directory)
        : path_(std::move(path)), directory_(std::move(directory)) {}

    std::string path_;
    Fd directory_;
};

}  // namespace helio
