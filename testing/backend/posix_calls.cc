// Replaces the libc functions through which the back end makes its system calls. A definition in
// the program takes precedence over that of a library.
#include "testing/backend/posix_calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

namespace helio::backend {

CallsForTest& calls_for_test() {
    thread_local constinit CallsForTest calls;
    return calls;
}

namespace {

bool fails(std::size_t& count) {
    CallsForTest& calls = calls_for_test();
    ++count;
    if (calls.fails_in == 0 || --calls.fails_in > 0) return false;
    errno = calls.error;
    return true;
}

template <class Function>
Function* real(const char* name, Function*) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace
}  // namespace helio::backend

using helio::backend::calls_for_test;
using helio::backend::fails;
using helio::backend::real;

extern "C" {

// Unlike libc's, this is not variadic: it forwards all six words, of which callers pass only as
// many as the call has.
long counted_syscall(long number, long a, long b, long c, long d, long e, long f) asm("syscall");
long counted_syscall(long number, long a, long b, long c, long d, long e, long f) {
    static const auto next = real<long(long, ...)>("syscall", nullptr);
    auto& calls = calls_for_test();
    if ((number == SYS_statx && fails(calls.stats_by_name)) ||
        (number == SYS_fstat && fails(calls.stats_by_descriptor)) ||
        (number == SYS_getdents64 && fails(calls.directory_reads)))
        return -1;
    return next(number, a, b, c, d, e, f);
}

int openat(int directory, const char* path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
        va_list list;
        va_start(list, flags);
        mode = va_arg(list, mode_t);
        va_end(list);
    }
    static const auto next = real<int(int, const char*, int, ...)>("openat", nullptr);
    return fails(calls_for_test().opens) ? -1 : next(directory, path, flags, mode);
}

off_t lseek(int fd, off_t offset, int whence) noexcept {
    static const auto next = real<off_t(int, off_t, int)>("lseek", nullptr);
    return fails(calls_for_test().seeks) ? -1 : next(fd, offset, whence);
}

int name_to_handle_at(int directory, const char* path, file_handle* handle, int* mount,
                      int flags) noexcept {
    static const auto next =
        real<int(int, const char*, file_handle*, int*, int)>("name_to_handle_at", nullptr);
    return fails(calls_for_test().handles) ? -1 : next(directory, path, handle, mount, flags);
}

int poll(pollfd* fds, nfds_t count, int timeout) {
    static const auto next = real<int(pollfd*, nfds_t, int)>("poll", nullptr);
    return fails(calls_for_test().polls) ? -1 : next(fds, count, timeout);
}
}
