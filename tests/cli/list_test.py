#!/usr/bin/env python3
"""helio list with Debian's rpcbind, and ports found through it; in a network namespace of the test's own.

Usage: list_test.py PATH_TO_HELIO
"""
import json
import pathlib
import re
import socket
import struct
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from own_network import isolate, servers  # noqa: E402
from peer_server import SCHEMA, PeerServer, closed_port, run  # noqa: E402

HELIO = ""
PEER = 0x20000100


class WithoutRpcbind(unittest.TestCase):
    def test_it_says_what_was_tried(self):
        code, out, err = run(HELIO, "list", "127.0.0.1")
        self.assertEqual((code, out), (3, ""))
        self.assertIn("127.0.0.1:111: Connection refused", err)
        self.assertIn("127.0.0.1:111 over UDP: Connection refused", err)
        held, where = closed_port()
        with held:
            code, _, err = run(HELIO, "list", where)
        self.assertEqual(code, 3)
        self.assertIn(where, err)

    def test_a_program_without_a_port_of_its_own(self):
        code, _, err = run(HELIO, "call", "127.0.0.1", "mount.NULL")
        self.assertEqual(code, 3)
        self.assertIn("127.0.0.1:111: Connection refused", err)
        self.assertIn("use HOST:PORT", err)

    def test_nfs_is_looked_for_at_2049(self):
        code, _, err = run(HELIO, "call", "127.0.0.1", "nfs3.NULL")
        self.assertEqual(code, 3)
        self.assertIn("nfs3.NULL at 127.0.0.1:2049 (the port is NFS's own", err)

    def test_misuse(self):
        self.assertEqual(run(HELIO, "list", "127.0.0.1:x")[0], 2)


class Hostile(unittest.TestCase):
    def test_its_strings_do_not_act_on_the_terminal(self):
        def text(raw):
            return struct.pack(">I", len(raw)) + raw + bytes(-len(raw) % 4)
        entry = struct.pack(">3I", 1, 100003, 3) + text(b"\x1b[2J") + text(b"\x1b]0;x\x07") + text(b"\x9b1m")
        reply = struct.pack(">5I", 1, 0, 0, 0, 0) + entry + bytes(4)
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()

            def serve():
                for _ in range(2):
                    connection, _ = listener.accept()
                    with connection:
                        record = connection.recv(4096)
                        connection.sendall(
                            struct.pack(">I", 0x80000000 | (len(reply) + 4)) + record[4:8] + reply)
                        connection.recv(1)
            thread = threading.Thread(target=serve)
            thread.start()
            where = f"127.0.0.1:{listener.getsockname()[1]}"
            for words in ([], ["--json"]):
                code, out, _ = run(HELIO, "list", where, *words)
                self.assertEqual(code, 0)
                self.assertIn("nfs3", out)
                self.assertFalse(set(out.encode()) - set(range(32, 127)) - {10})
            thread.join()


class WithRpcbind(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        module = servers()
        try:
            module.private_folders("/run")
            pathlib.Path("/run/rpcbind").mkdir()
            cls.enterClassContext(module.rpcbind())
        except module.Skipped as why:
            raise unittest.SkipTest(str(why))
        cls.peer = cls.enterClassContext(PeerServer(HELIO))
        for netid, where in (("tcp", cls.peer.tcp), ("udp", cls.peer.udp)):
            port = int(where.split(":")[1])
            arguments = {"r_prog": PEER, "r_vers": 2, "r_netid": netid, "r_owner": "",
                         "r_addr": f"127.0.0.1.{port >> 8}.{port & 255}"}
            # Only from the machine itself, which rpcbind believes over its AF_UNIX socket.
            code, out, err = run(HELIO, "call", "--unix", "/run/rpcbind.sock", "rpcb.SET", json.dumps(arguments))
            assert (code, out) == (0, "true\n"), err

    def test_programs_with_their_names(self):
        code, out, err = run(HELIO, "list", "127.0.0.1", "--schema", SCHEMA)
        self.assertEqual((code, err), (0, ""))
        rows = [line.split() for line in out.splitlines()]
        self.assertEqual(rows[0], ["program", "versions", "name", "netid", "address", "owner"])
        self.assertIn(["100000", "2", "3", "4", "rpcb", "tcp", "0.0.0.0:111", "superuser"], rows)
        self.assertIn([str(PEER), "2", "peer", "tcp", self.peer.tcp, "superuser"], rows)
        self.assertTrue(re.search(r"^100000 .* local +\S*/run/rpcbind.sock", out, re.MULTILINE), out)

    def test_json(self):
        code, out, _ = run(HELIO, "list", "127.0.0.1", "--json")
        programs = json.loads(out)["programs"]
        self.assertIn({"program": 100000, "versions": [2, 3, 4], "name": "rpcb", "names": ["rpcb"], "netid": "udp",
                       "address": "0.0.0.0:111", "port": 111, "universal_address": "0.0.0.0.0.111",
                       "owner": "superuser"}, programs)

    def test_calls_find_their_port(self):
        for words in ([], ["--udp"]):
            self.assertEqual(run(HELIO, "call", *words, "--schema", SCHEMA, "127.0.0.1", "peer.ADD",
                                 '{"a": 1, "b": 2}'), (0, "3\n", ""))
        code, out, _ = run(HELIO, "ping", "--schema", SCHEMA, "127.0.0.1", "peer", "--count", "1")
        self.assertEqual(code, 0)
        self.assertIn(f"at {self.peer.tcp} (its rpcbind named the port)", out)

    def test_what_is_not_registered(self):
        code, _, err = run(HELIO, "call", "127.0.0.1", "mount.NULL")
        self.assertEqual(code, 3)
        self.assertIn("100005", err)
        self.assertIn("not registered", err)

    def test_the_portmapper_itself(self):
        port = self.peer.tcp.split(":")[1]
        asked = json.dumps({"prog": PEER, "vers": 2, "prot": 6, "port": 0})
        self.assertEqual(run(HELIO, "call", "127.0.0.1", "rpcb.2.GETPORT", asked)[:2], (0, port + "\n"))
        self.assertEqual(run(HELIO, "ping", "127.0.0.1", "portmapper", "--count", "1")[0], 0)


if __name__ == "__main__":
    isolate()
    HELIO = sys.argv.pop(1)
    unittest.main()
