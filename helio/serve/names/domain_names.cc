#include "helio/serve/names/domain_names.h"

#include <grp.h>
#include <pwd.h>
#include <strings.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include <fmt/format.h>

#include "helio/base/text/escape.h"

namespace helio::serve {

using vfs::Status;

namespace {

// Bytes for one entry of passwd or group: a group's has the names of all of its members.
constexpr std::size_t kEntryBytesMax = 1u << 20;

// getpwnam(3): these mean that there is no such entry; others, that nobody could say.
UserDatabase::Answer answer_of(int error) {
    const bool missing =
        error == 0 || error == ENOENT || error == ESRCH || error == EBADF || error == EPERM;
    return missing ? UserDatabase::Answer::missing : UserDatabase::Answer::unavailable;
}

// Calls getpwuid_r or one like it with more memory until it is enough, and `take` with the entry.
template <class Entry, class Key, class Look, class Take>
UserDatabase::Answer look_up(Key key, Look look, Take take) {
    std::vector<char> buffer(1024);
    for (;; buffer.resize(2 * buffer.size())) {
        Entry entry{};
        Entry* found = nullptr;
        const int error = look(key, &entry, buffer.data(), buffer.size(), &found);
        if (error == ERANGE && buffer.size() < kEntryBytesMax) continue;
        if (found == nullptr) return answer_of(error);
        take(*found);
        return UserDatabase::Answer::found;
    }
}

// False: it is no name of a user or group, whatever the database would make of it. A NUL would end
// the name before its end.
bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= nfs::kOwnerTextMax &&
           std::ranges::none_of(text, [](char c) {
               const auto byte = static_cast<unsigned char>(c);
               return byte < ' ' || byte == 127 || c == '@';
           });
}

// Names of domains are compared as DNS does.
bool same_domain(std::string_view a, std::string_view b) {
    return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

// Makes room for one more: expired answers go first, and if none is, all do.
template <class Table>
void make_room(Table& table, DomainNames::Instant now) {
    if (table.size() < kNamesKeptMax) return;
    std::erase_if(table, [now](const auto& one) { return one.second.until <= now; });
    if (table.size() >= kNamesKeptMax) table.clear();
}

}  // namespace

UserDatabase::Answer SystemUserDatabase::name_of(Kind kind, std::uint32_t id, std::string& out) {
    if (kind == Kind::user)
        return look_up<passwd>(id, getpwuid_r, [&](const passwd& one) { out = one.pw_name; });
    return look_up<group>(id, getgrgid_r, [&](const group& one) { out = one.gr_name; });
}

UserDatabase::Answer SystemUserDatabase::id_of(Kind kind, const std::string& name,
                                               std::uint32_t& out) {
    if (kind == Kind::user)
        return look_up<passwd>(name.c_str(), getpwnam_r,
                               [&](const passwd& one) { out = one.pw_uid; });
    return look_up<group>(name.c_str(), getgrnam_r, [&](const group& one) { out = one.gr_gid; });
}

DomainNames::DomainNames(std::string domain, UserDatabase& database, std::function<Instant()> now)
    : domain_(std::move(domain)), database_(database), now_(std::move(now)) {}

// An unreachable database is asked again soon.
DomainNames::Instant DomainNames::until(Answer answer) const {
    return now_() + (answer == Answer::found
                         ? std::chrono::duration_cast<std::chrono::seconds>(kNameKeptMax)
                     : answer == Answer::missing ? kMissingNameKeptMax
                                                 : kUnavailableKeptMax);
}

Status DomainNames::text_of(Kind kind, std::uint32_t id, Wait wait, std::string& out) {
    {
        const std::lock_guard lock{mutex_};
        auto& names = of(kind).names;
        if (const auto known = names.find(id); known != names.end() && known->second.until > now_())
            return out = known->second.value, Status::ok;
    }
    if (wait == Wait::no) return Status::would_block;
    std::string name;
    const Answer answer = database_.name_of(kind, id, name);
    out = name + "@" + domain_;
    if (answer != Answer::found || !is_name(name) || out.size() > nfs::kOwnerTextMax)
        out = std::to_string(id);
    const std::lock_guard lock{mutex_};
    make_room(of(kind).names, now_());
    of(kind).names[id] = {answer, out, until(answer)};
    return Status::ok;
}

Status DomainNames::id_of(Kind kind, std::string_view text, Wait wait, std::uint32_t& out) {
    if (nfs::parse_number(text, out)) return Status::ok;
    const std::size_t at = text.find('@');
    if (at == text.npos || !same_domain(text.substr(at + 1), domain_)) return Status::invalid;
    const std::string name{text.substr(0, std::min(at, nfs::kOwnerTextMax + 1))};
    if (!is_name(name)) return Status::invalid;
    const auto status_of = [](Answer answer) {
        return answer == Answer::found     ? Status::ok
               : answer == Answer::missing ? Status::invalid
                                           : Status::busy;
    };
    {
        const std::lock_guard lock{mutex_};
        auto& ids = of(kind).ids;
        if (const auto known = ids.find(name); known != ids.end() && known->second.until > now_())
            return out = known->second.value, status_of(known->second.answer);
    }
    if (wait == Wait::no) return Status::would_block;
    const Answer answer = database_.id_of(kind, name, out);
    const std::lock_guard lock{mutex_};
    make_room(of(kind).ids, now_());
    of(kind).ids[name] = {answer, out, until(answer)};
    return status_of(answer);
}

std::size_t DomainNames::kept() const {
    const std::lock_guard lock{mutex_};
    return users_.names.size() + users_.ids.size() + groups_.names.size() + groups_.ids.size();
}

Result<std::string, std::string> parse_domain(std::string_view text) {
    if (text.empty()) return fail(std::string("the name of the domain is empty"));
    if (text.size() > kDomainBytesMax)
        return fail(fmt::format("the name of the domain has {} bytes; the limit is {}", text.size(),
                                kDomainBytesMax));
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= ' ' || byte == 127 || c == '@' || c == '/')
            return fail(fmt::format(
                "'{}' is not a domain: it cannot contain '@', '/', spaces or control characters",
                printable(text)));
    }
    return std::string{text};
}

}  // namespace helio::serve
