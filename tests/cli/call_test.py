#!/usr/bin/env python3
"""helio call against rpcgen + libtirpc's server, as a user runs it.

Usage: call_test.py PATH_TO_HELIO
"""
import json
import os
import pathlib
import socket
import struct
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from peer_server import SCHEMA, PeerServer, closed_port, run  # noqa: E402

HELIO = ""
SAMPLE = {"name": "a", "numbers": [1, 2, 3], "lucky": 7, "paint": {"kind": "PEER_GREY", "level": 3}, "ratio": 1.5}


def call(*words, stdin=b""):
    return run(HELIO, "call", "--schema", SCHEMA, *words, stdin=stdin)


class Canned:
    """A server that answers its first record with these bytes behind the xid."""

    def __init__(self, listener, after_xid):
        self.listener, self.after_xid = listener, after_xid
        self.thread = threading.Thread(target=self.serve)

    def __enter__(self):
        self.listener.listen()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.thread.join()
        self.listener.close()

    def serve(self):
        connection, _ = self.listener.accept()
        with connection, connection.makefile("rb") as stream:
            size = struct.unpack(">I", stream.read(4))[0] & 0x7FFFFFFF
            record = stream.read(size)
            reply = record[:4] + self.after_xid
            connection.sendall(struct.pack(">I", 0x80000000 | len(reply)) + reply)
            stream.read(1)  # until the client has gone


def on_tcp():
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    return listener, f"127.0.0.1:{listener.getsockname()[1]}"


ACCEPTED = struct.pack(">5I", 1, 0, 0, 0, 0)  # REPLY, MSG_ACCEPTED, AUTH_NONE of no bytes, SUCCESS


class Call(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.peer = PeerServer(HELIO).__enter__()
        cls.addClassCleanup(cls.peer.__exit__)

    def test_rdma(self):
        # Without devices, or without a server, the error is that the server cannot be reached.
        code, out, err = call("--rdma", "127.0.0.1:1", "peer.ECHO", '"0102ff"')
        self.assertEqual((code, out), (3, ""))
        self.assertRegex(err, "RDMA")
        for words in (["--udp", self.peer.udp], ["--unix", "/nowhere"], ["unix:/nowhere"]):
            code, out, err = call("--rdma", *words, "peer.ECHO", '"0102ff"')
            self.assertEqual((code, out), (2, ""), err)

    def test_json_in_json_out(self):
        self.assertEqual(call(self.peer.tcp, "peer.ADD", '{"a": 1, "b": 2}'), (0, "3\n", ""))
        code, out, err = call(self.peer.tcp, "peer.TURN", json.dumps(SAMPLE))
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(json.loads(out), SAMPLE | {"numbers": [3, 2, 1], "ratio": -1.5})

    def test_from_file_and_standard_input(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write('{"a": 20, "b": 2}')
            file.flush()
            self.assertEqual(call(self.peer.tcp, "peer.ADD", "@" + file.name)[:2], (0, "22\n"))
        self.assertEqual(call(self.peer.tcp, "peer.ADD", "-", stdin=b'{"a": 30, "b": 2}')[:2], (0, "32\n"))

    def test_names_in_every_form(self):
        for name in ("peer.add", "PEER_V1.PEER_ADD", "PEER_PROGRAM.2.ADD", "0x20000100.1.1", "ADD"):
            self.assertEqual(call(self.peer.tcp, name, '{"a": 1, "b": 1}'), (0, "2\n", ""), name)

    def test_over_udp(self):
        self.assertEqual(call("--udp", self.peer.udp, "peer.ECHO", '"0102ff"'), (0, '"0102ff"\n', ""))

    def test_much_data(self):
        many = "ab" * 100_000
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(f'"{many}"')
            file.flush()
            self.assertEqual(call(self.peer.tcp, "peer.ECHO", "@" + file.name)[:2], (0, f'"{many}"\n'))
            code, _, err = call("--udp", self.peer.udp, "peer.ECHO", "@" + file.name)
            self.assertEqual(code, 2)
            self.assertIn("too long for a datagram", err)

    def test_void(self):
        self.assertEqual(call(self.peer.tcp, "peer.NULL"), (0, "null\n", ""))
        self.assertEqual(call(self.peer.tcp, "peer.NULL", "null"), (0, "null\n", ""))

    def test_repeat_is_so_many_calls(self):
        first = int(call(self.peer.tcp, "peer.COUNT")[1])
        code, out, _ = call(self.peer.tcp, "peer.COUNT", "--repeat", "3")
        self.assertEqual((code, out.split()), (0, [str(first + i) for i in (1, 2, 3)]))

    def test_credentials(self):
        def who(*words):
            return json.loads(call(self.peer.tcp, "peer.WHO", *words)[1])
        self.assertEqual(who("--auth", "none")["flavor"], 0)
        self.assertEqual(who("--auth", "sys:5:6,7,8"), {"flavor": 1, "uid": 5, "gid": 6, "gids": [7, 8]})
        mine = who()
        self.assertEqual((mine["flavor"], mine["uid"]), (1, os.geteuid()))
        for bad in ("sys:5", "sys:a:1", "sys:1:", "kerberos", "sys:1:" + ",".join("1" * 18)):
            code, _, err = call(self.peer.tcp, "peer.WHO", "--auth", bad)
            self.assertEqual(code, 2, bad)
            self.assertIn("'" + bad + "'", err)

    def test_bytes_are_named(self):
        code, out, err = call(self.peer.tcp, "peer.ADD", '{"a": 17, "b": 2}', "--show-bytes", "--auth", "none")
        self.assertEqual((code, out), (0, "19\n"))
        self.assertIn("sent 48 bytes\ncall of peer.2.ADD", err)
        self.assertIn("received 28 bytes\nreply to peer.2.ADD", err)
        self.assertRegex(err, r"12  20 00 01 00  body.cbody.prog +536871168")
        self.assertRegex(err, r"40  00 00 00 11  args.a +17")
        self.assertRegex(err, r"24  00 00 00 13  result +19")

    def test_credentials_are_named_as_helio_explain_does(self):
        code, _, err = call(self.peer.tcp, "peer.WHO", "--show-bytes", "--auth", "sys:5:6,7")
        self.assertEqual(code, 0)
        for field in (r"cred.flavor +AUTH_SYS|flavor +AUTH_SYS", r"uid +5", r"gid +6", r"gids\[0\] +7"):
            self.assertRegex(err, field)

    def test_json_that_does_not_fit(self):
        for bad, place in (('{"a": 1', "line 1, column 8"), ('{"a": 1, "b": "x"}', "$.b"), ('{"a": 1}', "'b'"),
                           ("[1]", "an object")):
            code, out, err = call(self.peer.tcp, "peer.ADD", bad)
            self.assertEqual((code, out), (1, ""), bad)
            self.assertIn(place, err)

    def test_misuse(self):
        for words, says in (
                ([self.peer.tcp], "HOST and PROCEDURE are required"),
                ([self.peer.tcp, "peer.ADD"], "helio template peer.2.ADD"),
                ([self.peer.tcp, "peer.ADDD", "1"], "did you mean 'ADD'?"),
                ([self.peer.tcp, "per.ADD", "1"], "known programs: peer, "),
                ([self.peer.tcp, "peer.7.ADD", "1"], "peer has no '7'; it has peer.1, peer.2"),
                ([self.peer.tcp, "GETATTR", "1"], "nfs2.GETATTR, nfs3.GETATTR"),
                ([self.peer.tcp, "remote.CONNECT_CLOSE"], "libvirt"),
                (["localhost:99999", "peer.NULL"], "'99999' is not a port"),
                ([self.peer.tcp, "peer.ADD", "@/no/such/file"], "cannot read '/no/such/file'"),
                ([self.peer.tcp, "peer.ADD", "@/"], "cannot read '/'"),
                ([self.peer.tcp, "peer.NULL", "--repeat", "0"], "1 to 4294967295"),
                ([self.peer.tcp, "peer.NULL", "--timeout", "2 weeks"], "is not a duration")):
            code, out, err = call(*words)
            self.assertEqual((code, out), (2, ""), words)
            self.assertIn(says, err)

    def test_nobody_there(self):
        held, where = closed_port()
        with held:
            for transport in ([], ["--udp"]):
                code, _, err = call(where, "peer.NULL", *transport)
                self.assertEqual(code, 3)
                self.assertIn(where, err)
                self.assertIn("Connection refused", err)
        code, _, err = call("no-such-host.invalid", "nfs3.NULL")
        self.assertEqual(code, 3)
        self.assertIn("cannot find 'no-such-host.invalid'", err)
        code, _, err = call("--unix", "/no/such/socket", "peer.NULL")
        self.assertEqual(code, 3)
        self.assertIn("unix:/no/such/socket: No such file or directory", err)

    def test_no_answer_in_time(self):
        for words in ([self.peer.tcp], ["--udp", self.peer.udp]):
            code, _, err = call(*words, "peer.SLOW", "1000", "--timeout", "50ms")
            self.assertEqual(code, 3)
            self.assertIn("no reply in time (50ms)", err)

    def test_refused_by_its_name(self):
        code, _, err = call(self.peer.tcp, "nfs3.NULL")
        self.assertEqual(code, 4)
        self.assertIn("PROG_UNAVAIL", err)
        denied = struct.pack(">4I", 1, 1, 1, 5)  # REPLY, MSG_DENIED, AUTH_ERROR, AUTH_TOOWEAK
        listener, where = on_tcp()
        with Canned(listener, denied):
            code, _, err = call(where, "peer.NULL")
        self.assertEqual(code, 4)
        self.assertIn("AUTH_ERROR: AUTH_TOOWEAK", err)

    def test_a_reply_that_does_not_fit(self):
        listener, where = on_tcp()
        with Canned(listener, ACCEPTED + b"\0\0\0"):
            code, out, err = call(where, "peer.ADD", '{"a": 1, "b": 2}')
        self.assertEqual((code, out), (1, ""))
        self.assertIn("does not match the schema: truncated", err)

    def test_padding_is_forgiven_and_told(self):
        listener, where = on_tcp()
        with Canned(listener, ACCEPTED + bytes.fromhex("00000001 aabbccdd")):
            code, out, err = call(where, "peer.ECHO", '""')
        self.assertEqual((code, out), (0, '"aa"\n'))
        self.assertIn("violates the XDR rules", err)

    def test_nothing_acts_on_the_terminal(self):
        evil = b"\x1b]0;owned\x07\x9b2J\x7f\r"
        name = struct.pack(">I", len(evil)) + evil + bytes(-len(evil) % 4)
        listener, where = on_tcp()
        with Canned(listener, ACCEPTED + name + bytes(4 + 4 + 4 + 8)):
            code, out, err = call(where, "peer.TURN", json.dumps(SAMPLE), "--show-bytes")
        self.assertEqual(code, 0)
        self.assertFalse(set((out + err).encode()) & (set(range(32)) - {10} | {0x7F, 0x9B}))

    def test_unix_socket(self):
        with tempfile.TemporaryDirectory() as folder:
            for words in (["--unix", folder + "/a"], ["unix:" + folder + "/b"]):
                listener = socket.socket(socket.AF_UNIX)
                listener.bind(words[-1].removeprefix("unix:"))
                with Canned(listener, ACCEPTED + struct.pack(">I", 3)):
                    self.assertEqual(call(*words, "peer.ADD", '{"a": 1, "b": 2}'), (0, "3\n", ""))


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main()
