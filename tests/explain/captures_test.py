#!/usr/bin/env python3
"""Captures of real traffic: everything tshark sees when the right protocol is forced, with the same values, and more.

Usage: captures_test.py PATH_TO_HELIO, with HELIO_CAPTURES naming a folder of captures. They are other people's and not
shipped; without the folder the test says so and is skipped. Files the tables below know have to come out as they say;
any other capture in the folder is compared with tshark all the same.
"""
import collections
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from explain_command import explain, not_understood, run
from with_tshark import SCHEMAS, Messages, SameAsTshark, forced, operation_numbers

HELIO = ""
FOLDER = pathlib.Path(os.environ.get("HELIO_CAPTURES") or "/nonexistent")
RDMA = "made__rdma-rxe.pcap"
TRACE = "made__rdma-siw.ftrace.txt"

# Calls and replies in each capture, counted by hand or by other programs: every message, including
# repeats.
COUNTS = {
    "beats__nfs_v3.pcap": (1, 1),
    "nDPI__nfsv2.pcap": (78, 78),
    "nfstrace__1-packet.pcap": (1, 0),
    "nfstrace__eth-ipv4-udp-nfsv3-dup-retransm.pcap": (16, 19),
    "nfstrace__eth-ipv4-udp-nfsv3.pcap": (64, 64),
    "nfstrace__lo-ipv4-tcp-nfsv3-nfsacl.pcap": (15, 15),
    "sample-captures__bootparams.cap": (6, 6),
    "sample-captures__genbroad.snoop": (4, 0),
    "sample-captures__nfs_bad_stalls.cap": (108, 213),
    "sample-captures__nfsv4.1_pnfs.cap": (33, 33),
    "sample-captures__nsm.pcap": (8, 8),
    "sample-captures__vxi-11.pcap": (126, 125),
    "suricata-verify__nfs3-procedure.pcap": (97, 97),
    "tcpdump__nfs-cannot-pad-32-bit.pcap": (1, 0),
    "tcpdump__nfs-write-verf-cookie.pcapng": (1, 1),
    "zeek__mount-unmount-bad-status.pcap": (5, 5),
    "zeek__mount-unmount.pcap": (5, 5),
    "zeek__nfs_getattr_bad_ftype.pcap": (41, 41),
    "zeek__nfs_write.pcap": (56, 56),
    "zeek__portmapper-many-unanswered-calls.pcapng": (5000, 0),
}
# Messages that tshark still does not show: (calls, replies), and why they exist.
MORE = {
    "nfstrace__1-packet.pcap": ((1, 0), "the first fragment of a WRITE: its header is there, the other fragments are not"),
    "nfstrace__eth-ipv4-udp-nfsv3-dup-retransm.pcap":
        ((1, 6), "a WRITE whose last fragments the capture ends before; replies to calls from before it began"),
}
# Messages that break their schema, reported by the exit status: attributes of an unknown type,
# results after a status that has none, a string past the end.
BROKEN = ("tcpdump__nfs-cannot-pad-32-bit.pcap", "zeek__mount-unmount-bad-status.pcap", "zeek__nfs_getattr_bad_ftype.pcap")


@functools.cache
def messages_of(path):
    """As tshark sees them."""
    return Messages(path)


def captures():
    """Files of packets; the others in the folder have tests of their own."""
    return sorted(path for path in FOLDER.glob("*") if path.suffix in (".pcap", ".pcapng", ".cap", ".snoop"))


@unittest.skipUnless(FOLDER.is_dir(), "HELIO_CAPTURES names no folder of captures")
class Captures(SameAsTshark, unittest.TestCase):
    def test_counts(self):
        for path in captures():
            if path.name in COUNTS:
                with self.subTest(path.name):
                    answer = explain(HELIO, str(path))
                    self.assertIsNotNone(answer.ledger, answer.errors)
                    self.assertEqual((answer.ledger["calls"], answer.ledger["replies"]), COUNTS[path.name])
                    self.assertEqual(answer.status, 1 if path.name in BROKEN else 0, answer.errors)

    @unittest.skipUnless(shutil.which("tshark"), "tshark is not installed")
    def test_all_that_tshark_sees(self):
        for path in captures():
            with self.subTest(path.name):
                self.compare(path)

    def compare(self, path):
        theirs, answer = messages_of(path), explain(HELIO, str(path))
        beyond = self.assert_same_messages(theirs, answer)
        more = collections.Counter(call for _, call in beyond)
        self.assertEqual((more[True], more[False]), MORE.get(path.name, ((0, 0), ""))[0], f"beyond tshark: {sorted(beyond)[:8]}")
        for call, name in ((True, "calls"), (False, "replies")):
            if path.name != RDMA:  # there tshark counts link-level repeats
                self.assertGreaterEqual(answer.ledger[name], theirs.total(call))

    # ---- NFS 4 ----

    @unittest.skipUnless(shutil.which("tshark"), "tshark is not installed")
    def test_operations_of_compounds(self):
        """The operations of each COMPOUND and callback are those that tshark lists."""
        numbers = operation_numbers()
        compared = 0
        for path in captures():
            theirs = messages_of(path).operations
            if not theirs:
                continue
            answer = explain(HELIO, str(path))
            ours = {one["xid"]: [numbers[name] for name in one["operations"]]
                    for one in answer.exchanges if "operations" in one}
            for (xid, is_call), operations in theirs.items():
                with self.subTest(path.name, xid=xid):
                    self.assertIn(xid, ours)
                    # Over RDMA tshark loses its place in some replies.
                    seen = ours[xid] if is_call else ours[xid][:len(operations)]
                    self.assertEqual(seen, operations)
                    compared += 1
        if (FOLDER / "sample-captures__nfsv4.1_pnfs.cap").exists():
            self.assertGreater(compared, 50)

    def test_every_word_of_nfs4_has_a_name(self):
        for name in ("sample-captures__nfsv4.1_pnfs.cap", "suricata-verify__nfs3-procedure.pcap", RDMA):
            path = FOLDER / name
            if not path.exists():
                continue
            with self.subTest(name):
                answer = explain(HELIO, str(path), "--filter", "nfs4 || nfs4_cb")
                self.assertEqual(answer.status, 0, answer.errors)
                self.assertEqual(not_understood(answer), [])
                self.assertTrue(any("operations" in one for one in answer.exchanges))

    # ---- RDMA ----

    def test_rdma(self):
        path = FOLDER / RDMA
        if not path.exists():
            self.skipTest(f"no {RDMA}")
        answer = explain(HELIO, str(path))
        self.assertEqual(answer.status, 0, answer.errors)
        calls, replies = answer.ledger["calls"], answer.ledger["replies"]
        self.assertEqual(calls, 118)
        # 239 headers; three replies the link sent twice, with the same packet numbers.
        self.assertIn(replies, (118, 121))
        self.assertEqual(answer.ledger["paired"], 118)
        self.assertEqual({one["carrier"] for one in answer.exchanges}, {"roce"})
        broken = [(one["xid"], one["operation"], one.get("args_error"), one.get("result_error"))
                  for one in answer.exchanges if "args_error" in one or "result_error" in one]
        self.assertEqual(broken, [])
        reads = [one for one in answer.exchanges if one["operation"] == "nfs3.READ"]
        self.assertGreaterEqual(len(reads), 23)
        self.assertEqual({one["status"] for one in reads}, {"NFS3_OK"})

    def test_rdma_trace(self):
        path = FOLDER / TRACE
        if not path.exists():
            self.skipTest(f"no {TRACE}")
        done = run(HELIO, "--words", str(path))
        text = done.stdout.decode()
        self.assertIn(done.returncode, (0, 1), done.stderr)  # the trace has the first 64 bytes of each message only
        xids = set()
        for line in path.read_text().splitlines():
            found = re.search(r"raw=\{(.*?)\}", line)
            if found:
                xids.add("".join(f"{int(byte, 16):02x}" for byte in found[1].split(",")[:4]))
        self.assertTrue(xids)
        missed = [xid for xid in xids if xid not in text.replace(" ", "")]
        self.assertEqual(missed, [])
        for word in ("rdma_vers", "RDMA_MSG"):
            self.assertIn(word, text)

    # ---- libvirt ----

    def test_libvirt(self):
        files = sorted((FOLDER / "libvirt").glob("*.bin"))
        if not files:
            self.skipTest("no libvirt/*.bin")
        for path in files:
            with self.subTest(path.name):
                expected = collections.Counter(virnet_messages(path.read_bytes()))
                done = run(HELIO, "--words", str(path))
                self.assertEqual(done.returncode, 0, done.stderr)
                answer = explain(HELIO, str(path))
                self.assertEqual(answer.status, 0, answer.errors)
                self.compare_virnet(answer, expected)

    def compare_virnet(self, answer, expected):
        self.assertIsNotNone(answer.ledger)
        calls = sum(count for (kind, *_), count in expected.items() if kind in (CALL, CALL_WITH_FDS))
        replies = sum(count for (kind, *_), count in expected.items() if kind in (REPLY, REPLY_WITH_FDS))
        self.assertEqual((answer.ledger["calls"], answer.ledger["replies"]), (calls, replies))


CALL, REPLY, EVENT, STREAM, CALL_WITH_FDS, REPLY_WITH_FDS, STREAM_HOLE = range(7)


def virnet_messages(data):
    """(type, program, procedure, serial) of each: a length word that counts itself, then six words of header."""
    at = 0
    while at < len(data):
        size, program, _, procedure, kind, serial, _ = (int.from_bytes(data[at + 4 * i:at + 4 * i + 4], "big")
                                                        for i in range(7))
        yield kind, program, procedure, serial
        at += size
    assert at == len(data)


class Compounds(unittest.TestCase):
    """Operations inside COMPOUNDs and callbacks, as tshark counts them in the calls."""

    def test_operations_are_those_of_tshark(self):
        numbers = {name: int(number) for schema in ("nfs4.x", "nfs4_cb.x") for name, number in
                   re.findall(r"\b(OP_\w+) = (\d+)", (SCHEMAS / schema).read_text())}
        seen = 0
        for file in ("sample-captures__nfsv4.1_pnfs.cap", "nfstrace__eth-ipv4-tcp-nfsv4-incorrect_mount.pcap"):
            path = FOLDER / file
            if not path.exists() or not shutil.which("tshark"):
                continue
            seen += 1
            said = subprocess.run(["tshark", "-r", path, *forced(), "-Y", "nfs.opcode && rpc.msgtyp == 0", "-T", "fields",
                                   "-e", "nfs.opcode"], capture_output=True, text=True, check=True).stdout
            theirs = collections.Counter(int(one) for one in re.split(r"[,\s]+", said.strip()) if one)
            found = subprocess.run([HELIO, "explain", "--json", path], capture_output=True, text=True, check=True).stdout
            ours = collections.Counter(numbers[one] for one in re.findall(r'"argop":"(OP_\w+)"', found))
            self.assertEqual(ours, theirs, file)
            self.assertTrue(theirs, file)
        if seen == 0:
            self.skipTest("HELIO_CAPTURES has no capture of NFS 4, or there is no tshark")


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    if not FOLDER.is_dir():
        print("captures_test: skipped: HELIO_CAPTURES names no folder of captures")
    unittest.main()
