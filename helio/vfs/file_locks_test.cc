#include "helio/vfs/file_locks.h"

#include <array>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace helio::vfs::file_locks_test {
namespace {

constexpr LockType kRead = LockType::read;
constexpr LockType kWrite = LockType::write;

std::string to_text(std::uint64_t offset) {
    return offset == kLockToEnd ? "end" : std::to_string(offset);
}
// "0-4 r, 5-9 -, 10-end w"
std::string shown(const FileLocks& locks, const LockRange& range = {}) {
    std::string text;
    for (const auto& piece : locks.pieces(range)) {
        text += (text.empty() ? "" : ", ") + to_text(piece.range.first) + "-" +
                to_text(piece.range.last) +
                (!piece.type            ? " -"
                 : *piece.type == kRead ? " r"
                                        : " w");
    }
    return text;
}

TEST(FileLocks, OneOwnersLocksReplaceJoinAndSplit) {
    struct Step {
        enum class Do { read, write, clear } what;
        LockRange range;
        const char* shown;
        std::size_t count;
    };
    using Do = Step::Do;
    FileLocks locks;
    for (const Step& step : {
             Step{Do::read, {10, 19}, "0-9 -, 10-19 r, 20-end -", 1},
             Step{Do::read, {20, 29}, "0-9 -, 10-29 r, 30-end -", 1},  // adjacent
             Step{Do::read, {0, 9}, "0-29 r, 30-end -", 1},
             Step{Do::read, {5, 14}, "0-29 r, 30-end -", 1},  // already held
             Step{Do::write, {10, 19}, "0-9 r, 10-19 w, 20-29 r, 30-end -", 3},
             Step{Do::write, {15, 24}, "0-9 r, 10-24 w, 25-29 r, 30-end -", 3},
             Step{Do::clear, {12, 12}, "0-9 r, 10-11 w, 12-12 -, 13-24 w, 25-29 r, 30-end -", 4},
             Step{Do::clear, {100, 200}, "0-9 r, 10-11 w, 12-12 -, 13-24 w, 25-29 r, 30-end -", 4},
             Step{Do::read, {11, 13}, "0-9 r, 10-10 w, 11-13 r, 14-24 w, 25-29 r, 30-end -", 5},
             Step{Do::read, {10, 24}, "0-29 r, 30-end -", 1},
             Step{Do::write, {28, kLockToEnd}, "0-27 r, 28-end w", 2},
             Step{Do::clear,
                  {kLockToEnd, kLockToEnd},
                  "0-27 r, 28-18446744073709551614 w, end-end -",
                  2},
             Step{Do::write, {0, kLockToEnd}, "0-end w", 1},
             Step{Do::clear, {0, 0}, "0-0 -, 1-end w", 1},
             Step{Do::clear, {0, kLockToEnd}, "0-end -", 0},
         }) {
        if (step.what == Do::clear)
            locks.clear(1, step.range);
        else
            locks.set(1, step.range, step.what == Do::read ? kRead : kWrite);
        EXPECT_EQ(shown(locks), step.shown);
        EXPECT_EQ(locks.count(), step.count) << step.shown;
        EXPECT_EQ(locks.empty(), step.count == 0);
        EXPECT_EQ(locks.held(1, 0, 1).empty(), step.count == 0);
    }
}

TEST(FileLocks, ConflictsNameTheFirstLockInTheWay) {
    FileLocks locks;
    locks.set(1, {10, 19}, kRead);
    locks.set(2, {15, 24}, kRead);
    locks.set(3, {30, kLockToEnd}, kWrite);
    using Conflict = std::optional<LockConflict>;
    EXPECT_EQ(locks.conflict(4, {0, 9}, kWrite), std::nullopt);
    EXPECT_EQ(locks.conflict(4, {0, 29}, kRead), std::nullopt);
    EXPECT_EQ(locks.conflict(4, {0, 10}, kWrite), (Conflict{{{10, 19}, kRead, 1}}));
    EXPECT_EQ(locks.conflict(1, {10, 19}, kWrite), (Conflict{{{15, 24}, kRead, 2}}));
    EXPECT_EQ(locks.conflict(1, {10, 14}, kWrite), std::nullopt);
    EXPECT_EQ(locks.conflict(4, {}, kRead), (Conflict{{{30, kLockToEnd}, kWrite, 3}}));
    EXPECT_EQ(locks.conflict(3, {30, 40}, kRead), std::nullopt) << "its own lock";
    EXPECT_EQ(locks.conflict(4, {kLockToEnd, kLockToEnd}, kRead),
              (Conflict{{{30, kLockToEnd}, kWrite, 3}}));
}

TEST(FileLocks, ClearSaysWhatWasThere) {
    FileLocks locks;
    locks.set(1, {10, 19}, kRead);
    locks.set(1, {30, 39}, kWrite);
    using Parts = std::vector<LockRange>;
    EXPECT_EQ(locks.clear(2, {}), (Parts{}));
    EXPECT_EQ(locks.clear(1, {20, 29}), (Parts{}));
    EXPECT_EQ(locks.clear(1, {15, 34}), (Parts{{15, 19}, {30, 34}}));
    EXPECT_EQ(locks.clear(1, {}), (Parts{{10, 14}, {35, 39}}));
}

// A slow and obvious model: one state per byte. It has 24 places, and the last one stands for all
// bytes from there on.
class Model {
 public:
    static constexpr std::size_t kPlaces = 24;
    static constexpr std::size_t kOwners = 4;

    bool can(std::size_t owner, std::size_t first, std::size_t last, LockType type) const {
        for (std::size_t at = first; at <= last; ++at)
            for (std::size_t other = 0; other < kOwners; ++other)
                if (other != owner && held_[other][at] &&
                    (type == kWrite || *held_[other][at] == kWrite))
                    return false;
        return true;
    }
    void set(std::size_t owner, std::size_t first, std::size_t last, std::optional<LockType> type) {
        for (std::size_t at = first; at <= last; ++at) held_[owner][at] = type;
    }
    std::optional<LockType> strongest(std::size_t at) const {
        std::optional<LockType> found;
        for (const auto& one : held_)
            if (one[at] && (!found || *one[at] == kWrite)) found = one[at];
        return found;
    }
    std::size_t count() const {
        std::size_t runs = 0;
        for (const auto& one : held_)
            for (std::size_t at = 0; at < kPlaces; ++at)
                if (one[at] && (at == 0 || one[at - 1] != one[at])) ++runs;
        return runs;
    }

 private:
    std::array<std::array<std::optional<LockType>, kPlaces>, kOwners> held_{};
};

TEST(FileLocks, AgreeWithAModel) {
    std::mt19937 random(14);
    const auto last_byte = [](std::size_t place) {
        return place == Model::kPlaces - 1 ? kLockToEnd : place;
    };
    for (int round = 0; round < 200; ++round) {
        FileLocks locks;
        Model model;
        for (int step = 0; step < 100; ++step) {
            const std::size_t owner = random() % Model::kOwners;
            std::size_t first = random() % Model::kPlaces;
            std::size_t last = random() % Model::kPlaces;
            if (first > last) std::swap(first, last);
            const LockRange range{first, last_byte(last)};
            if (random() % 3 == 0) {
                locks.clear(owner, range);
                model.set(owner, first, last, std::nullopt);
            } else {
                const LockType type = random() % 2 == 0 ? kRead : kWrite;
                const bool can = model.can(owner, first, last, type);
                ASSERT_EQ(!locks.conflict(owner, range, type), can) << round << " " << step;
                if (can) {
                    locks.set(owner, range, type);
                    model.set(owner, first, last, type);
                }
            }
            ASSERT_EQ(locks.count(), model.count()) << round << " " << step;
            std::uint64_t next = 0;
            for (const auto& piece : locks.pieces({})) {
                ASSERT_EQ(piece.range.first, next);
                for (std::uint64_t at = next; at <= piece.range.last && at < Model::kPlaces; ++at)
                    ASSERT_EQ(piece.type, model.strongest(at)) << round << " " << step;
                next = piece.range.last + 1;
            }
            ASSERT_EQ(next, 0u) << "the pieces cover the whole range";
        }
    }
}

}  // namespace
}  // namespace helio::vfs::file_locks_test
