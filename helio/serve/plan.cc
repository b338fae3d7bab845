#include "helio/serve/plan.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "helio/backend/memory/memory_fs.h"
#include "helio/backend/posix/posix_fs.h"

namespace helio::serve {
namespace {

Result<std::string, std::string> real_directory(const std::string& path) {
    std::error_code error;
    const auto real = std::filesystem::canonical(path, error);
    if (error) return fail(fmt::format("{}: {}", path, error.message()));
    // By asking, not by opening: Landlock may stand before it, which has words of its own.
    if (!std::filesystem::is_directory(real, error))
        errno = ENOTDIR;
    else if (access(real.c_str(), R_OK | X_OK) == 0)
        return real.string();
    return fail(fmt::format("{}: {}", path, std::strerror(errno)));
}

nfs::ExportRules to_rules(const RuleSettings& said) {
    nfs::ExportRules rules;
    rules.read_only = said.read_only.value_or(rules.read_only);
    rules.squash = said.squash.value_or(rules.squash);
    rules.anonymous_uid = said.anonymous_uid.value_or(rules.anonymous_uid);
    rules.anonymous_gid = said.anonymous_gid.value_or(rules.anonymous_gid);
    if (said.allowed) rules.allowed = *said.allowed;
    return rules;
}

}  // namespace

Result<Plan, std::string> make_plan(const Settings& settings) {
    const auto paths = mount_paths(settings.exports);
    if (!paths) return fail(paths.error());
    Plan plan;
    for (std::size_t i = 0; i < settings.exports.size(); ++i) {
        const ExportSettings& said = settings.exports[i];
        PlannedExport one;
        one.path = (*paths)[i];
        one.rules = to_rules(settings.rules.overlaid_with(said.rules));
        one.in_memory = said.in_memory();
        one.sync_metadata = settings.sync_metadata.value_or(false);
        if (one.in_memory) {
            one.source = kMemorySource;
            one.as_caller = true;
        } else {
            auto real = real_directory(said.source);
            if (!real) return fail(std::move(real.error()));
            one.source = std::move(*real);
            const auto powers = backend::posix_powers(one.source);
            one.as_caller = powers.act_as_others;
            one.opens_by_handle = powers.open_by_handle;
        }
        if (!one.as_caller) {
            // Whatever a caller claims to be, files are touched as our own user: say so to the
            // rules.
            one.rules.squash = nfs::Squash::all;
            one.rules.anonymous_uid = geteuid();
            one.rules.anonymous_gid = getegid();
        }
        plan.push_back(std::move(one));
    }
    return plan;
}

std::string who_may(const PlannedExport& one) {
    if (one.rules.allowed.empty()) return "every address that can reach this server";
    std::string text;
    for (const auto& network : one.rules.allowed)
        text += (text.empty() ? "" : ", ") + nfs::to_text(network);
    return text;
}

std::string acting_as(const PlannedExport& one) {
    const auto& rules = one.rules;
    if (!one.as_caller)
        return fmt::format(
            "everybody acts as uid {} gid {}, who runs this server: it has no privilege to act as "
            "others",
            rules.anonymous_uid, rules.anonymous_gid);
    const std::string anonymous =
        fmt::format("uid {} gid {}", rules.anonymous_uid, rules.anonymous_gid);
    switch (rules.squash) {
        case nfs::Squash::all:
            return "everybody acts as " + anonymous;
        case nfs::Squash::root:
            return "callers act as the uid they say they are, root as " + anonymous;
        case nfs::Squash::none:
            return "callers act as the uid they say they are, root included";
    }
    return {};
}

std::string FileSystems::key_of(const PlannedExport& one) {
    // Each memory: is a file system of its own; a directory is one however often it is exported.
    if (one.in_memory) return std::string{kMemorySource} + one.path;
    return fmt::format("{} {} {} {}", one.as_caller, one.opens_by_handle, one.sync_metadata,
                       one.source);
}

FileSystems::Made FileSystems::make_one(const PlannedExport& one) const {
    Made made;
    if (one.in_memory) {
        backend::MemoryOptions options;
        options.root_mode = 01777;  // like /tmp: there is nobody yet to own it
        made.files = backend::make_memory_fs(options);
        return made;
    }
    backend::PosixOptions options;
    options.directory = one.source;
    options.index_file = state_.index_file(one.source);
    options.as_caller = one.as_caller;
    options.sync_metadata = one.sync_metadata;
    if (!options.index_file.empty()) {
        // Two who write one index would spoil it for both. The lock ends with its holder, however
        // that ends.
        made.lock = std::make_shared<transport::Fd>(
            open((options.index_file + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        if (!*made.lock || flock(made.lock->get(), LOCK_EX | LOCK_NB) != 0) {
            warn_(
                fmt::format("another server has the index of {} in {}: handles that need it end "
                            "with this process; give it a --state of its own",
                            one.source, state_.directory()));
            options.index_file.clear();
        }
    }
    made.files = backend::make_posix_fs(options);
    return made;
}

Result<nfs::ExportTable, std::string> FileSystems::make(const Plan& plan) {
    std::map<std::string, Made> wanted;
    nfs::ExportTable table;
    for (const PlannedExport& one : plan) {
        const std::string key = key_of(one);
        auto& made = wanted[key];
        if (!made.files) {
            const auto kept = made_.find(key);
            try {
                made = kept != made_.end() ? kept->second : make_one(one);
            } catch (const std::exception& error) {
                return fail(fmt::format("{}: {}", one.source, error.what()));
            }
        }
        nfs::Export entry;
        entry.path = one.path;
        entry.source = one.source;
        entry.rules = one.rules;
        entry.files = made.files;
        table.push_back(std::move(entry));
    }
    made_ = std::move(wanted);
    return table;
}

}  // namespace helio::serve
