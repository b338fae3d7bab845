#include "helio/virt/client/connect/sasl.h"

#ifdef HELIO_HAS_SASL
#include <sasl/sasl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#endif

namespace helio::virt {

#ifndef HELIO_HAS_SASL

Result<std::unique_ptr<Sasl>, std::string> Sasl::make(Options) {
    return fail(std::string("this build does not support SASL"));
}

#else

namespace {

// libvirt's own requirement for TCP: more than single DES.
constexpr sasl_ssf_t kStrengthMin = 57;
constexpr unsigned kSaslBufferMax = 65'536;

int start_library() {
    static std::once_flag once;
    static int result = SASL_FAIL;
    std::call_once(once, [] { result = sasl_client_init(nullptr); });
    return result;
}

class SaslLayer final : public transport::Layer {
 public:
    SaslLayer(sasl_conn_t* connection, unsigned piece) : connection_(connection), piece_(piece) {}
    bool encode(ByteView plain, std::vector<std::byte>& out) override {
        while (!plain.empty()) {
            const ByteView piece = plain.first(std::min<std::size_t>(plain.size(), piece_));
            if (!take(sasl_encode, piece, out)) return false;
            plain = plain.subspan(piece.size());
        }
        return true;
    }
    bool decode(ByteView wire, std::vector<std::byte>& out) override {
        return take(sasl_decode, wire, out);
    }

 private:
    using Turn = int (*)(sasl_conn_t*, const char*, unsigned, const char**, unsigned*);
    bool take(Turn turn, ByteView in, std::vector<std::byte>& out) {
        if (in.empty()) return true;  // an error to the library
        const char* got = nullptr;
        unsigned size = 0;
        if (turn(connection_, reinterpret_cast<const char*>(in.data()),
                 static_cast<unsigned>(in.size()), &got, &size) != SASL_OK)
            return false;
        const ByteView bytes = as_bytes({got, size});
        out.insert(out.end(), bytes.begin(), bytes.end());
        return true;
    }
    sasl_conn_t* connection_;
    unsigned piece_;
};

class CyrusSasl final : public Sasl {
 public:
    explicit CyrusSasl(Options options) : options_(std::move(options)) {}
    ~CyrusSasl() override {
        if (connection_ != nullptr) sasl_dispose(&connection_);
        std::free(secret_);
    }

    // Nothing, or why there is no session.
    std::optional<std::string> open() {
        if (start_library() != SASL_OK) return "cannot initialise SASL";
        callbacks_[0] = {SASL_CB_AUTHNAME, as_callback(&give_name), this};
        callbacks_[1] = {SASL_CB_USER, as_callback(&give_name), this};
        callbacks_[2] = {SASL_CB_PASS, as_callback(&give_password), this};
        callbacks_[3] = {SASL_CB_LIST_END, nullptr, nullptr};
        int result = sasl_client_new("libvirt", options_.host.c_str(), nullptr, nullptr, callbacks_,
                                     SASL_SUCCESS_DATA, &connection_);
        if (result != SASL_OK) return sasl_errstring(result, nullptr, nullptr);
        sasl_security_properties_t wanted{};
        wanted.min_ssf = options_.encrypts ? kStrengthMin : 0;
        wanted.max_ssf = options_.encrypts ? 100'000 : 0;
        wanted.maxbufsize = kSaslBufferMax;
        wanted.security_flags = options_.encrypts ? SASL_SEC_NOANONYMOUS | SASL_SEC_NOPLAINTEXT : 0;
        result = sasl_setprop(connection_, SASL_SEC_PROPS, &wanted);
        if (result != SASL_OK) return why(result);
        return {};
    }

    Result<First, std::string> start(const std::string& mechanisms) override {
        const char* data = nullptr;
        unsigned size = 0;
        const char* chosen = nullptr;
        const int result =
            sasl_client_start(connection_, mechanisms.c_str(), nullptr, &data, &size, &chosen);
        if (result == SASL_NOMECH)
            return fail("the daemon offers " + mechanisms +
                        (options_.encrypts ? ", none of which can encrypt here"
                                           : ", none of which is installed here"));
        if (result != SASL_OK && result != SASL_CONTINUE) return fail(why(result));
        complete_ = result == SASL_OK;
        return First{chosen, data_of(data, size)};
    }

    Result<Data, std::string> step(const Data& from_daemon) override {
        const char* data = nullptr;
        unsigned size = 0;
        const int result = sasl_client_step(
            connection_, from_daemon ? from_daemon->data() : nullptr,
            from_daemon ? static_cast<unsigned>(from_daemon->size()) : 0, nullptr, &data, &size);
        if (result != SASL_OK && result != SASL_CONTINUE) return fail(why(result));
        complete_ = result == SASL_OK;
        return data_of(data, size);
    }

    bool complete() const override { return complete_; }

    std::unique_ptr<transport::Layer> layer() override {
        const void* strength = nullptr;
        const void* piece = nullptr;
        if (sasl_getprop(connection_, SASL_SSF, &strength) != SASL_OK ||
            *static_cast<const sasl_ssf_t*>(strength) == 0)
            return nullptr;
        if (sasl_getprop(connection_, SASL_MAXOUTBUF, &piece) != SASL_OK) return nullptr;
        const unsigned most = *static_cast<const unsigned*>(piece);
        return std::make_unique<SaslLayer>(connection_, most == 0 ? kSaslBufferMax : most);
    }

 private:
    // The library has one type for all callbacks; cast through the type that GCC accepts for any.
    template <class Function>
    static int (*as_callback(Function* function))() {
        return reinterpret_cast<int (*)()>(reinterpret_cast<void (*)()>(function));
    }
    static Data data_of(const char* data, unsigned size) {
        return data == nullptr ? Data{} : Data{std::string(data, size)};
    }
    std::string why(int result) const {
        if (asked_ && !known_) return "the daemon requires a user and a password";
        const char* const words = connection_ != nullptr ? sasl_errdetail(connection_)
                                                         : sasl_errstring(result, nullptr, nullptr);
        return words;
    }
    bool ask() {
        if (!asked_ && options_.ask) known_ = options_.ask();
        asked_ = true;
        return known_.has_value();
    }
    static int give_name(void* self, int /*which*/, const char** name, unsigned* size) {
        auto& mine = *static_cast<CyrusSasl*>(self);
        if (!mine.ask()) return SASL_FAIL;
        *name = mine.known_->user.c_str();
        if (size != nullptr) *size = static_cast<unsigned>(mine.known_->user.size());
        return SASL_OK;
    }
    static int give_password(sasl_conn_t* /*connection*/, void* self, int /*which*/,
                             sasl_secret_t** out) {
        auto& mine = *static_cast<CyrusSasl*>(self);
        if (!mine.ask()) return SASL_FAIL;
        const std::string& password = mine.known_->password;
        if (mine.secret_ == nullptr) {
            void* const memory = std::malloc(sizeof(sasl_secret_t) + password.size() + 1);
            if (memory == nullptr) return SASL_NOMEM;
            mine.secret_ = static_cast<sasl_secret_t*>(memory);
            mine.secret_->len = password.size();
            std::memcpy(mine.secret_->data, password.c_str(), password.size() + 1);
        }
        *out = mine.secret_;
        return SASL_OK;
    }

    Options options_;
    bool asked_ = false;
    bool complete_ = false;
    std::optional<Credentials> known_;
    sasl_secret_t* secret_ = nullptr;
    sasl_callback_t callbacks_[4] = {};
    sasl_conn_t* connection_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Sasl>, std::string> Sasl::make(Options options) {
    auto out = std::make_unique<CyrusSasl>(std::move(options));
    if (auto wrong = out->open()) return fail(*wrong);
    return out;
}

#endif

}  // namespace helio::virt
