#include "helio/load/nfs/names.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include <fmt/format.h>

namespace helio::load::nfs {

namespace {

constexpr std::size_t kDigits = 7;

}  // namespace

std::string entry_name(std::uint32_t number) { return fmt::format("e{:07}", number); }

NameFault KnownNames::add(std::string_view name) {
    if (name == "." || name == "..") {
        bool& seen = name.size() == 1 ? self_ : parent_;
        if (seen) return NameFault::twice;
        seen = true;
        return NameFault::none;
    }
    std::uint32_t number = 0;
    if (name.size() != kDigits + 1 || name[0] != 'e') return NameFault::unknown;
    const char* const end = name.data() + name.size();
    const auto [at, fault] = std::from_chars(name.data() + 1, end, number);
    if (fault != std::errc{} || at != end || number >= seen_.size()) return NameFault::unknown;
    if (seen_[number]) return NameFault::twice;
    seen_[number] = true;
    ++count_;
    return NameFault::none;
}

NameFault KnownNames::finish() {
    const bool all = count_ == seen_.size();
    seen_.assign(seen_.size(), false);
    count_ = 0;
    self_ = parent_ = false;
    return all ? NameFault::none : NameFault::missing;
}

void SeenNames::add(std::string_view name) {
    hashes_.push_back(std::hash<std::string_view>{}(name));
}

std::size_t SeenNames::duplicates() {
    std::sort(hashes_.begin(), hashes_.end());
    std::size_t count = 0;
    for (std::size_t i = 1; i < hashes_.size(); ++i) count += hashes_[i] == hashes_[i - 1];
    return count;
}

}  // namespace helio::load::nfs
