#include "helio/base/task.h"

#include <array>
#include <new>

namespace helio::task_detail {

namespace {

// Frames by size, in steps of 64 bytes; larger ones are rare and go to the heap.
constexpr std::size_t kStep = 64;
constexpr std::size_t kClasses = 32;
// Frames one thread keeps of a size: as many calls as one connection may have suspended.
constexpr std::size_t kKeptMax = 256;

struct Free {
    Free* next;
};

struct FreeLists {
    struct List {
        Free* first = nullptr;
        std::size_t count = 0;
    };
    std::array<List, kClasses> lists;
    ~FreeLists() {
        for (List& list : lists)
            while (Free* const one = list.first) {
                list.first = one->next;
                ::operator delete(one);
            }
    }
};

thread_local FreeLists free_lists;

std::size_t class_of(std::size_t size) { return (size - 1) / kStep; }

}  // namespace

void* allocate_frame(std::size_t size) {
    const std::size_t at = class_of(size);
    if (at >= kClasses) return ::operator new(size);
    auto& list = free_lists.lists[at];
    if (Free* const one = list.first) {
        list.first = one->next;
        --list.count;
        return one;
    }
    return ::operator new((at + 1) * kStep);
}

void release_frame(void* frame, std::size_t size) noexcept {
    const std::size_t at = class_of(size);
    if (at >= kClasses) return ::operator delete(frame);
    auto& list = free_lists.lists[at];
    if (list.count >= kKeptMax) return ::operator delete(frame);
    list.first = new (frame) Free{list.first};
    ++list.count;
}

}  // namespace helio::task_detail
