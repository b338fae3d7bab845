#include "helio/serve/state.h"

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
#include "helio/transport/socket/socket.h"

namespace helio::serve {
namespace {

constexpr const char* kKeyName = "handle-key";
constexpr std::size_t kKeySize = 16;
using KeyBytes = std::array<std::byte, kKeySize>;

KeyBytes random_key() {
    KeyBytes bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw std::runtime_error(fmt::format("no random bytes: {}", std::strerror(errno)));
    return bytes;
}

nfs::HandleKey to_key(const KeyBytes& bytes) {
    nfs::HandleKey key;
    std::memcpy(&key.first, bytes.data(), sizeof key.first);
    std::memcpy(&key.second, bytes.data() + sizeof key.first, sizeof key.second);
    return key;
}

// nullopt: there is none. Throws if it is unusable.
std::optional<KeyBytes> read_key(const std::string& path) {
    const transport::Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
    if (!file) {
        if (errno == ENOENT) return std::nullopt;
        throw std::runtime_error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
    }
    std::array<std::byte, kKeySize + 1> bytes{};
    const ssize_t got = ::read(file.get(), bytes.data(), bytes.size());
    if (got != static_cast<ssize_t>(kKeySize))
        throw std::runtime_error(fmt::format(
            "{} is not a key of {} bytes; with it removed, a new one is made and every client has "
            "to mount again",
            path, kKeySize));
    struct stat about {};
    if (fstat(file.get(), &about) == 0 && (about.st_mode & 077) != 0)
        throw std::runtime_error(fmt::format(
            "{} can be read by others (mode {:04o}), who could then make handles of their own; "
            "say chmod 600 {}",
            path, about.st_mode & 07777, path));
    KeyBytes key{};
    std::memcpy(key.data(), bytes.data(), key.size());
    return key;
}

// 0, or an errno. The file appears completely or not at all; if two servers start together one
// creates it, and the other finds it.
int write_key(const std::string& directory, const KeyBytes& bytes) {
    const std::string path = directory + "/" + kKeyName;
    const std::string draft = fmt::format("{}.{}", path, getpid());
    {
        const transport::Fd file{
            ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)};
        if (!file) return errno;
        if (::write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()) ||
            fsync(file.get()) != 0) {
            const int why = errno != 0 ? errno : EIO;
            unlink(draft.c_str());
            return why;
        }
    }
    const int linked = link(draft.c_str(), path.c_str()) == 0 ? 0 : errno;
    unlink(draft.c_str());
    if (linked != 0) return linked;
    const transport::Fd folder{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    return folder && fsync(folder.get()) == 0 ? 0 : errno;
}

// Why nothing can be kept in this directory; empty: it can.
std::string make_directory(const std::string& directory) {
    if (directory.empty()) return "there is no place for it: neither --state nor $HOME is set";
    std::error_code error;
    const auto parent = std::filesystem::path(directory).parent_path();
    if (!parent.empty()) std::filesystem::create_directories(parent, error);
    if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
        return fmt::format("cannot make {}: {}", directory, std::strerror(errno));
    if (access(directory.c_str(), R_OK | W_OK | X_OK) != 0)
        return fmt::format("cannot write to {}: {}", directory, std::strerror(errno));
    return {};
}

}  // namespace

State State::open(const std::string& directory) {
    State state;
    state.problem_ = make_directory(directory);
    std::error_code error;
    state.directory_ =
        directory.empty() ? "" : std::filesystem::absolute(directory, error).string();
    const std::string path = state.directory_ + "/" + kKeyName;
    // A directory that is mounted read-only may still hold the key.
    std::optional<KeyBytes> key;
    if (!directory.empty()) {
        try {
            key = read_key(path);
        } catch (const std::runtime_error&) {
            if (state.problem_.empty()) throw;
        }
    }
    if (!key) {
        key = random_key();
        if (state.problem_.empty()) {
            const int why = write_key(state.directory_, *key);
            if (why == EEXIST)
                key = read_key(path);
            else if (why != 0)
                state.problem_ = fmt::format("cannot write {}: {}", path, std::strerror(why));
        }
        if (!key) throw std::runtime_error(fmt::format("{} vanished while it was read", path));
    }
    state.key_ = to_key(*key);
    return state;
}

std::string State::file_of(std::string_view kind, std::string_view source) const {
    if (!persistent()) return {};
    // A path may hold any byte and be longer than a name: its hash is the name.
    const std::uint64_t name = siphash24(0x68656c696f67u, 0x72617068u, as_bytes(source));
    return fmt::format("{}/{}-{:016x}", directory_, kind, name);
}

}  // namespace helio::serve
