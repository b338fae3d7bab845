// The file systems that the conformance suite and the model check run over. A new back end is one
// more entry in backends.cc; its Traits list legitimate differences.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "helio/vfs/file_system.h"

namespace helio::tests {

struct Traits {
    // Acts as each caller. Otherwise everything is done as the server's own user.
    bool identities = true;
    // Calls of uid 0 have the superuser's rights: to give files away and make devices.
    bool superuser = true;
    // Two changes never have the same time. Otherwise the clock advances in steps of some
    // milliseconds.
    bool distinct_times = true;
    // The attributes before a change are always known.
    bool knows_before = true;
    // ids and exclusive creates outlive the process.
    bool survives_restart = false;
    // Exclusive creates are distinguished by all 64 bits, not only by twice 31 as in times.
    bool whole_verifiers = true;
};

// One file system, empty at first; it is destroyed with this object.
class Instance {
 public:
    virtual ~Instance() = default;
    virtual vfs::FileSystem& fs() = 0;
    // Reopens the same files, as after a restart of the server.
    virtual void restart() {}
    // Where other programs find its files, or empty.
    virtual std::string path() const { return {}; }
};

// A new directory below the system's temporary one, removed with this object.
class TemporaryDirectory {
 public:
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    const std::string& path() const { return path_; }

 private:
    std::string path_;
};

struct Backend {
    std::string name;
    Traits traits;
    std::function<std::unique_ptr<Instance>()> make;
    bool privileged = false;  // available only to the superuser
};
inline void PrintTo(const Backend& backend, std::ostream* out) { *out << backend.name; }

// Those available to the user who runs this.
const std::vector<Backend>& backends();

// A fixed sequence of varied bytes.
std::string pattern(std::size_t size, unsigned seed = 1);

}  // namespace helio::tests
