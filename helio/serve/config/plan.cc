#include "helio/serve/config/plan.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <stdexcept>

#include <fmt/format.h>

#include "helio/base/fd.h"
#include "helio/serve/config/backends.h"

namespace helio::serve {
namespace {

nfs::ExportRules to_rules(const RuleSettings& said) {
    nfs::ExportRules rules;
    rules.read_only = said.read_only.value_or(rules.read_only);
    rules.squash = said.squash.value_or(rules.squash);
    rules.anonymous_uid = said.anonymous_uid.value_or(rules.anonymous_uid);
    rules.anonymous_gid = said.anonymous_gid.value_or(rules.anonymous_gid);
    if (said.allowed) rules.allowed = *said.allowed;
    rules.udp = said.udp.value_or(rules.udp);
    return rules;
}

}  // namespace

namespace {

Result<PlannedExport, std::string> plan_export(const ExportSettings& said, const Settings& settings,
                                               const std::string& path,
                                               const vfs::BackendTable& backends) {
    PlannedExport one;
    one.path = path;
    one.rules = to_rules(settings.rules.overlaid_with(said.rules));
    one.request.source = said.source;
    one.request.export_path = path;
    one.request.sync_metadata = settings.sync_metadata.value_or(false);
    one.request.settings = said.settings;
    one.backend = backends.find(said.source);
    if (!one.backend) return fail(fmt::format("'{}' {}", said.source, not_a_source(backends)));
    auto source = one.backend->inspect(one.request);
    if (!source) return fail(std::move(source.error()));
    one.source = std::move(*source);
    if (!one.source.acts_as_callers) {
        // Files are accessed as our own user, whatever a caller claims: so the rules squash all.
        one.rules.squash = nfs::Squash::all;
        one.rules.anonymous_uid = geteuid();
        one.rules.anonymous_gid = getegid();
    }
    return one;
}

}  // namespace

Result<Plan, std::vector<ConfigProblem>> make_plan(const Settings& settings,
                                                   const vfs::BackendTable& backends) {
    const auto paths = mount_paths(settings.exports, backends);
    if (!paths) return fail(std::vector<ConfigProblem>{paths.error()});
    Plan plan;
    std::vector<ConfigProblem> problems;
    for (std::size_t i = 0; i < settings.exports.size(); ++i) {
        const ExportSettings& said = settings.exports[i];
        auto one = plan_export(said, settings, (*paths)[i], backends);
        if (one)
            plan.push_back(std::move(*one));
        else
            problems.push_back({said.line, said.column, std::move(one.error())});
    }
    if (!problems.empty()) return fail(std::move(problems));
    return plan;
}

SandboxNeeds needs_of(const Plan& plan) {
    SandboxNeeds needs;
    for (const PlannedExport& one : plan) {
        auto& paths = one.rules.read_only ? needs.readable : needs.writable;
        paths.insert(paths.end(), one.source.paths.begin(), one.source.paths.end());
        needs.opens_by_handle |= one.source.opens_by_handle;
        needs.act_as_others |= one.source.changes_identity;
    }
    return needs;
}

std::string who_may(const PlannedExport& one) {
    if (one.rules.allowed.empty()) return "every client that can reach this server";
    std::string text;
    for (const auto& network : one.rules.allowed)
        text += (text.empty() ? "" : ", ") + nfs::to_text(network);
    return text;
}

std::string acting_as(const PlannedExport& one) {
    const auto& rules = one.rules;
    if (!one.source.acts_as_callers)
        return fmt::format(
            "all access is as uid {} gid {}, the user who runs the server; acting as each caller "
            "needs root",
            rules.anonymous_uid, rules.anonymous_gid);
    const std::string anonymous =
        fmt::format("uid {} gid {}", rules.anonymous_uid, rules.anonymous_gid);
    switch (rules.squash) {
        case nfs::Squash::all:
            return "all callers are mapped to " + anonymous;
        case nfs::Squash::root:
            return "callers act as the uid they send; root is mapped to " + anonymous;
        case nfs::Squash::none:
            return "callers act as the uid they send, including root";
    }
    return {};
}

vfs::BackendHost::StateFile FileSystems::state_file(std::string_view kind, std::string_view source,
                                                    std::string_view without_it) {
    StateFile file;
    file.path = state_.file_of(kind, source);
    if (file.path.empty()) return file;
    without_state_.insert(std::string{source});
    // Two servers writing to one file would corrupt it. The lock ends with its process.
    auto opened = state_.open_lock_of(kind, source);
    if (!opened) {
        warn_(fmt::format("cannot lock the {} of {}: {}; {}", kind, source, opened.error().text,
                          without_it));
        return {};
    }
    auto lock = std::make_shared<Fd>(std::move(*opened));
    if (flock(lock->get(), LOCK_EX | LOCK_NB) != 0) {
        warn_(fmt::format(
            "another server uses the {} of {} in {}: {}; give this server its own --state", kind,
            source, state_.directory(), without_it));
        return {};
    }
    file.lock = std::move(lock);
    without_state_.erase(std::string{source});
    return file;
}

Result<nfs::ExportTable, std::string> FileSystems::make(const Plan& plan) {
    decltype(made_) wanted;
    nfs::ExportTable table;
    for (const PlannedExport& one : plan) {
        const Key key{one.backend, one.source.identity, one.request.settings};
        auto& files = wanted[key];
        if (!files) {
            const auto kept = made_.find(key);
            try {
                files = kept != made_.end() ? kept->second
                                            : one.backend->open(one.request, one.source, *this);
            } catch (const std::exception& error) {
                return fail(fmt::format("{}: {}", one.source.source, error.what()));
            }
        }
        nfs::Export entry;
        entry.path = one.path;
        entry.source = one.source.source;
        entry.rules = one.rules;
        entry.files = files;
        table.push_back(std::move(entry));
    }
    made_ = std::move(wanted);
    return table;
}

}  // namespace helio::serve
