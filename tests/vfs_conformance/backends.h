// The file systems that the conformance suite and the model check run over. A new back end is one
// more entry in backends.cc, and what it may legitimately do otherwise is said in its Traits.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "helio/vfs/file_system.h"

namespace helio::tests {

struct Traits {
    // Callers are who they say they are. Otherwise all is done as the server's own user.
    bool identities = true;
    // What is done for uid 0 is done with the superuser's rights: it gives files away, makes
    // devices.
    bool superuser = true;
    // Two changes never have the same time. Otherwise the clock goes in steps of some milliseconds.
    bool distinct_times = true;
    // What was before a change is always known.
    bool knows_before = true;
    // ids and exclusive creates outlive the process.
    bool survives_restart = false;
    // Exclusive creates are told apart by all 64 bits, not only by twice 31 as times have them.
    bool whole_verifiers = true;
};

// One file system, empty, and gone with this.
class Instance {
 public:
    virtual ~Instance() = default;
    virtual vfs::FileSystem& fs() = 0;
    // The same files as after a restart of the server.
    virtual void restart() {}
    // Where other programs find its files; empty: nowhere.
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
    bool privileged = false;  // to be had by the superuser only
};
inline void PrintTo(const Backend& backend, std::ostream* out) { *out << backend.name; }

// Those that can be had by the user who runs this.
const std::vector<Backend>& backends();

// Bytes that are unlike each other and the same every time.
std::string pattern(std::size_t size, unsigned seed = 1);

}  // namespace helio::tests
