#!/usr/bin/env python3
"""One conversation, captured in every bad way: nothing that is there is missed, nothing is invented.

Usage: torture_test.py PATH_TO_HELIO. What is there is worked out from the packets that are left (packets.py says when a
message counts as present); what is invented is whatever was never said.
"""
import collections
import random
import sys
import unittest

import packets
from explain_command import explain, run

HELIO = ""
SNAPLEN = 200
CALLS = 2000


def reordered(sequence, share=0.02, seed=3):
    """Some come later than they should, by up to eight places, each with its own time."""
    rng = random.Random(seed)
    places = [(index + (rng.randrange(1, 9) + 0.5 if rng.random() < share else 0), packet)
              for index, packet in enumerate(sequence)]
    return [packet for _, packet in sorted(places, key=lambda place: place[0])]


def stamped_again(sequence):
    """In the order in which they are: a reply can then be older than its call."""
    times = sorted(packet.time_ns for packet in sequence)
    return [packets.dataclasses.replace(packet, time_ns=time) for packet, time in zip(sequence, times)]


def lost(sequence, share=0.01, seed=4):
    rng = random.Random(seed)
    return [packet for packet in sequence if rng.random() >= share]


def doubled(sequence, share=0.05, seed=5):
    rng = random.Random(seed)
    return [packet for packet in sequence for _ in range(2 if rng.random() < share else 1)]


def overlapping(sequence, seed=6):
    """Some segments are sent again together with the one before, as a retransmission is that was cut differently."""
    rng, last, result = random.Random(seed), {}, []
    for packet in sequence:
        key = packet.flow, packet.direction
        before = last.get(key)
        if packet.payload and before and rng.random() < 0.05:
            cut = rng.randrange(len(before.payload))
            joined = packets.dataclasses.replace(packet, sequence=before.sequence + cut,
                                                 payload=before.payload[cut:] + packet.payload)
            result.append(joined)
        else:
            result.append(packet)
        if packet.payload:
            last[key] = packet
    return result


class Torture(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.talk = packets.Talk(CALLS, big_every=50)
        cls.streams = packets.Streams(cls.talk.messages)
        cls.datagram_talk = packets.Talk(CALLS // 4, big_every=10, big_size=8192, seed=7)
        cls.datagram_packets, cls.datagrams = packets.over_udp(cls.datagram_talk.messages)
        framed, link = packets.frames(cls.streams.packets)
        cls.clean_file = packets.pcap(framed, link)
        cls.clean = explain(HELIO, data=cls.clean_file)

    # ---- What has to hold ----

    def key(self, one):
        port = int(one["client"].rsplit(":", 1)[1])
        return packets.CLIENT_PORTS.index(port), int(one["xid"], 16)

    def check(self, answer, present, said, once=True):
        """Every message of `present` is reported, and every one that is reported was said."""
        self.assertIsNotNone(answer.ledger, answer.errors)
        must = {True: collections.Counter(), False: collections.Counter()}
        for message in present:
            must[message.call][message.flow, message.xid] += 1
        procedures = {(message.flow, message.xid): packets.NAMES[message.procedure] for message in said}
        for calls, reported in ((True, answer.calls), (False, answer.replies)):
            word = "call" if calls else "reply"
            found = collections.Counter(self.key(one) for one in reported)
            missed = must[calls].keys() - found.keys()
            self.assertEqual(sorted(missed)[:8], [], f"{len(missed)} of {len(must[calls])} missed: each {word} is reported")
            invented = found.keys() - {(one.flow, one.xid) for one in said if one.call == calls}
            self.assertEqual(sorted(invented)[:8], [], f"no {word} is invented")
            if once:
                twice = [key for key, count in found.items() if count > 1]
                self.assertEqual(twice[:8], [], f"no {word} is reported twice")
        for one in answer.calls:
            self.assertEqual(one["operation"], procedures[self.key(one)])
        self.assertEqual(answer.ledger["paired"], sum("missing" not in one for one in answer.exchanges))
        return answer

    def same_as_clean(self, answer, but=()):
        """Word for word, keys in `but` aside."""
        self.assertEqual(answer.status, 0, answer.errors)
        self.assertEqual(len(answer.exchanges), len(self.clean.exchanges))
        expected = {self.key(one): one for one in self.clean.exchanges}
        for one in answer.exchanges:
            other = expected[self.key(one)]
            if one != other:
                self.assertEqual({key: value for key, value in one.items() if key not in but},
                                 {key: value for key, value in other.items() if key not in but})

    def as_pcap(self, sequence, link="ethernet", network=packets.ip4, snaplen=None):
        return packets.pcap(*packets.frames(sequence, link, network, snaplen))

    # ---- The capture itself ----

    def test_clean(self):
        answer = self.check(self.clean, self.talk.messages, self.talk.messages)
        self.assertEqual(answer.status, 0, answer.errors)
        calls = len(self.talk.messages) // 2
        for key, count in {"calls": calls, "replies": calls, "paired": calls, "unanswered": 0, "orphans": 0,
                           "retransmitted": 0, "packets": len(self.streams.packets)}.items():
            self.assertEqual(answer.ledger[key], count, key)
        self.assertEqual(answer.ledger.get("unread", {}), {})
        said = {(one.flow, one.xid, one.call): one for one in self.talk.messages}
        for one in answer.exchanges:
            flow, xid = self.key(one)
            called, replied = self.streams.times_ns[flow, xid, True], self.streams.times_ns[flow, xid, False]
            self.assertEqual(one["latency_ns"], replied - called)
            status = said[flow, xid, False].status
            self.assertEqual(one["verdict"], "SUCCESS")
            expected = {"nfs3": ("NFS3_OK", "NFS3ERR_NOENT"), "mount": ("MNT3_OK", "")}[one["operation"].split(".")[0]]
            self.assertEqual(one["status"], expected[1 if status else 0])
            self.assertNotIn("args_error", one)
            self.assertNotIn("result_error", one)
            self.assertNotIn("cut", one)

    def test_handles_have_names(self):
        named = collections.Counter(one.get("path") for one in self.clean.exchanges if one["operation"] == "nfs3.GETATTR")
        # Every seventh is not found, so its handle never gets a name.
        known = {f"/srv/file{number:02}" for number in range(1, 20) if number % 7}
        self.assertEqual({path for path in named if path and path.startswith("/srv/file")}, known)

    def test_records_within_data(self):
        """A file that is copied may hold what looks like a call, where a segment begins at that."""
        talk = packets.Talk(CALLS // 4, big_every=5, seed=8, trap_at_segments=True)
        streams = packets.Streams(talk.messages)
        for name, left in (("clean", streams.packets), ("reordered", reordered(streams.packets)),
                           ("lost", lost(streams.packets))):
            with self.subTest(name):
                answer = explain(HELIO, data=self.as_pcap(left))
                self.check(answer, packets.present_over_tcp(left, streams), talk.messages)

    def test_from_a_pipe(self):
        done = run(HELIO, "--json", "-", data=self.clean_file)
        self.assertEqual(done.stdout.splitlines(), self.clean.lines)

    # ---- Other wrappings: the same answer ----

    def test_files(self):
        framed, link = packets.frames(self.streams.packets)
        for name, data in {"big-endian": packets.pcap(framed, link, ">"),
                           "nanoseconds": packets.pcap(framed, link, nanoseconds=True),
                           "nanoseconds, big-endian": packets.pcap(framed, link, ">", nanoseconds=True),
                           "pcapng": packets.pcapng(framed, link), "pcapng, big-endian": packets.pcapng(framed, link, ">"),
                           "snoop": packets.snoop(framed)}.items():
            with self.subTest(name):
                self.assertEqual(explain(HELIO, data=data).lines, self.clean.lines)

    def test_links(self):
        for link in ("vlan", "qinq", "sll", "sll2", "raw", "null", "loop"):
            with self.subTest(link):
                self.same_as_clean(explain(HELIO, data=self.as_pcap(self.streams.packets, link)))

    def test_ip6(self):
        for link in ("ethernet", "qinq", "sll2", "raw", "null"):
            with self.subTest(link):
                answer = explain(HELIO, data=self.as_pcap(self.streams.packets, link, packets.ip6))
                self.same_as_clean(answer, but=("client", "server"))
                self.assertEqual({one["client"] for one in answer.exchanges},
                                 {f"[2001:db8::{10 + flow:x}]:{port}" for flow, port in enumerate(packets.CLIENT_PORTS)})

    # ---- Packets in disorder ----

    def test_reordered(self):
        left = reordered(self.streams.packets)
        answer = self.check(explain(HELIO, data=self.as_pcap(left)), self.talk.messages, self.talk.messages)
        self.same_as_clean(answer, but=("packet", "reply_packet", "time", "latency_ns", "path"))
        self.assertEqual(answer.ledger.get("unread", {}), {})

    def test_reordered_before_the_clock(self):
        left = stamped_again(reordered(self.streams.packets))
        answer = self.check(explain(HELIO, data=self.as_pcap(left)), self.talk.messages, self.talk.messages)
        self.assertEqual(answer.ledger["paired"], len(self.talk.messages) // 2)

    def test_doubled(self):
        answer = self.check(explain(HELIO, data=self.as_pcap(doubled(self.streams.packets))), self.talk.messages,
                            self.talk.messages)
        self.same_as_clean(answer, but=("packet", "reply_packet"))

    def test_overlapping(self):
        answer = self.check(explain(HELIO, data=self.as_pcap(overlapping(self.streams.packets))), self.talk.messages,
                            self.talk.messages)
        self.same_as_clean(answer)

    def test_everything_at_once(self):
        left = reordered(doubled(self.streams.packets))
        answer = self.check(explain(HELIO, data=self.as_pcap(left, "qinq", packets.ip6)), self.talk.messages,
                            self.talk.messages)
        self.same_as_clean(answer, but=("packet", "reply_packet", "time", "latency_ns", "path", "client", "server"))

    # ---- Packets that are not there ----

    def left_of(self, left, snaplen=None):
        present = packets.present_over_tcp(left, self.streams, snaplen)
        answer = explain(HELIO, data=self.as_pcap(left, snaplen=snaplen))
        return present, self.check(answer, present, self.talk.messages)

    def test_lost(self):
        for seed in (4, 14, 24):
            with self.subTest(seed):
                left = lost(self.streams.packets, seed=seed)
                present, answer = self.left_of(left)
                self.assertGreater(len(present), len(self.talk.messages) * 0.95)  # the test itself is not empty
                self.assertGreater(answer.ledger["unread"]["lost segments"]["bytes"], 0)

    def test_lost_and_reordered(self):
        self.left_of(reordered(lost(self.streams.packets, share=0.03)))

    def test_cut(self):
        present, answer = self.left_of(self.streams.packets, SNAPLEN)
        self.assertGreater(len(present), len(self.talk.messages) / 2)
        self.assertTrue(any(one.get("cut") for one in answer.exchanges))

    def test_cut_and_lost(self):
        self.left_of(lost(self.streams.packets), SNAPLEN)

    def test_begins_in_the_middle(self):
        for part in (0.1, 0.37, 0.5, 0.9):
            with self.subTest(part):
                self.left_of(self.streams.packets[int(len(self.streams.packets) * part):])

    def test_begins_within_data(self):
        """At every packet of a call with much data in turn, the first aside."""
        inside = [index for index, packet in enumerate(self.streams.packets)
                  if packet.direction == 0 and len(packet.payload) == packets.SEGMENT_SIZE][1:45:4]
        for index in inside:
            with self.subTest(index):
                self.left_of(self.streams.packets[index:index + 400])

    def test_one_direction(self):
        for direction, missing in ((0, "reply"), (1, "call")):
            with self.subTest(missing=missing):
                left = [packet for packet in self.streams.packets if packet.direction == direction]
                present, answer = self.left_of(left)
                self.assertEqual(len(present), len(self.talk.messages) // 2)
                self.assertEqual({one.get("missing") for one in answer.exchanges}, {missing})
                self.assertEqual(answer.ledger["unanswered" if missing == "reply" else "orphans"], len(present))

    # ---- Datagrams ----

    def datagrams_left(self, left, network, once=True):
        present = packets.present_over_udp(left, self.datagrams)
        answer = explain(HELIO, data=self.as_pcap(left, network=network))
        return present, self.check(answer, present, self.datagram_talk.messages, once)

    def test_fragments(self):
        for network in (packets.ip4, packets.ip6):
            for name, left in (("in order", self.datagram_packets), ("reordered", reordered(self.datagram_packets, 0.1)),
                               ("backwards", self.backwards(self.datagram_packets))):
                with self.subTest(network=network.__name__, order=name):
                    present, answer = self.datagrams_left(left, network)
                    self.assertEqual(answer.ledger["calls"], len(self.datagram_talk.messages) // 2)
                    self.assertEqual(answer.ledger["replies"], len(self.datagram_talk.messages) // 2)
                    self.assertFalse([one for one in answer.exchanges if "args_error" in one or "result_error" in one])

    @staticmethod
    def backwards(sequence):
        """The last fragment of each datagram first, as Linux once sent them."""
        groups = collections.defaultdict(list)
        for packet in sequence:
            groups[packet.flow, packet.direction, packet.identification].insert(0, packet)
        return [packet for group in groups.values() for packet in group]

    def test_fragments_lost(self):
        for network in (packets.ip4, packets.ip6):
            with self.subTest(network.__name__):
                present, _ = self.datagrams_left(lost(self.datagram_packets, 0.05), network)
                self.assertLess(len(present), len(self.datagram_talk.messages))

    def test_datagrams_doubled(self):
        left = doubled([packet for packet in self.datagram_packets if not packet.fragmented])
        present, answer = self.datagrams_left(left, packets.ip4, once=False)
        self.assertEqual(answer.ledger["calls"], sum(message.call for message in present))
        self.assertEqual(answer.ledger["replies"], sum(not message.call for message in present))
        self.assertGreater(answer.ledger["retransmitted"], 0)


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main()
