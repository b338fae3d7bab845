"""Bytes: what was written is what is read, however it was written and however it is read."""
import errno
import mmap
import os
import random

from checking import (GIB, KIB, MIB, at_once, check, digest, equal, fails, forget, noise, opened, read, true, write)


@check()
def a_small_file_comes_back(s):
    write(s.path(), b"hello\n")
    equal(read(s.path()), b"hello\n")
    forget()
    equal(read(s.path()), b"hello\n", "cold")


@check()
def an_empty_file_has_no_bytes(s):
    write(s.path(), b"")
    forget()
    equal((read(s.path()), os.stat(s.path()).st_size), (b"", 0))


@check()
def a_big_file_comes_back_cold(s):
    size, hashes = 32 * MIB, []
    with opened(s.path(), os.O_WRONLY | os.O_CREAT) as file:
        for number in range(size // MIB):
            block = noise(MIB, number)
            hashes.append(digest(block))
            equal(os.write(file, block), MIB)
        os.fsync(file)
    forget()
    equal(os.stat(s.path()).st_size, size)
    with opened(s.path(), os.O_RDONLY) as file:
        equal([digest(os.read(file, MIB)) for _ in hashes], hashes)
        equal(os.read(file, 1), b"", "past the end")


@check()
def a_big_file_in_odd_pieces_comes_back(s):
    data, at = noise(3 * MIB + 17), 0
    sizes = [1, 511, 4095, 4097, 65537, 100003, 262145]
    with opened(s.path(), os.O_WRONLY | os.O_CREAT) as file:
        while at < len(data):
            at += os.write(file, data[at:at + sizes[at % len(sizes)]])
    forget()
    equal(digest(read(s.path())), digest(data))


@check()
def reads_at_odd_places_give_what_is_there(s):
    data = noise(2 * MIB + 3)
    write(s.path(), data)
    forget()
    chance = random.Random(7)
    with opened(s.path(), os.O_RDONLY) as file:
        for _ in range(60):
            at, size = chance.randrange(len(data) + 5000), chance.randrange(1, 70000)
            equal(digest(os.pread(file, size, at)), digest(data[at:at + size]), f"{size} bytes at {at}")


@check()
def random_writes_and_cuts_follow_a_model(s):
    chance, model = random.Random(11), bytearray()
    with opened(s.path(), os.O_RDWR | os.O_CREAT) as file:
        for step in range(150):
            at = chance.randrange(400_000)
            if chance.random() < 0.1:
                os.ftruncate(file, at)
                model = model[:at] + bytes(max(0, at - len(model)))
            else:
                piece = chance.randbytes(chance.randrange(1, 20_000))
                os.pwrite(file, piece, at)
                model += bytes(max(0, at - len(model)))
                model[at:at + len(piece)] = piece
            if step % 30 == 29:
                os.fsync(file)
                forget()
                equal(digest(os.pread(file, 1 << 20, 0)), digest(model), f"after step {step}")
    forget()
    equal(digest(read(s.path())), digest(model))


@check()
def a_read_past_the_end_is_empty(s):
    write(s.path(), b"0123456789")
    forget()
    with opened(s.path(), os.O_RDONLY) as file:
        equal(os.pread(file, 100, 5), b"56789")
        equal(os.pread(file, 100, 10), b"")
        equal(os.pread(file, 100, GIB), b"")


@check()
def appended_bytes_go_to_the_end(s):
    with opened(s.path(), os.O_WRONLY | os.O_CREAT | os.O_APPEND) as one, \
            opened(s.path(), os.O_WRONLY | os.O_APPEND) as two:
        for number in range(50):
            os.write((one, two)[number % 2], f"line {number}\n".encode())
    forget()
    equal(read(s.path()).decode(), "".join(f"line {number}\n" for number in range(50)))


@check()
def appends_of_four_processes_are_all_there(s):
    write(s.path(), b"")

    def append(number):
        with opened(s.path(), os.O_WRONLY | os.O_APPEND) as file:
            for line in range(25):
                os.write(file, b"%d %02d\n" % (number, line))

    at_once(4, append)
    forget()
    wanted = sorted(b"%d %02d" % (number, line) for number in range(4) for line in range(25))
    equal(sorted(read(s.path()).splitlines()), wanted)


@check()
def a_file_cut_and_grown_has_zeros(s):
    data = noise(100_000)
    write(s.path(), data)
    with opened(s.path(), os.O_RDWR) as file:
        os.ftruncate(file, 5_001)
        os.ftruncate(file, 70_000)
    forget()
    equal(digest(read(s.path())), digest(data[:5_001] + bytes(70_000 - 5_001)))


@check()
def truncate_by_name_sets_the_size(s):
    write(s.path(), noise(10_000))
    for size in (9_999, 0, 123_457, 1):
        os.truncate(s.path(), size)
        equal(os.stat(s.path()).st_size, size)
        forget()
        equal(os.stat(s.path()).st_size, size, "cold")


@check()
def opening_with_o_trunc_empties_the_file(s):
    write(s.path(), noise(50_000))
    with opened(s.path(), os.O_RDWR | os.O_TRUNC) as file:
        equal(os.fstat(file).st_size, 0)
        os.write(file, b"new")
    forget()
    equal(read(s.path()), b"new")


@check()
def holes_read_as_zeros_and_take_no_room(s):
    far = 1 * GIB
    with opened(s.path(), os.O_RDWR | os.O_CREAT) as file:
        os.pwrite(file, b"begin", 0)
        os.pwrite(file, b"end", far)
        os.fsync(file)
    forget()
    with opened(s.path(), os.O_RDONLY) as file:
        equal(os.pread(file, 10, 0), b"begin" + bytes(5))
        equal(digest(os.pread(file, MIB, 700 * MIB)), digest(bytes(MIB)))
        equal(os.pread(file, 10, far - 4), bytes(4) + b"end")
        found = os.fstat(file)
    equal(found.st_size, far + 3)
    true(found.st_blocks * 512 < 16 * MIB, f"a file with 8 bytes in it takes {found.st_blocks * 512} bytes")


@check(vers=3)
def offsets_past_4_gib_are_not_folded(s):
    places = [0, 2 * GIB - 3, 4 * GIB - 3, 4 * GIB + 50, 5 * GIB]
    with opened(s.path(), os.O_RDWR | os.O_CREAT) as file:
        for place in places:
            os.pwrite(file, b"at %-12d" % place, place)
        os.fsync(file)
    forget()
    with opened(s.path(), os.O_RDONLY) as file:
        for place in places:
            equal(os.pread(file, 15, place), b"at %-12d" % place)
        equal(os.pread(file, 16, GIB), bytes(16), "what 5 GiB would be in 32 bits")
    equal(os.stat(s.path()).st_size, 5 * GIB + 15)


@check(vers=3)
def a_size_past_4_gib_can_be_set(s):
    write(s.path(), b"x")
    os.truncate(s.path(), 6 * GIB + 1)
    forget()
    equal(os.stat(s.path()).st_size, 6 * GIB + 1)
    os.truncate(s.path(), 4 * GIB)
    forget()
    equal(os.stat(s.path()).st_size, 4 * GIB)


@check(vers=3)
def the_last_offset_works_or_is_too_big(s):
    last = (1 << 63) - 2
    with opened(s.path(), os.O_RDWR | os.O_CREAT) as file:
        try:
            os.pwrite(file, b"x", last)
            os.fsync(file)
        except OSError as why:  # ext4 ends at 16 TiB
            equal(why.errno, errno.EFBIG)
    forget()
    size = os.stat(s.path()).st_size
    if size != 0:
        equal(size, last + 1)
        with opened(s.path(), os.O_RDONLY) as file:
            equal(os.pread(file, 1, last), b"x")


@check(vers=2)
def version_2_ends_at_2_gib(s):
    with opened(s.path(), os.O_RDWR | os.O_CREAT) as file:
        os.pwrite(file, b"last", 2 * GIB - 5)
        os.fsync(file)
        with fails(errno.EFBIG):
            os.pwrite(file, b"x", 2 * GIB)
    forget()
    equal(os.stat(s.path()).st_size, 2 * GIB - 1)
    with opened(s.path(), os.O_RDONLY) as file:
        equal(os.pread(file, 10, 2 * GIB - 5), b"last")


@check()
def o_sync_writes_are_there(s):
    with opened(s.path(), os.O_RDWR | os.O_CREAT | os.O_SYNC) as file:
        for number in range(20):
            equal(os.pwrite(file, noise(5_000, number), number * 5_000), 5_000)
    forget()
    equal(digest(read(s.path())), digest(b"".join(noise(5_000, number) for number in range(20))))


@check()
def o_direct_reads_and_writes_pass_the_cache(s):
    size = 256 * KIB
    buffer = mmap.mmap(-1, size)  # O_DIRECT wants a page's alignment
    buffer[:] = noise(size)
    with opened(s.path(), os.O_RDWR | os.O_CREAT | os.O_DIRECT) as file:
        equal(os.pwritev(file, [buffer], 0), size)
        equal(os.pwritev(file, [buffer], size), size)
        back = mmap.mmap(-1, size)
        equal(os.preadv(file, [back], size), size)
        equal(digest(back), digest(buffer))
    equal(digest(read(s.path())), digest(buffer[:] * 2))


@check()
def fsync_and_fdatasync_succeed(s):
    with opened(s.path(), os.O_RDWR | os.O_CREAT) as file:
        os.write(file, noise(3 * MIB))
        os.fsync(file)
        os.write(file, b"more")
        os.fdatasync(file)
    with opened(s.dir, os.O_RDONLY | os.O_DIRECTORY) as directory:
        os.fsync(directory)
    forget()
    equal(digest(read(s.path())), digest(noise(3 * MIB) + b"more"))


@check()
def scattered_buffers_keep_their_order(s):
    parts = [noise(n, n) for n in (1, 4096, 3, 70_000, 9)]
    with opened(s.path(), os.O_RDWR | os.O_CREAT) as file:
        equal(os.writev(file, parts), sum(map(len, parts)))
    forget()
    with opened(s.path(), os.O_RDONLY) as file:
        back = [bytearray(len(part)) for part in parts]
        os.readv(file, back)
    equal([digest(part) for part in back], [digest(part) for part in parts])


@check()
def a_shared_mapping_is_written_back(s):
    write(s.path(), bytes(64 * KIB))
    with opened(s.path(), os.O_RDWR) as file, mmap.mmap(file, 64 * KIB) as pages:
        pages[100:105] = b"first"
        pages[40_000:40_004] = b"last"
        pages.flush()
    forget()
    data = read(s.path())
    equal((data[100:105], data[40_000:40_004], data[200:300]), (b"first", b"last", bytes(100)))


@check()
def a_mapping_shows_the_file(s):
    data = noise(300_000)
    write(s.path(), data)
    forget()
    with opened(s.path(), os.O_RDONLY) as file, mmap.mmap(file, 0, prot=mmap.PROT_READ) as pages:
        equal(digest(pages), digest(data))
        equal(pages[150_000:150_010], data[150_000:150_010])


@check()
def sendfile_and_copy_file_range_copy(s):
    data = noise(500_001)
    write(s.path("from"), data)
    forget()
    for name, copy in (("one", os.sendfile), ("two", None)):
        with opened(s.path("from"), os.O_RDONLY) as source, opened(s.path(name), os.O_WRONLY | os.O_CREAT) as target:
            at = 0
            while at < len(data):
                at += (copy(target, source, at, len(data) - at) if copy
                       else os.copy_file_range(source, target, len(data) - at))
        equal(digest(read(s.path(name))), digest(data), name)


@check()
def processes_write_blocks_of_one_file(s):
    block, count = 8 * KIB, 24
    write(s.path(), b"")

    def blocks(number):
        with opened(s.path(), os.O_WRONLY) as file:
            for index in range(number, count, 4):
                os.pwrite(file, noise(block, index), index * block)

    at_once(4, blocks)
    forget()
    equal(digest(read(s.path())), digest(b"".join(noise(block, index) for index in range(count))))


@check()
def processes_write_files_of_their_own(s):
    def files(number):
        for index in range(10):
            write(s.path(f"{number}-{index}"), noise(10_000, number * 100 + index))

    at_once(4, files)
    forget()
    equal(len(os.listdir(s.dir)), 40)
    for number in range(4):
        for index in range(10):
            equal(digest(read(s.path(f"{number}-{index}"))), digest(noise(10_000, number * 100 + index)))
