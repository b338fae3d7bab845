// Plan: a seed's choices before anything happens: all sizes, and how often each kind of fault
// strikes. Seeds differ in the kinds of faults, so that some are nearly calm and a failing one
// gives a hint.
#pragma once

#include <chrono>

#include "tests/simulation/trace.h"

namespace helio::simulation {

// "One in N"; 0 is never.
struct Plan {
    // The server's.
    unsigned threads = 1;
    std::size_t calls_in_flight_max = 256;
    bool by_listener = false;    // clients come through an AF_UNIX listener, as one and the same
    bool small_buffers = false;  // its sockets take a few KiB before they block
    // System calls of the server.
    unsigned short_one_in = 0;      // moves a part
    std::size_t short_bytes = 1;    // at most this much
    unsigned again_one_in = 0;      // EAGAIN, EINTR, ENOBUFS
    unsigned lose_one_in = 0;       // ECONNRESET, EPIPE, ETIMEDOUT
    unsigned accept_one_in = 0;     // EMFILE, ENFILE, ECONNABORTED, EINTR
    unsigned unwatched_one_in = 0;  // epoll takes no more descriptors
    unsigned withhold_one_in = 0;   // an event that is reported later
    // The file system.
    bool always_blocks = false;
    unsigned wait_one_in = 0;  // would_block
    std::size_t entries_before_wait = SIZE_MAX;
    unsigned fail_one_in = 0;  // an input/output error, or no space
    unsigned slow_one_in = 0;  // the pool does not run the job that it could
    // Time passes although there is something to do: calls are sent again while they run.
    unsigned late_one_in = 0;
    unsigned late_max = 0;  // how often
    // The clients.
    unsigned clients = 2;
    std::size_t bytes_max = 0;  // of a READ or WRITE
    unsigned actors = 1;        // of each client
    unsigned operations = 8;    // of each actor
    unsigned cut_one_in = 0;    // closes its connection, whatever is in flight
    unsigned deaf_one_in = 0;   // takes no replies for a while
    unsigned idle_one_in = 0;   // pauses for long between two operations
    std::chrono::seconds timeout{10};
    bool leaves_first = true;  // otherwise its connections are open when the server stops

    // Connections that end without a reason, for each way of ending them. With more, calls that
    // arrive byte by byte would never be complete.
    unsigned losses_max = 0;

    static Plan of(Dice& dice);
};

}  // namespace helio::simulation
