#!/usr/bin/env python3
"""helio clients and helio locks: what they list, eviction, who may ask, and which server they find.

Usage: clients_test.py PATH_TO_HELIO
"""
import contextlib
import json
import os
import pathlib
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import nfs4_client  # noqa: E402
from nfs4_client import OK, PUTROOTFH, opaque, word  # noqa: E402
from peer_server import run  # noqa: E402
from serve_server import PATIENCE_S, Server  # noqa: E402

HELIO = ""
NOBODY = 65534
OPEN, LOCK = 18, 12
DENIED, BADSESSION, SHARE_DENIED = 10010, 10052, 10015
READ, WRITE = 1, 2
CURRENT_STATEID = struct.pack(">4I", 1, 0, 0, 0)
TO_THE_END = 2**64 - 1
CONTROL = 0x2048454C


class NfsClient(nfs4_client.Nfs4):
    def in_session(self, *operations, expect=OK):
        status, _ = self.compound(*operations)
        if status != expect:
            raise AssertionError(f"status {status} of a COMPOUND, expected {expect}")

    def open(self, name, access=READ | WRITE, deny=0, expect=OK, then=()):
        self.in_session(PUTROOTFH, word(OPEN, 0, access, deny, 0, 0) + opaque(b"process") + word(0, 0)
                        + opaque(name), *then, expect=expect)

    def lock(self, name, offset=0, length=TO_THE_END, kind=WRITE, owner=b"thread", expect=OK):
        self.open(name, expect=expect, then=[
            word(LOCK, kind, 0) + struct.pack(">QQ", offset, length) + word(1, 0) + CURRENT_STATEID
            + word(0, 0, 0) + opaque(owner)])


class Tests(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.folder = pathlib.Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.folder.chmod(0o755)
        self.data, self.state = self.folder / "data", self.folder / "state"
        self.data.mkdir()
        (self.data / "docs").mkdir()
        for name in ("a", "b", "c"):
            (self.data / name).write_text("x" * 100)
            (self.data / name).chmod(0o666)

    def serve(self, *more, **how):
        server = Server(HELIO, str(self.data), "--versions", "4.2,4.1,3,2", *more, state=str(self.state), **how)
        return self.stack.enter_context(server)

    def client(self, server, name, **how):
        client = NfsClient(server.port, name=name, **how)
        self.addCleanup(client.close)
        return client

    def ask(self, *command, code=0, state=True, before=(), env=None):
        command = [*before, HELIO, *command, *(["--state", str(self.state)] if state else [])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, env=env)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr

    def listed(self, *command):
        return json.loads(self.ask(*command, "--json")[0])


class Lists(Tests):
    def test_clients_and_what_they_hold(self):
        server = self.serve()
        self.assertEqual(self.listed("clients"), [])
        self.assertEqual(self.listed("locks"), [])
        one = self.client(server, b"host one\x1b[31m", implementation=b"Linux 6.12.0 #1 SMP")
        two = self.client(server, b"host two", back_channel=True)
        one.open(b"a", access=READ, deny=WRITE)
        two.lock(b"b", 10, 5, WRITE)
        two.lock(b"b", 50, TO_THE_END, READ)
        clients = self.listed("clients")
        self.assertEqual([(c["id"], c["opens"], c["locks"], c["sessions"], c["expired"], c["address"], c["version"])
                          for c in clients],
                         [(f"{one.id:016x}", 1, 0, 1, False, "127.0.0.1", "4.1"),
                          (f"{two.id:016x}", 1, 2, 1, False, "127.0.0.1", "4.1")])
        self.assertEqual(clients[0]["implementation"], "Linux 6.12.0 #1 SMP (example.org)")
        self.assertEqual([c["back_channel"] for c in clients], [False, True])
        self.assertEqual([c["name"] for c in clients], ["host one\\x1b[31m", "host two"])
        rows = self.listed("locks")
        self.assertEqual([(r["kind"], r["file"], r["name"], r["owner"]) for r in rows],
                         [("open", "/a", "host one\\x1b[31m", "process"), ("open", "/b", "host two", "process"),
                          ("lock", "/b", "host two", "thread"), ("lock", "/b", "host two", "thread")])
        self.assertEqual((rows[0]["access"], rows[0]["deny"]), ("read", "write"))
        self.assertEqual([(r["type"], r["offset"], r["length"]) for r in rows[2:]],
                         [("write", 10, 5), ("read", 50, None)])
        self.assertEqual(len(self.listed("locks", "/b")), 3)
        self.assertEqual(self.listed("locks", "/nothing"), [])

        text, _ = self.ask("clients")
        self.assertNotIn("\x1b", text)
        self.assertRegex(text, rf"{two.id:016x}  127\.0\.0\.1  4\.1 +1 +1 +2 +\d+ s left +yes +host two")
        text, _ = self.ask("locks")
        self.assertRegex(text, rf"/a +open read +- +write +{one.id:016x}")
        self.assertRegex(text, rf"/b +lock write +10-14 +- +{two.id:016x} +host two +thread")
        self.assertIn("50-end", text)

        (self.data / "b").rename(self.data / "docs" / "moved")
        self.assertEqual({r["file"] for r in self.listed("locks", "/docs")}, {"/docs/moved"})
        (self.data / "docs" / "moved").unlink()
        self.assertRegex(self.listed("locks")[1]["file"], "^/#[0-9a-f]+$")

        metrics = server.get("/metrics")[1]
        for line in ("helio_nfs4_clients 2", "helio_nfs4_clients_expired 0", "helio_nfs4_sessions 2",
                     "helio_nfs4_opens 2", "helio_nfs4_locks 2", "helio_nfs4_in_grace 0",
                     'helio_nfs4_clients_evicted_total{reason="administrator"} 0', "helio_nfs4_replays_total 0"):
            self.assertIn(line + "\n", metrics)
        health = json.loads(server.get("/health")[1])
        self.assertEqual(health["nfs4"], {"clients": 2, "expired": 0, "sessions": 2, "opens": 2, "locks": 2,
                                          "in_grace": False})

    def test_long_lists_come_in_pages(self):
        server = self.serve()
        many = [self.client(server, b"client %04d" % i + b"x" * 1000) for i in range(70)]
        for i in range(700):
            many[0].lock(b"a", 2 * i, 1)
        for i in range(300):
            many[1].lock(b"b", 2 * i, 1, owner=b"thread %d" % i)
        self.assertEqual([c["name"][:11] for c in self.listed("clients")], [f"client {i:04d}" for i in range(70)])
        rows = self.listed("locks")
        self.assertEqual([r["offset"] for r in rows if r["file"] == "/a" and r["kind"] == "lock"],
                         [2 * i for i in range(700)])
        self.assertEqual([r["owner"] for r in rows if r["file"] == "/b" and r["kind"] == "lock"],
                         [f"thread {i}" for i in range(300)])
        self.assertEqual([c["locks"] for c in self.listed("clients")[:3]], [700, 300, 0])

    def test_without_version_4_there_is_nothing_to_list(self):
        server = self.stack.enter_context(Server(HELIO, "memory:", "--versions", "3", state=str(self.state)))
        self.assertTrue(server.port)
        text, said = self.ask("clients")
        self.assertEqual(text.count("\n"), 1)
        self.assertIn("does not serve NFS 4", said)

    def test_the_protocol_is_rpc_like_any_other(self):
        server = self.serve()
        one = self.client(server, b"host one")
        where = f"unix:{self.state}/control.sock"
        code, out, err = run(HELIO, "call", where, "helio_control.CLIENTS", "0")
        self.assertEqual(code, 0, err)
        self.assertEqual(json.loads(out)["rows"][0]["id"], one.id)


class Evict(Tests):
    def test_an_evicted_client_loses_its_locks_to_others(self):
        server = self.serve()
        one, two = self.client(server, b"one"), self.client(server, b"two")
        one.lock(b"a")
        two.lock(b"a", expect=DENIED)
        text, _ = self.ask("clients", "evict", f"{one.id:016x}")
        self.assertEqual(text, f"evicted {one.id:016x}\n")
        two.lock(b"a")
        one.in_session(PUTROOTFH, expect=BADSESSION)
        self.assertEqual([c["name"] for c in self.listed("clients")], ["two"])
        server.wait_for_log(f"uid {os.geteuid()} evicted client {one.id:016x}")
        self.assertRegex(server.log(), f"{one.id:016x} .one. at 127.0.0.1: 1 open files, 1 owners of locks")
        self.assertIn('helio_nfs4_clients_evicted_total{reason="administrator"} 1\n', server.get("/metrics")[1])
        # It starts again.
        again = self.client(server, b"one")
        again.lock(b"a", expect=DENIED)
        again.lock(b"b")

    def test_unknown_and_impossible_ids(self):
        server = self.serve()
        one = self.client(server, b"one")
        _, said = self.ask("clients", "evict", "0x1234", f"{one.id:x}", code=1)
        self.assertIn("there is no client 0000000000001234; helio clients lists them", said)
        self.assertEqual(self.listed("clients"), [])
        for text in ("host", "", "0x", "1" * 17):
            _, said = self.ask("clients", "evict", text, code=2)
            self.assertIn(f"'{text}' is not the id of a client", said)
        self.ask("clients", "evict", "0", code=1)
        self.ask("clients", "evict", "f" * 16, code=1)


class Reload(Tests):
    def configure(self, folder, sync):
        (self.folder / "helio.toml").write_text(f'sync-metadata = {sync}\n[[export]]\npath = "{folder}"\n')

    # Files that are open in a file system are of no use to the one that takes its place.
    def test_another_file_system_ends_what_was_open_in_the_old_one(self):
        self.configure(self.data, "false")
        server = self.stack.enter_context(
            Server(HELIO, "--config", str(self.folder / "helio.toml"), state=str(self.state)))
        one = self.client(server, b"one")
        one.lock(b"a")
        self.configure(self.data, "true")
        server.reload("reloaded exports=1")
        self.assertEqual(self.listed("locks"), [])
        one.lock(b"a")
        server.reload("reloaded exports=1", 2)
        self.assertEqual(len(self.listed("locks")), 2, "nothing has changed")
        self.configure(self.data / "docs", "true")
        server.reload("reloaded exports=1", 3)
        self.assertEqual(self.listed("locks"), [])
        one.in_session(PUTROOTFH)


class WhichServer(Tests):
    def test_no_server(self):
        _, said = self.ask("clients", code=3)
        self.assertIn(f"no running helio serve found; there is no control socket of one in {self.state}", said)
        env = {"HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder / "run"),
               "XDG_STATE_HOME": str(self.folder / "s")}
        _, said = self.ask("locks", code=3, state=False, env=env)
        self.assertIn(f"{self.folder}/s/heliograph, {self.folder}/run", said)
        _, said = self.ask("clients", "--socket", str(self.folder / "none"), code=3, state=False)
        self.assertIn(str(self.folder / "none"), said)
        self.assertIn("No such file", said)

    def test_a_dead_socket_is_replaced_and_a_live_one_is_not(self):
        server = self.serve()
        path = self.state / "control.sock"
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        self.assertTrue(path.exists())
        _, said = self.ask("clients", code=3)
        self.assertIn("no running helio serve found", said)
        self.serve()
        self.assertEqual(self.listed("clients"), [])
        self.assertFalse((self.state / "control-2.sock").exists())
        # A second server beside it, with the same state.
        other = self.stack.enter_context(Server(HELIO, "memory:", "--versions", "4.1", state=str(self.state)))
        _, said = self.ask("clients", code=2)
        self.assertIn("2 servers are running; choose one with --socket:", said)
        self.assertIn(f"--socket {path}  (pid ", said)
        self.assertIn(f"--socket {self.state}/control-2.sock  (pid {other.process.pid}, 127.0.0.1:{other.port}, exports /)",
                      said)
        self.ask("clients", "--socket", f"{self.state}/control-2.sock", state=False)
        self.assertEqual(other.stop(), 0)
        self.assertFalse((self.state / "control-2.sock").exists())
        self.assertEqual(self.listed("clients"), [])

    def test_without_a_state_directory_the_socket_is_in_the_runtime_directory(self):
        runtime = self.folder / "runtime"
        runtime.mkdir()
        env = {**os.environ, "XDG_RUNTIME_DIR": str(runtime)}
        server = self.serve_at("/proc/nothing", env)
        self.assertEqual(json.loads(self.ask("clients", "--json", "--socket", str(runtime / "control.sock"),
                                             state=False)[0]), [])
        self.assertEqual(server.stop(), 0)
        self.assertFalse((runtime / "control.sock").exists())
        del env["XDG_RUNTIME_DIR"]
        server = self.serve_at("/proc/nothing", env)
        server.wait_for_log("helio clients and helio locks cannot ask this server")

    def serve_at(self, state, env):
        return self.stack.enter_context(Server(HELIO, "memory:", "--versions", "4.1,3", state=state, env=env))


@unittest.skipUnless(os.geteuid() == 0, "needs root, to be somebody else")
class WhoMayAsk(Tests):
    def as_nobody(self, *command, code=0, **more):
        return self.ask(*command, code=code, before=["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"],
                        **more)

    def test_others_are_refused_by_the_directory_the_socket_and_the_server(self):
        server = self.serve()
        one = self.client(server, b"one")
        _, said = self.as_nobody("clients", code=4)
        self.assertIn(f"{self.state}: permission denied: only root and the user who runs the server may ask it", said)
        self.state.chmod(0o711)
        _, said = self.as_nobody("clients", code=4)
        self.assertIn(f"{self.state}/control.sock: permission denied", said)
        (self.state / "control.sock").chmod(0o666)
        for command in (("clients",), ("locks",), ("clients", "evict", f"{one.id:x}")):
            _, said = self.as_nobody(*command, code=4)
            self.assertIn(f"{self.state}/control.sock: permission denied", said)
        server.wait_for_log(f"uid {NOBODY} asked, but only uid 0 and root may; refused it")
        self.assertEqual(len(self.listed("clients")), 1)

    def test_the_user_who_runs_the_server_and_root_may(self):
        self.folder.chmod(0o777)
        self.serve(before=["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"])
        self.assertEqual(json.loads(self.as_nobody("clients", "--json")[0]), [])
        self.assertEqual(self.listed("clients"), [])


class Garbage(Tests):
    def send(self, data):
        with socket.socket(socket.AF_UNIX) as wire:
            wire.settimeout(PATIENCE_S)
            wire.connect(str(self.state / "control.sock"))
            wire.sendall(data)
            wire.shutdown(socket.SHUT_WR)
            answer = b""
            with contextlib.suppress(ConnectionError):
                while block := wire.recv(65536):
                    answer += block
            return answer

    def test_bytes_of_all_kinds(self):
        server = self.serve()
        one = self.client(server, b"one")
        one.lock(b"a")

        def call(procedure, arguments, version=1, program=CONTROL):
            body = word(7, 0, 2, program, version, procedure, 0, 0, 0, 0) + arguments
            return word(0x80000000 | len(body)) + body

        for data in (b"", b"\0", b"GET / HTTP/1.0\r\n\r\n", b"\xff" * 4096, os.urandom(4096), word(0x80000000),
                     call(2, b""), call(3, b"\0" * 31), call(9, b""), call(1, b"", version=2),
                     call(1, b"", program=100003)):
            self.send(data)
        # Positions that no list ever had.
        for position in ((2**64 - 1,) * 4, (one.id, 2**64 - 1, 1, 1), (one.id, 1, 2**64 - 1, 2**64 - 1), (0, 0, 1, 5)):
            answer = self.send(call(3, struct.pack(">4Q", *position)))
            self.assertEqual(struct.unpack(">7I", answer[:28])[1:], (7, 1, 0, 0, 0, 0), position)
        self.assertEqual(len(self.listed("locks")), 2)

    def test_the_ports_of_nfs_do_not_serve_it(self):
        server = self.serve()
        code, _, err = run(HELIO, "call", f"127.0.0.1:{server.port}", "helio_control.INFO")
        self.assertEqual(code, 4)
        self.assertIn("PROG_UNAVAIL", err)


if __name__ == "__main__":
    HELIO = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
