"""Times: nanoseconds (microseconds in version 2), the server's clock, and when they move."""
import ctypes
import os
import struct
import time

from checking import check, equal, forget, node, opened, read, true, write

SECOND = 1_000_000_000
CLOCKS_APART_S = 60  # the guest's clock and the server's, at most


def kept(s, nanoseconds):
    return nanoseconds if s.vers >= 3 else nanoseconds // 1000 * 1000


@check()
def times_are_set_to_the_nanosecond(s):
    accessed, modified = 981_173_106 * SECOND + 123_456_789, 1_234_567_890 * SECOND + 987_654_321
    node(s.path())
    os.utime(s.path(), ns=(accessed, modified))
    forget()
    found = os.stat(s.path())
    equal((found.st_atime_ns, found.st_mtime_ns), (kept(s, accessed), kept(s, modified)))


@check()
def times_reach_from_1970_to_2038(s):
    node(s.path())
    for seconds in (0, 1, (1 << 31) - 1):
        os.utime(s.path(), ns=(seconds * SECOND, seconds * SECOND))
        forget()
        equal(os.stat(s.path()).st_mtime_ns, seconds * SECOND)


@check(vers=3)
def times_reach_past_2038(s):
    node(s.path())
    for seconds in (1 << 31, 4_000_000_000, (1 << 32) - 1):
        os.utime(s.path(), ns=(seconds * SECOND, seconds * SECOND))
        forget()
        equal(os.stat(s.path()).st_mtime_ns, seconds * SECOND)


@check()
def touching_takes_the_servers_clock(s):
    node(s.path())
    os.utime(s.path(), ns=(0, 0))
    os.utime(s.path())
    forget()
    found = os.stat(s.path())
    for value in (found.st_atime, found.st_mtime, found.st_ctime):
        true(abs(value - time.time()) < CLOCKS_APART_S, f"{value} is not now, {time.time()}")


@check()
def one_time_is_set_without_the_other(s):
    node(s.path())
    os.utime(s.path(), ns=(5 * SECOND, 6 * SECOND))
    set_one(s.path(), b"modify")
    forget()
    equal((os.stat(s.path()).st_atime_ns, os.stat(s.path()).st_mtime_ns), (5 * SECOND, 9 * SECOND))
    set_one(s.path(), b"access")
    forget()
    equal((os.stat(s.path()).st_atime_ns, os.stat(s.path()).st_mtime_ns), (9 * SECOND, 9 * SECOND))


def set_one(path, which):
    omit = (1 << 30) - 2
    nine, none = struct.pack("qq", 9, 0), struct.pack("qq", 0, omit)
    times = none + nine if which == b"modify" else nine + none
    equal(ctypes.CDLL(None).utimensat(-100, path.encode(), times, 0), 0, "utimensat")


@check()
def writing_moves_mtime_and_ctime(s):
    write(s.path(), b"one")
    os.utime(s.path(), ns=(SECOND, SECOND))
    before = os.stat(s.path())
    write(s.path(), b"two", os.O_WRONLY)
    forget()
    after = os.stat(s.path())
    true(abs(after.st_mtime - time.time()) < CLOCKS_APART_S, f"mtime is {after.st_mtime}")
    true(after.st_ctime_ns >= before.st_ctime_ns, "ctime went back")


@check()
def chmod_and_link_move_ctime_only(s):
    node(s.path())
    os.utime(s.path(), ns=(SECOND, SECOND))
    for change in (lambda: os.chmod(s.path(), 0o600), lambda: os.link(s.path(), s.path("b"))):
        before = os.stat(s.path())
        time.sleep(0.02)
        change()
        forget()
        after = os.stat(s.path())
        true(after.st_ctime_ns > before.st_ctime_ns, "ctime stayed")
        equal(after.st_mtime_ns, SECOND, "mtime")


@check()
def a_directorys_times_move_with_its_entries(s):
    os.mkdir(s.path("d"))
    changes = (lambda: node(s.path("d/a")), lambda: os.rename(s.path("d/a"), s.path("d/b")),
               lambda: os.unlink(s.path("d/b")), lambda: os.symlink("x", s.path("d/l")),
               lambda: os.mkdir(s.path("d/e")), lambda: os.rmdir(s.path("d/e")))
    for number, change in enumerate(changes):
        os.utime(s.path("d"), ns=(SECOND, SECOND))
        change()
        forget()
        true(abs(os.stat(s.path("d")).st_mtime - time.time()) < CLOCKS_APART_S, f"change {number} did not move mtime")


@check()
def reading_moves_no_mtime(s):
    write(s.path(), b"x" * 10_000)
    os.utime(s.path(), ns=(SECOND, 2 * SECOND))
    forget()
    read(s.path())
    os.listdir(s.dir)
    forget()
    equal(os.stat(s.path()).st_mtime_ns, 2 * SECOND)


@check()
def a_time_set_after_writing_is_the_last_word(s):
    with opened(s.path(), os.O_WRONLY | os.O_CREAT) as file:
        os.write(file, b"x" * 100_000)
        os.utime(file, ns=(3 * SECOND, 4 * SECOND))
    forget()
    equal(os.stat(s.path()).st_mtime_ns, 4 * SECOND)
