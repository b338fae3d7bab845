#!/usr/bin/env python3
"""Wireshark reads our conversations: every call and every reply, none of them malformed.

Usage: tshark_test.py PATH_TO_HELIO; the peers of tests/rpc_sockets are in the same build. Captures on lo,
which needs root or a dumpcap that may; where it may not, the test says so and is skipped.
"""
import collections
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from patience import PATIENCE_S  # noqa: E402

HELIO = ""
CALLS = 8  # what socket_peer --talk asks, over each transport
FIELDS = ("ip.proto", "rpc.msgtyp", "rpc.xid", "rpc.procedure", "rpc.state_accept", "rpc.programversion")


def program():
    return str(pathlib.Path(HELIO).resolve().parents[1] / "tests/rpc_sockets/socket_peer")


class Capture:
    """tshark writing what passes a port of lo to a file."""

    def __init__(self, port, file):
        self.port, self.file = port, file
        self.process = subprocess.Popen(
            ["tshark", "-q", "-i", "lo", "-f", f"port {port}", "-w", file],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = []
        for line in self.process.stderr:
            said.append(line)
            if "Capturing on" in line:
                break
        else:
            self.process.wait()
            self.process.stderr.close()
            raise unittest.SkipTest("tshark may not capture here: " + "".join(said).strip()[-200:])
        # dumpcap reports this a moment too early: wait for the file.
        self.wait_for(lambda: os.path.exists(file) and os.path.getsize(file) > 0)

    @staticmethod
    def wait_for(good):
        deadline = time.monotonic() + PATIENCE_S
        while not good() and time.monotonic() < deadline:
            time.sleep(0.02)

    def read(self, *words):
        done = subprocess.run(
            ["tshark", "-r", self.file, "-d", f"tcp.port=={self.port},rpc", "-d", f"udp.port=={self.port},rpc",
             "-o", "rpc.dissect_unknown_programs:TRUE", "-o", "rpc.desegment_rpc_over_tcp:TRUE", *words],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S)
        return done.stdout

    def messages(self):
        """One of FIELDS' values for each RPC message; a frame may hold several of one kind."""
        words = [word for field in FIELDS for word in ("-e", field)]
        for line in self.read("-Y", "rpc", "-T", "fields", "-E", "separator=|", *words).splitlines():
            columns = [column.split(",") for column in line.split("|")]
            for i in range(len(columns[1])):
                yield {field: column[i] if i < len(column) else column[-1]
                       for field, column in zip(FIELDS, columns)}

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=PATIENCE_S)
        self.process.stderr.close()


class Tshark(unittest.TestCase):
    def setUp(self):
        if shutil.which("tshark") is None:
            self.skipTest("tshark is not installed")
        if not os.path.exists(program()):
            self.skipTest("socket_peer is not built")
        self.server = subprocess.Popen([program()], stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end_server)
        self.port = re.fullmatch(r"listening (\d+)\n", self.server.stdout.readline())[1]
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def end_server(self):
        self.server.kill()
        self.server.wait()
        self.server.stdout.close()

    def test_decodes_every_message(self):
        capture = Capture(self.port, os.path.join(self.folder.name, "lo.pcapng"))
        try:
            for transport in ("tcp", "udp"):
                done = subprocess.run([program(), "--talk", self.port, transport], capture_output=True, text=True,
                                      timeout=PATIENCE_S)
                self.assertEqual(done.stdout, f"{CALLS} calls\n")
            # The kernel hands packets over by and by.
            Capture.wait_for(lambda: sum(1 for _ in capture.messages()) >= 4 * CALLS)
        finally:
            capture.stop()

        self.assertEqual(capture.read("-Y", "_ws.malformed"), "")
        by_kind = collections.defaultdict(dict)
        for one in capture.messages():
            by_kind[one["ip.proto"], one["rpc.msgtyp"]][one["rpc.xid"]] = one
        for protocol in ("6", "17"):
            calls, replies = by_kind[protocol, "0"], by_kind[protocol, "1"]
            self.assertEqual(len(calls), CALLS, protocol)
            self.assertEqual(calls.keys(), replies.keys(), protocol)
            self.assertEqual(sorted(int(one["rpc.procedure"]) for one in calls.values()), [0, 1, 2, 2, 2, 2, 2, 6])
            for xid, reply in replies.items():
                self.assertEqual(reply["rpc.state_accept"], "0", reply)
                self.assertEqual(reply["rpc.procedure"], calls[xid]["rpc.procedure"])  # matched by Wireshark
        self.assertEqual(capture.read("-Y", "rpc.dup || rpc.reply.dup || _ws.expert.severity >= 8388608"), "")


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main()
