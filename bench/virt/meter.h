/* What the clients of bench/virt share, in C so that all of them can: their words, and the loop
 * that is measured. A client connects, then does one thing again and again:
 *
 *     CLIENT URI WHAT [--seconds 2] [--warmup 0.3] [--count N] [--server-pid PID]
 *
 * and prints one JSON object: how often, how long each took, its own CPU time, and that of the
 * server, whole process, from the kernel's nanosecond clock. With --count it does it so often and
 * no more, without a warm-up, for whoever counts from outside. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kSamplesMax = 1 << 20 }; /* of the time one takes; later ones are not looked at */

struct Words {
    const char* uri;
    const char* what;
    double seconds;
    double warmup;
    long count;
    long server_pid;
};

__attribute__((noreturn)) static void give_up(const char* why) {
    fprintf(stderr, "bench/virt: %s\n", why);
    exit(1);
}

static struct Words read_words(int count, char** words) {
    struct Words out = {NULL, NULL, 2, 0.3, 0, 0};
    if (count < 3)
        give_up("CLIENT URI WHAT [--seconds S] [--warmup S] [--count N] [--server-pid PID]");
    out.uri = words[1];
    out.what = words[2];
    for (int i = 3; i + 1 < count; i += 2) {
        const char* const value = words[i + 1];
        if (strcmp(words[i], "--seconds") == 0)
            out.seconds = atof(value);
        else if (strcmp(words[i], "--warmup") == 0)
            out.warmup = atof(value);
        else if (strcmp(words[i], "--count") == 0)
            out.count = atol(value);
        else if (strcmp(words[i], "--server-pid") == 0)
            out.server_pid = atol(value);
        else
            give_up("there is no such option");
    }
    return out;
}

static uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) give_up("clock_gettime");
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int compare_times(const void* a, const void* b) {
    const uint32_t left = *(const uint32_t*)a, right = *(const uint32_t*)b;
    return left < right ? -1 : left > right;
}

/* Does it once, or more often, and returns how often; 0 when it failed. */
typedef long (*DoIt)(void* self);

static void measure(const struct Words* words, DoIt do_it, void* self) {
    clockid_t server_clock = CLOCK_MONOTONIC;
    if (words->server_pid != 0 && clock_getcpuclockid((pid_t)words->server_pid, &server_clock) != 0)
        give_up("no such server");
    uint32_t* const took = (uint32_t*)malloc(kSamplesMax * sizeof *took);
    if (took == NULL) give_up("no memory");
    memset(took, 0, kSamplesMax * sizeof *took); /* no page fault is measured */
    if (words->count == 0)
        for (const uint64_t end = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(words->warmup * 1e9);
             clock_ns(CLOCK_MONOTONIC) < end;)
            if (do_it(self) == 0) give_up("it failed");

    const uint64_t client_begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    const uint64_t server_begin = words->server_pid != 0 ? clock_ns(server_clock) : 0;
    const uint64_t begin = clock_ns(CLOCK_MONOTONIC);
    const uint64_t end = begin + (uint64_t)(words->seconds * 1e9);
    uint64_t now = begin;
    long done = 0;
    size_t samples = 0;
    while (words->count != 0 ? done < words->count : now < end) {
        const long times = do_it(self);
        if (times == 0) give_up("it failed");
        const uint64_t then = now;
        now = clock_ns(CLOCK_MONOTONIC);
        if (words->count == 0 && samples < kSamplesMax)
            took[samples++] = (uint32_t)((now - then) / (uint64_t)times);
        done += times;
    }
    const uint64_t server_end = words->server_pid != 0 ? clock_ns(server_clock) : 0;
    const uint64_t client_end = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    qsort(took, samples, sizeof *took, compare_times);
    printf(
        "{\"count\": %ld, \"seconds\": %.6f, \"per_s\": %.1f, \"client_us\": %.3f, "
        "\"server_us\": %.3f, \"p50_us\": %.1f, \"p99_us\": %.1f}\n",
        done, (double)(now - begin) / 1e9, (double)done * 1e9 / (double)(now - begin),
        (double)(client_end - client_begin) / 1e3 / (double)done,
        (double)(server_end - server_begin) / 1e3 / (double)done, took[samples / 2] / 1e3,
        took[samples * 99 / 100] / 1e3);
    free(took);
}
