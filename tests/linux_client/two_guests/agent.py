#!/usr/bin/env python3
"""A process that does what it is told, one system call at a time; machines.py tells it.

Reads lines of JSON, `{"id": 1, "do": "lock", …}`, and answers each with a line, `{"id": 1, "result": …}` or `{"id": 1, "errno": 11}`.
The first line that it writes has its process id. Each command runs in a thread of its own, so that one that waits for a lock
does not keep the next from running: whoever wants an order waits for the answers. Ends with its input.

The functions below are the commands. Files have the names that `open` gave them.
"""
import errno
import fcntl
import json
import os
import struct
import sys
import threading

FLOCK = "hhqqi4x"  # struct flock of x86-64: type, whence, start, length, pid
TYPES = {"read": fcntl.F_RDLCK, "write": fcntl.F_WRLCK, "none": fcntl.F_UNLCK}
NAMES = {number: name for name, number in TYPES.items()}
WHOLE_FILE = {"read": fcntl.LOCK_SH, "write": fcntl.LOCK_EX, "none": fcntl.LOCK_UN}
# (how the lock is owned, whether the call waits) → the command of fcntl(2)
SET = {("process", False): fcntl.F_SETLK, ("process", True): fcntl.F_SETLKW,
       ("open", False): fcntl.F_OFD_SETLK, ("open", True): fcntl.F_OFD_SETLKW}
GET = {"process": fcntl.F_GETLK, "open": fcntl.F_OFD_GETLK}

files = {}


def open_file(path, file="file", flags=os.O_RDWR | os.O_CREAT):
    files[file] = os.open(path, flags, 0o666)


def close(file="file"):
    os.close(files.pop(file))


def close_all():
    for file in list(files):
        close(file)


def duplicate(into, file="file"):
    files[into] = os.dup(files[file])


def lock(type, start=0, length=0, file="file", owner="process", wait=False):
    """`owner`: "process" for POSIX locks, "open" for those of an open file description, "flock" for flock(2)."""
    if owner == "flock":
        fcntl.flock(files[file], WHOLE_FILE[type] | (0 if wait else fcntl.LOCK_NB))
    else:
        fcntl.fcntl(files[file], SET[owner, wait], struct.pack(FLOCK, TYPES[type], os.SEEK_SET, start, length, 0))


def test(type, start=0, length=0, file="file", owner="process"):
    """[type, start, length] of a lock in the way, or None."""
    asked = struct.pack(FLOCK, TYPES[type], os.SEEK_SET, start, length, 0)
    found, _, at, size, _ = struct.unpack(FLOCK, fcntl.fcntl(files[file], GET[owner], asked))
    return None if found == fcntl.F_UNLCK else [NAMES[found], at, size]


def write(text, at=0, file="file"):
    return os.pwrite(files[file], text.encode(), at)


def read(size=100, at=0, file="file"):
    return os.pread(files[file], size, at).decode()


def sync(file="file"):
    os.fsync(files[file])


def size(file="file"):
    return os.fstat(files[file]).st_size


def count(turns, path="counter"):
    """Adds 1 to the number in the file so many times, each under a lock."""
    number_file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    for _ in range(turns):
        fcntl.lockf(number_file, fcntl.LOCK_EX)
        number = int(os.pread(number_file, 20, 0) or b"0")
        os.pwrite(number_file, b"%d" % (number + 1), 0)
        fcntl.lockf(number_file, fcntl.LOCK_UN)
    os.close(number_file)


COMMANDS = {"open": open_file, "close": close, "close_all": close_all, "duplicate": duplicate, "lock": lock, "test": test, "write": write, "read": read,
            "sync": sync, "size": size, "count": count, "unlink": os.unlink, "rename": os.rename, "list": os.listdir}


def main():
    out = os.dup(1)
    os.dup2(2, 1)
    telling = threading.Lock()

    def tell(**fields):
        with telling:
            os.write(out, json.dumps(fields).encode() + b"\n")

    def do(words):
        number, name = words.pop("id"), words.pop("do")
        try:
            tell(id=number, result=COMMANDS[name](*words.pop("args", ()), **words))
        except OSError as why:
            tell(id=number, errno=why.errno, name=errno.errorcode.get(why.errno))
        except Exception as why:
            tell(id=number, wrong=repr(why))

    tell(pid=os.getpid())
    for line in sys.stdin:
        threading.Thread(target=do, args=(json.loads(line),), daemon=True).start()
    os._exit(0)


if __name__ == "__main__":
    main()
