"""A guest freezes past its lease while it holds a lock and has data to write; another guest takes the lock.

The first one then goes on as if no time had passed. It has to find out that its lock is lost: what it wrote under it must not reach the file,
and whoever writes has to be told.
"""
import errno
import time

FILE, PAST = "frozen", "written by the first guest under a lock that it lost"
PRESENT = "written by the second guest under its lock"


def write_and_sync(process, text):
    """The error that writing ends with, or None."""
    try:
        process("write", text)
        process("sync")
        return None
    except OSError as why:
        return errno.errorcode[why.errno]


def past_the_lease(machines, lease_s):
    """(status, stdout, stderr) as of a program in a guest."""
    failed = []

    def need(condition, what):
        if not condition:
            failed.append(f"FAIL {what}\n")

    one, two, server = (machines.start(name) for name in ("first", "second", "server"))
    for process in (one, two, server):
        process("open", FILE)
    began = time.monotonic()
    one("lock", "write", 0, 100)
    one("write", PAST)  # is in the guest's memory
    guest = machines.labs["first"]
    guest.freeze()
    try:
        two("lock", "write", 0, 100, wait=True)
        waited = time.monotonic() - began
        need(waited > lease_s, f"the lock was taken from a client after {waited:.1f} s; its lease is {lease_s} s")
        need(write_and_sync(two, PRESENT) is None, "the new holder cannot write")
    finally:
        guest.thaw()
    told = write_and_sync(one, PAST)
    need(told == "EIO", f"the first guest was told {told} when it wrote without its lock")
    need(one.denied("lock", "write", 0, 100), "both hold the lock")
    need(server("read") == PRESENT, f"the file has {server('read')!r}")
    two("lock", "none", 0, 100)
    one("close")
    one("open", FILE)
    one("lock", "write", 0, 100)
    need(one("read") == PRESENT, "the first guest does not see what the second wrote")
    need(write_and_sync(one, PAST) is None and server("read") == PAST, "the first guest cannot write with a new lock")
    machines.give_back()
    return (1 if failed else 0), f"the lock was taken after {waited:.1f} s\n", "".join(failed)
