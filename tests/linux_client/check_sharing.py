"""Two mounts of one export, with nothing between them but the server."""
import errno
import os
import time

from checking import check, equal, fails, noise, opened, read, true, write


@check(second=True)
def what_one_creates_the_other_sees(s):
    write(s.other("theirs"), b"theirs")
    write(s.path("ours"), b"ours")
    equal((read(s.path("theirs")), read(s.other("ours"))), (b"theirs", b"ours"))
    equal(sorted(os.listdir(s.other_dir)), ["ours", "theirs"])


@check(second=True)
def closing_here_and_opening_there_shows_the_change(s):
    for turn in range(10):
        write(s.path(), b"turn %d" % turn)
        equal(read(s.other()), b"turn %d" % turn)
        write(s.other(), b"answer %d" % turn)
        equal(read(s.path()), b"answer %d" % turn)


@check(second=True)
def growth_and_cuts_are_seen(s):
    write(s.path(), noise(100_000))
    equal(os.stat(s.other()).st_size, 100_000)
    os.truncate(s.path(), 77)
    equal((os.stat(s.other()).st_size, read(s.other())), (77, noise(100_000)[:77]))
    write(s.path(), b"tail", os.O_WRONLY | os.O_APPEND)
    equal(read(s.other()), noise(100_000)[:77] + b"tail")


@check(second=True)
def renames_and_removals_are_seen(s):
    write(s.path("a"), b"a")
    equal(read(s.other("a")), b"a")
    os.rename(s.path("a"), s.path("b"))
    with fails(errno.ENOENT):
        os.stat(s.other("a"))
    equal(read(s.other("b")), b"a")
    os.unlink(s.path("b"))
    with fails(errno.ENOENT):
        os.stat(s.other("b"))


@check(second=True)
def a_missing_name_may_come_later(s):
    for number in range(5):
        with fails(errno.ENOENT):
            os.stat(s.other(f"f{number}"))
        write(s.path(f"f{number}"), b"now")
        equal(read(s.other(f"f{number}")), b"now")


@check(second=True)
def modes_and_times_are_seen(s):
    write(s.path(), b"x")
    os.stat(s.other())
    os.chmod(s.path(), 0o604)
    os.utime(s.path(), ns=(7 * 10**9, 8 * 10**9))
    found = os.stat(s.other())
    equal((found.st_mode & 0o7777, found.st_atime_ns, found.st_mtime_ns), (0o604, 7 * 10**9, 8 * 10**9))


@check(second=True)
def both_know_a_file_by_the_same_number(s):
    write(s.path(), b"x")
    one, two = os.stat(s.path()), os.stat(s.other())
    equal((one.st_ino, one.st_size, one.st_mtime_ns), (two.st_ino, two.st_size, two.st_mtime_ns))
    true(one.st_dev != two.st_dev, "it is one mount, not two")


@check(second=True)
def o_excl_of_two_clients_has_one_winner(s):
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    os.close(os.open(s.path("a"), flags))
    # Linux makes the verifier of a CREATE from the tick and the process: within a tick, our two clients send the same.
    time.sleep(0.03)
    with fails(errno.EEXIST):
        os.open(s.other("a"), flags)
    os.close(os.open(s.other("b"), flags))
    time.sleep(0.03)
    with fails(errno.EEXIST):
        os.open(s.path("b"), flags)


@check(second=True)
def an_open_file_follows_a_rename_by_another(s):
    write(s.path("a"), b"0123456789")
    os.mkdir(s.path("d"))
    with opened(s.path("a"), os.O_RDWR) as file:
        os.rename(s.other("a"), s.other("d/b"))
        os.pwrite(file, b"XY", 4)
        os.fsync(file)
    equal(read(s.other("d/b")), b"0123XY6789")
