#include "helio/base/task.h"

#include <new>

namespace helio::task_detail {

constinit thread_local FreeFrames free_frames{};

namespace {

// Frees a thread's frames when it ends. The few frames that other objects of the thread release
// after that are not freed.
struct Cleaner {
    ~Cleaner() {
        for (FreeFrames::List& list : free_frames.lists)
            while (FreeFrames::Free* const one = list.first) {
                list.first = one->next;
                --list.count;
                ::operator delete(one);
            }
    }
    void be_there() {}
};
thread_local Cleaner cleaner;

}  // namespace

void* new_frame(std::size_t size) {
    cleaner.be_there();
    const std::size_t at = (size - 1) / FreeFrames::kStep;
    return ::operator new(at < FreeFrames::kClasses ? (at + 1) * FreeFrames::kStep : size);
}

void delete_frame(void* frame, std::size_t) noexcept { ::operator delete(frame); }

}  // namespace helio::task_detail
