#include "helio/serve/state/state.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "helio/base/siphash.h"

namespace helio::serve {
namespace {

constexpr const char* kKeyName = "handle-key";
constexpr std::size_t kKeySize = 16;
using KeyBytes = std::array<std::byte, kKeySize>;

KeyBytes random_key() {
    KeyBytes bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw std::runtime_error(fmt::format("cannot get random bytes: {}", std::strerror(errno)));
    return bytes;
}

nfs::HandleKey to_key(const KeyBytes& bytes) {
    nfs::HandleKey key;
    std::memcpy(&key.first, bytes.data(), sizeof key.first);
    std::memcpy(&key.second, bytes.data() + sizeof key.first, sizeof key.second);
    return key;
}

std::runtime_error unusable(const TrustError& why) {
    return std::runtime_error("state: " + why.text);
}

// nullopt: there is none. Throws if it is unusable.
std::optional<KeyBytes> read_key(const TrustedDirectory& folder) {
    const std::string path = folder.path_of(kKeyName);
    const auto file = folder.open_file(kKeyName, O_RDONLY);
    if (!file) {
        if (file.error().error == ENOENT) return std::nullopt;
        throw unusable(file.error());
    }
    std::array<std::byte, kKeySize + 1> bytes{};
    const ssize_t got = ::read(file->get(), bytes.data(), bytes.size());
    if (got != static_cast<ssize_t>(kKeySize))
        throw std::runtime_error(
            fmt::format("{} is not a key of {} bytes; remove it to create a new one, after which "
                        "all clients must mount again",
                        path, kKeySize));
    struct stat about {};
    if (fstat(file->get(), &about) == 0 && (about.st_mode & 077) != 0)
        throw std::runtime_error(
            fmt::format("{} is readable by others (mode {:04o}), who could forge file handles; run "
                        "chmod 600 {}",
                        path, about.st_mode & 07777, path));
    KeyBytes key{};
    std::memcpy(key.data(), bytes.data(), key.size());
    return key;
}

// 0, or an errno. The file appears completely or not at all; if two servers start together one
// creates it, and the other finds it.
int write_key(const TrustedDirectory& folder, const KeyBytes& bytes) {
    const std::string draft = fmt::format("{}.{}", kKeyName, getpid());
    const auto discard = [&] { unlinkat(folder.descriptor(), draft.c_str(), 0); };
    {
        const auto file = folder.replace_file(draft, O_WRONLY);
        if (!file) return file.error().refused() ? EEXIST : file.error().error;
        if (::write(file->get(), bytes.data(), bytes.size()) !=
                static_cast<ssize_t>(bytes.size()) ||
            fsync(file->get()) != 0) {
            const int why = errno != 0 ? errno : EIO;
            discard();
            return why;
        }
    }
    const int linked =
        linkat(folder.descriptor(), draft.c_str(), folder.descriptor(), kKeyName, 0) == 0 ? 0
                                                                                          : errno;
    discard();
    if (linked != 0) return linked;
    return fsync(folder.descriptor()) == 0 ? 0 : errno;
}

// A path may contain any byte and be longer than a name, so the name is its hash.
std::string name_of(std::string_view kind, std::string_view source) {
    return fmt::format("{}-{:016x}", kind,
                       siphash24(0x68656c696f67u, 0x72617068u, as_bytes(source)));
}

// 0, or the errno with which creating this directory and its parents would fail.
int why_not_created(std::filesystem::path path) {
    std::error_code error;
    while (path.has_relative_path() && !std::filesystem::exists(path, error))
        path = path.parent_path();
    if (!std::filesystem::is_directory(path, error)) return ENOTDIR;
    return faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

}  // namespace

State State::open(const std::string& directory) { return open(directory, Missing::create); }
State State::inspect(const std::string& directory) { return open(directory, Missing::leave); }

State State::open(const std::string& directory, Missing missing) {
    State state;
    state.open_directory(directory, missing);
    // A directory that is mounted read-only may still hold the key.
    std::optional<KeyBytes> key;
    if (state.folder_) {
        try {
            key = read_key(*state.folder_);
        } catch (const std::runtime_error&) {
            if (state.problem_.empty()) throw;
        }
    }
    if (!key) {
        key = random_key();
        if (state.problem_.empty() && missing == Missing::create) {
            const int why = write_key(*state.folder_, *key);
            const std::string path = state.folder_->path_of(kKeyName);
            if (why == EEXIST)
                key = read_key(*state.folder_);
            else if (why != 0)
                state.problem_ = fmt::format("cannot write {}: {}", path, std::strerror(why));
            if (!key)
                throw std::runtime_error(
                    fmt::format("{} disappeared while it was being read", path));
        }
    }
    state.key_ = to_key(*key);
    return state;
}

// Afterwards, problem() says why nothing can be kept there.
void State::open_directory(const std::string& directory, Missing missing) {
    if (directory.empty()) {
        problem_ = "there is no state directory: neither --state nor $HOME is set";
        return;
    }
    std::error_code error;
    auto path = std::filesystem::absolute(directory, error).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();  // "state/" is "state"
    directory_ = path.string();
    if (missing == Missing::leave && !std::filesystem::exists(path, error)) {
        if (const int why = why_not_created(path); why != 0)
            problem_ = fmt::format("cannot create {}: {}", directory_, std::strerror(why));
        return;
    }
    std::filesystem::create_directories(path.parent_path(), error);
    if (mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST) {
        problem_ = fmt::format("cannot create {}: {}", directory_, std::strerror(errno));
        return;
    }
    auto opened = TrustedDirectory::open(directory_);
    if (!opened && opened.error().refused()) throw unusable(opened.error());
    if (!opened) {
        problem_ = "cannot open " + opened.error().text;
        return;
    }
    folder_ = std::move(*opened);
    if (faccessat(folder_->descriptor(), ".", R_OK | W_OK | X_OK, AT_EACCESS) != 0)
        problem_ = fmt::format("cannot write to {}: {}", directory_, std::strerror(errno));
}

std::string State::file_of(std::string_view kind, std::string_view source) const {
    return persistent() ? folder_->path_of(name_of(kind, source)) : std::string{};
}

Result<Fd, TrustError> State::open_lock_of(std::string_view kind, std::string_view source) const {
    return folder_->open_file(name_of(kind, source) + ".lock", O_RDWR | O_CREAT);
}

}  // namespace helio::serve
