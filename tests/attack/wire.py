"""ONC RPC, MOUNT and NFS version 3 as bytes, and a connection that makes one call at a time. Not a test itself.

Written from RFC 5531 and RFC 1813, and with no code of ours: attackers must be free to send anything.
"""
import os
import pathlib
import socket
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from xdr_words import Words, opaque  # noqa: E402

PORTMAP, NFS, MOUNT = 100000, 100003, 100005
VERSION = {PORTMAP: 2, NFS: 3, MOUNT: 3}

NULL, GETATTR, SETATTR, LOOKUP, READ, WRITE, CREATE, REMOVE, READDIRPLUS = 0, 1, 2, 3, 6, 7, 8, 12, 17
MNT = 1
OK, NOENT, EXIST, STALE, BADHANDLE, JUKEBOX = 0, 2, 17, 70, 10001, 10008
LAST_FRAGMENT = 0x80000000
HEADER_SIZE = 24  # of an accepted reply with an empty verifier: xid, REPLY, MSG_ACCEPTED, verifier (2), accept_stat
ATTRIBUTES_SIZE = 84


class Unexpected(Exception):
    """A peer answered something that it must not answer."""


def sys_credential():
    """AUTH_SYS of whoever runs this: root calls as root."""
    body = struct.pack(">I", 0) + opaque(b"attack") + struct.pack(">3I", os.geteuid(), os.getegid(), 0)
    return struct.pack(">I", 1) + opaque(body)


CREDENTIAL = sys_credential()


def call(xid, program, procedure, body=b"", version=None):
    head = struct.pack(">6I", xid, 0, 2, program, VERSION[program] if version is None else version, procedure)
    return head + CREDENTIAL + struct.pack(">2I", 0, 0) + body


def record(message):
    return struct.pack(">I", LAST_FRAGMENT | len(message)) + message


# ---- Arguments ----

def name_in(directory, name):
    return opaque(directory) + opaque(name.encode())


def read_arguments(file, offset, count):
    return opaque(file) + struct.pack(">QI", offset, count)


def write_arguments(file, offset, data, stable=0):
    return opaque(file) + struct.pack(">Q2I", offset, len(data), stable) + opaque(data)


def create_arguments(directory, name):
    """UNCHECKED, mode 0644, and nothing else set."""
    return name_in(directory, name) + struct.pack(">8I", 0, 1, 0o644, 0, 0, 0, 0, 0)


def mode_arguments(file, mode):
    return opaque(file) + struct.pack(">2I", 1, mode) + bytes(4 * 5) + struct.pack(">I", 0)


def listing_arguments(directory, cookie=0, verifier=0, size=1 << 20):
    return opaque(directory) + struct.pack(">2Q2I", cookie, verifier, size, size)


# ---- Results ----

class Results(Words):
    """The results of NFS version 3."""

    def attributes(self):
        """post_op_attr: the size of the file, or None."""
        if not self.word():
            return None
        self.at += ATTRIBUTES_SIZE
        return struct.unpack_from(">Q", self.data, self.at - ATTRIBUTES_SIZE + 20)[0]

    def handle(self):
        """post_op_fh3."""
        return self.opaque() if self.word() else None


def results_of(reply, xid):
    """What is behind the header of a reply that must be a success."""
    head = struct.unpack_from(">6I", reply)
    if head[:3] != (xid, 1, 0) or head[5] != 0:
        raise Unexpected(f"reply to xid {xid} begins with {head}")
    return Results(reply[HEADER_SIZE:])


class Connection:
    """One TCP connection that makes one call at a time and reads its reply."""

    def __init__(self, host, port, timeout):
        self.socket = socket.create_connection((host, port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb")
        self.xid = int.from_bytes(os.urandom(3), "big") << 8

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.stream.close()
        self.socket.close()

    def exactly(self, size):
        data = self.stream.read(size)
        if len(data) < size:
            raise ConnectionError("the server closed the connection")
        return data

    def call(self, program, procedure, body=b"", version=None):
        self.xid = self.xid + 1 & 0xFFFFFFFF
        self.socket.sendall(record(call(self.xid, program, procedure, body, version)))
        reply, last = b"", False
        while not last:
            mark, = struct.unpack(">I", self.exactly(4))
            last = mark & LAST_FRAGMENT
            reply += self.exactly(mark & ~LAST_FRAGMENT)
        return results_of(reply, self.xid)

    def nfs(self, procedure, body, *also):
        """The results behind NFS3_OK; another status is an error unless it is one of `also`."""
        results = self.call(NFS, procedure, body)
        status = results.word()
        if status != OK and status not in also:
            raise Unexpected(f"NFS procedure {procedure} answered status {status}")
        return results if status == OK else None

    def mount(self, path, port=None):
        """The root's handle. `port`: where MOUNT is, unless it is here."""
        if port not in (None, self.socket.getpeername()[1]):
            with Connection(self.socket.getpeername()[0], port, self.socket.gettimeout()) as other:
                return other.mount(path)
        results = self.call(MOUNT, MNT, opaque(path.encode()))
        status = results.word()
        if status != OK:
            raise Unexpected(f"MNT {path} answered status {status}")
        return results.opaque()

    def lookup(self, directory, name):
        return self.nfs(LOOKUP, name_in(directory, name)).opaque()

    def size_of(self, file):
        results = self.nfs(GETATTR, opaque(file))
        return struct.unpack_from(">Q", results.data, 4 + 20)[0]

    def read(self, file, offset, count):
        results = self.nfs(READ, read_arguments(file, offset, count))
        results.attributes()
        results.word()  # count
        results.word()  # eof
        return results.opaque()

    def write(self, file, offset, data, stable=0):
        self.nfs(WRITE, write_arguments(file, offset, data, stable))

    def create(self, directory, name):
        return self.nfs(CREATE, create_arguments(directory, name)).handle() or self.lookup(directory, name)

    def remove(self, directory, name, *also):
        self.nfs(REMOVE, name_in(directory, name), *also)

    def names(self, directory):
        """One READDIRPLUS from the beginning: the names in its reply."""
        results = self.nfs(READDIRPLUS, listing_arguments(directory, size=1 << 16))
        results.attributes()
        results.long()  # cookie verifier
        found = []
        while results.word():
            results.long()  # file id
            found.append(results.opaque().decode())
            results.long()  # cookie
            results.attributes()
            results.handle()
        return found
