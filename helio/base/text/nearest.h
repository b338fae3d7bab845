// "did you mean …?": the known word that is most like what somebody typed.
#pragma once

#include <cstddef>
#include <string_view>

namespace helio {

// Letters to insert, remove, replace or swap with their neighbor to make one word of the other
// (Damerau and Levenshtein). Anything above `limit` is limit + 1, as are words of more than 256
// letters: the work is quadratic.
std::size_t edit_distance(std::string_view from, std::string_view to, std::size_t limit);

// Of the candidates offered, the first of those most like `wanted`; empty when all differ by more
// than a slip of the fingers: a third of its letters, and 3 at most. Borrows all of them.
class Nearest final {
 public:
    explicit Nearest(std::string_view wanted);
    // True: it is the nearest so far.
    bool offer(std::string_view candidate);
    std::string_view found() const { return found_; }

 private:
    std::string_view wanted_;
    std::string_view found_;
    std::size_t limit_;  // only what is nearer than this counts
};

}  // namespace helio
