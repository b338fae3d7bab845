"""Locks between machines: fcntl, flock and locks of open file descriptions, held, waited for and lost in every way.

A check gets Machines (machines.py) with "first", "second" and "server", and a path of its own. "server" is where the
server runs, in the exported directory itself. `run_all` gives a line for each check, as checks.py does.
"""
import contextlib
import errno
import time
import traceback

from patience import PATIENCE_S

CHECKS = []
FAR = 1 << 62


def check(function):
    CHECKS.append(function)
    return function


def equal(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what + ': ' if what else ''}got {got!r}, wanted {wanted!r}")


def true(condition, what):
    if not condition:
        raise AssertionError(what)


def fails(number, pending):
    try:
        pending.result()
    except OSError as why:
        equal(errno.errorcode[why.errno], errno.errorcode[number])
    else:
        raise AssertionError(f"{pending.what} succeeded, wanted {errno.errorcode[number]}")


def opened(m, path, *machines):
    """A process on each of these machines, with the file open."""
    processes = [m.start(machine) for machine in machines]
    for process in processes:
        process("open", path)
    return processes


def pair(m, path):
    """A process on each guest, with the file open."""
    return opened(m, path, "first", "second")


def soon_locked(process, **words):
    """For locks that the other side gives up after its system call has returned."""
    deadline = time.monotonic() + PATIENCE_S
    while process.denied("lock", **words):
        true(time.monotonic() < deadline, f"never free for {process.machine}")
        time.sleep(0.05)


def waiting_for(waiter, *words, **named):
    """A call that waits for a lock which another process holds."""
    waiting = waiter.begin("lock", *words, **named, wait=True)
    true(waiting.stays_pending(), "granted while another process holds it")
    return waiting


def held_and_wanted(holder, waiter, **named):
    """The holder has a lock of the whole file, and the waiter's call waits for it."""
    holder("lock", "write", **named)
    return waiting_for(waiter, "write", **named)


def hand_over(holder, waiter, **words):
    """The waiter gets the lock when the holder has given it up, and not before."""
    waiting = waiting_for(waiter, **words)
    holder("lock", **{**words, "type": "none"})
    waiting.result()
    true(holder.denied("lock", **words), "granted to two")


@contextlib.contextmanager
def notified(m):
    """What happens inside makes the server notify a client."""
    before = m.callbacks_answered()
    yield
    true(m.callbacks_answered() > before, "granted without a notice of the server")


@check
def a_write_lock_excludes_the_other_guest(m, path):
    one, two = pair(m, path)
    one("lock", "write")
    true(two.denied("lock", "write"), "two writers")
    true(two.denied("lock", "read"), "a reader beside a writer")
    equal(two("test", "read"), ["write", 0, 0], "F_GETLK")
    one("lock", "none")
    equal(two("test", "write"), None, "F_GETLK")
    two("lock", "write")
    true(one.denied("lock", "read"), "a reader beside a writer")


@check
def read_locks_are_shared(m, path):
    one, two = pair(m, path)
    one("lock", "read")
    two("lock", "read")
    true(one.denied("lock", "write"), "an upgrade beside a reader")
    true(two.denied("lock", "write"), "an upgrade beside a reader")
    two("lock", "none")
    one("lock", "write")
    true(two.denied("lock", "read"), "a reader beside a writer")


@check
def a_lock_is_upgraded_and_downgraded(m, path):
    one, two = pair(m, path)
    one("lock", "write", 0, 100)
    one("lock", "read", 0, 50)
    two("lock", "read", 0, 50)
    true(two.denied("lock", "read", 40, 20), "a reader beside a writer")
    equal(two("test", "write", 60, 10), ["write", 50, 50], "F_GETLK")
    upgrade = one.begin("lock", "write", 0, 100, wait=True)
    true(upgrade.stays_pending(), "upgraded beside a reader")
    two("lock", "none")
    upgrade.result()
    equal(two("test", "read", 0, 10), ["write", 0, 100], "F_GETLK")


@check
def ranges_are_split_and_merged(m, path):
    one, two = pair(m, path)
    one("lock", "write", 0, 100)
    one("lock", "none", 40, 20)
    two("lock", "write", 40, 20)
    for start, length in ((39, 1), (60, 1), (0, 100), (30, 20)):
        true(two.denied("lock", "write", start, length), f"{length} bytes at {start} granted to two")
    true(one.denied("lock", "write", 45, 1), "the hole is not the other's")
    two("lock", "none", 40, 20)
    one("lock", "write", 40, 20)
    equal(two("test", "write", 50, 1), ["write", 0, 100], "merged")
    one("lock", "none", 0, 100)
    two("lock", "write", 0, 100)


@check
def neighbours_do_not_conflict(m, path):
    one, two = pair(m, path)
    one("lock", "write", 0, 10)
    two("lock", "write", 10, 10)
    one("lock", "write", 20, 0)
    two("lock", "none", 10, 10)
    one("lock", "write", 10, 10)
    equal(two("test", "read", 15, 1), ["write", 0, 0], "merged to the end of the file")


@check
def locks_reach_far_beyond_the_end(m, path):
    one, two = pair(m, path)
    one("lock", "write", FAR, 10)
    two("lock", "write", FAR + 10, 0)
    true(two.denied("lock", "read", FAR - 5, 6), "overlapping by one byte")
    two("lock", "write", 0, FAR)
    equal(one("test", "read", FAR + 100, 1), ["write", FAR + 10, 0], "F_GETLK")
    equal(one("size"), 0, "size")


@check
def a_waiter_gets_the_lock_when_it_is_released(m, path):
    one, two = pair(m, path)
    one("lock", "write")
    hand_over(one, two, type="write")
    hand_over(two, one, type="write")


@check
def a_waiter_is_notified_when_the_lock_is_released(m, path):
    """Without a notice, Linux's client asks again after 30 seconds; by then this is about something else."""
    if m.callbacks_answered is None:
        return
    one, two = pair(m, path)
    for holder, waiter in ((one, two), (two, one)):
        soon_locked(holder, type="write")
        with notified(m):
            hand_over(holder, waiter, type="write")
        waiter("lock", "none")
    with notified(m):
        waiting = held_and_wanted(one, two)
        one("close")
        waiting.result()


@check
def a_waiter_is_notified_when_a_program_on_the_server_releases_the_lock(m, path):
    if m.callbacks_answered is None:
        return
    guest, server = opened(m, path, "second", "server")
    server("lock", "write")
    with notified(m):
        hand_over(server, guest, type="write")


@check
def a_waiter_gets_its_part_of_the_range(m, path):
    one, two = pair(m, path)
    one("lock", "write", 0, 100)
    waiting = two.begin("lock", "write", 50, 10, wait=True)
    one("lock", "none", 0, 50)
    true(waiting.stays_pending(), "granted while another process holds it")
    one("lock", "none", 55, 45)
    true(waiting.stays_pending(), "granted while another process holds a half")
    one("lock", "none", 50, 5)
    waiting.result()


@check
def waiters_of_both_guests_all_get_their_turn(m, path):
    holder, *waiters = opened(m, path, "first", "first", "second", "second")
    holder("lock", "write")
    pending = [(waiter, waiter.begin("lock", "write", wait=True)) for waiter in waiters]
    holder("lock", "none")
    deadline = time.monotonic() + PATIENCE_S
    while pending:
        true(time.monotonic() < deadline, f"{len(pending)} still wait")
        granted = [entry for entry in pending if entry[1].has_ended()]
        true(len(granted) <= 1, "two have it")
        for entry in granted:
            entry[1].result()
            entry[0]("lock", "none")
            pending.remove(entry)
        time.sleep(0.02)


@check
def closing_releases_the_lock(m, path):
    one, two = pair(m, path)
    waiting = held_and_wanted(one, two)
    one("close")
    waiting.result()


@check
def closing_any_descriptor_releases_the_locks_of_the_process(m, path):
    one, two = pair(m, path)
    one("open", path, file="again")
    one("lock", "write", 0, 10)
    one("lock", "write", 10, 10, file="again")
    one("close", file="again")
    soon_locked(two, type="write")


@check
def closing_while_waiting_leaves_no_lock(m, path):
    one, two = pair(m, path)
    waiting = held_and_wanted(one, two)
    two("close")
    one("lock", "none")
    fails(errno.EBADF, waiting)
    one("lock", "write")


@check
def a_killed_holder_loses_its_lock(m, path):
    one, two = pair(m, path)
    waiting = held_and_wanted(one, two)
    one.kill()
    waiting.result()


@check
def a_killed_waiter_gets_nothing(m, path):
    one, two = pair(m, path)
    waiting = held_and_wanted(one, two)
    two.kill()
    one("lock", "none")
    (third,) = opened(m, path, "second")
    soon_locked(third, type="write")
    third("lock", "none")
    one("lock", "write")


@check
def flock_excludes_the_other_guest(m, path):
    one, two = pair(m, path)
    one("lock", "write", owner="flock")
    true(two.denied("lock", "write", owner="flock"), "two writers")
    true(two.denied("lock", "read", owner="flock"), "a reader beside a writer")
    hand_over(one, two, type="write", owner="flock")
    two("lock", "read", owner="flock")
    one("lock", "read", owner="flock")
    true(two.denied("lock", "write", owner="flock"), "an upgrade beside a reader")


@check
def flock_of_one_guest_excludes_fcntl_of_the_other(m, path):
    one, two = pair(m, path)
    one("lock", "write", owner="flock")
    true(two.denied("lock", "read", 1000, 1), "flock is not a lock of the whole file")
    one("lock", "none", owner="flock")
    two("lock", "read", 1000, 1)
    true(one.denied("lock", "write", owner="flock"), "flock beside a locked byte")
    one("lock", "read", owner="flock")


@check
def a_killed_holder_loses_its_flock(m, path):
    one, two = pair(m, path)
    waiting = held_and_wanted(one, two, owner="flock")
    one.kill()
    waiting.result()


@check
def locks_of_open_files_exclude_the_other_guest(m, path):
    one, two = pair(m, path)
    one("lock", "write", 0, 10, owner="open")
    true(two.denied("lock", "write", 5, 10, owner="open"), "two writers")
    true(two.denied("lock", "write", 5, 10), "two writers")
    equal(two("test", "read", 0, 0, owner="open"), ["write", 0, 10], "F_OFD_GETLK")
    hand_over(one, two, type="write", start=0, length=10, owner="open")


@check
def locks_of_open_files_last_until_the_last_close(m, path):
    one, two = pair(m, path)
    one("open", path, file="other")
    one("lock", "write", owner="open")
    true(one.denied("lock", "write", owner="open", file="other"), "two opens of a process share a lock")
    one("duplicate", "copy")
    one("close", file="other")
    one("close")
    true(two.denied("lock", "write", owner="open"), "a copy of the descriptor is still open")
    one("close", file="copy")
    soon_locked(two, type="write", owner="open")


@check
def what_was_written_under_the_lock_is_read_under_the_lock(m, path):
    one, two = pair(m, path)
    for turn in range(5):
        for writer, reader in ((one, two), (two, one)):
            text = f"turn {turn} by {writer.machine}"
            writer("lock", "write", wait=True)
            writer("write", text)
            writer("lock", "none")
            reader("lock", "read", wait=True)
            equal(reader("read", len(text)), text)
            reader("lock", "none")


@check
def counting_under_the_lock_loses_nothing(m, path):
    processes = [m.start(machine) for machine in ("first", "second", "server")]
    for pending in [process.begin("count", 40, path) for process in processes]:
        pending.result()
    processes[2]("open", path)
    equal(processes[2]("read"), "120")


@check
def a_lock_follows_the_file_when_it_is_renamed(m, path):
    one, two = pair(m, path)
    one("lock", "write")
    two("rename", path, path + "-moved")
    one("write", "still here")
    two("open", path + "-moved", file="moved")
    true(two.denied("lock", "write", file="moved"), "two writers")
    one("lock", "none")
    two("lock", "write", file="moved")
    equal(two("read", file="moved"), "still here")


@check
def an_unlinked_file_is_still_locked_and_read(m, path):
    one, _ = pair(m, path)
    one("write", "content")
    one("lock", "write", 0, 10)
    one("unlink", path)
    one("lock", "none", 0, 5)
    one("lock", "read", 0, 10)
    one("sync")
    equal(one("read"), "content")
    one("lock", "none")


@check
def a_program_on_the_server_is_excluded(m, path):
    guest, server = opened(m, path, "first", "server")
    for owner in ("process", "open"):
        guest("lock", "write", 0, 10)
        true(server.denied("lock", "read", 9, 1, owner=owner), f"granted to two ({owner})")
        equal(server("test", "write", 0, 0, owner=owner), ["write", 0, 10], f"F_GETLK ({owner})")
        guest("lock", "none")
        server("lock", "write", 0, 10, owner=owner)
        true(guest.denied("lock", "read", 9, 1), f"granted to two ({owner})")
        equal(guest("test", "write", 5, 1), ["write", 0, 10], f"F_GETLK of a lock on the server ({owner})")
        server("lock", "none", owner=owner)


@check
def a_program_on_the_server_and_a_guest_wait_for_each_other(m, path):
    guest, server = opened(m, path, "second", "server")
    guest("lock", "write")
    hand_over(guest, server, type="write")
    hand_over(server, guest, type="write")


@check
def a_killed_program_on_the_server_loses_its_lock(m, path):
    guest, server = opened(m, path, "second", "server")
    waiting = held_and_wanted(server, guest)
    server.kill()
    waiting.result()


def run_all(machines, only=()):
    """(status, lines, "") as of a program in a guest."""
    lines, failed = [], 0
    for function in CHECKS:
        if only and not any(word in function.__name__ for word in only):
            continue
        began = time.monotonic()
        try:
            function(machines, function.__name__)
            word, reason = "ok", ""
        except Exception as why:  # whatever it is, the next check runs
            frames = traceback.extract_tb(why.__traceback__)
            place = next((frame for frame in frames if frame.name == function.__name__), frames[-1])
            word, reason = "FAIL", f": {type(why).__name__}: {why} (line {place.lineno}: {place.line})"
            failed += 1
        machines.give_back()
        lines.append(f"{word} {function.__name__} {time.monotonic() - began:.2f} s{reason}\n")
    lines.append(f"{len(lines) - failed} passed, {failed} failed\n")
    return (1 if failed else 0), "".join(lines), ""
