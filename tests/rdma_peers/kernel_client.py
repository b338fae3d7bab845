"""What Linux's NFS client must find over RDMA. Each function is a check: it gets a Place and raises when something is wrong.

A Place has `there`, a mount, and `here`, the exported folder itself: what one side writes the other side must have.
Sizes are chosen for how Linux moves them: a few hundred bytes stay inline, data above that gets a chunk of its own
(read chunks for WRITE and SYMLINK, write chunks for READ and READLINK), and what else may be long a reply chunk.
"""
import fcntl
import mmap
import os
import shutil

from checking import MIB, at_once, digest, equal, forget, noise, opened, read, write

SMALL, ODD, BIG = 300, 20_001, 5_000_003
FIXTURES = {"small": SMALL, "odd": ODD, "big": BIG}
NAMES = [f"a-rather-long-file-name-to-fill-the-directory-{number:04}" for number in range(400)]
TARGET = "/".join(["a-rather-long-target"] * 191)[:4000]


def fixture(name):
    return noise(FIXTURES[name], seed=FIXTURES[name])


def furnish(export):
    """What is there before anybody mounts."""
    for name in FIXTURES:
        write(f"{export}/{name}", fixture(name))
    os.mkdir(f"{export}/names")
    for name in NAMES:
        os.mknod(f"{export}/names/{name}")
    os.symlink(TARGET, f"{export}/long-link")


def same(place, name, data):
    """The server's file has these bytes."""
    got = read(f"{place.here}/{name}")
    equal((len(got), digest(got)), (len(data), digest(data)), f"{name} in the export")


def direct_read_of_300_bytes(place):
    """Small enough for the answer itself."""
    with opened(f"{place.there}/small", os.O_RDONLY | os.O_DIRECT) as file, mmap.mmap(-1, 4096) as page:
        size = os.readv(file, [memoryview(page)[:512]])
        equal(page[:size], fixture("small"))


def reads_through_write_chunks(place):
    forget()
    for name in FIXTURES:
        got = read(f"{place.there}/{name}")
        equal((len(got), digest(got)), (FIXTURES[name], digest(fixture(name))), name)


def writes(place):
    """Inline, and through read chunks, also of lengths that are not whole words."""
    for size in (1, SMALL, ODD, 4_000_037):
        name, data = f"written-{place.name}-{size}", noise(size, seed=size + 1)
        write(f"{place.there}/{name}", data)
        same(place, name, data)


def stable_and_partial_writes(place):
    """O_DSYNC over an old file, not at its begin: what is around it stays."""
    name, data = f"patched-{place.name}", bytearray(noise(3 * MIB, seed=5))
    write(f"{place.there}/{name}", data)
    patch = noise(1 * MIB + 3, seed=6)
    with opened(f"{place.there}/{name}", os.O_WRONLY | os.O_DSYNC) as file:
        os.pwrite(file, patch, 777_777)
    data[777_777:777_777 + len(patch)] = patch
    same(place, name, bytes(data))


def symlink_of_4000_bytes(place):
    """SYMLINK with a read chunk, READLINK with a write chunk."""
    if os.path.lexists(f"{place.there}/link-{place.name}"):
        os.unlink(f"{place.there}/link-{place.name}")  # of an earlier try
    os.symlink(TARGET, f"{place.there}/link-{place.name}")
    equal(os.readlink(f"{place.here}/link-{place.name}"), TARGET)
    forget()
    for name in (f"link-{place.name}", "long-link"):
        equal(os.readlink(f"{place.there}/{name}"), TARGET, name)


def directory_of_400_names(place):
    """READDIRPLUS or READDIR with a reply chunk."""
    forget()
    equal(sorted(os.listdir(f"{place.there}/names")), NAMES)


def many_small_files(place):
    folder = f"many-{place.name}"
    if os.path.isdir(f"{place.there}/{folder}"):
        shutil.rmtree(f"{place.there}/{folder}")  # of an earlier try
    os.mkdir(f"{place.there}/{folder}")
    for number in range(60):
        write(f"{place.there}/{folder}/{number}", noise(number * 37, seed=number))
    for number in range(60):
        same(place, f"{folder}/{number}", noise(number * 37, seed=number))
    forget()
    for number in range(0, 60, 7):
        equal(read(f"{place.there}/{folder}/{number}"), noise(number * 37, seed=number))
    for number in range(0, 60, 2):
        os.unlink(f"{place.there}/{folder}/{number}")
    for number in range(1, 60, 2):
        os.rename(f"{place.there}/{folder}/{number}", f"{place.there}/{folder}/{number + 1000}")
    equal(sorted(os.listdir(f"{place.here}/{folder}"), key=int), [str(number + 1000) for number in range(1, 60, 2)])


def locks(place):
    """Of version 4: programs on the server see them."""
    name = f"locked-{place.name}"
    write(f"{place.there}/{name}", b"x" * 100)
    with opened(f"{place.there}/{name}", os.O_RDWR) as file, opened(f"{place.here}/{name}", os.O_RDWR) as other:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 10, 0)
        fcntl.lockf(other, fcntl.LOCK_EX | fcntl.LOCK_NB, 10, 50)
        try:
            fcntl.lockf(other, fcntl.LOCK_EX | fcntl.LOCK_NB, 10, 0)
        except BlockingIOError:
            pass
        else:
            raise AssertionError("two hold the same lock")
        fcntl.lockf(file, fcntl.LOCK_UN, 10, 0)
        fcntl.lockf(other, fcntl.LOCK_EX | fcntl.LOCK_NB, 10, 0)


CHECKS = (direct_read_of_300_bytes, reads_through_write_chunks, writes, stable_and_partial_writes, symlink_of_4000_bytes,
          directory_of_400_names, many_small_files)


def clients_at_once(places):
    """Each writes what all read, at the same time, over connections of their own. Not much of it: where many megabytes wait for a
    processor, rxe (6.1) sends again what was only late, registers memory a second time, and its client breaks off."""
    def work(number):
        place = places[number]
        for turn in range(4):
            data = noise(150_001, seed=100 * number + turn)
            write(f"{place.there}/at-once-{number}-{turn}", data)
            same(place, f"at-once-{number}-{turn}", data)
            with opened(f"{place.there}/odd", os.O_RDONLY | os.O_DIRECT) as file, mmap.mmap(-1, 24_576) as pages:
                size = os.readv(file, [pages])
                equal(pages[:size] == fixture("odd"), True, "what all read")

    at_once(len(places), work)
