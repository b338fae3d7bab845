#!/usr/bin/env python3
"""Captures of real traffic: everything tshark sees when the right protocol is forced, with the same values, and more.

Usage: captures_test.py PATH_TO_HELIO, with HELIO_CAPTURES naming a folder of captures. They are other people's and not
shipped; without the folder the test says so and is skipped. Files the tables below know have to come out as they say;
any other capture in the folder is compared with tshark all the same.
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from explain_command import explain, run

HELIO = ""
FOLDER = pathlib.Path(os.environ.get("HELIO_CAPTURES") or "/nonexistent")
SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "schema"
# tshark decides by port, and clients' ports below 1024 belong to other protocols; it gives up a
# connection at the first cut segment, unless configured to look for the next record.
FORCED = ("-d", "tcp.port==2049,rpc", "-d", "udp.port==2049,rpc", "-o", "rpc.dissect_unknown_programs:TRUE",
          "-o", "rpc.find_fragment_start:TRUE", "-o", "tcp.reassemble_out_of_order:TRUE")
VERDICTS = ("SUCCESS", "PROG_UNAVAIL", "PROG_MISMATCH", "PROC_UNAVAIL", "GARBAGE_ARGS", "SYSTEM_ERR")
STATUS_FIELDS = ("nfs.status3", "nfs.status2", "nfs.nfsstat4", "mount.status")
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


def captures():
    """Files of packets; the others in the folder have tests of their own."""
    return sorted(path for path in FOLDER.glob("*") if path.suffix in (".pcap", ".pcapng", ".cap", ".snoop"))


def wire_number(status):
    """Of a name in a schema: "NFS3ERR_NOENT" is 2. Where the schema has no names it is a number."""
    if isinstance(status, int):
        return status
    for schema in SCHEMAS.glob("*.x"):
        found = re.search(rf"^\s*{re.escape(status)}\s*=\s*(\d+)", schema.read_text(), re.M)
        if found:
            return int(found[1])
    return None


def of_tshark(path):
    """{(xid, is a call): {program, version, procedure, verdict, status}}, as far as tshark says, and how often."""
    text = subprocess.run(["tshark", "-r", path, *FORCED, "-Y", "rpc", "-T", "pdml"], capture_output=True, check=True).stdout
    found, count = {}, collections.Counter()
    for packet in xml.etree.ElementTree.fromstring(text).iter("packet"):
        current = None
        for protocol in packet.iter("proto"):
            fields = {}
            for field in protocol.iter("field"):
                fields.setdefault(field.get("name"), field.get("show"))
            if protocol.get("name") == "rpc":
                current = message_of(fields, found, count)
            elif current is not None:
                status = next((fields[name] for name in STATUS_FIELDS if name in fields), None)
                if status is not None:
                    current.setdefault("status", int(status))
    return found, count


def operation_numbers():
    """{"LOOKUP": 15, …}, of both directions: the names differ but for ILLEGAL, whose number is the same."""
    found = {}
    for name, prefix in (("nfs4.x", "OP_"), ("nfs4_cb.x", "OP_CB_")):
        for operation, number in re.findall(rf"^\s*{prefix}(\w+) = (\d+)", (SCHEMAS / name).read_text(), re.M):
            found.setdefault(operation, int(number))
    return found


def operations_of_tshark(path):
    """{(xid, is a call): numbers}, from packets with one message."""
    text = subprocess.run(["tshark", "-r", path, *FORCED, "-Y", "nfs.opcode", "-T", "fields", "-e", "rpc.xid", "-e",
                           "rpc.msgtyp", "-e", "nfs.opcode"], capture_output=True, check=True, text=True).stdout
    found = {}
    for line in text.splitlines():
        xid, kind, operations = line.split("\t")
        if "," not in xid and operations:
            found[xid, kind == "0"] = [int(number) for number in operations.split(",")]
    return found


def message_of(fields, found, count):
    if "rpc.xid" not in fields or "rpc.msgtyp" not in fields:
        return None
    key = fields["rpc.xid"], fields["rpc.msgtyp"] == "0"
    count[key] += 1
    message = found.setdefault(key, {})
    for name, field in (("program", "rpc.program"), ("version", "rpc.programversion"), ("procedure", "rpc.procedure")):
        if field in fields:
            message[name] = int(fields[field])
    if not key[1] and "rpc.state_accept" in fields:
        message["verdict"] = VERDICTS[int(fields["rpc.state_accept"])]
    return message


@unittest.skipUnless(FOLDER.is_dir(), "HELIO_CAPTURES names no folder of captures")
class Captures(unittest.TestCase):
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
        theirs, count = of_tshark(path)
        answer = explain(HELIO, str(path))
        ours = collections.defaultdict(list)  # an xid may be used again
        for one in answer.exchanges:
            for call in (True, False):
                if one.get("missing") != ("call" if call else "reply"):
                    ours[one["xid"], call].append(one)
        missed = sorted(key for key in theirs if key not in ours)
        self.assertEqual(missed, [], "(xid, is a call) that tshark sees")
        for key, expected in theirs.items():
            self.assert_same(key, expected, ours[key])
        more = collections.Counter(call for _, call in ours.keys() - theirs.keys())
        self.assertEqual((more[True], more[False]), MORE.get(path.name, ((0, 0), ""))[0],
                         f"beyond tshark: {sorted(ours.keys() - theirs.keys())[:8]}")
        for call, name in ((True, "calls"), (False, "replies")):
            if path.name != RDMA:  # there tshark counts link-level repeats
                self.assertGreaterEqual(answer.ledger[name], sum(count[key] for key in theirs if key[1] == call))

    def assert_same(self, key, expected, found):
        """One of those with this xid says the same."""
        reasons = []
        for one in found:
            said = {name: one.get(name) for name in expected}
            if one.get("missing") == "call":  # an orphan's procedure is unknown; tshark guesses
                said, wanted = {"verdict": one.get("verdict")}, {"verdict": expected.get("verdict")}
            else:
                wanted = dict(expected)
            if key[1]:
                said.pop("status", None)
                wanted.pop("status", None)
            elif "status" in said:
                said["status"] = None if said["status"] is None else wire_number(said["status"])
            if said == wanted:
                return
            reasons.append(f"{said} where tshark says {wanted}")
        self.fail(f"{key}: {'; '.join(reasons)}")

    # ---- NFS 4 ----

    @unittest.skipUnless(shutil.which("tshark"), "tshark is not installed")
    def test_operations_of_compounds(self):
        """The operations of each COMPOUND and callback are those that tshark lists."""
        numbers = operation_numbers()
        compared = 0
        for path in captures():
            theirs = operations_of_tshark(path)
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
                self.assertEqual([one for one in answer.exchanges if "args_error" in one or "result_error" in one], [])
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


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    if not FOLDER.is_dir():
        print("captures_test: skipped: HELIO_CAPTURES names no folder of captures")
    unittest.main()
