// Task<T>: the only coroutine type. It is lazy: it runs when it is awaited or start()ed, on the
// thread that does so. It owns its frame; destroying a Task destroys the frame with everything in
// it, including the tasks it waits for. Frames come from per-thread free lists, so after warm-up
// nothing is allocated.
//
//     Task<int> twice(Task<int> one) { co_return 2 * co_await std::move(one); }
//
// A coroutine is a named function that takes its parameters by value, or by reference to things
// that outlive it. It is never a lambda with captures: those die with the lambda, not with the
// frame.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

#include "helio/base/assert.h"

namespace helio {

template <class T>
class Task;

namespace task_detail {

// Free frames by size, in steps of 64 bytes; larger ones are rare and go to the heap. Inline and
// without a constructor or destructor, which every use would have to check for: a call that does
// not wait costs a few loads.
struct FreeFrames {
    static constexpr std::size_t kStep = 64;
    static constexpr std::size_t kClasses = 32;
    // As many calls as one connection may have suspended.
    static constexpr std::uint32_t kKeptMax = 256;
    struct Free {
        Free* next;
    };
    struct List {
        Free* first;
        std::uint32_t count;
    };
    List lists[kClasses];
};
extern constinit thread_local FreeFrames free_frames;

void* new_frame(std::size_t size);
void delete_frame(void* frame, std::size_t size) noexcept;

inline void* allocate_frame(std::size_t size) {
    const std::size_t at = (size - 1) / FreeFrames::kStep;
    if (at < FreeFrames::kClasses) [[likely]] {
        FreeFrames::List& list = free_frames.lists[at];
        if (FreeFrames::Free* const one = list.first) [[likely]] {
            list.first = one->next;
            --list.count;
            return one;
        }
    }
    return new_frame(size);
}

inline void release_frame(void* frame, std::size_t size) noexcept {
    const std::size_t at = (size - 1) / FreeFrames::kStep;
    if (at < FreeFrames::kClasses) [[likely]] {
        FreeFrames::List& list = free_frames.lists[at];
        if (list.count < FreeFrames::kKeptMax) [[likely]] {
            list.first = new (frame) FreeFrames::Free{list.first};
            ++list.count;
            return;
        }
    }
    delete_frame(frame, size);
}

struct PromiseBase {
    static void* operator new(std::size_t size) { return allocate_frame(size); }
    static void operator delete(void* frame, std::size_t size) noexcept {
        release_frame(frame, size);
    }

    std::suspend_always initial_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { error = std::current_exception(); }

    // When a task ends, it resumes the coroutine that awaits it or calls the function it was
    // started with. That function may destroy the frame, which is suspended for good.
    struct Final {
        bool await_ready() const noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> frame) const noexcept {
            PromiseBase& self = frame.promise();
            if (self.waiter) return self.waiter;
            if (self.done != nullptr) self.done(self.done_argument);
            return std::noop_coroutine();
        }
        void await_resume() const noexcept {}
    };
    Final final_suspend() const noexcept { return {}; }

    void rethrow() const {
        if (error) [[unlikely]]
            std::rethrow_exception(error);
    }

    std::coroutine_handle<> waiter;
    void (*done)(void*) = nullptr;
    void* done_argument = nullptr;
    std::exception_ptr error;
};

// Not std::optional: generated code has hundreds of result types, and each would instantiate one.
template <class T>
struct Promise : PromiseBase {
    Promise() noexcept {}
    ~Promise() {
        if (has_value) value.~T();
    }
    Promise(const Promise&) = delete;
    Promise& operator=(const Promise&) = delete;

    Task<T> get_return_object();
    template <class From = T>  // also accepts `co_return {1, 2};`
    void return_value(From&& from) {
        new (&value) T(std::forward<From>(from));
        has_value = true;
    }
    T& result() {
        rethrow();
        return value;
    }
    T take() { return std::move(result()); }

    union {
        T value;
    };
    bool has_value = false;
};

template <>
struct Promise<void> : PromiseBase {
    Task<void> get_return_object();
    void return_void() noexcept {}
    void take() { rethrow(); }
};

}  // namespace task_detail

template <class T = void>
class [[nodiscard]] Task final {
 public:
    using promise_type = task_detail::Promise<T>;
    using Frame = std::coroutine_handle<promise_type>;

    Task() = default;  // no coroutine at all
    explicit Task(Frame frame) : frame_(frame) {}
    Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
    Task& operator=(Task&& other) noexcept {
        if (this != &other) {
            if (frame_) frame_.destroy();
            frame_ = std::exchange(other.frame_, {});
        }
        return *this;
    }
    ~Task() {
        if (frame_) frame_.destroy();
    }

    explicit operator bool() const { return static_cast<bool>(frame_); }
    bool finished() const { return frame_ && frame_.done(); }

    // Runs the task until it waits or ends. At its end `done(argument)` is called, which may
    // destroy the Task.
    void start(void (*done)(void*), void* argument) {
        HELIO_ASSERT(frame_ && !frame_.done());
        frame_.promise().done = done;
        frame_.promise().done_argument = argument;
        frame_.resume();
    }

    // Call it once, after the task has ended: returns the value or rethrows the exception.
    T take() {
        HELIO_ASSERT(finished());
        return frame_.promise().take();
    }

    // The caller takes over the frame and must destroy it.
    Frame release() { return std::exchange(frame_, {}); }

    struct Awaiter {
        Frame frame;
        bool await_ready() const noexcept { return frame.done(); }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) noexcept {
            frame.promise().waiter = waiter;
            return frame;
        }
        T await_resume() { return frame.promise().take(); }
    };
    Awaiter operator co_await() && noexcept { return {frame_}; }
    Awaiter operator co_await() & noexcept { return {frame_}; }

 private:
    Frame frame_;
};

namespace task_detail {
template <class T>
Task<T> Promise<T>::get_return_object() {
    return Task<T>{std::coroutine_handle<Promise<T>>::from_promise(*this)};
}
inline Task<void> Promise<void>::get_return_object() {
    return Task<void>{std::coroutine_handle<Promise<void>>::from_promise(*this)};
}
}  // namespace task_detail

}  // namespace helio
