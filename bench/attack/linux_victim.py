#!/usr/bin/env python3
"""Runs in the guest, in a mount: stat, read, write and fsync of a small file until SIGTERM. A line for each: what, and milliseconds.

The first line is its process number, the last one `connects N`: how often Linux had to connect again.
"""
import mmap
import os
import signal
import sys
import time

PAUSE_S = 0.01  # user-mode-linux would otherwise use up a core by itself
SIZE = 4096
CONNECTS = 4  # of a line `xprt: tcp PORT BINDS CONNECTS …` in mountstats

over = False


def stop(*_):
    global over
    over = True


def connects():
    with open("/proc/self/mountstats") as lines:
        return max((int(line.split()[CONNECTS]) for line in lines if line.strip().startswith("xprt:")), default=0)


def write_and_sync(path, number):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, number.to_bytes(8, "big") * (SIZE // 8))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read(path, number):
    """Past the page cache, so that the server is asked."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
    try:
        with mmap.mmap(-1, SIZE) as room:
            size = os.readv(descriptor, [room])
            if room[:size] != number.to_bytes(8, "big") * (SIZE // 8):
                raise OSError("read something else than was written")
    finally:
        os.close(descriptor)


def main():
    signal.signal(signal.SIGTERM, stop)
    print(os.getpid(), flush=True)
    folder = f"linux-{os.getpid()}-{time.time_ns()}"
    os.mkdir(folder)
    path, number, connects_before = f"{folder}/small", 0, connects()
    while not over:
        number += 1
        for name, work in (("write", lambda: write_and_sync(path, number)), ("read", lambda: read(path, number)),
                           ("stat", lambda: os.stat(path))):
            began = time.monotonic()
            try:
                work()
                print(name, f"{(time.monotonic() - began) * 1000:.3f}", flush=True)
            except OSError as error:
                print("error", name, error, flush=True)
            time.sleep(PAUSE_S)
    print("connects", connects() - connects_before, flush=True)
    os.unlink(path)
    os.rmdir(folder)


if __name__ == "__main__":
    sys.exit(main())
