"""An export that can only be read. It holds what `PREPARED` says; nothing is made here, because nothing can be.

A server says so in two places: in the answer to ACCESS (the client then says EACCES), and in that to a change (EROFS).
"""
import errno
import os

from checking import check, equal, fails, forget, opened, read

PREPARED = {"file": b"read only\n", "d/inner": b"inner\n"}
REFUSED = (errno.EROFS, errno.EACCES)


@check(read_only=True)
def a_read_only_export_is_read(s):
    forget()
    equal(sorted(name for name in os.listdir(s.dir) if name in ("file", "d")), ["d", "file"])
    for name, content in PREPARED.items():
        equal(read(s.path(name)), content)
    os.statvfs(s.dir)


@check(read_only=True)
def a_read_only_export_takes_no_data(s):
    with fails(*REFUSED), opened(s.path("file"), os.O_WRONLY) as file:  # version 2 has no ACCESS to ask before
        os.pwrite(file, b"x", 0)
        os.fsync(file)
    forget()
    with fails(*REFUSED):
        os.truncate(s.path("file"), 1)
    equal(read(s.path("file")), PREPARED["file"])


@check(read_only=True)
def a_read_only_export_takes_no_names(s):
    changes = {
        "create": lambda: os.open(s.path("new"), os.O_WRONLY | os.O_CREAT),
        "exclusive create": lambda: os.open(s.path("new"), os.O_WRONLY | os.O_CREAT | os.O_EXCL),
        "mkdir": lambda: os.mkdir(s.path("new")),
        "symlink": lambda: os.symlink("x", s.path("new")),
        "mkfifo": lambda: os.mkfifo(s.path("new")),
        "link": lambda: os.link(s.path("file"), s.path("new")),
        "rename": lambda: os.rename(s.path("file"), s.path("new")),
        "unlink": lambda: os.unlink(s.path("file")),
        "rmdir": lambda: os.rmdir(s.path("d")),
    }
    for name, change in changes.items():
        try:
            with fails(*REFUSED):
                change()
        except AssertionError as why:
            raise AssertionError(f"{name}: {why}") from None
    forget()
    with fails(errno.ENOENT):
        os.stat(s.path("new"))
    equal(read(s.path("file")), PREPARED["file"])


@check(read_only=True)
def a_read_only_export_takes_no_attributes(s):
    before = os.stat(s.path("file"))
    for change in (lambda: os.chmod(s.path("file"), 0o777), lambda: os.utime(s.path("file"), ns=(1, 1)),
                   lambda: os.utime(s.path("file")), lambda: os.chown(s.path("file"), 1, 1)):
        with fails(*REFUSED, errno.EPERM):
            change()
    forget()
    after = os.stat(s.path("file"))
    equal((after.st_mode, after.st_mtime_ns, after.st_uid), (before.st_mode, before.st_mtime_ns, before.st_uid))
