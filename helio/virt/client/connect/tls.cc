#include "helio/virt/client/connect/tls.h"

#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#ifdef HELIO_HAS_GNUTLS
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "helio/base/ip_address.h"
#endif

namespace helio::virt {

namespace {

std::string if_there(std::string path) { return access(path.c_str(), F_OK) == 0 ? path : ""; }

}  // namespace

TlsFiles find_tls_files(const std::string& folder) {
    TlsFiles out;
    if (!folder.empty()) {
        out.authority = folder + "/cacert.pem";
        out.revoked = if_there(folder + "/cacrl.pem");
        out.certificate = if_there(folder + "/clientcert.pem");
        out.key = folder + "/clientkey.pem";
        return out;
    }
    const char* const home = std::getenv("HOME");
    if (getuid() != 0 && home != nullptr) {
        const std::string mine = fmt::format("{}/.pki/libvirt", home);
        out.authority = if_there(mine + "/cacert.pem");
        out.revoked = if_there(mine + "/cacrl.pem");
        out.certificate = if_there(mine + "/clientcert.pem");
        out.key = if_there(mine + "/clientkey.pem");
    }
    if (out.authority.empty()) out.authority = "/etc/pki/CA/cacert.pem";
    if (out.revoked.empty()) out.revoked = if_there("/etc/pki/CA/cacrl.pem");
    // A key is useless without its certificate.
    if (out.certificate.empty() || out.key.empty()) {
        out.certificate = if_there("/etc/pki/libvirt/clientcert.pem");
        out.key = "/etc/pki/libvirt/private/clientkey.pem";
    }
    return out;
}

#ifndef HELIO_HAS_GNUTLS

Result<std::unique_ptr<Tls>, std::string> Tls::make(const Options&) {
    return fail(std::string("this build does not support TLS"));
}

#else

namespace {

// The largest TLS record.
constexpr std::size_t kTlsRecordBytes = 16'384;

bool is_address(const std::string& host) { return parse_ipv4(host) || parse_ipv6(host); }

class GnuTls final : public Tls {
 public:
    explicit GnuTls(const Options& options) : options_(options) {}
    ~GnuTls() override {
        if (session_ != nullptr) gnutls_deinit(session_);
        if (known_ != nullptr) gnutls_certificate_free_credentials(known_);
    }

    // Empty, or why there is no session.
    std::string open() {
        if (gnutls_certificate_allocate_credentials(&known_) != 0) return "cannot initialise TLS";
        if (const std::string wrong = load_files(); !wrong.empty()) return wrong;
        if (gnutls_init(&session_, GNUTLS_CLIENT | GNUTLS_NONBLOCK) != 0)
            return "cannot initialise TLS";
        const char* const words = options_.priority.empty() ? "NORMAL" : options_.priority.c_str();
        const char* at = nullptr;
        if (gnutls_priority_set_direct(session_, words, &at) != 0)
            return fmt::format("GnuTLS rejects the priority string '{}'",
                               at != nullptr ? at : words);
        gnutls_credentials_set(session_, GNUTLS_CRD_CERTIFICATE, known_);
        const std::string& host = options_.host;
        if (!host.empty() && !is_address(host))
            gnutls_server_name_set(session_, GNUTLS_NAME_DNS, host.data(), host.size());
        if (options_.verifies) verify_for(host);
        gnutls_transport_set_ptr(session_, this);
        gnutls_transport_set_push_function(session_, &push);
        gnutls_transport_set_pull_function(session_, &pull);
        gnutls_transport_set_pull_timeout_function(session_, &has_more);
        return {};
    }

    Result<bool, std::string> shake_hands(ByteView wire, std::vector<std::byte>& out) override {
        came_.insert(came_.end(), wire.begin(), wire.end());
        int result = GNUTLS_E_AGAIN;
        do {
            result = gnutls_handshake(session_);
        } while (result != 0 && result != GNUTLS_E_AGAIN && gnutls_error_is_fatal(result) == 0);
        take_out(out);
        if (result == 0) return true;
        if (result == GNUTLS_E_AGAIN) return false;
        return fail(words_for(result));
    }

    bool encode(ByteView plain, std::vector<std::byte>& out) override {
        while (!plain.empty()) {
            const ssize_t sent = gnutls_record_send(session_, plain.data(), plain.size());
            if (sent < 0 && gnutls_error_is_fatal(static_cast<int>(sent)) == 0) continue;
            if (sent < 0) return false;
            plain = plain.subspan(static_cast<std::size_t>(sent));
        }
        take_out(out);
        return true;
    }

    // A daemon that sends close_notify closes the socket too, which the connection notices.
    bool decode(ByteView wire, std::vector<std::byte>& out) override {
        came_.insert(came_.end(), wire.begin(), wire.end());
        std::byte plain[kTlsRecordBytes];
        for (;;) {
            starved_ = false;
            const ssize_t got = gnutls_record_recv(session_, plain, sizeof plain);
            // GnuTLS returns it after a session ticket too, although there is more to read.
            if (got == GNUTLS_E_AGAIN && !starved_) continue;
            if (got == 0 || got == GNUTLS_E_AGAIN) return true;
            if (got > 0) {
                out.insert(out.end(), plain, plain + got);
                continue;
            }
            // Tickets and requests to renegotiate: no answer is needed.
            if (gnutls_error_is_fatal(static_cast<int>(got)) == 0) continue;
            why_ = words_for(static_cast<int>(got));
            return false;
        }
    }

    std::string why() const override { return why_; }

 private:
    // A client's certificate must not be accepted for a daemon.
    void verify_for(const std::string& host) {
        const auto bytes_of = [](const char* text) {
            return reinterpret_cast<unsigned char*>(const_cast<char*>(text));  // it only reads
        };
        wanted_[0] = {GNUTLS_DT_DNS_HOSTNAME, bytes_of(host.c_str()), 0};
        wanted_[1] = {GNUTLS_DT_KEY_PURPOSE_OID, bytes_of(GNUTLS_KP_TLS_WWW_SERVER), 0};
        gnutls_session_set_verify_cert2(session_, wanted_, kWantedCount, 0);
    }

    std::string load_files() {
        const TlsFiles& files = options_.files;
        if (options_.verifies) {
            const int count = gnutls_certificate_set_x509_trust_file(
                known_, files.authority.c_str(), GNUTLS_X509_FMT_PEM);
            if (count <= 0) return unusable("the certificate authority", files.authority, count);
            if (!files.revoked.empty()) {
                const int revoked = gnutls_certificate_set_x509_crl_file(
                    known_, files.revoked.c_str(), GNUTLS_X509_FMT_PEM);
                if (revoked < 0) return unusable("the revocation list", files.revoked, revoked);
            }
        }
        if (files.certificate.empty()) return {};
        if (access(files.key.c_str(), R_OK) != 0)
            return fmt::format("the key of {}, {}: {}", files.certificate, files.key,
                               std::strerror(errno));
        const int result = gnutls_certificate_set_x509_key_file(
            known_, files.certificate.c_str(), files.key.c_str(), GNUTLS_X509_FMT_PEM);
        if (result < 0) return unusable("our certificate", files.certificate, result);
        return {};
    }
    static std::string unusable(std::string_view what, const std::string& path, int result) {
        if (access(path.c_str(), R_OK) != 0)
            return fmt::format("{}, {}: {}", what, path, std::strerror(errno));
        return fmt::format("{}, {}: {}", what, path,
                           result == 0 ? "it contains no certificate" : gnutls_strerror(result));
    }

    std::string words_for(int result) const {
        if (result == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR) return about_certificate();
        if (result == GNUTLS_E_FATAL_ALERT_RECEIVED)
            return fmt::format("the daemon ended TLS: {}",
                               gnutls_alert_get_name(gnutls_alert_get(session_)));
        if (result == GNUTLS_E_UNSUPPORTED_VERSION_PACKET || result == GNUTLS_E_UNEXPECTED_PACKET ||
            result == GNUTLS_E_UNEXPECTED_PACKET_LENGTH || result == GNUTLS_E_RECORD_OVERFLOW)
            return fmt::format("the server does not use TLS ({})", gnutls_strerror(result));
        return fmt::format("TLS: {}", gnutls_strerror(result));
    }
    // The most serious problem; after it is fixed, the next one shows.
    std::string about_certificate() const {
        const unsigned status = gnutls_session_get_verify_cert_status(session_);
        std::string why;
        if (status & GNUTLS_CERT_REVOKED)
            why = "is revoked";
        else if (status & (GNUTLS_CERT_SIGNER_NOT_FOUND | GNUTLS_CERT_SIGNER_NOT_CA))
            why = fmt::format("is not signed by the CA in {}", options_.files.authority);
        else if (status & GNUTLS_CERT_EXPIRED)
            why = "has expired";
        else if (status & GNUTLS_CERT_NOT_ACTIVATED)
            why = "is not valid yet";
        else if (status & GNUTLS_CERT_UNEXPECTED_OWNER)
            why = fmt::format("is not for the host '{}'", options_.host);
        else if (status & GNUTLS_CERT_PURPOSE_MISMATCH)
            why = "is not a server certificate";
        else if (status & GNUTLS_CERT_INSECURE_ALGORITHM)
            why = "is signed with an insecure algorithm";
        else
            why = fmt::format("is not trusted (GnuTLS status {:#x})", status);
        return "the daemon's certificate " + why;
    }

    void take_out(std::vector<std::byte>& out) {
        out.insert(out.end(), pushed_.begin(), pushed_.end());
        pushed_.clear();
    }
    static ssize_t push(gnutls_transport_ptr_t self, const void* data, std::size_t size) {
        auto& mine = *static_cast<GnuTls*>(self);
        const auto* const bytes = static_cast<const std::byte*>(data);
        mine.pushed_.insert(mine.pushed_.end(), bytes, bytes + size);
        return static_cast<ssize_t>(size);
    }
    static ssize_t pull(gnutls_transport_ptr_t self, void* data, std::size_t room) {
        auto& mine = *static_cast<GnuTls*>(self);
        const std::size_t size = std::min(room, mine.came_.size() - mine.taken_);
        if (size == 0) {
            mine.starved_ = true;
            gnutls_transport_set_errno(mine.session_, EAGAIN);
            return -1;
        }
        std::memcpy(data, mine.came_.data() + mine.taken_, size);
        mine.taken_ += size;
        if (mine.taken_ == mine.came_.size()) {
            mine.came_.clear();
            mine.taken_ = 0;
        }
        return static_cast<ssize_t>(size);
    }
    static int has_more(gnutls_transport_ptr_t self, unsigned /*milliseconds*/) {
        const auto& mine = *static_cast<GnuTls*>(self);
        return mine.taken_ < mine.came_.size() ? 1 : 0;
    }

    Options options_;
    gnutls_certificate_credentials_t known_ = nullptr;
    gnutls_session_t session_ = nullptr;
    static constexpr unsigned kWantedCount = 2;
    gnutls_typed_vdata_st wanted_[kWantedCount] = {};  // of the daemon's certificate
    std::vector<std::byte> came_;                      // received, not yet processed
    std::size_t taken_ = 0;                            // of came_
    bool starved_ = false;                             // GnuTLS wanted more bytes than available
    std::vector<std::byte> pushed_;                    // to send
    std::string why_;
};

}  // namespace

Result<std::unique_ptr<Tls>, std::string> Tls::make(const Options& options) {
    auto out = std::make_unique<GnuTls>(options);
    if (std::string wrong = out->open(); !wrong.empty()) return fail(std::move(wrong));
    return out;
}

#endif

}  // namespace helio::virt
