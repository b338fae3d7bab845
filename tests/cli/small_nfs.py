"""An NFS version 3 server of two hundred lines that can lie, for tests of programs that should notice. Not a test itself.

`with SmallNfs(lie="read") as server:` answers MOUNT and NFS over TCP at server.port, with one flat tree in memory.
The lies begin with the calls that `helio load nfs` measures with, not with those it furnishes by.
"""
import pathlib
import socketserver
import struct
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from xdr_words import Words, opaque  # noqa: E402

MOUNT = 100005
OK, NOENT, STALE, NOTEMPTY = 0, 2, 70, 66
REG, DIR = 1, 2
HANDLE = struct.Struct(">IQ")


class Arguments(Words):
    def handle(self):
        return HANDLE.unpack(self.opaque())[1]


class Node:
    def __init__(self, number, kind):
        self.number, self.kind, self.names, self.data = number, kind, {}, bytearray()

    def handle(self):
        return opaque(HANDLE.pack(8, self.number))

    def attributes(self):
        return struct.pack(">5I2Q2I2Q6I", self.kind, 0o644, 1, 0, 0, len(self.data), len(self.data), 0, 0, 1, self.number,
                           1, 0, 1, 0, 1, 0)

    def maybe_attributes(self):
        return struct.pack(">I", 1) + self.attributes()


class SmallNfs:
    """`lie` is one of LIES."""
    LIES = ("", "xid", "status", "garbage", "getattr", "lookup", "access", "read", "eof", "write", "lost", "twice", "missing",
            "extra", "endless")

    def __init__(self, lie=""):
        assert lie in self.LIES
        self.lie = lie
        self.nodes = {1: Node(1, DIR)}
        self.counts = {}
        self.connections = set()
        self.lock = threading.Lock()

    def __enter__(self):
        outer = self

        class Connection(socketserver.BaseRequestHandler):
            def handle(self):
                with outer.lock:
                    outer.connections.add(self.request)
                # The first connections create the files; helio load opens the others afterwards.
                outer.serve(self.request)

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = daemon_threads = True
            request_queue_size = 100

        self.server = Server(("127.0.0.1", 0), Connection)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    @property
    def furnished(self):
        """The last directory that is made is `made`: from then on calls are measured, until the first REMOVE of a name."""
        names = [name for node in list(self.nodes.values()) for name in list(node.names)]
        return b"made" in names

    def serve(self, connection):
        stream = connection.makefile("rb")
        # Whether this connection may be lied to: the one that furnished is answered the truth to the end.
        honest = None
        while True:
            mark = stream.read(4)
            if len(mark) < 4:
                return
            record = stream.read(struct.unpack(">I", mark)[0] & 0x7fffffff)
            call = Arguments(record)
            xid, _, _, program, _, procedure = (call.word() for _ in range(6))
            for _ in range(2):  # credential and verifier
                call.word()
                call.opaque()
            if honest is None:
                honest = not self.furnished
            with self.lock:
                self.honest = honest
                self.counts[procedure] = self.counts.get(procedure, 0) + 1
                result = self.mount(procedure) if program == MOUNT else self.nfs(procedure, call)
            if self.lie == "xid" and not honest:
                xid ^= 0x40000000
            reply = struct.pack(">6I", xid, 1, 0, 0, 0, 0) + result
            try:
                connection.sendall(struct.pack(">I", 0x80000000 | len(reply)) + reply)
            except OSError:
                return

    def lies(self, what):
        return self.lie == what and not self.honest

    def mount(self, procedure):
        return struct.pack(">I", 0) + self.nodes[1].handle() + struct.pack(">2I", 1, 1) if procedure == 1 else b""

    def nfs(self, procedure, call):
        if procedure == 0:
            return b""
        if self.lies("status"):  # in the form it has: no attributes before and after, where any belong
            absent = {1: 0, 3: 1, 4: 1, 6: 1, 16: 1, 17: 1, 19: 1}.get(procedure, 2)
            return struct.pack(">I", STALE) + bytes(4 * absent)
        if self.lies("garbage"):
            return struct.pack(">2I", OK, 7)
        node = self.nodes.get(call.handle())
        if node is None:
            return struct.pack(">3I", STALE, 0, 0)
        return {1: self.getattr, 3: self.lookup, 4: self.access, 6: self.read, 7: self.write, 8: self.create, 9: self.mkdir,
                12: self.remove, 13: self.remove, 16: self.readdir, 17: self.readdirplus, 19: self.fsinfo,
                21: lambda *_: struct.pack(">3IQ", OK, 0, 0, 1)}[procedure](node, call)

    def getattr(self, node, _):
        attributes = node.attributes()
        if self.lies("getattr"):
            attributes = Node(node.number + 1, node.kind).attributes()
        return struct.pack(">I", OK) + attributes

    def lookup(self, node, call):
        found = node.names.get(call.opaque())
        if found is None:
            return struct.pack(">2I", NOENT, 0)
        if self.lies("lookup"):
            found = next(other for other in self.nodes.values() if other is not found and other.kind == REG)
        return struct.pack(">I", OK) + found.handle() + found.maybe_attributes() + struct.pack(">I", 0)

    def access(self, node, call):
        return struct.pack(">I", OK) + node.maybe_attributes() + struct.pack(">I", 0x3f if self.lies("access") else call.word())

    def read(self, node, call):
        offset, count = call.long(), call.word()
        data = bytes(node.data[offset:offset + count])
        if self.lies("read"):
            data = data[:-1] + bytes([data[-1] ^ 1])
        end = offset + len(data) >= len(node.data) or self.lies("eof")
        return struct.pack(">I", OK) + node.maybe_attributes() + struct.pack(">2I", len(data), end) + opaque(data)

    def write(self, node, call):
        offset, count, stable, data = call.long(), call.word(), call.word(), call.opaque()
        if not self.lies("lost"):
            node.data.extend(b"\0" * (offset - len(node.data)))
            node.data[offset:offset + count] = data
        count -= self.lies("write")
        return struct.pack(">3I2IQ", OK, 0, 0, count, stable, 1)

    def make(self, node, name, kind):
        made = Node(max(self.nodes) + 1, kind)
        node.names[name] = self.nodes[made.number] = made
        return struct.pack(">2I", OK, 1) + made.handle() + made.maybe_attributes() + struct.pack(">2I", 0, 0)

    def create(self, node, call):
        name, _ = call.opaque(), call.word()
        # mode set, uid and gid not, size perhaps
        call.word(), call.word(), call.word(), call.word()
        size = call.long() if call.word() else 0
        reply = self.make(node, name, REG)
        made = node.names[name]
        made.data.extend(b"\0" * size)
        return struct.pack(">2I", OK, 1) + made.handle() + made.maybe_attributes() + struct.pack(">2I", 0, 0) if size else reply

    def mkdir(self, node, call):
        return self.make(node, call.opaque(), DIR)

    def remove(self, node, call):
        name = call.opaque()
        found = node.names.get(name)
        if found is None or found.names:
            return struct.pack(">3I", NOENT if found is None else NOTEMPTY, 0, 0)
        del node.names[name], self.nodes[found.number]
        return struct.pack(">3I", OK, 0, 0)

    def entries(self, node):
        return [(b".", node), (b"..", node), *sorted(node.names.items())]

    def readdir(self, node, call):
        cookie = call.long()
        reply = struct.pack(">2IQ", OK, 0, 1)
        entries = self.entries(node)
        for i, (name, found) in list(enumerate(entries))[cookie:cookie + 100]:
            reply += struct.pack(">IQ", 1, found.number) + opaque(name) + struct.pack(">Q", i + 1)
        return reply + struct.pack(">2I", 0, cookie + 100 >= len(entries))

    def readdirplus(self, node, call):
        cookie = call.long()
        entries = self.entries(node)
        if self.lies("missing"):
            entries.pop()
        if self.lies("extra"):
            entries.append((b"surprise", node))
        if self.lies("twice") or self.lie == "twice" and self.honest:
            entries.append(entries[-1])
        reply = struct.pack(">2IQ", OK, 0, 1)
        if self.lies("endless"):
            return reply + struct.pack(">2I", 0, 0)
        for i, (name, found) in list(enumerate(entries))[cookie:cookie + 20]:
            reply += struct.pack(">IQ", 1, found.number) + opaque(name) + struct.pack(">Q", i + 1)
            reply += found.maybe_attributes() + struct.pack(">I", 1) + found.handle()
        return reply + struct.pack(">2I", 0, cookie + 20 >= len(entries))

    def fsinfo(self, node, _):
        return struct.pack(">2I7IQ3I", OK, 0, 65536, 65536, 1, 65536, 65536, 1, 65536, 1 << 40, 0, 1, 0x1b)
