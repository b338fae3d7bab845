// DomainNames: the users and groups of this machine under a domain, "ada@example.com", for clients
// of NFS version 4. Answers of the database are kept for a while: it may be a directory service
// that takes seconds. Used by all threads at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "helio/base/result.h"
#include "helio/nfs/server/user_names.h"

namespace helio::serve {

// How long an answer of the database is believed: as nfsidmap(8) has it on clients.
inline constexpr std::chrono::minutes kNameKeptMax{10};
// How long "there is no such user" is believed: an administrator who adds one waits this long.
inline constexpr std::chrono::seconds kMissingNameKeptMax{60};
// How long "the database cannot be reached" is believed: not every call waits for it.
inline constexpr std::chrono::seconds kUnavailableKeptMax{5};
// The name of a domain leaves room for a user's in kOwnerTextMax.
inline constexpr std::size_t kDomainBytesMax = 95;
// Answers that are kept, of each of users and groups, in each direction. Large sites have this many
// users at work at one time; an answer takes about 300 bytes at most.
inline constexpr std::size_t kNamesKeptMax = 16'384;

// passwd and group of this machine, or of a test.
class UserDatabase {
 public:
    using Kind = nfs::UserNames::Kind;
    enum class Answer : std::uint8_t { found, missing, unavailable };

    virtual ~UserDatabase() = default;
    virtual Answer name_of(Kind kind, std::uint32_t id, std::string& out) = 0;
    virtual Answer id_of(Kind kind, const std::string& name, std::uint32_t& out) = 0;
};

// getpwuid_r(3) and its relatives, which wait for whatever nsswitch.conf names.
class SystemUserDatabase final : public UserDatabase {
 public:
    Answer name_of(Kind kind, std::uint32_t id, std::string& out) override;
    Answer id_of(Kind kind, const std::string& name, std::uint32_t& out) override;
};

class DomainNames final : public nfs::UserNames {
 public:
    using Instant = std::chrono::steady_clock::time_point;

    // The database outlives this.
    DomainNames(std::string domain, UserDatabase& database,
                std::function<Instant()> now = std::chrono::steady_clock::now);

    vfs::Status text_of(Kind kind, std::uint32_t id, Wait wait, std::string& out) override;
    vfs::Status id_of(Kind kind, std::string_view text, Wait wait, std::uint32_t& out) override;

    std::size_t kept() const;  // answers

 private:
    using Answer = UserDatabase::Answer;
    template <class Value>
    struct Kept {
        Answer answer = Answer::missing;
        Value value = {};
        Instant until = {};
    };
    struct Tables {
        std::unordered_map<std::uint32_t, Kept<std::string>> names;
        std::unordered_map<std::string, Kept<std::uint32_t>> ids;
    };
    Instant until(Answer answer) const;
    Tables& of(Kind kind) { return kind == Kind::user ? users_ : groups_; }

    const std::string domain_;
    UserDatabase& database_;
    const std::function<Instant()> now_;
    mutable std::mutex mutex_;  // of the tables; not held while the database is asked
    Tables users_;
    Tables groups_;
};

// The name of a domain, or what is wrong with it.
Result<std::string, std::string> parse_domain(std::string_view text);

}  // namespace helio::serve
