"""Conversations of NFS version 3 as packets, and packets as capture files of every kind.

Packets stay objects until they are written, so that a test can lose, reorder, double, cut and wrap them and still say
which messages are in what is left. Nothing here knows helio: what is expected comes from the packets alone.
"""
import dataclasses
import random
import struct

NFS, MOUNT, VERSION = 100003, 100005, 3
SERVER_PORT = 2049
# Reserved ports, as clients have them; port tables give these to DLEP, IMAP and others.
CLIENT_PORTS = (854, 993, 912)
MNT, GETATTR, LOOKUP, ACCESS, READ, WRITE = 101, 1, 3, 4, 6, 7  # MNT is 1 of another program
NAMES = {MNT: "mount.3.MNT", GETATTR: "nfs3.GETATTR", LOOKUP: "nfs3.LOOKUP", ACCESS: "nfs3.ACCESS", READ: "nfs3.READ",
         WRITE: "nfs3.WRITE"}
START_NS = 1_790_000_000 * 10**9
MARK_SIZE = 4
# With fewer bytes a header cannot be recognised: RFC 5531's fields of a call up to the verifier's
# length, of a reply up to accept_stat, with empty credential and verifier.
CALL_HEAD, REPLY_HEAD = 40, 24
SEGMENT_SIZE = 1448
FRAGMENT_SIZE = 1480
FIN, SYN, PUSH, ACK = 1, 2, 8, 16


def word(*values):
    return struct.pack(f">{len(values)}I", *(value & 0xffffffff for value in values))


def opaque(data):
    return word(len(data)) + data + bytes(-len(data) % 4)


@dataclasses.dataclass(frozen=True)
class Message:
    """An RPC message without record mark."""
    flow: int
    xid: int
    call: bool
    procedure: int
    status: int
    time_ns: int
    data: bytes

    @property
    def head(self):
        return min(CALL_HEAD if self.call else REPLY_HEAD, len(self.data))


@dataclasses.dataclass
class Packet:
    time_ns: int
    flow: int
    direction: int  # 0: from the client
    payload: bytes
    tcp: bool = True
    sequence: int = 0
    acknowledged: int = 0
    flags: int = ACK
    identification: int = 0
    # Of IP fragments; `payload` is then a piece of the datagram with its UDP header.
    fragment_at: int = 0
    more_fragments: bool = False
    fragmented: bool = False


# ---- Messages ----

def handle(number):
    return opaque(struct.pack(">4I", 0x01000701, 7, number * 2654435761 & 0xffffffff, number) + bytes(16))


def attributes(number, directory=False):
    return (word(2 if directory else 1, 0o755 if directory else 0o644, 1, 1000, 100) +
            struct.pack(">8Q", 4096, 4096, 0, 7, number + 128, *[1_790_000_000 << 32] * 3))


class Talk:
    """Calls and replies of several clients, in the order of time; each flow has several calls under way."""

    def __init__(self, calls, big_every=0, big_size=65536, seed=1, small_groups=False, trap_at_segments=False):
        self.random = random.Random(seed)
        self.messages = []
        self.big_size = big_size
        self.groups = 2 if small_groups else 12
        self.trap_at_segments = trap_at_segments
        self.clock_us = 0
        self.next_xid = [self.random.getrandbits(32) for _ in CLIENT_PORTS]
        self.under_way = []  # (flow, xid, procedure, file, size)
        self.trap = word(0x80000000 | 40, 0xdeadbeef, 0, 2, NFS, 3, 0, 0, 0, 0, 0)
        for flow in range(len(CLIENT_PORTS)):
            self.call(flow, MNT, 0, 0)
        self.answer_all()
        for number in range(1, 20):
            self.call(number % len(CLIENT_PORTS), LOOKUP, number, 0)
        self.answer_all()
        for number in range(calls):
            flow = self.random.randrange(len(CLIENT_PORTS))
            big = big_every and number % big_every == big_every - 1
            kind = self.random.choice((READ, WRITE)) if big else self.random.choice(
                (GETATTR, GETATTR, LOOKUP, ACCESS, READ, WRITE))
            size = big_size if big else 4 * self.random.randrange(1, 100)
            self.call(flow, kind, self.random.randrange(1, 20), size)
            while len(self.under_way) > 6 or (self.under_way and self.random.random() < 0.45):
                self.answer(self.under_way.pop(self.random.randrange(len(self.under_way))))
        self.answer_all()

    def answer_all(self):
        while self.under_way:
            self.answer(self.under_way.pop(0))

    def now(self):
        self.clock_us += self.random.randrange(3, 200)
        return START_NS + self.clock_us * 1000

    def call(self, flow, procedure, file, size):
        xid = self.next_xid[flow]
        self.next_xid[flow] = xid + 1 & 0xffffffff
        groups = range(100, 100 + self.groups)
        credential = word(17) + opaque(b"worker") + word(1000, 100, len(groups), *groups)
        head = word(xid, 0, 2, MOUNT if procedure == MNT else NFS, VERSION, 1 if procedure == MNT else procedure, 1)
        if procedure == MNT:
            body = opaque(b"/srv")
        elif procedure == LOOKUP:
            body = handle(0) + opaque(b"file%02d" % file)
        elif procedure == ACCESS:
            body = handle(file) + word(0x1f)
        elif procedure == READ:
            body = handle(file) + struct.pack(">QI", 4096 * file, size)
        elif procedure == WRITE:
            body = handle(file) + struct.pack(">QII", 4096 * file, size, 0)
        else:
            body = handle(file)
        data = head + opaque(credential) + word(0, 0) + body
        if procedure == WRITE:
            data += opaque(self.data(size, len(data)))
        self.messages.append(Message(flow, xid, True, procedure, 0, self.now(), data))
        self.under_way.append((flow, xid, procedure, file, size))

    def data(self, size, before):
        """A file's bytes; some hold what looks like a record, which it is not. `before` bytes of the message precede."""
        noise = self.random.randbytes(size)
        if size < 4096 or self.random.random() < 0.5:
            return noise
        at = self.random.randrange(1024, size - 100)
        if self.trap_at_segments:
            begins = MARK_SIZE + before + 4
            at = (begins + at) // SEGMENT_SIZE * SEGMENT_SIZE - begins
        return noise[:at] + self.trap + noise[at + len(self.trap):]

    def answer(self, asked):
        flow, xid, procedure, file, size = asked
        status = 2 if procedure == LOOKUP and file % 7 == 0 else 0
        head = word(xid, 1, 0, 0, 0, 0, status)
        if procedure == MNT:
            body = handle(0) + word(1, 1)
        elif procedure == LOOKUP:
            found = b"" if status else handle(file) + word(1) + attributes(file)
            body = found + word(1) + attributes(0, True)
        elif procedure == ACCESS:
            body = word(1) + attributes(file) + word(0x1f)
        elif procedure == READ:
            body = word(1) + attributes(file) + word(size, 0)
            body += opaque(self.data(size, len(head) + len(body)))
        elif procedure == WRITE:
            body = word(0, 1) + attributes(file) + word(size, 0) + bytes(8)
        else:
            body = attributes(file)
        self.messages.append(Message(flow, xid, False, procedure, status, self.now(), head + body))


# ---- As packets ----

class Streams:
    """Messages as TCP segments: handshakes, at most SEGMENT_SIZE each, now and then two records in one."""

    def __init__(self, messages, seed=2):
        rng = random.Random(seed)
        keys = [(flow, direction) for flow in range(len(CLIENT_PORTS)) for direction in (0, 1)]
        self.packets = []
        self.records = {key: [] for key in keys}  # (offset from the stream's first byte, message)
        self.first = {key: rng.getrandbits(32) for key in keys}  # sequence number of SYN
        self.times_ns = {}  # of the packet with the last byte: {(flow, xid, call): …}
        self.sent = dict.fromkeys(keys, 0)
        self.held = dict.fromkeys(keys, b"")
        for flow in range(len(CLIENT_PORTS)):
            self.open(flow)
        for message in messages:
            key = message.flow, 0 if message.call else 1
            self.flush(message.time_ns, (key[0], 1 - key[1]))  # a reply cannot precede its call
            self.records[key].append((self.sent[key] + len(self.held[key]), message))
            self.held[key] += word(0x80000000 | len(message.data)) + message.data
            # Now and then a small record, or the end of a large one, waits for the next and travels with it.
            waits = len(self.held[key]) % SEGMENT_SIZE < 600 and rng.random() < 0.2
            self.flush(message.time_ns, key, len(self.held[key]) % SEGMENT_SIZE if waits else 0)
        for key in keys:
            self.flush(messages[-1].time_ns + 1000, key)

    def open(self, flow):
        a, b, time_ns = self.first[flow, 0], self.first[flow, 1], START_NS - 1_000_000
        self.packets += [Packet(time_ns, flow, 0, b"", sequence=a, flags=SYN),
                         Packet(time_ns + 1000, flow, 1, b"", sequence=b, acknowledged=a + 1, flags=SYN | ACK),
                         Packet(time_ns + 2000, flow, 0, b"", sequence=a + 1, acknowledged=b + 1)]

    def flush(self, time_ns, key, keep=0):
        """Sends what is held but for the last `keep` bytes."""
        data, (flow, direction), other = self.held[key][:len(self.held[key]) - keep], key, (key[0], 1 - key[1])
        begin, end = self.sent[key], self.sent[key] + len(data)
        for offset, message in reversed(self.records[key]):
            last = offset + MARK_SIZE + len(message.data)
            if last <= begin:
                break
            if last <= end:
                self.times_ns[flow, message.xid, message.call] = time_ns
        for at in range(0, len(data), SEGMENT_SIZE):
            piece = data[at:at + SEGMENT_SIZE]
            self.packets.append(Packet(time_ns, flow, direction, piece, sequence=self.first[key] + 1 + self.sent[key],
                                       acknowledged=self.first[other] + 1 + self.sent[other], flags=ACK | PUSH))
            self.sent[key] += len(piece)
        if data and len(self.packets) % 3 == 0:
            self.packets.append(Packet(time_ns, flow, 1 - direction, b"", sequence=self.first[other] + 1 + self.sent[other],
                                       acknowledged=self.first[key] + 1 + end))
        self.held[key] = self.held[key][len(data):]


def over_udp(messages):
    """Datagrams, in fragments where they are large. Also returns {(flow, direction, identification): message}."""
    packets, datagrams = [], {}
    for number, message in enumerate(messages):
        direction = 0 if message.call else 1
        ports = (CLIENT_PORTS[message.flow], SERVER_PORT)[::1 if direction == 0 else -1]
        datagram = struct.pack(">4H", *ports, len(message.data) + 8, 0) + message.data
        identification = number + 1 & 0xffff
        datagrams[message.flow, direction, identification] = message
        for at in range(0, len(datagram), FRAGMENT_SIZE):
            piece = datagram[at:at + FRAGMENT_SIZE]
            packets.append(Packet(message.time_ns, message.flow, direction, piece, tcp=False, identification=identification,
                                  fragment_at=at, more_fragments=at + len(piece) < len(datagram),
                                  fragmented=len(datagram) > FRAGMENT_SIZE))
    return packets, datagrams


# ---- As bytes ----

def tcp_header(packet, ports):
    options = b"\1\1\10\12" + struct.pack(">II", packet.time_ns // 10**6 & 0xffffffff, 0)
    return struct.pack(">HHIIBBHHH", *ports, packet.sequence & 0xffffffff, packet.acknowledged & 0xffffffff,
                       8 << 4, packet.flags, 512, 0, 0) + options


def ip4(packet):
    addresses = [bytes((10, 0, 0, 10 + packet.flow)), bytes((10, 0, 0, 2))]
    ports = [CLIENT_PORTS[packet.flow], SERVER_PORT]
    if packet.direction:
        addresses.reverse()
        ports.reverse()
    body = (tcp_header(packet, ports) if packet.tcp else b"") + packet.payload
    offset = packet.fragment_at // 8 | (0x2000 if packet.more_fragments else 0)
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(body), packet.identification, offset, 64, 6 if packet.tcp else 17,
                       0) + b"".join(addresses) + body


def ip6(packet):
    """With an extension header in front of TCP, and a fragment header where there are fragments."""
    prefix = bytes.fromhex("20010db8") + bytes(11)
    addresses = [prefix + bytes((10 + packet.flow,)), prefix + b"\2"]
    ports = [CLIENT_PORTS[packet.flow], SERVER_PORT]
    if packet.direction:
        addresses.reverse()
        ports.reverse()
    if packet.tcp:
        following, body = 0, struct.pack(">BB6x", 6, 0) + tcp_header(packet, ports) + packet.payload  # hop by hop
    elif packet.fragmented:
        offset = packet.fragment_at | (1 if packet.more_fragments else 0)
        following, body = 44, struct.pack(">BBHI", 17, 0, offset, packet.identification) + packet.payload
    else:
        following, body = 17, packet.payload
    return struct.pack(">IHBB", 6 << 28, len(body), following, 64) + b"".join(addresses) + body


def link_header(link, network):
    """The bytes in front of IP and the LINKTYPE_ number."""
    kind = struct.pack(">H", 0x0800 if network is ip4 else 0x86dd)
    ethernet = bytes.fromhex("020000000002" "02000000000a")
    return {
        "ethernet": (ethernet + kind, 1),
        "vlan": (ethernet + b"\x81\0\0\7" + kind, 1),
        "qinq": (ethernet + b"\x88\xa8\0\5\x81\0\0\7" + kind, 1),
        "sll": (b"\0\2\0\1\0\6" + bytes(8) + kind, 113),
        "sll2": (kind + b"\0\0" + word(3) + b"\0\1\0\6" + bytes(8), 276),
        "raw": (b"", 101),
        "null": (struct.pack("<I", 2 if network is ip4 else 30), 0),
        "loop": (struct.pack(">I", 2 if network is ip4 else 24), 108),
    }[link]


def frames(packets, link="ethernet", network=ip4, snaplen=None):
    """(time, captured bytes, size on the wire) of each, and the link's number."""
    header, number = link_header(link, network)
    result = []
    for packet in packets:
        frame = header + network(packet)
        if number == 1 and len(frame) < 60:
            frame += b"\x80\0\0\x28" * 15  # padding is not payload, whatever it looks like
            frame = frame[:60]
        result.append((packet.time_ns, frame[:snaplen], len(frame)))
    return result, number


def headers_size(packet, link="ethernet", network=ip4):
    """In front of the payload."""
    return len(link_header(link, network)[0]) + len(network(packet)) - len(packet.payload)


def pcap(framed, link, order="<", nanoseconds=False):
    magic, unit = (0xa1b23c4d, 1) if nanoseconds else (0xa1b2c3d4, 1000)
    out = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 262144, link)]
    for time_ns, data, size in framed:
        out += [struct.pack(order + "IIII", time_ns // 10**9, time_ns % 10**9 // unit, len(data), size), data]
    return b"".join(out)


def pcapng(framed, link, order="<"):
    def block(kind, body):
        body += bytes(-len(body) % 4)
        size = struct.pack(order + "I", len(body) + 12)
        return struct.pack(order + "I", kind) + size + body + size

    nanoseconds = struct.pack(order + "HHB3xHH", 9, 1, 9, 0, 0)
    out = [block(0x0a0d0d0a, struct.pack(order + "IHHq", 0x1a2b3c4d, 1, 0, -1)),
           block(1, struct.pack(order + "HHI", link, 0, 0) + nanoseconds)]
    for time_ns, data, size in framed:
        out.append(block(6, struct.pack(order + "5I", 0, time_ns >> 32, time_ns & 0xffffffff, len(data), size) + data))
    return b"".join(out)


def snoop(framed):
    out = [b"snoop\0\0\0" + word(2, 4)]
    for time_ns, data, size in framed:
        pad = bytes(-len(data) % 4)
        out += [word(size, len(data), 24 + len(data) + len(pad), 0, time_ns // 10**9, time_ns % 10**9 // 1000), data, pad]
    return b"".join(out)


# ---- Losses and disorder ----

def captured_parts(packets, streams, snaplen=None, link="ethernet", network=ip4):
    """{(flow, direction): ([(begin, end), …] of bytes in the capture, {offsets at which a segment begins})}."""
    result = {}
    for packet in packets:
        key = packet.flow, packet.direction
        parts, begins = result.setdefault(key, ([], set()))
        room = len(packet.payload) if snaplen is None else snaplen - headers_size(packet, link, network)
        kept = min(len(packet.payload), max(0, room))
        at = packet.sequence - streams.first[key] - 1 & 0xffffffff
        if packet.payload:
            begins.add(at)
        if kept:
            parts.append((at, at + kept))
    return {key: (merged(parts), begins) for key, (parts, begins) in result.items()}


def merged(parts):
    result = []
    for begin, end in sorted(parts):
        if result and begin <= result[-1][1]:
            result[-1][1] = max(result[-1][1], end)
        else:
            result.append([begin, end])
    return result


def holds(parts, begin, end):
    return any(low <= begin and end <= high for low, high in parts)


def present_over_tcp(packets, streams, snaplen=None, link="ethernet", network=ip4):
    """Messages a reader must find: record mark and header are in the capture, and it is clear where the record begins,
    either because a segment begins there, or because the one before was found and its mark says where it ends (bytes of
    its data may be missing), or because the connection's own beginning was seen."""
    found = []
    parts_of = captured_parts(packets, streams, snaplen, link, network)
    opened = {(packet.flow, packet.direction) for packet in packets if packet.flags & SYN}
    for key, of_stream in streams.records.items():
        parts, begins = parts_of.get(key, ([], set()))
        clear = key in opened
        for offset, message in of_stream:
            whole_head = holds(parts, offset, offset + MARK_SIZE + message.head)
            clear = whole_head and (clear or offset in begins)
            if clear:
                found.append(message)
    return found


def present_over_udp(packets, datagrams, snaplen=None):
    """Those whose first fragment is there: it holds the header."""
    return [datagrams[packet.flow, packet.direction, packet.identification] for packet in packets
            if packet.fragment_at == 0 and snaplen is None]
