#!/usr/bin/env python3
"""Captures cut off anywhere and with bits turned: every view ends soon, says a bounded amount and needs bounded memory.

Usage: prefix_test.py PATH_TO_HELIO. The captures are made here, small, one of each kind; HELIO_CAPTURES may name a folder
of others, whose smallest are used as well.
"""
import os
import random
import resource
import sys
import tempfile
import unittest

import packets
from explain_command import run

HELIO = ""
MEMORY_MAX = 512 << 20
TRIES = 400
# The widest view is the table of words: a line for every four bytes. A message may hold an array
# whose elements are listed one by one; the ledger and the histogram are fixed.
OUTPUT_PER_BYTE, OUTPUT_FIXED = 100, 64 << 10
VIEWS = (("--json",), ("--words",), ("--stats",), (), ("--calls", "--filter", "nfs3.WRITE && args.count > 1"),
         ("--words", "--json"), ("--stats", "--by", "file"))
SMALL_FILE = 40_000


def hex_dump(data):
    """As hexdump -C writes it, without the text column."""
    return "".join(f"{at:08x}  {data[at:at + 16].hex(' ')}\n" for at in range(0, len(data), 16)).encode()


def inputs():
    streams = packets.Streams(packets.Talk(12, big_every=6, big_size=6000).messages)
    framed, link = packets.frames(streams.packets)
    datagrams, _ = packets.over_udp(packets.Talk(8, big_every=4, big_size=4000).messages)
    first = streams.records[0, 0][1][1].data
    yield "pcap", packets.pcap(framed, link)
    yield "nanoseconds, big-endian", packets.pcap(framed, link, ">", nanoseconds=True)
    yield "pcapng", packets.pcapng(framed, link)
    yield "snoop", packets.snoop(framed)
    yield "qinq, IPv6", packets.pcap(*packets.frames(streams.packets, "qinq", packets.ip6))
    yield "sll2", packets.pcap(*packets.frames(streams.packets, "sll2"))
    yield "fragments", packets.pcap(*packets.frames(datagrams))
    yield "fragments, IPv6", packets.pcap(*packets.frames(datagrams, "raw", packets.ip6))
    yield "stream", b"".join(packet.payload for packet in streams.packets if (packet.flow, packet.direction) == (0, 0))
    yield "dump", hex_dump(first)
    yield "words", " ".join(first[at:at + 4].hex() for at in range(0, len(first), 4)).encode()
    folder = os.environ.get("HELIO_CAPTURES", "")
    for path, _, names in os.walk(folder):
        for name in sorted(names):
            file = os.path.join(path, name)
            if name != "README.md" and os.path.getsize(file) < SMALL_FILE:
                with open(file, "rb") as data:
                    yield name, data.read()


def damaged(rng, data):
    """What was done, and the result: a prefix, some bits turned, a stretch left out, a word put to an extreme."""
    data = bytearray(data)
    kind = rng.choice(("prefix", "flip", "flips", "gap", "extreme"))
    at = rng.randrange(len(data))
    if kind == "prefix":
        del data[at:]
    elif kind == "gap":
        del data[at:at + rng.randrange(1, 64)]
    elif kind == "extreme":
        data[at:at + 4] = rng.choice((b"\xff\xff\xff\xff", bytes(4), b"\x7f\xff\xff\xff", b"\x80\0\0\0"))
    else:
        for _ in range(1 if kind == "flip" else 20):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return f"{kind} at {at}", bytes(data)


class Prefix(unittest.TestCase):
    def check(self, what, view, data, file):
        with open(file, "wb") as out:
            out.write(data)
        done = run(HELIO, *view, file, memory_max=MEMORY_MAX)
        said = f"{what}, helio explain {' '.join(view)}: exit {done.returncode}: {done.stderr[-300:]!r}"
        # A file of nothing but damage may be refused, and a text has no statistics; nothing may crash.
        self.assertIn(done.returncode, (0, 1, 2) if done.stdout == b"" else (0, 1), said)
        self.assertLess(len(done.stdout) + len(done.stderr), OUTPUT_PER_BYTE * len(data) + OUTPUT_FIXED, said)
        self.assertNotIn(b"\x1b", done.stdout, said)  # nothing in a file speaks to the terminal

    def test_damage(self):
        rng, all_inputs = random.Random(1), list(inputs())
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "capture")
            for view in VIEWS:  # whole, first
                for name, data in all_inputs[:11]:
                    self.check(name, view, data, file)
            for tried in range(TRIES):
                name, data = all_inputs[tried % len(all_inputs)]
                done, left = damaged(rng, data)
                self.check(f"try {tried}, {name}, {done}", rng.choice(VIEWS), left, file)

    def test_every_prefix_of_the_headers(self):
        """Byte by byte through the file header, the first packet's and into the first message."""
        data = next(data for name, data in inputs() if name == "pcapng")
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "capture")
            for size in list(range(0, 300, 7)):
                self.check(f"{size} bytes", ("--json",), data[:size], file)

    def test_memory_does_not_grow_with_the_capture(self):
        """Ten times the calls, never answered: what waits for an answer has a limit."""
        talk = packets.Talk(3000, small_groups=True)
        calls = [packet for packet in packets.Streams(talk.messages).packets if packet.direction == 0]
        sizes = []
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "capture")
            for part in (calls[:len(calls) // 10], calls):
                with open(file, "wb") as out:
                    out.write(packets.pcap(*packets.frames(part)))
                sizes.append(self.resident(file))
        self.assertLess(sizes[1] - sizes[0], 16 << 20)

    def resident(self, file):
        pid = os.posix_spawn(HELIO, [HELIO, "explain", "--stats", file], os.environ,
                             file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
        _, status, used = os.wait4(pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)
        return used.ru_maxrss * 1024


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main()
