#!/usr/bin/env python3
"""helio ping against rpcgen + libtirpc's server, as a user runs it.

Usage: ping_test.py PATH_TO_HELIO
"""
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from peer_server import SCHEMA, PeerServer, closed_port, run  # noqa: E402

HELIO = ""
FAST = ["--count", "3", "--interval", "1ms"]


def ping(*words):
    return run(HELIO, "ping", "--schema", SCHEMA, *words)


class Ping(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.peer = PeerServer(HELIO).__enter__()
        cls.addClassCleanup(cls.peer.__exit__)

    def test_each_is_timed(self):
        for words in ([self.peer.tcp], ["--udp", self.peer.udp]):
            code, out, err = ping(*words, "peer", *FAST)
            self.assertEqual((code, err), (0, ""))
            self.assertIn("ping peer.2 (program 536871168 version 2)", out)
            self.assertEqual(len(re.findall(r"^reply \d: \d+\.\d{3} ms$", out, re.MULTILINE)), 3)
            self.assertIn("3 calls, 3 replies, 0% lost\n", out)
            numbers = [float(n) for n in re.findall(r"(?:min|avg|p50|max) (\d+\.\d+)", out)]
            self.assertEqual(len(numbers), 4)
            self.assertTrue(numbers[0] <= numbers[2] <= numbers[3])

    def test_json(self):
        code, out, _ = ping(self.peer.tcp, "peer.1", "--json", *FAST)
        told = json.loads(out)
        self.assertEqual((code, told["program"], told["calls"], told["replies"]), (0, "peer.1", 3, 3))
        self.assertLessEqual(told["min_ms"], told["max_ms"])

    def test_refused_with_the_versions_served(self):
        for name in ("peer.7", "536871168.7"):
            code, out, err = ping(self.peer.tcp, name, *FAST)
            self.assertEqual(code, 4)
            self.assertIn("PROG_MISMATCH: versions 1 to 2", err)
        self.assertEqual(ping(self.peer.tcp, "nfs3")[0], 4)

    def test_nobody_there(self):
        held, where = closed_port()
        with held:
            for transport in ([], ["--udp"]):
                code, _, err = ping(where, "peer", *transport)
                self.assertEqual(code, 3)
                self.assertIn("Connection refused", err)

    def test_silence_is_loss(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as deaf:
            deaf.bind(("127.0.0.1", 0))
            where = f"127.0.0.1:{deaf.getsockname()[1]}"
            code, out, _ = ping("--udp", where, "peer", "--timeout", "20ms", *FAST)
        self.assertEqual(code, 3)
        self.assertIn("3 calls, 0 replies, 100% lost", out)

    def test_some_lost(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
            server.bind(("127.0.0.1", 0))
            where = f"127.0.0.1:{server.getsockname()[1]}"

            def answer_all_but_the_second():
                for i in range(3):
                    message, sender = server.recvfrom(2000)
                    if i != 1:
                        server.sendto(message[:4] + bytes.fromhex("00000001") + bytes(16), sender)

            thread = threading.Thread(target=answer_all_but_the_second)
            thread.start()
            code, out, _ = ping("--udp", where, "peer", "--timeout", "200ms", *FAST)
            thread.join()
        self.assertEqual(code, 1)
        self.assertIn("3 calls, 2 replies, 33% lost", out)
        self.assertIn("reply 2: none: no reply in time", out)

    def test_interrupted_it_sums_up(self):
        words = [HELIO, "ping", "--schema", SCHEMA, self.peer.tcp, "peer", "--count", "0", "--interval", "1m"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            self.assertIn("reply 1", process.stdout.readline())
            process.send_signal(signal.SIGINT)
            rest = process.stdout.read()
        self.assertEqual(process.returncode, 0)
        self.assertIn("1 calls, 1 replies", rest)

    def test_misuse(self):
        for words, says in (([self.peer.tcp], "HOST and PROGRAM are required"), ([self.peer.tcp, "per"], "known programs: peer, "),
                            ([self.peer.tcp, "4711"], "add its version, as in 4711.1"),
                            ([self.peer.tcp, "yp"], "several programs"), ([self.peer.tcp, "remote"], "libvirt")):
            code, out, err = ping(*words)
            self.assertEqual((code, out), (2, ""), words)
            self.assertIn(says, err)


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main()
