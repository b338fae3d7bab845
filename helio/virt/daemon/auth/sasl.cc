#include "helio/virt/daemon/auth/sasl_internal.h"

#ifdef HELIO_HAS_SASL
#include <sasl/sasl.h>

#include <mutex>
#endif

namespace helio::virt::daemon {

#ifndef HELIO_HAS_SASL

std::optional<std::string> start_sasl(const std::string&) {
    return "this build does not support SASL";
}
Result<std::unique_ptr<SaslLogin>, std::string> begin_login() {
    return fail(std::string("this build does not support SASL"));
}

#else

namespace {

constexpr const char* kServiceName = "libvirt";
// Mechanisms that do not reveal the password. They are used without a security layer.
constexpr const char* kMechanisms = "SCRAM-SHA-512 SCRAM-SHA-256 SCRAM-SHA-1 DIGEST-MD5";

// Replaces /etc/sasl2/libvirt.conf.
struct SaslSettings {
    std::string password_file;
};
SaslSettings& sasl_settings() {
    static SaslSettings settings;
    return settings;
}

int give_option(void*, const char* /*plugin*/, const char* option, const char** result,
                unsigned* size) {
    const std::string_view asked = option;
    *result = nullptr;
    if (asked == "sasldb_path")
        *result = sasl_settings().password_file.c_str();
    else if (asked == "auxprop_plugin")
        *result = "sasldb";
    else if (asked == "mech_list")
        *result = kMechanisms;
    else if (asked == "log_level")
        *result = "0";
    if (*result != nullptr && size != nullptr)
        *size = static_cast<unsigned>(std::string_view(*result).size());
    return *result != nullptr ? SASL_OK : SASL_FAIL;
}

// The library has one type for all callbacks. GCC accepts a cast through void (*)() without a
// warning.
template <class Function>
int (*sasl_callback_of(Function* function))() {
    return reinterpret_cast<int (*)()>(reinterpret_cast<void (*)()>(function));
}

const sasl_callback_t* sasl_callbacks() {
    static const sasl_callback_t callbacks[] = {
        {SASL_CB_GETOPT, sasl_callback_of(&give_option), nullptr},
        {SASL_CB_LIST_END, nullptr, nullptr}};
    return callbacks;
}

class CyrusLogin final : public SaslLogin {
 public:
    ~CyrusLogin() override {
        if (connection_ != nullptr) sasl_dispose(&connection_);
    }

    std::optional<std::string> open() {
        int result = sasl_server_new(kServiceName, nullptr, nullptr, nullptr, nullptr,
                                     sasl_callbacks(), SASL_SUCCESS_DATA, &connection_);
        if (result != SASL_OK) return sasl_errstring(result, nullptr, nullptr);
        sasl_security_properties_t wanted{};
        wanted.security_flags = SASL_SEC_NOANONYMOUS | SASL_SEC_NOPLAINTEXT;
        result = sasl_setprop(connection_, SASL_SEC_PROPS, &wanted);
        const char* list = nullptr;
        if (result == SASL_OK)
            result = sasl_listmech(connection_, nullptr, "", ",", "", &list, nullptr, nullptr);
        if (result != SASL_OK) return why(result);
        mechanisms_ = list;
        return {};
    }

    const std::string& mechanisms() const override { return mechanisms_; }

    Result<SaslReply, std::string> start(const std::string& mechanism, const Data& data) override {
        if (steps_++ > 0) return fail(std::string("SASL has already started"));
        const char* out = nullptr;
        unsigned size = 0;
        const int result = sasl_server_start(connection_, mechanism.c_str(), bytes_of(data),
                                             size_of(data), &out, &size);
        return said(result, out, size);
    }
    Result<SaslReply, std::string> step(const Data& data) override {
        if (steps_ == 0 || steps_++ > kSaslStepsMax)
            return fail(std::string("unexpected SASL step"));
        const char* out = nullptr;
        unsigned size = 0;
        const int result =
            sasl_server_step(connection_, bytes_of(data), size_of(data), &out, &size);
        return said(result, out, size);
    }
    std::string user() const override {
        const void* name = nullptr;
        if (sasl_getprop(connection_, SASL_USERNAME, &name) != SASL_OK || name == nullptr)
            return {};
        return static_cast<const char*>(name);
    }

 private:
    static const char* bytes_of(const Data& data) { return data ? data->data() : nullptr; }
    static unsigned size_of(const Data& data) {
        return data ? static_cast<unsigned>(data->size()) : 0;
    }
    Result<SaslReply, std::string> said(int result, const char* out, unsigned size) const {
        if (result != SASL_OK && result != SASL_CONTINUE) return fail(why(result));
        SaslReply all;
        all.complete = result == SASL_OK;
        if (out != nullptr) all.data = std::string(out, size);
        return all;
    }
    std::string why(int result) const {
        return connection_ != nullptr ? sasl_errdetail(connection_)
                                      : sasl_errstring(result, nullptr, nullptr);
    }

    sasl_conn_t* connection_ = nullptr;
    std::string mechanisms_;
    unsigned steps_ = 0;
};

}  // namespace

std::optional<std::string> start_sasl(const std::string& password_file) {
    static std::once_flag once;
    static int result = SASL_FAIL;
    std::call_once(once, [&] {
        sasl_settings().password_file = password_file;
        result = sasl_server_init(sasl_callbacks(), kServiceName);
    });
    if (result != SASL_OK) return sasl_errstring(result, nullptr, nullptr);
    const auto login = begin_login();
    if (!login) return login.error();
    if ((*login)->mechanisms().empty()) return "no SASL mechanism is installed";
    return {};
}

Result<std::unique_ptr<SaslLogin>, std::string> begin_login() {
    auto login = std::make_unique<CyrusLogin>();
    if (auto wrong = login->open()) return fail(std::move(*wrong));
    return login;
}

#endif

}  // namespace helio::virt::daemon
