// Plan: what settings mean on this machine: which directories are shown as what, to whom, and as
// whom callers act, given what this process may do. `--check` prints it, the server carries it out.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"
#include "helio/nfs/exports.h"
#include "helio/serve/settings.h"
#include "helio/serve/state.h"
#include "helio/transport/socket.h"
#include "helio/vfs/file_system.h"

namespace helio::serve {

struct PlannedExport {
    std::string path;    // "/" or "/data"
    std::string source;  // a directory's real path, or "memory:"
    bool in_memory = false;
    bool as_caller = false;        // callers act as themselves, within the rules
    bool opens_by_handle = false;  // of the kernel
    bool sync_metadata = false;
    nfs::ExportRules rules;
};
using Plan = std::vector<PlannedExport>;

// Error: a sentence; a directory that is not there, two exports of one name.
Result<Plan, std::string> make_plan(const Settings& settings);

// Phrases for people.
std::string who_may(const PlannedExport& one);    // "10.0.0.0/8, fe80::/64"
std::string acting_as(const PlannedExport& one);  // "callers act as themselves; …"

// The file systems behind exports. One that is still wanted by the next plan is kept, with all that
// it holds; exports of the same directory share it.
class FileSystems final {
 public:
    // `warn` gets a sentence when an index is another server's.
    FileSystems(const State& state, std::function<void(std::string_view)> warn)
        : state_(state), warn_(std::move(warn)) {}

    // Error: a sentence; nothing has changed then.
    Result<nfs::ExportTable, std::string> make(const Plan& plan);

 private:
    // What makes a file system another one.
    static std::string key_of(const PlannedExport& one);
    struct Made {
        std::shared_ptr<transport::Fd> lock;  // of its index
        std::shared_ptr<vfs::FileSystem> files;
    };
    Made make_one(const PlannedExport& one) const;

    const State& state_;
    std::function<void(std::string_view)> warn_;
    std::map<std::string, Made> made_;
};

}  // namespace helio::serve
