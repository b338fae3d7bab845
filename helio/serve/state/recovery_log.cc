#include "helio/serve/state/recovery_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "helio/base/text/byte_text.h"

namespace helio::serve {
namespace {

constexpr const char* kKind = "clients";
constexpr const char* kSource = "nfs4";

std::optional<std::string> from_hex(std::string_view hex) {
    const auto digit = [](char c) {
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    if (hex.empty() || hex.size() % 2 != 0) return std::nullopt;
    std::string out;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        const int high = digit(hex[i]);
        const int low = digit(hex[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        out += static_cast<char>(high * 16 + low);
    }
    return out;
}

std::string line_of(char sign, std::string_view owner) {
    std::string line(1, sign);
    append_hex(line, as_bytes(owner));
    return line + '\n';
}

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t sent = ::write(file, text.data(), text.size());
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

}  // namespace

std::unordered_set<std::string> owners_in(std::string_view text) {
    std::unordered_set<std::string> owners;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == text.npos) break;  // cut by a crash
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (line.empty()) continue;
        const auto owner = from_hex(line.substr(1));
        if (!owner) continue;
        if (line[0] == '+') owners.insert(*owner);
        if (line[0] == '-') owners.erase(*owner);
    }
    return owners;
}

std::unique_ptr<nfs::state::Recovery> RecoveryLog::open(const State& state, std::string& problem) {
    const std::string path = state.file_of(kKind, kSource);
    if (path.empty()) {
        problem = "there is no state directory to write to";
        return std::make_unique<nfs::state::NoRecovery>();
    }
    auto lock = state.open_lock_of(kKind, kSource);
    if (!lock || flock(lock->get(), LOCK_EX | LOCK_NB) != 0) {
        problem = lock ? "another server uses the same state directory" : lock.error().text;
        return std::make_unique<nfs::state::NoRecovery>();
    }
    std::ifstream file{path, std::ios::binary};
    const std::string before{std::istreambuf_iterator<char>{file}, {}};
    std::unique_ptr<RecoveryLog> made{new RecoveryLog{std::move(*lock), path, owners_in(before)}};
    if (!made->write_anew()) {
        problem = fmt::format("{}: {}", path, std::strerror(errno));
        return std::make_unique<nfs::state::NoRecovery>();
    }
    return made;
}

// The new file replaces the old one when it is complete. If that fails, the old one is used on.
bool RecoveryLog::write_anew() {
    write_anew_ = std::max(kRecoveryBytesKept, 2 * bytes_);
    const std::string draft = path_ + ".new";
    Fd file{::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
                   0600)};
    std::string text;
    for (const std::string& owner : owners_) text += line_of('+', owner);
    if (!file || !write_all(file.get(), text) || fsync(file.get()) != 0 ||
        ::rename(draft.c_str(), path_.c_str()) != 0)
        return false;
    file_ = std::move(file);
    bytes_ = text.size();
    write_anew_ = std::max(kRecoveryBytesKept, 2 * bytes_);
    const std::string folder = std::filesystem::path{path_}.parent_path();
    const Fd directory{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    return directory && fsync(directory.get()) == 0;
}

bool RecoveryLog::append(char sign, std::string_view owner) {
    const std::string line = line_of(sign, owner);
    if (!write_all(file_.get(), line)) {
        // A part of a line would spoil the next one.
        static_cast<void>(ftruncate(file_.get(), static_cast<off_t>(bytes_)));
        return false;
    }
    bytes_ += line.size();
    return true;
}

bool RecoveryLog::add(std::string_view owner) {
    const std::lock_guard guard{mutex_};
    if (!append('+', owner) || fdatasync(file_.get()) != 0) return false;
    owners_.emplace(owner);
    return true;
}

void RecoveryLog::remove(std::string_view owner) {
    const std::lock_guard guard{mutex_};
    append('-', owner);
    owners_.erase(std::string{owner});
    if (bytes_ >= write_anew_) write_anew();
}

}  // namespace helio::serve
