"""A client of NFS 4.1 in a few lines, for tests: COMPOUNDs in a session. Not a test itself.

    with Nfs4(port) as nfs:
        nfs.compound(PUTROOTFH, lookup("file"), getattr(OWNER, OWNER_GROUP))

`compound` gives the status and the results of all operations as a Reader, past SEQUENCE and its result. If SEQUENCE
fails, there are no others, and the status is SEQUENCE's.
"""
import socket
import struct

OK, DELAY, BADOWNER, MINOR_VERS_MISMATCH = 0, 10008, 10039, 10021
OWNER, OWNER_GROUP = 36, 37
RDATTR_ERROR = 11
PATIENCE_S = 60


def word(*numbers):
    return struct.pack(f">{len(numbers)}I", *numbers)


def opaque(data):
    return word(len(data)) + data + bytes(-len(data) % 4)


def bitmap(*numbers):
    words = [0, 0]
    for number in numbers:
        words[number // 32] |= 1 << number % 32
    return word(len(words), *words)


PUTROOTFH = word(24)


def lookup(name):
    return word(15) + opaque(name.encode())


def getattr_of(*attributes):
    return word(9) + bitmap(*attributes)


def setattr_of(**owners):
    """owner=b"…", group=b"…"."""
    numbers = [number for name, number in (("owner", OWNER), ("group", OWNER_GROUP)) if name in owners]
    values = b"".join(opaque(owners[name]) for name in ("owner", "group") if name in owners)
    return word(34) + bytes(16) + bitmap(*numbers) + opaque(values)


def readdir(*attributes):
    return word(26) + bytes(8) + bytes(8) + word(8192, 32768) + bitmap(*attributes)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def words(self, count):
        numbers = struct.unpack_from(f">{count}I", self.data, self.at)
        self.at += 4 * count
        return numbers

    def word(self):
        return self.words(1)[0]

    def opaque(self):
        size = self.word()
        data = self.data[self.at:self.at + size]
        self.at += size + -size % 4
        return data

    def strings(self):
        """fattr4 whose attributes are all strings."""
        self.words(self.word())
        values = Reader(self.opaque())
        out = []
        while values.at < len(values.data):
            out.append(values.opaque())
        return out

    def result(self):
        """The next operation's number and status."""
        return self.words(2)


class Nfs4:
    """A client with one session and one slot. `id` is what the server calls it."""

    def __init__(self, port, uid=0, gid=0, name=None, implementation=None, back_channel=False):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self.uid, self.gid, self.xid, self.sequence = uid, gid, 0, 0
        self.id, sequence = self.exchange_id(name or b"small client %d" % self.socket.getsockname()[1], implementation)
        channel = word(0, 1 << 20, 1 << 20, 4096, 16, 4, 0)
        flags = 2 if back_channel else 0
        status, results = self.raw(word(43, self.id >> 32, self.id & 0xffffffff, sequence, flags) + channel + channel
                                   + word(0x40000000, 1, 0))
        if status != OK:
            raise RuntimeError(f"CREATE_SESSION: {status}")
        results.result()
        self.session = results.data[results.at:results.at + 16]

    def exchange_id(self, name, implementation):
        about = word(0)
        if implementation:
            about = word(1) + opaque(b"example.org") + opaque(implementation) + word(0, 0, 0)
        results = self.raw(word(42) + bytes(8) + opaque(name) + word(0, 0) + about)[1]
        results.result()
        high, low, sequence = results.words(3)
        return high << 32 | low, sequence

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def receive(self, size):
        data = b""
        while len(data) < size:
            block = self.socket.recv(size - len(data))
            if not block:
                raise RuntimeError("the server closed the connection")
            data += block
        return data

    def raw(self, *operations, minor=1):
        """A COMPOUND: its status, and its results."""
        self.xid += 1
        credential = word(0) + opaque(b"test") + word(self.uid, self.gid, 0)
        call = word(self.xid, 0, 2, 100003, 4, 1, 1) + opaque(credential) + word(0, 0)
        call += opaque(b"") + word(minor, len(operations)) + b"".join(operations)
        self.socket.sendall(word(0x80000000 | len(call)) + call)
        reply = b""
        while True:
            mark = struct.unpack(">I", self.receive(4))[0]
            reply += self.receive(mark & 0x7fffffff)
            if mark & 0x80000000:
                break
        head = Reader(reply)
        if head.words(6) != (self.xid, 1, 0, 0, 0, 0):
            raise RuntimeError(f"not a good reply: {reply[:24].hex()}")
        status = head.word()
        head.opaque()
        head.word()
        return status, Reader(reply[head.at:])

    def compound(self, *operations):
        self.sequence += 1
        status, results = self.raw(word(53) + self.session + word(self.sequence, 0, 0, 0), *operations)
        if results.result() == (53, OK):
            results.at += 16 + 5 * 4
        return status, results
