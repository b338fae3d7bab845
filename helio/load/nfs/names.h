// Checks that a listing has every name once. KnownNames is for a directory that the run itself
// filled with `entry_name(0)`, `entry_name(1)` …; SeenNames for any directory of any size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace helio::load::nfs {

// Entries that a run makes in one directory: seven digits.
inline constexpr std::uint32_t kEntriesMax = 9'999'999;

// "e0000042"
std::string entry_name(std::uint32_t number);

enum class NameFault : std::uint8_t { none, twice, unknown, missing };

class KnownNames final {
 public:
    explicit KnownNames(std::uint32_t count) : seen_(count) {}

    NameFault add(std::string_view name);
    // The listing ends: are all names there? Starts the next one.
    NameFault finish();

 private:
    std::vector<bool> seen_;
    std::uint32_t count_ = 0;
    bool self_ = false, parent_ = false;  // "." and "..", which servers need not list
};

// Keeps 8 bytes per name. The chance that two of a million different names look equal is 1 in 10^7.
class SeenNames final {
 public:
    void add(std::string_view name);
    std::size_t count() const { return hashes_.size(); }
    // Counts repeated names; sorts, so call it once, at the end.
    std::size_t duplicates();

 private:
    std::vector<std::uint64_t> hashes_;
};

}  // namespace helio::load::nfs
