// Plan: the settings applied to this machine: which sources are exported under which paths, to
// which clients, and as which user callers act, given the privileges of this process. `--check`
// prints it, the server executes it. Everything specific to a kind of source comes from its back
// end.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"
#include "helio/base/system/sandbox.h"
#include "helio/nfs/server/exports.h"
#include "helio/serve/config/settings.h"
#include "helio/serve/state/state.h"
#include "helio/vfs/backend.h"

namespace helio::serve {

struct PlannedExport {
    std::string path;                       // "/" or "/data"
    const vfs::Backend* backend = nullptr;  // opens the source
    vfs::SourceRequest request;
    vfs::SourceInfo source;
    nfs::ExportRules rules;
};
using Plan = std::vector<PlannedExport>;

// Errors: every missing directory; two exports of the same name.
Result<Plan, std::vector<ConfigProblem>> make_plan(const Settings& settings,
                                                   const vfs::BackendTable& backends);

// What the sandbox must permit for the exports.
SandboxNeeds needs_of(const Plan& plan);

// Phrases for people.
std::string who_may(const PlannedExport& one);    // "10.0.0.0/8, fe80::/64"
std::string acting_as(const PlannedExport& one);  // "callers act as themselves; …"

// The file systems of the exports. A file system that the next plan still needs is kept with its
// state; exports of the same source share it.
class FileSystems final : private vfs::BackendHost {
 public:
    // `warn` receives the warnings of back ends.
    FileSystems(const State& state, std::function<void(std::string_view)> warn)
        : state_(state), warn_(std::move(warn)) {}

    // Error: a sentence; nothing has changed then.
    Result<nfs::ExportTable, std::string> make(const Plan& plan);
    // Sources whose state file is held by another server, or cannot be locked: handles that need it
    // become invalid when this process ends.
    const std::set<std::string>& without_state() const { return without_state_; }

 private:
    // File systems with equal keys are the same.
    struct Key {
        const vfs::Backend* backend;
        std::string identity;
        vfs::BackendSettings settings;
        auto operator<=>(const Key&) const = default;
    };

    StateFile state_file(std::string_view kind, std::string_view source,
                         std::string_view without_it) override;
    void warn(std::string_view sentence) override { warn_(sentence); }

    const State& state_;
    std::function<void(std::string_view)> warn_;
    std::map<Key, std::shared_ptr<vfs::FileSystem>> made_;
    std::set<std::string> without_state_;
};

}  // namespace helio::serve
