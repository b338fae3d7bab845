// Secrets: keys and passwords that domains and storage refer to.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "helio/virt/host/host_internal.h"

namespace helio::virt::host {

namespace {

// virSecretUsageType: its name in XML, and the element that identifies the user of the secret.
struct SecretUsage {
    const char* type;
    const char* element;
};
constexpr std::array<SecretUsage, 6> kSecretUsages{{{"none", ""},
                                                    {"volume", "volume"},
                                                    {"ceph", "name"},
                                                    {"iscsi", "target"},
                                                    {"tls", "name"},
                                                    {"vtpm", "name"}}};

tl::unexpected<Error> wrong_secret(std::string why) {
    return refuse(ErrorCode::xml_error, ErrorSource::secret, "XML error: " + std::move(why));
}

Outcome<HostedSecret> read_secret(std::string_view xml) {
    auto text = XmlText::read(xml, "definition_of_secret", ErrorSource::secret, "secret");
    if (!text) return fail(text.error());
    const pugi::xml_node root = text->root();
    HostedSecret secret;
    secret.ephemeral = std::string_view(root.attribute("ephemeral").value()) == "yes";
    secret.is_private = std::string_view(root.attribute("private").value()) == "yes";
    secret.description = child_text(root, "description");
    if (const pugi::xml_node usage = root.child("usage")) {
        const std::string_view type = usage.attribute("type").value();
        const auto found = std::find_if(kSecretUsages.begin(), kSecretUsages.end(),
                                        [&](const SecretUsage& one) { return type == one.type; });
        if (found == kSecretUsages.end())
            return wrong_secret(
                fmt::format("Invalid value for attribute 'type' in element "
                            "'usage': '{}'.",
                            type));
        secret.key.usage_type = static_cast<int>(found - kSecretUsages.begin());
        if (*found->element != '\0') {
            secret.key.usage_id = child_text(usage, found->element);
            if (secret.key.usage_id.empty())
                return wrong_secret(fmt::format("{} usage specified, but {} element is missing",
                                                found->type, found->element));
        }
    }
    const auto uuid =
        uuid_child(root, "secret", fmt::format("{}/{}", secret.key.usage_type, secret.key.usage_id),
                   ErrorSource::secret);
    if (!uuid) return fail(uuid.error());
    secret.key.uuid = *uuid;
    return secret;
}

tl::unexpected<Error> no_such_secret(std::string why) {
    return refuse(ErrorCode::no_secret, ErrorSource::secret, "Secret not found: " + std::move(why));
}

template <class Secrets>
auto find_secret(Secrets& secrets, const Uuid& uuid)
    -> Outcome<decltype(&secrets.begin()->second)> {
    const auto found = secrets.find(uuid);
    if (found == secrets.end())
        return no_such_secret(fmt::format("no secret with matching uuid '{}'", to_text(uuid)));
    return &found->second;
}

}  // namespace

std::vector<SecretKey> Host::secrets() const {
    const auto lock = impl_->read_lock();
    std::vector<SecretKey> keys;
    for (const auto& [uuid, secret] : impl_->secrets) keys.push_back(secret.key);
    return keys;
}

Outcome<SecretKey> Host::secret_by_uuid(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    return find_secret(impl_->secrets, uuid).map([](const HostedSecret* one) { return one->key; });
}

Outcome<SecretKey> Host::secret_by_usage(int type, std::string_view id) const {
    const auto lock = impl_->read_lock();
    for (const auto& [uuid, secret] : impl_->secrets)
        if (secret.key.usage_type == type && secret.key.usage_id == id) return secret.key;
    return no_such_secret(fmt::format("no secret with matching usage '{}'", id));
}

Outcome<SecretKey> Host::define_secret(std::string_view xml) {
    auto secret = read_secret(xml);
    if (!secret) return fail(secret.error());
    const auto lock = impl_->write_lock();
    if (secret->key.usage_type != 0)
        for (const auto& [uuid, other] : impl_->secrets)
            if (uuid != secret->key.uuid && other.key.usage_type == secret->key.usage_type &&
                other.key.usage_id == secret->key.usage_id)
                return refuse_internal(
                    fmt::format("a secret with UUID {} already defined for use with {}",
                                to_text(uuid), other.key.usage_id));
    const auto same = impl_->secrets.find(secret->key.uuid);
    if (same == impl_->secrets.end() && impl_->secrets.size() >= kSecretsMax)
        return refuse_full("secrets");
    const std::size_t bytes =
        sizeof *secret + secret->description.size() + secret->key.usage_id.size() + kSecretValueMax;
    if (auto charged = impl_->charge(secret->charge, bytes); !charged) return fail(charged.error());
    if (same != impl_->secrets.end()) secret->value = same->second.value;
    const SecretKey key = secret->key;
    impl_->secrets[key.uuid] = std::move(*secret);
    return key;
}

Outcome<std::string> Host::secret_xml(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    const auto found = find_secret(impl_->secrets, uuid);
    if (!found) return fail(found.error());
    const HostedSecret& secret = **found;
    std::string text =
        fmt::format("<secret ephemeral='{}' private='{}'>\n", secret.ephemeral ? "yes" : "no",
                    secret.is_private ? "yes" : "no");
    append_element(text, 1, "uuid", to_text(uuid));
    if (!secret.description.empty()) append_element(text, 1, "description", secret.description);
    if (secret.key.usage_type != 0) {
        const SecretUsage& usage = kSecretUsages[static_cast<std::size_t>(secret.key.usage_type)];
        text += fmt::format("  <usage type='{}'>\n", usage.type);
        append_element(text, 2, usage.element, secret.key.usage_id);
        text += "  </usage>\n";
    }
    return text + "</secret>\n";
}

Outcome<void> Host::set_secret_value(const Uuid& uuid, std::vector<std::byte> value) {
    const auto lock = impl_->write_lock();
    const auto found = find_secret(impl_->secrets, uuid);
    if (!found) return fail(found.error());
    if (value.size() > kSecretValueMax) return refuse_full("bytes of the secret");
    (*found)->value = std::move(value);
    return {};
}

Outcome<std::vector<std::byte>> Host::secret_value(const Uuid& uuid) const {
    const auto lock = impl_->read_lock();
    const auto found = find_secret(impl_->secrets, uuid);
    if (!found) return fail(found.error());
    if ((*found)->is_private)
        return refuse(ErrorCode::invalid_secret, ErrorSource::secret,
                      "Invalid secret: secret is private");
    if (!(*found)->value)
        return no_such_secret(fmt::format("secret '{}' does not have a value", to_text(uuid)));
    return *(*found)->value;
}

Outcome<void> Host::undefine_secret(const Uuid& uuid) {
    const auto lock = impl_->write_lock();
    const auto found = find_secret(impl_->secrets, uuid);
    if (!found) return fail(found.error());
    impl_->secrets.erase(uuid);
    return {};
}

}  // namespace helio::virt::host
