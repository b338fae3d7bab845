// Backend: describes one kind of file system to a server, which can then export it. It recognises
// the sources it can open ("memory:", or the path of a directory), tells what it can about a source
// before opening it, lists its settings, and opens file systems. A server finds its back ends in a
// BackendTable and treats them all alike.
//
// All of this runs at start-up and on reload, on one thread. Errors are messages for people.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "helio/base/assert.h"
#include "helio/base/result.h"
#include "helio/vfs/file_system.h"

namespace helio::vfs {

using SettingValue = std::variant<bool, std::uint64_t, std::string>;

// A setting that an export may have in the configuration file. Its type is that of its default.
struct BackendSetting {
    std::string_view key;   // "cache-size"
    std::string_view help;  // what it does, in a few words
    SettingValue default_value;
    std::uint64_t least = 0;  // if it is a number
    std::uint64_t most = INT64_MAX;
};

// The values of one export. Settings that were not given have their defaults.
class BackendSettings final {
 public:
    void set(std::string_view key, SettingValue value) {
        given_.insert_or_assign(std::string{key}, std::move(value));
    }
    template <class T>
    const T& get(const BackendSetting& setting) const {
        const auto at = given_.find(setting.key);
        const T* const value =
            std::get_if<T>(at == given_.end() ? &setting.default_value : &at->second);
        HELIO_ASSERT(value != nullptr);  // the caller of set() checks the type
        return *value;
    }
    bool operator==(const BackendSettings&) const = default;
    auto operator<=>(const BackendSettings&) const = default;

 private:
    std::map<std::string, SettingValue, std::less<>> given_;
};

// What the user asked for.
struct SourceRequest {
    std::string source;          // as it was written
    std::string export_path;     // where clients will find it: "/data"
    bool sync_metadata = false;  // answer only when names and attributes are on disk
    BackendSettings settings;
};

// What a back end knows about a source without opening it.
struct SourceInfo {
    std::string source;       // canonical: the real path of a directory
    std::string description;  // for people: "files in memory"
    // Exports with the same identity and the same settings share one file system.
    std::string identity;
    bool outlives_server = true;  // the files exist without the server
    // Files are accessed as the calling user. Otherwise everything is done as the server's own
    // user.
    bool acts_as_callers = false;
    // What the sandbox must permit: access to these directories and all below them, acting as other
    // users, and opening files by kernel handle.
    std::vector<std::string> paths;
    bool changes_identity = false;
    bool opens_by_handle = false;
};

// Services of the server for its back ends.
class BackendHost {
 public:
    virtual ~BackendHost() = default;

    struct StateFile {
        std::string path;                  // empty: there is none
        std::shared_ptr<const void> lock;  // hold it as long as the file is used
    };
    // A file in the state directory for data that must survive a restart, locked against other
    // servers. `kind` and `source` name it: "the index of /srv". If another server holds the lock,
    // there is no file, and the server logs a warning with the consequence, `without_it`.
    virtual StateFile state_file(std::string_view kind, std::string_view source,
                                 std::string_view without_it) = 0;
    virtual void warn(std::string_view sentence) = 0;
};

struct BackendInfo {
    std::string_view name;    // "memory"
    std::string_view scheme;  // "memory:"; empty: sources without a known scheme
    // How a source is written: in a synopsis, and in messages about the command line and the file.
    std::string_view usage;         // "DIR", "memory:"
    std::string_view noun;          // "a directory", "memory:"
    std::string_view noun_in_file;  // "an absolute path", "memory:"
    std::span<const BackendSetting> settings;
};

class Backend {
 public:
    virtual ~Backend() = default;

    virtual const BackendInfo& info() const = 0;
    enum class SourceOrigin : std::uint8_t { command_line, file };
    // Empty, or why this cannot be a source.
    virtual std::string check(std::string_view source, SourceOrigin place) const = 0;
    // The name of an export that was given none; empty if there is no obvious one.
    virtual std::string default_name(std::string_view source) const = 0;
    virtual helio::Result<SourceInfo, std::string> inspect(const SourceRequest& request) const = 0;
    // `info` is the result of inspect() for this request. Throws std::runtime_error.
    virtual std::shared_ptr<FileSystem> open(const SourceRequest& request, const SourceInfo& info,
                                             BackendHost& host) const = 0;
};

// The back ends of a server. It borrows them; they live as long as the program.
class BackendTable final {
 public:
    // Names and schemes must be unique; one back end may have no scheme.
    explicit BackendTable(std::vector<const Backend*> all);

    std::span<const Backend* const> all() const { return all_; }
    // Matches the scheme; falls back to the back end without one. Null if there is none.
    const Backend* find(std::string_view source) const;

 private:
    std::vector<const Backend*> all_;
};

}  // namespace helio::vfs
