#!/usr/bin/env python3
"""A server is killed again and again while Linux's client writes to it; nothing that was acknowledged may be lost.

In the guest, in the mount: `restart.py --vers 3 STOP` runs the workers below side by side until the file STOP exists, each
with its own record of what was acknowledged, kept in the guest's memory. Then it forgets its caches and compares
all of it with what the server has. Prints `ok NAME: what was done` or `FAIL NAME: reason` for each worker.

On the host, as a module: `kill_often(lab, server, there, kills)`.

What is not demanded: a REMOVE, RENAME, LINK, MKDIR or SYMLINK that was done when the server died, and whose answer was not
sent, is sent again to a server that no longer remembers it, and may be told "exists" or "does not exist". The record
then follows what the call meant, and they are counted. A CREATE with O_EXCL has no such excuse in version 3.
"""
import argparse
import errno
import mmap
import os
import pathlib
import random
import sys
import threading
import time
import traceback

STOP = "/run/stop"


def content(size, seed):
    return random.Random(seed).randbytes(size)


class Worker:
    """One process of the guest with a directory of its own."""

    def __init__(self, number):
        self.chance = random.Random(number)
        self.acknowledged = self.repeated = 0
        self.home = os.path.abspath(type(self).__name__.lower())
        os.mkdir(self.home)

    def path(self, name):
        return f"{self.home}/{name}"

    def need(self, condition, what):
        if not condition:
            raise AssertionError(f"after {self.acknowledged} operations: {what}")

    def twice(self, call, done, *numbers):
        """A call that may be told that it was done before, when that is what `done` finds."""
        try:
            call()
        except OSError as why:
            if why.errno not in numbers or not done():
                raise
            self.repeated += 1
        self.acknowledged += 1


class StableWrites(Worker):
    """O_SYNC: each write is on disk when it returns. Read back past the cache, through descriptors open all the time."""
    block, blocks = 8192, 64

    def begin(self):
        flags = os.O_RDWR | os.O_CREAT
        self.writing = os.open(self.path("file"), flags | os.O_SYNC)
        self.reading = os.open(self.path("file"), os.O_RDONLY | os.O_DIRECT)
        self.page = mmap.mmap(-1, self.block)
        self.seeds = {}

    def step(self):
        index, seed = self.chance.randrange(self.blocks), self.chance.getrandbits(32)
        wrote = os.pwrite(self.writing, content(self.block, seed), index * self.block)
        self.need(wrote == self.block, f"a write of {self.block} bytes wrote {wrote}")
        self.seeds[index] = seed
        self.acknowledged += 1
        if self.acknowledged % 4 == 0:
            self.verify(self.chance.choice(list(self.seeds)))

    def verify(self, index):
        size = os.preadv(self.reading, [self.page], index * self.block)
        self.need(self.page[:size] == content(self.block, self.seeds[index]), f"block {index} is not what was written")

    def end(self):
        for index in self.seeds:
            self.verify(index)


class SyncedWrites(Worker):
    """Written to the cache, then fsync: UNSTABLE writes and a COMMIT, whose verifier tells of the restart."""
    piece, limit = 60_000, 6_000_000

    def begin(self):
        self.file = os.open(self.path("file"), os.O_RDWR | os.O_CREAT)
        self.seeds = []

    def step(self):
        if len(self.seeds) * self.piece > self.limit:
            os.ftruncate(self.file, 0)
            self.seeds = []
        for _ in range(8):
            seed = self.chance.getrandbits(32)
            os.pwrite(self.file, content(self.piece, seed), len(self.seeds) * self.piece)
            self.seeds.append(seed)
        os.fsync(self.file)
        self.acknowledged += 8

    def end(self):
        os.close(self.file)
        with open(self.path("file"), "rb") as file:
            for index, seed in enumerate(self.seeds):
                self.need(file.read(self.piece) == content(self.piece, seed), f"piece {index} is not what was written")
            self.need(file.read() == b"", "there is more than was written")


class Names(Worker):
    """Creation, renames, links and removals; the record is the set of names that must be there, with their content."""

    def begin(self):
        self.names = {}
        self.next = 0

    def step(self):
        self.next += 1
        new, moved = f"new-{self.next}", f"moved-{self.next}"
        file = os.open(self.path(new), os.O_WRONLY | os.O_CREAT | os.O_EXCL)  # the name is new: no EEXIST
        os.write(file, new.encode())
        os.close(file)
        self.names[new] = new
        self.acknowledged += 1
        self.twice(lambda: os.rename(self.path(new), self.path(moved)),
                   lambda: not self.there(new) and self.there(moved), errno.ENOENT)
        self.names[moved] = self.names.pop(new)
        self.twice(lambda: os.link(self.path(moved), self.path(f"link-{self.next}")),
                   lambda: os.stat(self.path(moved)).st_nlink == 2, errno.EEXIST)
        self.names[f"link-{self.next}"] = new
        self.twice(lambda: os.mkdir(self.path(f"dir-{self.next}")),
                   lambda: self.there(f"dir-{self.next}"), errno.EEXIST)
        self.names[f"dir-{self.next}"] = None
        self.twice(lambda: os.symlink(new, self.path(f"symlink-{self.next}")),
                   lambda: os.readlink(self.path(f"symlink-{self.next}")) == new, errno.EEXIST)
        self.names[f"symlink-{self.next}"] = None
        for name in self.chance.sample(sorted(self.names), max(0, len(self.names) - 60)):
            remove = os.rmdir if name.startswith("dir") else os.unlink
            self.twice(lambda: remove(self.path(name)), lambda: not self.there(name), errno.ENOENT)
            del self.names[name]

    def there(self, name):
        return os.path.lexists(self.path(name))

    def end(self):
        found = set(os.listdir(self.home))
        lost, left = sorted(set(self.names) - found), sorted(found - set(self.names))
        self.need(not lost and not left, f"lost {lost}, not removed {left}")
        for name, wanted in self.names.items():
            if wanted is not None:
                self.need(pathlib.Path(self.path(name)).read_text() == wanted, f"{name} is another file")


class Listings(Worker):
    """A directory that does not change is always listed whole, and what is in it opens: no handle goes stale."""
    count = 400

    def begin(self):
        self.wanted = sorted(f"{number}-{'e' * 40}" for number in range(self.count))
        for name in self.wanted:
            pathlib.Path(self.path(name)).write_text(name)
        self.held = {name: os.open(self.path(name), os.O_RDONLY) for name in self.wanted[::20]}

    def step(self):
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
        found = sorted(os.listdir(self.home))
        self.need(found == self.wanted, f"{len(found)} entries, {len(set(found))} different, of {self.count}")
        for name in self.chance.sample(self.wanted, 10):
            self.need(pathlib.Path(self.path(name)).read_text() == name, f"{name} is another file")
        for name, file in self.held.items():
            self.need(os.pread(file, 100, 0) == name.encode(), f"open {name} is another file")
        self.acknowledged += 1

    def end(self):
        self.step()


def work(kind, number, stop, ready, verify):
    """The life of one worker process; what it prints is its result."""
    worker = kind(number)
    try:
        worker.begin()
        os.write(ready, b".")
        while not os.path.exists(stop):
            worker.step()
        while not os.path.exists(verify):
            time.sleep(0.02)
        worker.end()
        again = f", {worker.repeated} answered by what the killed server had done" if worker.repeated else ""
        print(f"ok {kind.__name__}: {worker.acknowledged} acknowledged{again}", flush=True)
        return 0
    except BaseException as why:
        place = traceback.extract_tb(why.__traceback__)[-1].lineno
        print(f"FAIL {kind.__name__}: {type(why).__name__}: {why} (line {place})", flush=True)
        return 1


def guest_part(stop, kinds):
    """Runs the workers; a line `working` says that all have begun."""
    reading, ready = os.pipe()
    verify = stop + ".verify"
    children = []
    for number, kind in enumerate(kinds):
        child = os.fork()
        if child == 0:
            os._exit(work(kind, number, stop, ready, verify))
        children.append(child)
    os.close(ready)
    begun = b""
    while len(begun) < len(kinds) and (piece := os.read(reading, len(kinds))):
        begun += piece
    print("working", flush=True)
    while not os.path.exists(stop):
        time.sleep(0.05)
    os.sync()
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
    pathlib.Path(verify).touch()
    failed = sum(os.waitpid(child, 0)[1] != 0 for child in children)
    for path in (stop, verify):
        os.unlink(path)
    return 1 if failed else 0


class Workers:
    """On the host: guest_part() of a script, running in a guest."""

    def __init__(self, lab, script, there):
        self.lab, self.script, self.there = lab, script, there
        self.working, self.done = threading.Event(), []
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        try:
            self.done.append(self.lab.run([sys.executable, self.script, STOP], self.there, live=self.hear))
        except Exception as why:
            self.done.append((125, "", str(why)))
        self.working.set()

    def hear(self, _, text):
        if "working" in text:
            self.working.set()

    def stop(self):
        self.lab.run(["touch", STOP])

    def result(self):
        """(status, stdout, stderr)"""
        self.thread.join()
        return self.done[0]


def kill_often(lab, server, there, kills, seed=1, openly=3):
    """On the host: (status, stdout, stderr) of the workers, during which the server was killed so many times.

    Most restarts are quiet (see Server.restart), a few are not: then the client finds the port closed.
    """
    chance = random.Random(seed)
    workers = Workers(lab, __file__, there)
    workers.working.wait()
    loud = set(chance.sample(range(kills), openly))
    count = 0
    while count < kills and not workers.done:
        time.sleep(chance.uniform(0.05, 0.7))
        server.restart(quietly=count not in loud)
        count += 1
    time.sleep(1)
    workers.stop()
    status, out, err = workers.result()
    if count < kills:
        return status or 1, out, f"{err}the workers ended after {count} restarts\n"
    return status, f"{out}{count} restarts\n", err


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("stop", help="the file that ends it")
    sys.exit(guest_part(parser.parse_args().stop, [StableWrites, SyncedWrites, Names, Listings]))
