// Is every name in a listing once? KnownNames is for a directory that the run filled itself with
// `entry_name(0)`, `entry_name(1)` …; SeenNames for any directory, however many names it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace helio::load::nfs {

// Entries a run makes itself in one directory: seven digits.
inline constexpr std::uint32_t kEntriesMax = 9'999'999;

// "e0000042"
std::string entry_name(std::uint32_t number);

enum class NameFault : std::uint8_t { none, twice, unknown, missing };

class KnownNames final {
 public:
    explicit KnownNames(std::uint32_t count) : seen_(count) {}

    NameFault add(std::string_view name);
    // The end of the listing: whether all were there. Begins the next.
    NameFault finish();

 private:
    std::vector<bool> seen_;
    std::uint32_t count_ = 0;
    bool self_ = false, parent_ = false;  // "." and "..", which servers may list or not
};

// Keeps 8 bytes of each name. Two different names are taken for one with a chance of 1 in 10^7 for
// a million names.
class SeenNames final {
 public:
    void add(std::string_view name);
    std::size_t count() const { return hashes_.size(); }
    // Names that were there before; sorts, so once at the end.
    std::size_t duplicates();

 private:
    std::vector<std::uint64_t> hashes_;
};

}  // namespace helio::load::nfs
