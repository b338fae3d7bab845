"""Connections of an attacker: they never block, count what happens, and check the form of every reply. Not a test itself."""
import collections
import contextlib
import errno
import os
import socket
import struct

import wire

RECORD_MAX = 4 << 20  # no NFS reply is longer
STATUS_SIZE = wire.HEADER_SIZE + 4  # and the first word of the results, which is a status in MOUNT and NFS
HEAD_SIZE = 64  # of a reply, what is kept
MALFORMED_KEPT = 5
CONNECT_ERRORS = (errno.EINPROGRESS, errno.EAGAIN)
OWN_ADDRESS = "127.0.0.2"  # on loopback, where victims are 127.0.0.1: servers tell clients apart by their addresses
IP_BIND_ADDRESS_NO_PORT = 24  # from linux/in.h: the port is chosen by connect, of which it then takes fewer


def be_another_client(one, host):
    if host.startswith("127."):
        one.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
        one.bind((OWN_ADDRESS, 0))


class Report:
    """What an attack has done and seen."""

    def __init__(self):
        self.sent_bytes = self.received_bytes = self.calls = self.replies = 0
        self.connections = self.refused = self.closed = self.unanswered = 0
        self.statuses = collections.Counter()  # the first word of results by procedure: "GETATTR 70"
        self.malformed = []

    def blame(self, what):
        if len(self.malformed) < MALFORMED_KEPT:
            self.malformed.append(what)

    def as_dict(self):
        return dict(vars(self))


class Stream:
    """One TCP connection. `reads` can be changed at any time."""
    scratch = bytearray(1 << 18)

    def __init__(self, address, report, reads=True, receive_buffer=None):
        self.report, self.reads = report, reads
        self.unsent, self.rest, self.waiting = bytearray(), bytearray(), {}  # rest: not to be sent yet
        self.watched = 0  # events that the attack's poller waits for
        # Connections of one client must not use the same numbers: equal calls are then retransmissions, and a server drops
        # those that come while the first one still runs.
        self.xid = int.from_bytes(os.urandom(4), "big")
        self.called = False
        self.mark, self.head, self.left, self.last = bytearray(), bytearray(), 0, True
        self.socket = socket.socket()
        self.socket.setblocking(False)
        # A reset leaves no port in TIME_WAIT, of which a flood would soon have used up all.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.connected = False
        be_another_client(self.socket, address[0])
        error = self.socket.connect_ex(address)
        if error not in (0, *CONNECT_ERRORS):
            self.socket.close()
            raise OSError(error, "connect")

    def fileno(self):
        return self.socket.fileno()

    def close(self):
        self.socket.close()

    def add(self, program, procedure, body, version=None, then=None):
        """A call, to be sent when there is room. `then` gets the beginning of the reply to it."""
        self.xid = self.xid + 1 & 0xFFFFFFFF
        self.called = True
        self.waiting[self.xid] = (program, procedure, then)
        self.unsent += wire.record(wire.call(self.xid, program, procedure, body, version))
        self.report.calls += 1

    def send(self, most=1 << 16):
        """Sends what the socket takes; False: the connection is over."""
        if not self.connected:
            error = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if error:
                self.report.refused += 1
                return False
            self.connected = True
            self.report.connections += 1
        try:
            while self.unsent:
                sent = self.socket.send(memoryview(self.unsent)[:most])
                del self.unsent[:sent]
                self.report.sent_bytes += sent
                if sent < most:
                    break
        except BlockingIOError:
            pass
        except OSError:
            return self.ended()
        return True

    def receive(self):
        """Takes what has come; False: the connection is over."""
        try:
            size = self.socket.recv_into(self.scratch)
        except BlockingIOError:
            return True
        except OSError:
            return self.ended()
        if size == 0:
            return self.ended()
        self.report.received_bytes += size
        return self.take(memoryview(self.scratch)[:size])

    def ended(self):
        self.report.closed += 1
        return False

    def take(self, data):
        at = 0
        while at < len(data):
            if self.left == 0:
                missing = 4 - len(self.mark)
                self.mark += data[at:at + missing]
                at += missing
                if len(self.mark) < 4:
                    return True
                mark, = struct.unpack(">I", self.mark)
                self.mark.clear()
                self.left, self.last = mark & ~wire.LAST_FRAGMENT, bool(mark & wire.LAST_FRAGMENT)
                if self.left > RECORD_MAX:
                    self.report.blame(f"a record of {self.left} bytes")
                    return False
                continue
            size = min(self.left, len(data) - at)
            if len(self.head) < HEAD_SIZE:
                self.head += data[at:at + min(size, HEAD_SIZE - len(self.head))]
            self.left -= size
            at += size
            if self.left == 0 and self.last:
                self.judge(bytes(self.head))
                self.head.clear()
        return True

    def judge(self, head):
        if len(head) < wire.HEADER_SIZE:
            return self.report.blame(f"a reply of {len(head)} bytes")
        xid, kind, accepted, _, _, outcome = struct.unpack_from(">6I", head)
        asked = self.waiting.pop(xid, None)
        if asked is None or kind != 1:
            return self.report.blame(f"a reply to xid {xid}, which waits for none")
        self.report.replies += 1
        program, procedure, then = asked
        if accepted != 0 or outcome != 0:
            status = "denied" if accepted else f"accept_stat {outcome}"
        else:
            status = struct.unpack_from(">I", head, wire.HEADER_SIZE)[0] if len(head) >= STATUS_SIZE else "void"
            if then:
                then(head)
        self.report.statuses[f"{program} {procedure} {status}"] += 1
        return None


@contextlib.contextmanager
def datagrams(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.setblocking(False)
        be_another_client(one, address[0])
        one.connect(address)
        yield one
