// Changes to a running domain, to its definition, or to both.
#include <algorithm>

#include <fmt/format.h>

#include "helio/virt/host/host_internal.h"

namespace helio::virt::host {

Outcome<Affected> affected(const HostedDomain& domain, Impact impact) {
    Affected parts{.live = impact == Impact::live || impact == Impact::both,
                   .config = impact == Impact::config || impact == Impact::both};
    if (impact == Impact::current) (domain.active() ? parts.live : parts.config) = true;
    if (parts.live && !domain.active())
        return refuse_operation(ErrorSource::domain, "domain is not running");
    if (parts.config && !domain.persistent)
        return refuse_operation(ErrorSource::domain,
                                "transient domains do not have any persistent config");
    return parts;
}

namespace {

// The definition that `impact` selects.
Outcome<const DomainConfig*> config_for(const HostedDomain& domain, Impact impact) {
    auto parts = affected(domain, impact);
    if (!parts) return fail(parts.error());
    return parts->live ? domain.live.get() : domain.config.get();
}

tl::unexpected<Error> refuse_argument(std::string_view why) {
    return refuse(ErrorCode::invalid_argument, ErrorSource::test,
                  fmt::format("invalid argument: {}", why));
}

tl::unexpected<Error> no_such_metadata() {
    return refuse(ErrorCode::no_metadata, ErrorSource::domain,
                  "metadata not found: Requested metadata element is not present");
}

// A valid XML prefix. Any other would make the domain's XML unreadable.
bool good_prefix(std::string_view key) {
    const auto letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    if (key.empty() || !letter(key.front())) return false;
    return std::all_of(key.begin(), key.end(), [&](char c) {
        return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
    });
}

}  // namespace

Outcome<void> Host::set_domain_autostart(const Uuid& uuid, bool autostart) {
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    if (!(*found)->persistent)
        return refuse_operation(ErrorSource::test, "cannot set autostart for transient domain");
    (*found)->autostart = autostart;
    return {};
}

Outcome<void> Host::set_domain_memory(const Uuid& uuid, std::uint64_t kib, Impact impact) {
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    HostedDomain& domain = **found;
    const std::uint64_t before = domain.live->memory_kib;
    auto done = change_domain(domain, impact, [&](DomainConfig& config) -> Outcome<void> {
        if (kib > config.memory_max_kib)
            return refuse_argument("cannot set memory higher than max memory");
        config.memory_kib = kib;
        return {};
    });
    if (done && domain.active() && domain.live->memory_kib != before)
        impl_->notify({.kind = Event::Kind::domain_balloon,
                       .number = kib,
                       .name = domain.name(),
                       .uuid = domain.uuid(),
                       .id = domain.id,
                       .text = {}});
    return done;
}

Outcome<void> Host::set_domain_memory_max(const Uuid& uuid, std::uint64_t kib, Impact impact) {
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    if ((*found)->active() && impact != Impact::config)
        return refuse_operation(ErrorSource::test,
                                "cannot resize the maximum memory on an active domain");
    return change_domain(**found, impact, [&](DomainConfig& config) -> Outcome<void> {
        config.memory_max_kib = kib;
        config.memory_kib = std::min(config.memory_kib, kib);
        return {};
    });
}

Outcome<unsigned> Host::domain_vcpus(const Uuid& uuid, Impact impact, VcpuCount which) const {
    const auto lock = impl_->read_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    return config_for(**found, impact).map([&](const DomainConfig* config) {
        return which == VcpuCount::maximum ? config->vcpus_max : config->vcpus;
    });
}

Outcome<void> Host::set_domain_vcpus(const Uuid& uuid, unsigned vcpus, Impact impact,
                                     VcpuCount which) {
    const bool maximum = which == VcpuCount::maximum;
    const unsigned most = vcpus_max();
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    if (vcpus == 0) return refuse_argument("nvcpus in virDomainSetVcpusFlags must not be zero");
    return change_domain(**found, impact, [&](DomainConfig& config) -> Outcome<void> {
        const unsigned limit = maximum ? most : config.vcpus_max;
        if (vcpus > limit)
            return refuse_argument(
                fmt::format("requested cpu amount exceeds maximum ({} > {})", vcpus, limit));
        if (maximum) {
            config.vcpus_max = vcpus;
            config.vcpus = std::min(config.vcpus, vcpus);
        } else {
            config.vcpus = vcpus;
        }
        return {};
    });
}

Outcome<std::string> Host::domain_metadata(const Uuid& uuid, Metadata type, std::string_view uri,
                                           Impact impact) const {
    const auto lock = impl_->read_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    const auto config = config_for(**found, impact);
    if (!config) return fail(config.error());
    if (type != Metadata::element) {
        const std::string& text =
            type == Metadata::title ? (*config)->title : (*config)->description;
        if (text.empty()) return no_such_metadata();
        return text;
    }
    for (const DomainMetadata& one : (*config)->metadata)
        if (one.uri == uri) return one.plain;
    return no_such_metadata();
}

Outcome<void> Host::set_domain_metadata(const Uuid& uuid, Metadata type,
                                        std::optional<std::string_view> text, std::string_view key,
                                        std::string_view uri, Impact impact) {
    DomainMetadata element;
    if (type == Metadata::element && text) {
        if (!good_prefix(key)) return refuse_argument("key must be a prefix as XML has them");
        auto read = read_metadata(*text, key, uri);
        if (!read) return fail(read.error());
        element = std::move(*read);
    }
    if (type == Metadata::title && text && text->find('\n') != std::string_view::npos)
        return refuse_argument("metadata title can't contain newlines");
    const auto lock = impl_->write_lock();
    auto found = impl_->domain(uuid);
    if (!found) return fail(found.error());
    auto done = change_domain(**found, impact, [&](DomainConfig& config) -> Outcome<void> {
        if (type == Metadata::title) config.title = text.value_or("");
        if (type == Metadata::description) config.description = text.value_or("");
        if (type == Metadata::element) {
            std::erase_if(config.metadata,
                          [&](const DomainMetadata& one) { return one.uri == uri; });
            if (text) config.metadata.push_back(element);
        }
        if (auto charged = impl_->charge(config.charge, size_of(config)); !charged)
            return fail(charged.error());
        return {};
    });
    if (done)
        impl_->notify({.kind = Event::Kind::domain_metadata,
                       .what = static_cast<int>(type),
                       .name = (*found)->name(),
                       .uuid = uuid,
                       .id = (*found)->id,
                       .text = std::string(uri)});
    return done;
}

}  // namespace helio::virt::host
