// Saving domains to files and restoring them. The files exist in the host's memory only.
#include <fmt/format.h>

#include "helio/virt/host/host_internal.h"

namespace helio::virt::host {

namespace {

constexpr int kOffSavedToFile = 5;   // VIR_DOMAIN_SHUTOFF_SAVED
constexpr int kRunningFromFile = 3;  // VIR_DOMAIN_RUNNING_RESTORED
constexpr std::size_t kPathBytesMax = 4096;

tl::unexpected<Error> no_such_image(std::string_view path) {
    return refuse(ErrorCode::system_error, ErrorSource::test,
                  fmt::format("cannot read domain image '{}': No such file or directory", path));
}

// A definition may be replaced on save and restore, but must have the same name and uuid.
Outcome<DomainConfig> replacement(std::string_view xml, std::string_view architecture,
                                  const DomainConfig& of) {
    auto config = read_domain_config(xml, architecture);
    if (!config) return fail(config.error());
    if (config->name != of.name || (config->says_uuid && config->uuid != of.uuid))
        return refuse(ErrorCode::config_unsupported, ErrorSource::domain,
                      fmt::format("unsupported configuration: Target domain name '{}' does not "
                                  "match source name '{}'",
                                  config->name, of.name));
    config->uuid = of.uuid;
    return config;
}

}  // namespace

Outcome<void> Host::save_domain(const Uuid& uuid, std::string_view path,
                                std::optional<std::string_view> xml, StartAs restored_as) {
    const std::string architecture = node().model;
    const auto lock = impl_->write_lock();
    auto found = impl_->active_domain(uuid);
    if (!found) return fail(found.error());
    HostedDomain& domain = **found;
    if (path.empty() || path.size() > kPathBytesMax ||
        (impl_->saved.size() >= kHostObjectsMax && impl_->saved.find(path) == impl_->saved.end()))
        return refuse_full("saved domains");
    SavedDomain saved{.config = domain.live,
                      .as = domain.state.state == State::paused ? StartAs::paused : restored_as};
    if (xml) {
        auto config = replacement(*xml, architecture, *domain.live);
        if (!config) return fail(config.error());
        if (auto charged = impl_->charge(config->charge, size_of(*config)); !charged)
            return fail(charged.error());
        saved.config = std::make_shared<const DomainConfig>(std::move(*config));
    }
    impl_->saved[std::string(path)] = std::move(saved);
    impl_->stop(domain, kOffSavedToFile, lifecycle::kStoppedSaved);
    return {};
}

Outcome<DomainKey> Host::restore_domain(std::string_view path, std::optional<std::string_view> xml,
                                        std::optional<StartAs> how) {
    const std::string architecture = node().model;
    const auto lock = impl_->write_lock();
    const auto found = impl_->saved.find(path);
    if (found == impl_->saved.end()) return no_such_image(path);
    DomainConfig config = *found->second.config;
    if (xml) {
        auto other = replacement(*xml, architecture, config);
        if (!other) return fail(other.error());
        if (auto charged = impl_->charge(other->charge, size_of(*other)); !charged)
            return fail(charged.error());
        config = std::move(*other);
    }
    config.says_uuid = true;
    return impl_->create(std::move(config), {.as = how.value_or(found->second.as),
                                             .reason = kRunningFromFile,
                                             .detail = lifecycle::kStartedRestored});
}

Outcome<std::string> Host::saved_domain_xml(std::string_view path) const {
    const auto lock = impl_->read_lock();
    const auto found = impl_->saved.find(path);
    if (found == impl_->saved.end()) return no_such_image(path);
    return domain_config_xml(*found->second.config, -1);
}

}  // namespace helio::virt::host
