"""What is not plain data: links, special files, modes, exclusive creation, the file system's own figures."""
import errno
import os
import socket
import stat

from checking import Skip, at_once, check, equal, fails, forget, node, opened, read, true, write


@check()
def a_hard_link_is_the_same_file(s):
    write(s.path("a"), b"shared")
    os.link(s.path("a"), s.path("b"))
    forget()
    one, two = os.stat(s.path("a")), os.stat(s.path("b"))
    equal((one.st_ino, one.st_nlink), (two.st_ino, 2))
    write(s.path("b"), b"changed")
    equal(read(s.path("a")), b"changed")
    os.unlink(s.path("a"))
    forget()
    equal((read(s.path("b")), os.stat(s.path("b")).st_nlink), (b"changed", 1))


@check()
def a_file_has_a_hundred_links(s):
    node(s.path("0"))
    os.mkdir(s.path("d"))
    for number in range(1, 100):
        os.link(s.path("0"), s.path(f"d/{number}"))
    forget()
    equal(os.stat(s.path("d/57")).st_nlink, 100)
    for number in range(1, 100):
        os.unlink(s.path(f"d/{number}"))
    forget()
    equal(os.stat(s.path("0")).st_nlink, 1)


@check()
def errors_of_link(s):
    os.mkdir(s.path("d"))
    node(s.path("a"))
    node(s.path("b"))
    with fails(errno.EEXIST):
        os.link(s.path("a"), s.path("b"))
    with fails(errno.EPERM):
        os.link(s.path("d"), s.path("x"))
    with fails(errno.ENOENT):
        os.link(s.path("none"), s.path("x"))


@check()
def a_symlink_holds_its_text(s):
    write(s.path("target"), b"here")
    os.symlink("target", s.path("link"))
    os.symlink("nowhere", s.path("dangling"))
    os.symlink("/etc/hostname", s.path("absolute"))
    forget()
    equal((os.readlink(s.path("link")), read(s.path("link"))), ("target", b"here"))
    equal(os.lstat(s.path("link")).st_size, len("target"))
    true(stat.S_ISLNK(os.lstat(s.path("link")).st_mode), "it is no symlink")
    equal(os.readlink(s.path("absolute")), "/etc/hostname")
    with fails(errno.ENOENT):
        os.stat(s.path("dangling"))
    with fails(errno.EEXIST):
        os.symlink("x", s.path("link"))
    os.unlink(s.path("link"))
    equal(read(s.path("target")), b"here")


@check()
def a_symlink_may_be_long(s):
    for size in (1, 59, 60, 255, 1000):  # 60: where ext4 moves it out of the inode
        os.symlink("t" * size, s.path(f"link{size}"))
    forget()
    for size in (1, 59, 60, 255, 1000):
        equal(os.readlink(s.path(f"link{size}")), "t" * size)


@check(vers=3)
def a_symlink_may_have_4095_bytes(s):
    target = "d/" * 2047 + "t"
    os.symlink(target, s.path("link"))
    forget()
    equal(os.readlink(s.path("link")), target)


@check()
def symlinks_in_a_circle_end(s):
    os.symlink("b", s.path("a"))
    os.symlink("a", s.path("b"))
    os.symlink(".", s.path("self"))
    with fails(errno.ELOOP):
        os.stat(s.path("a"))
    with fails(errno.ELOOP):
        os.open(s.path("a"), os.O_RDONLY | os.O_NOFOLLOW)
    equal(os.stat(s.path("self/self/self")).st_ino, os.stat(s.dir).st_ino)


@check()
def symlinks_lead_through_directories(s):
    os.makedirs(s.path("a/b"))
    write(s.path("a/b/f"), b"through")
    os.symlink("a/b", s.path("short"))
    os.symlink("../../short", s.path("a/b/up"))
    forget()
    equal(read(s.path("short/up/f")), b"through")


@check()
def o_excl_creates_once(s):
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with opened(s.path(), flags, 0o640) as file:
        os.write(file, b"mine")
    with fails(errno.EEXIST):
        os.open(s.path(), flags)
    forget()
    found = os.stat(s.path())
    equal((found.st_mode & 0o7777, found.st_size), (0o640, 4))
    true(abs(found.st_mtime - found.st_ctime) < 10, f"times are {found.st_mtime} and {found.st_ctime}")
    os.symlink("nowhere", s.path("link"))
    with fails(errno.EEXIST):
        os.open(s.path("link"), flags)


@check()
def o_excl_has_one_winner(s):
    def race(number):
        for turn in range(15):
            try:
                os.close(os.open(s.path(f"turn-{turn}"), os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            node(s.path(f"won-{turn}-{number}"))

    at_once(4, race)
    equal(sum(name.startswith("won") for name in os.listdir(s.dir)), 15)


@check()
def creation_sets_the_mode(s):
    old = os.umask(0)
    try:
        for mode in (0o000, 0o400, 0o644, 0o777):
            os.close(os.open(s.path(f"f{mode:o}"), os.O_RDONLY | os.O_CREAT, mode))
            os.mkdir(s.path(f"d{mode:o}"), mode)
    finally:
        os.umask(old)
    forget()
    for mode in (0o000, 0o400, 0o644, 0o777):
        for kind in "fd":
            equal(os.stat(s.path(f"{kind}{mode:o}")).st_mode & 0o7777, mode)
        os.chmod(s.path(f"d{mode:o}"), 0o700)  # for removing it
    os.close(os.open(s.path("masked"), os.O_RDONLY | os.O_CREAT, 0o666))
    equal(os.stat(s.path("masked")).st_mode & 0o7777, 0o644, "with umask 022")


@check()
def chmod_sets_every_bit(s):
    node(s.path())
    os.mkdir(s.path("d"))
    for name in ("file", "d"):
        for mode in (0o000, 0o111, 0o640, 0o755, 0o1777, 0o2755, 0o4755, 0o7777, 0o700):
            os.chmod(s.path(name), mode)
            forget()
            equal(os.stat(s.path(name)).st_mode & 0o7777, mode, name)
    with opened(s.path(), os.O_RDWR) as file:
        os.fchmod(file, 0o604)
        equal(os.fstat(file).st_mode & 0o7777, 0o604, "fchmod")


@check()
def a_fifo_joins_two_processes(s):
    os.mkfifo(s.path("fifo"), 0o620)
    forget()
    found = os.stat(s.path("fifo"))
    equal((stat.S_IFMT(found.st_mode), found.st_mode & 0o7777), (stat.S_IFIFO, 0o600))
    with opened(s.path("fifo"), os.O_RDWR | os.O_NONBLOCK) as both:
        os.write(both, b"through")
        equal(os.read(both, 100), b"through")


@check()
def a_socket_takes_connections(s):
    os.chdir(s.dir)  # the path of a socket has at most 107 bytes
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind("socket")
        server.listen()
        forget()
        true(stat.S_ISSOCK(os.stat("socket").st_mode), "it is no socket")
        client.connect("socket")
        client.sendall(b"hello")
        equal(server.accept()[0].recv(5), b"hello")


@check(privileged=True, squash="none")
def devices_keep_their_numbers(s):
    os.mknod(s.path("null"), stat.S_IFCHR | 0o666, os.makedev(1, 3))
    os.mknod(s.path("disk"), stat.S_IFBLK | 0o600, os.makedev(8, 17))
    forget()
    null, disk = os.stat(s.path("null")), os.stat(s.path("disk"))
    equal((stat.S_IFMT(null.st_mode), null.st_rdev), (stat.S_IFCHR, os.makedev(1, 3)))
    equal((stat.S_IFMT(disk.st_mode), disk.st_rdev), (stat.S_IFBLK, os.makedev(8, 17)))
    with opened(s.path("null"), os.O_RDWR) as device:
        equal((os.write(device, b"gone"), os.read(device, 1)), (4, b""), "the guest's own null device")


@check(privileged=False)
def devices_are_refused_without_privilege(s):
    with fails(errno.EPERM, errno.EACCES):
        os.mknod(s.path("null"), stat.S_IFCHR | 0o666, os.makedev(1, 3))
    equal(os.listdir(s.dir), [])


@check()
def special_files_are_renamed_linked_and_removed(s):
    os.mkfifo(s.path("a"))
    os.link(s.path("a"), s.path("b"))
    os.rename(s.path("b"), s.path("c"))
    os.chmod(s.path("c"), 0o640)
    forget()
    equal((os.stat(s.path("a")).st_nlink, os.stat(s.path("a")).st_mode & 0o7777), (2, 0o640))
    os.unlink(s.path("a"))
    os.unlink(s.path("c"))


@check()
def statfs_says_what_there_is(s):
    found = os.statvfs(s.dir)
    true(found.f_blocks > 0 and found.f_bsize >= 512, f"no size: {found}")
    true(found.f_bavail <= found.f_bfree <= found.f_blocks, f"more free than there is: {found}")
    if s.vers >= 3:  # version 2 does not have these
        equal(found.f_namemax, 255)
        true(found.f_ffree <= found.f_files, f"more files free than there are: {found}")
        true(found.f_files > 0, f"no files: {found}")


@check()
def space_taken_is_space_missed(s):
    before = os.statvfs(s.dir).f_bfree * os.statvfs(s.dir).f_frsize
    size = 24 << 20
    write(s.path(), bytes(range(256)) * (size // 256))
    os.sync()
    found = os.stat(s.path())
    true(found.st_blocks * 512 >= size, f"{size} bytes take {found.st_blocks} blocks")
    after = os.statvfs(s.dir).f_bfree * os.statvfs(s.dir).f_frsize
    if after >= before:
        raise Skip(f"free space went from {before} to {after}: others use this file system")


@check()
def limits_come_from_the_file_system(s):
    equal(os.pathconf(s.dir, "PC_NAME_MAX"), 255)
    true(os.pathconf(s.dir, "PC_LINK_MAX") >= 100, "too few links")


@check()
def attributes_stay_when_nothing_happens(s):
    write(s.path(), b"x" * 1000)
    os.sync()
    one = os.stat(s.path())
    forget()
    two = os.stat(s.path())
    for name in ("st_mode", "st_ino", "st_nlink", "st_uid", "st_gid", "st_size", "st_mtime_ns", "st_ctime_ns", "st_blocks"):
        equal(getattr(two, name), getattr(one, name), name)


@check()
def extended_attributes_are_refused_in_peace(s):
    node(s.path())
    with fails(errno.ENOTSUP):
        os.setxattr(s.path(), "user.note", b"x")
    equal(os.listxattr(s.path()), [])
