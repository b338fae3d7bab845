#!/usr/bin/env python3
"""A server is killed again and again while two guests hold locks and fight for others: there are never two holders.

In each guest, in the mount: `exclusion.py STOP` runs the workers below, with restart.py's rules. The guests know each other by the
numbers in their host names. Whatever a worker writes or reads goes past the client's cache.

On the host, as a module: `kill_often(server, machines, kills)`. It reads the files of the Beats where the server keeps them, which tells how
long after a restart both guests work again.
"""
import errno
import fcntl
import mmap
import os
import pathlib
import random
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1])]
import restart  # noqa: E402
from patience import PATIENCE_S  # noqa: E402

BLOCK = 4096  # O_DIRECT
SECTIONS = 3  # critical sections, one for each block of the file that all workers share
# An end to a client that hangs. What a restart costs is measured, and is in docs/conformance.md.
RESUMES_WITHIN_S = 30


def this_guest():
    return int(os.uname().nodename.split("-")[3])


def beat_path(guest):
    return f"beat-{guest}"


def wait_for(path):
    deadline = time.monotonic() + PATIENCE_S
    while not os.path.exists(path):
        if time.monotonic() > deadline:
            raise AssertionError(f"{path} never came")
        time.sleep(0.05)


def lock(file, start=0, length=1, wait=False):
    """Whether it was granted."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB), length, start)
        return True
    except OSError as why:
        if wait or why.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        return False


class Worker(restart.Worker):
    def __init__(self, number):  # without a directory of its own
        self.guest = this_guest()
        self.me = f"guest {self.guest}, {type(self).__name__}, {os.getpid()}"
        self.chance = random.Random(self.me)
        self.acknowledged = self.repeated = 0


class Beat(Worker):
    """Holds a lock from beginning to end, and writes into the locked file all the time."""

    def begin(self):
        self.file = os.open(beat_path(self.guest), os.O_RDWR | os.O_CREAT | os.O_SYNC, 0o666)
        self.need(lock(self.file), "its own file is locked")
        os.pwrite(self.file, b"0", 0)
        wait_for(beat_path(1 - self.guest))

    def step(self):
        self.acknowledged += 1
        os.pwrite(self.file, b"%d" % self.acknowledged, 0)
        time.sleep(0.01)

    def end(self):
        wait_for(f"no-intruder-{1 - self.guest}")
        self.need(os.pread(self.file, 20, 0) == b"%d" % self.acknowledged, "another has written")
        fcntl.lockf(self.file, fcntl.LOCK_UN)
        os.close(self.file)


class Intruder(Worker):
    """Opens the other guest's locked file again and again, and must never get the lock."""

    def begin(self):
        wait_for(beat_path(1 - self.guest))
        file = os.open(beat_path(1 - self.guest), os.O_RDWR)
        while os.pread(file, 1, 0) == b"":
            time.sleep(0.05)
        os.close(file)

    def step(self):
        file = os.open(beat_path(1 - self.guest), os.O_RDWR)
        self.need(not lock(file), "got the lock that the other guest holds")
        os.close(file)
        self.acknowledged += 1
        time.sleep(0.02)

    def end(self):
        pathlib.Path(f"no-intruder-{self.guest}").touch()


class Polling(Worker):
    """Enters critical sections: under the lock it finds nobody's mark, leaves its own, and finds that and no other."""
    waits = False

    def begin(self):
        self.file = os.open("sections", os.O_RDWR | os.O_CREAT | os.O_DIRECT, 0o666)
        self.page = mmap.mmap(-1, BLOCK)

    def mark(self, section, text):
        self.page[:] = text.encode().ljust(BLOCK, b"\0")
        self.need(os.pwritev(self.file, [self.page], section * BLOCK) == BLOCK, "a short write")

    def marked(self, section):
        size = os.preadv(self.file, [self.page], section * BLOCK)
        return self.page[:size].rstrip(b"\0").decode()

    def step(self):
        section = self.chance.randrange(SECTIONS)
        if not lock(self.file, section * BLOCK, BLOCK, self.waits):
            time.sleep(0.02)
            return
        found = self.marked(section)
        self.need(found == "", f"entered section {section} while it was {found}'s")
        self.mark(section, self.me)
        for _ in range(self.chance.randrange(3)):
            time.sleep(0.01)
            found = self.marked(section)
            self.need(found == self.me, f"{found or 'nobody'} is in section {section}, too")
        self.mark(section, "")
        fcntl.lockf(self.file, fcntl.LOCK_UN, BLOCK, section * BLOCK)
        self.acknowledged += 1

    def end(self):
        os.close(self.file)


class Waiting(Polling):
    """The same, with calls that wait for the lock."""
    waits = True


def beats(export):
    """What the two Beats have written, as the server's machine sees it."""
    return [(export / beat_path(guest)).read_text() for guest in (0, 1)]


def time_until_both_beat(export, workers):
    """Seconds until both guests have written something new. More than that is found by the workers themselves."""
    began, before = time.monotonic(), beats(export)
    while any(new == old for new, old in zip(beats(export), before)):
        if any(one.done for one in workers):
            return None
        if time.monotonic() > began + PATIENCE_S:
            raise AssertionError(f"the guests do not work again; they were at {before}, now {beats(export)}")
        time.sleep(0.005)
    return time.monotonic() - began


def kill_often(server, machines, kills, seed=1, openly=5):
    """On the host: (status, stdout, stderr) of both guests' workers, and how long they paused.

    Most restarts are quiet (see Server.restart), a few are not: then the client finds the port closed, and waits 3 s.
    """
    chance, export = random.Random(seed), pathlib.Path(machines.folders["server"])
    workers = [restart.Workers(machines.labs[name], __file__, machines.folders[name]) for name in ("first", "second")]
    for one in workers:
        one.working.wait()
    loud = set(chance.sample(range(kills), openly))
    pauses, loud_pauses = [], []
    for number in range(kills):
        time.sleep(chance.uniform(0.1, 1))
        server.restart(quietly=number not in loud)
        pause = time_until_both_beat(export, workers)
        if pause is None:
            break
        (loud_pauses if number in loud else pauses).append(pause)
    for one in workers:
        one.stop()
    results = [one.result() for one in workers]
    status = max(result[0] for result in results)
    out, err = ("".join(result[index] for result in results) for index in (1, 2))
    done = len(pauses) + len(loud_pauses)
    if done < kills or max(pauses + loud_pauses) > RESUMES_WITHIN_S:
        status, err = status or 1, f"{err}FAIL {done} of {kills} restarts; the longest pause was {max(pauses + loud_pauses, default=0):.1f} s\n"
    out += (f"{done} restarts; both guests worked again after {statistics.median(pauses):.2f} s (median), at most {max(pauses):.2f} s; "
            f"after {max(loud_pauses):.2f} s at most where they found the port closed\n")
    return status, out, err


if __name__ == "__main__":
    sys.exit(restart.guest_part(sys.argv[1], [Beat, Intruder, Polling, Waiting]))
