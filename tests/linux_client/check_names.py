"""Names are bytes: all but `/` and NUL are allowed, 255 of them, and none is changed."""
import errno
import os

from checking import check, equal, fails, forget, node, read, write


@check()
def a_name_has_255_bytes_and_not_256(s):
    name = "n" * 255
    write(s.path(name), b"long")
    forget()
    equal((os.listdir(s.dir), read(s.path(name))), ([name], b"long"))
    for call in (node, os.mkdir, os.stat, lambda path: os.symlink("x", path), lambda path: os.link(s.path(name), path)):
        with fails(errno.ENAMETOOLONG):
            call(s.path("n" * 256))
    with fails(errno.ENAMETOOLONG):
        os.rename(s.path(name), s.path("m" * 256))


@check()
def every_byte_may_be_a_name(s):
    directory = s.dir.encode()
    wanted = sorted(bytes([byte]) for byte in range(1, 256) if byte not in b"./")
    for name in wanted:
        node(directory + b"/" + name)
    forget()
    equal(sorted(os.listdir(directory)), wanted)
    for name in (b"\n", b"\xff", b"\\", b" ", b"\x01"):
        equal(os.stat(directory + b"/" + name).st_size, 0, repr(name))


@check()
def odd_names_keep_their_bytes(s):
    directory = s.dir.encode()
    wanted = sorted([b"two\nlines", b" spaces  inside ", b"...", b"..x", b"-rf", b"tab\there", b"quote'\"", b"back\\slash",
                     "smile \N{GRINNING FACE}".encode(), "e\u0301".encode(), "\u00e9".encode(), b"\xc3\x28 not utf-8",
                     b"\xff\xfe\xfd", b"*?[a]", b"$HOME", b"a" * 200 + b"\x80"])
    for name in wanted:
        write(directory + b"/" + name, name)
    forget()
    equal(sorted(os.listdir(directory)), wanted)
    for name in wanted:
        equal(read(directory + b"/" + name), name)
    os.rename(directory + b"/two\nlines", directory + b"/\xf0\x28")
    equal(read(directory + b"/\xf0\x28"), b"two\nlines")


@check()
def names_differ_by_case(s):
    for name in ("name", "Name", "NAME"):
        write(s.path(name), name.encode())
    forget()
    equal(sorted(os.listdir(s.dir)), ["NAME", "Name", "name"])
    equal(read(s.path("Name")), b"Name")


@check()
def odd_names_of_directories_and_links(s):
    directory = s.dir.encode() + b"/\xff dir\n"
    os.mkdir(directory)
    os.symlink(b"\xfe target\n", directory + b"/\xfd link")
    node(directory + b"/\xfe target\n")
    os.link(directory + b"/\xfe target\n", directory + b"/\xfc hard")
    forget()
    equal(os.readlink(directory + b"/\xfd link"), b"\xfe target\n")
    equal(os.stat(directory + b"/\xfd link").st_ino, os.stat(directory + b"/\xfc hard").st_ino)
