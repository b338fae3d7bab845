"""What the kernel checks are written with. Runs in the guest; checks.py is the program.

A check is a function with a sentence for a name and a Setting for an argument:

    @check(vers=3)
    def a_file_may_be_larger_than_4_gib(s): ...

It works in s.dir, an empty directory of its own, and raises when something is wrong. All run in one process,
because forking is dear in the guest: another user is `with user(1000):`, not another process.
"""
import contextlib
import errno
import hashlib
import os
import pathlib
import random
import shutil
import stat
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from patience import PATIENCE_S  # noqa: E402

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30

CHECKS = []


class Skip(Exception):
    """The check means nothing in this setting, and why."""


class Setting:
    """What is mounted how, on which kind of server; and where the check that runs now works."""

    def __init__(self, given):
        self.vers = given.vers
        self.squash = given.squash
        self.privileged = given.privileged
        self.server_uid = given.server_uid
        self.stable = given.stable
        self.read_only = given.read_only
        self.first = os.getcwd()
        self.second = given.second
        self.dir = self.other_dir = None

    def enter(self, name):
        if self.read_only:
            self.dir = self.first
            return
        self.dir = f"{self.first}/{name}"
        self.other_dir = f"{self.second}/{name}" if self.second else None
        os.mkdir(self.dir)
        os.chmod(self.dir, 0o777)

    def leave(self):
        os.chdir(self.first)
        if not self.read_only:
            remove_tree(self.dir, in_use=self.vers < 4)

    def path(self, name="file"):
        return f"{self.dir}/{name}"

    def other(self, name="file"):
        """The same file through the second mount, which shares no cache with the first."""
        return f"{self.other_dir}/{name}"


def check(vers=None, squash=None, privileged=None, second=False, read_only=False):
    """Registers a check; the words say where it makes sense."""
    def register(function):
        CHECKS.append(function)
        function.wants = (vers, squash, privileged, second, read_only)
        return function
    return register


def unsuited(function, s):
    """Why a check makes no sense in this setting, or None."""
    vers, squash, privileged, second, read_only = function.wants
    if read_only != s.read_only:
        return "for a read-only export" if read_only else "for an export that can be written"
    if vers is not None and (s.vers < 3 if vers == 3 else s.vers != vers):
        return f"for version {vers}"
    if squash is not None and s.squash != squash:
        return f"for squash {squash}"
    if privileged is not None and s.privileged != privileged:
        return "for a server with privileges" if privileged else "for a server without privileges"
    if second and not s.second:
        return "needs a second mount"
    return None


def equal(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what + ': ' if what else ''}got {short(got)}, wanted {short(wanted)}")


def soon(get, wanted, what):
    """For what the client does after the call has returned, like removing what was unlinked while open."""
    deadline = time.monotonic() + PATIENCE_S
    while get() != wanted and time.monotonic() < deadline:
        time.sleep(0.01)
    equal(get(), wanted, what)


def remove_tree(path, in_use):
    """With `in_use`, a file in it may still be in use: until READs ahead of a closed file are answered, versions 2 and 3 rename the
    file to .nfs… instead of removing it. Version 4.1 never does, since the server keeps unlinked files."""
    deadline = time.monotonic() + PATIENCE_S
    while os.path.lexists(path):
        try:
            shutil.rmtree(path)
        except OSError as why:
            # ENOENT: the client has removed it meanwhile.
            if not in_use or why.errno not in (errno.ENOTEMPTY, errno.EBUSY, errno.ENOENT) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def true(condition, what):
    if not condition:
        raise AssertionError(what)


def short(value):
    text = repr(value)
    return text if len(text) <= 160 else f"{text[:120]}… ({len(text)} characters)"


@contextlib.contextmanager
def fails(*numbers):
    """The block must fail with one of these errno values."""
    wanted = "/".join(errno.errorcode[number] for number in numbers)
    try:
        yield
    except OSError as got:
        if got.errno not in numbers:
            raise AssertionError(f"{errno.errorcode.get(got.errno, got.errno)}, wanted {wanted}") from None
    else:
        raise AssertionError(f"success, wanted {wanted}")


@contextlib.contextmanager
def user(uid, gid=None, groups=()):
    """The block runs as somebody else: file access follows the effective ids."""
    os.setgroups(list(groups))
    os.setegid(uid if gid is None else gid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups([])


@contextlib.contextmanager
def opened(path, flags, mode=0o644):
    descriptor = os.open(path, flags, mode)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def write(path, data, flags=os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode=0o644):
    with opened(path, flags, mode) as descriptor:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view):]


def read(path):
    with open(path, "rb", buffering=0) as file:
        return file.read()


def node(path):
    """An empty file, with the fewest calls."""
    os.mknod(path, stat.S_IFREG | 0o644)


def noise(size, seed=1):
    return random.Random(seed).randbytes(size)


def digest(data):
    return hashlib.sha256(data).hexdigest()


def forget():
    """Empties the client's caches, so that the server is asked again."""
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3")


def at_once(count, work):
    """`work(number)` in as many processes; each must succeed."""
    children = []
    for number in range(count):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                work(number)
                status = 0
            except BaseException as why:
                print(f"    in process {number}: {why!r}", flush=True)
            finally:
                os._exit(status)
        children.append(child)
    statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    equal(statuses, [0] * count, "exit statuses")
