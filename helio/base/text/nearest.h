// "did you mean …?": finds the known word most similar to what somebody typed.
#pragma once

#include <cstddef>
#include <string_view>

namespace helio {

// The number of letters to insert, remove, replace or swap with a neighbor to turn one word into
// the other (Damerau and Levenshtein). Anything above `limit` is reported as limit + 1, as are
// words of more than 256 letters, since the work is quadratic.
std::size_t edit_distance(std::string_view from, std::string_view to, std::size_t limit);

// Finds the candidate most similar to `wanted`; the first one wins a tie. Empty if all differ by
// more than a typing error: a third of its letters, and at most 3. Borrows all candidates.
class Nearest final {
 public:
    explicit Nearest(std::string_view wanted);
    // True if it is the nearest so far.
    bool offer(std::string_view candidate);
    std::string_view found() const { return found_; }

 private:
    std::string_view wanted_;
    std::string_view found_;
    std::size_t limit_;  // only candidates nearer than this count
};

}  // namespace helio
