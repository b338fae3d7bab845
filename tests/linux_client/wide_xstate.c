/* Lets user-mode-linux run on processors with more register state than it has heard of.
 *
 * Its kernel keeps 2696 bytes of extended registers per process (up to AVX-512 and protection keys)
 * and puts them back with PTRACE_SETREGSET. The host takes nothing but the whole of its own format,
 * which is 11008 bytes where there is AMX, and answers EFAULT: the guest's first process dies.
 * Preloaded into linux.uml, this ptrace() adds the rest as zeros. That is what those registers
 * hold: a program has to ask the kernel for AMX, and the guest's cannot grant it.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* XSAVE's format has room for 64 KiB at most in the processors there are. */
static char whole[1 << 16];
static size_t whole_size;

/* As in the C library: the system call stores the word that a peek asks for, the function returns
 * it. */
static long plain_ptrace(long request, long pid, void* address, void* data) {
    long word = 0;
    const int peeks = request >= PTRACE_PEEKTEXT && request <= PTRACE_PEEKUSER;
    const long result = syscall(SYS_ptrace, request, pid, address, peeks ? &word : data);
    return peeks && result == 0 ? word : result;
}

static void learn_size(long pid) {
    struct iovec all = {whole, sizeof whole};
    if (plain_ptrace(PTRACE_GETREGSET, pid, (void*)NT_X86_XSTATE, &all) == 0) {
        whole_size = all.iov_len;
    }
    memset(whole, 0, sizeof whole);
}

long ptrace(enum __ptrace_request request, ...) {
    va_list words;
    va_start(words, request);
    long pid = va_arg(words, int);
    void* address = va_arg(words, void*);
    void* data = va_arg(words, void*);
    va_end(words);
    if (request == PTRACE_SETREGSET && address == (void*)NT_X86_XSTATE) {
        const struct iovec* known = data;
        if (whole_size == 0) {
            learn_size(pid);
        }
        if (known->iov_len < whole_size) {
            memcpy(whole, known->iov_base, known->iov_len);
            struct iovec all = {whole, whole_size};
            return plain_ptrace(request, pid, address, &all);
        }
    }
    return plain_ptrace(request, pid, address, data);
}
