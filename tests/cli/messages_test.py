#!/usr/bin/env python3
"""What helio says about mistakes that people make in their first minutes: each row is a command, its exit
code, and text on standard error (or standard output for those that succeed).

Usage: messages_test.py PATH_TO_HELIO
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from peer_server import closed_port, run  # noqa: E402
from serve_server import PATIENCE_S, Server  # noqa: E402

HELIO = ""


class Table(unittest.TestCase):
    def rows(self, rows):
        for words, code, said in rows:
            with self.subTest(" ".join(words)):
                got, out, err = run(HELIO, *words)
                self.assertEqual(got, code, err)
                self.assertIn(said, err if code else out)
                if code:
                    self.assertTrue(err.startswith("helio: "), err)
                    self.assertEqual(len(err.splitlines()), 1, err)


class Verbs(Table):
    def test_unknown_verbs_are_named(self):
        self.rows([
            (["lst"], 2, "'lst' is not a verb of helio; did you mean 'list'?"),
            (["frobnicate"], 2, "'frobnicate' is not a verb of helio; 'helio --help' lists them"),
            (["decode"], 2, "did you mean 'helio xdr decode'?"),
            (["xdr", "decoed"], 2, "'decoed' is not a verb of helio xdr; did you mean 'decode'?"),
            (["lst", "call"], 2, "'lst' is not a verb of helio"),
            ([], 2, "a verb is missing; 'helio --help' lists them"),
            (["xdr"], 2, "a verb is missing; 'helio xdr --help' lists them"),
        ])

    def test_verbs_of_virt(self):
        if "libvirt" not in run(HELIO, "help", "virt")[1]:
            self.skipTest("built without libvirt")
        self.rows([
            (["virt", "no-such-thing"], 2, "'helio virt call' calls any procedure of libvirt"),
            (["virt", "-c", "list", "lsit"], 2, "'lsit' is not a verb of helio virt; did you mean 'list'?"),
            (["virt", "--timeout", "2s", "dumpxlm", "web"], 2, "did you mean 'dumpxml'?"),
            (["help", "virt", "list"], 0, "Usage: helio virt list"),
            (["virt", "help", "list"], 0, "Usage: helio virt list"),
        ])

    def test_help_and_version(self):
        version = run(HELIO, "--version")[1]
        self.assertRegex(version, r"\d+\.\d+")
        self.rows([
            (["help"], 0, "Usage: helio"),
            (["help", "call"], 0, "Usage: helio call"),
            (["help", "xdr", "encode"], 0, "Usage: helio xdr encode"),
            (["xdr", "help"], 0, "Usage: helio xdr"),
            (["help", "clal"], 2, "did you mean 'call'?"),
            (["version"], 0, version),
            (["-V"], 0, version),
        ])


class Flags(Table):
    def test_unknown_flags(self):
        self.rows([
            (["serve", "--readonly", "."], 2, "unknown flag --readonly; did you mean --ro?"),
            (["serve", "--port", "3000", "."], 2, "unknown flag --port; --listen sets the port: --listen 3000"),
            (["serve", "-p", "3000", "."], 2, "unknown flag -p; --listen sets the port"),
            (["serve", "--quiet", "."], 2, "unknown flag --quiet; --log-level error logs less"),
            (["serve", "-d", "."], 2, "unknown flag -d; helio always runs in the foreground"),
            (["serve", "--lisetn=:1", "."], 2, "unknown flag --lisetn; did you mean --listen?"),
            (["serve", "--sync", "."], 2, "unknown flag --sync; did you mean --sync-metadata?"),
            (["serve", "--frobnicate", "."], 2, "unknown flag --frobnicate; 'helio serve --help' lists the flags"),
            (["call", "--tiemout", "1s"], 2, "unknown flag --tiemout; did you mean --timeout?"),
            (["--jsno", "list"], 2, "unknown flag --jsno"),
        ])

    def test_wrong_values(self):
        self.rows([
            (["serve", "--listen"], 2, "--listen needs a value"),
            (["serve", "memory:", "--threads", "many"], 2,
             "--threads: 'many' is not a whole number from 0 to 4294967295"),
            (["serve", "memory:", "--lease", "5"], 2, "--lease: Value 5 not in range 10 to 3600"),
            (["serve", "memory:", "--lease", "1h"], 2, "--lease: '1h' is not a whole number from 0 to 4294967295"),
            (["load", "h", "p", "--rate", "fast"], 2, "--rate: 'fast' is not a number"),
            (["serve", "memory:", "--anon-uid", "nosuchuser-7"], 2,
             "--anon-uid: this machine has no user 'nosuchuser-7'; a uid is a number from 0 to 4294967295"),
            (["serve", "memory:", "--anon-gid", "-7"], 2, "--anon-gid: this machine has no group '-7'"),
            (["call"], 2, "HOST is required; 'helio call --help' shows the usage"),
            (["list", "a", "b"], 2, "unexpected argument 'b'; 'helio list --help' shows the usage"),
            (["serve", "memory:", "--check", "--anon-uid", "root", "--squash", "all", "--anon-gid", "root"], 0,
             "uid 0 gid 0"),
        ])


class Check(Table):
    """--check finds what a start would."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)
        self.state = str(self.path / "state")

    def check(self, *words):
        return run(HELIO, "serve", "--check", "memory:", "--state", self.state, *words)

    def config(self, text):
        file = self.path / "helio.toml"
        file.write_text(text.replace("DIR", str(self.path)))
        code, _, err = run(HELIO, "serve", "--check", "--config", str(file), "--state", self.state)
        return code, err.replace(str(file), "FILE").replace(str(self.path), "DIR")

    def test_addresses(self):
        for where, said in (
            ("127.0.0.1:2049:3", "'127.0.0.1:2049:3' is neither HOST:PORT nor an IPv6 address"),
            ("192.0.2.77:0", "listen: cannot listen on tcp 192.0.2.77:0: Cannot assign requested address"),
            ("no-such-host.invalid", "cannot find 'no-such-host.invalid'"),
            ("nfs://127.0.0.1", "'nfs://127.0.0.1' is a URL; say HOST or HOST:PORT"),
            ("70000", "'70000' is not a port"),
        ):
            with self.subTest(where):
                code, out, err = self.check("--listen", where)
                self.assertIn(code, (1, 2))
                self.assertEqual(out, "")
                self.assertIn(said, err)
        for where in ("127.0.0.1:0", "0", ":0", "*:0", "localhost:0"):
            self.assertEqual(self.check("--listen", where)[0], 0, where)
        self.assertEqual(self.check("--metrics", "192.0.2.77:1")[0], 1)
        self.assertIn("metrics: cannot listen on tcp 192.0.2.77:1", self.check("--metrics", "192.0.2.77:1")[2])

    def test_addresses_that_overlap(self):
        held, where = closed_port()
        port = where.rpartition(":")[2]
        held.close()
        for first, second in ((f"127.0.0.1:{port}", f":{port}"), (f":{port}", f":{port}"), (port, f"127.0.0.1:{port}")):
            code, _, err = self.check("--listen", first, "--listen", second)
            self.assertEqual(code, 1, (first, second))
            self.assertIn(" overlap", err)
        both = ("--listen", f"0.0.0.0:{port}", "--listen", f"[::]:{port}")
        self.assertEqual(self.check(*both)[0], 0)
        with Server(HELIO, "memory:", *both, listen=None) as server:
            self.assertIn(f"0.0.0.0:{port}, [::]:{port}", server.text)

    def test_ports_that_are_taken(self):
        with socket.socket() as busy:
            busy.bind(("127.0.0.1", 0))
            busy.listen()
            where = "127.0.0.1:%d" % busy.getsockname()[1]
            self.assertEqual(self.check("--listen", where)[0], 0, "it may be the server that runs")
            code, _, err = self.check("--listen", where, "--check-ports")
            self.assertEqual(code, 1)
            self.assertIn(f"listen: cannot listen on tcp {where}: Address already in use", err)

    def test_state_is_looked_at_and_left_alone(self):
        self.assertEqual(self.check()[0], 0)
        self.assertFalse(os.path.exists(self.state))
        os.mkdir(self.state, 0o700)
        os.chmod(self.state, 0o777)
        code, _, err = self.check()
        self.assertEqual(code, 1)
        self.assertIn("can be written by others", err)

    def test_files(self):
        (self.path / "a").mkdir()
        (self.path / "b").mkdir()
        for text, said in (
            ('listen = "127.0.0.1:2049:3"\n', "FILE:1:10: 'listen': '127.0.0.1:2049:3' is neither"),
            ('[[export]]\npath = "DIR/a"\n[[export]]\npath = "DIR/b/../a"\n',
             "FILE:3:1: 'DIR/b/../a' would be exported as /a, like 'DIR/a'; give it another name: "
             'name = "NAME"'),
            ('[[export]]\npath = "DIR/a\n', 'FILE:2:'),
            ('[[export]]\npath = "DIR/a\n', 'a string has no closing quote; the line reads: path = "DIR/a'),
            ('[[export]]\nname = "x"\npath = "DIR/x"\n[[export]]\nname = "y"\npath = "DIR/y"\n',
             "FILE:1:1: DIR/x: No such file or directory"),
            ('[[export]]\nname = "x"\npath = "DIR/x"\n[[export]]\nname = "y"\npath = "DIR/y"\n',
             "FILE:4:1: DIR/y: No such file or directory"),
            ('[[export]]\npath = "memory:"\nanon-uid = "nosuchuser-7"\n',
             "FILE:3:12: 'anon-uid': this machine has no user 'nosuchuser-7'"),
        ):
            with self.subTest(said):
                code, err = self.config(text)
                self.assertEqual(code, 1)
                self.assertIn(said, err)

    def test_warnings(self):
        self.assertNotIn("WARNING", self.check("--listen", "127.0.0.1:0")[1])
        self.assertIn("can change the files in /", self.check("--listen", ":0")[1])
        self.assertNotIn("WARNING", self.check("--listen", ":0", "--ro")[1])
        self.assertNotIn("WARNING", self.check("--listen", ":0", "--allow", "10.0.0.0/8")[1])
        self.assertIn("WARNING: no client can mount /", self.check("--listen", "127.0.0.1:0", "--allow", "10.0.0.7")[1])


class Start(unittest.TestCase):
    def test_a_port_alone_is_of_this_machine(self):
        with Server(HELIO, "memory:", listen="0") as server:
            self.assertIn(f"NFS versions 4.2, 4.1, 3 and 2 at 127.0.0.1:{server.port},", server.text)

    def test_strangers_who_can_write_are_warned_about(self):
        with Server(HELIO, "memory:", listen=":0") as server:
            self.assertIn("\nWARNING: anyone ", server.text)
            self.assertIn("Restrict clients with --allow NETWORK, or export read-only with --ro.", server.text)
        with Server(HELIO, "memory:", "--ro", listen=":0") as server:
            self.assertNotIn("WARNING", server.text)

    def test_an_export_for_nobody_has_no_mount_line(self):
        with Server(HELIO, "memory:", "--allow", "192.168.1.10") as server:
            self.assertIn("WARNING: no client can mount /: only 192.168.1.10 may use it", server.text)
            self.assertNotIn("mount -t nfs", server.text)

    def test_two_servers_on_one_directory_do_not_contradict_themselves(self):
        with tempfile.TemporaryDirectory() as folder:
            state = folder + "/state"
            with Server(HELIO, folder, state=state), Server(HELIO, folder, state=state) as second:
                if "another server uses the index" not in second.log():
                    self.skipTest("no index is needed here")
                self.assertNotIn("stay valid across restarts", second.text)
                self.assertIn(f"File handles of {folder} may become invalid", second.text)

    def test_libnfs_lines_work(self):
        if shutil.which("nfs-ls") is None:
            self.skipTest("libnfs-utils is not installed")
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            (pathlib.Path(folder) / "FILE").write_text("hello\n")
            for export in (folder, f"d={folder}"):
                with Server(HELIO, export) as server:
                    lines = [line.strip().removeprefix("libnfs").strip() for line in server.text.splitlines()
                             if "nfsport=" in line]
                    self.assertEqual(len(lines), 2, server.text)
                    listed, printed = (subprocess.run(line, shell=True, capture_output=True, text=True,
                                                      timeout=PATIENCE_S) for line in lines)
                    self.assertIn("FILE", listed.stdout, listed.stderr)
                    self.assertEqual(printed.stdout, "hello\n", printed.stderr)

    def test_metrics_that_are_configured_do_not_move(self):
        with socket.socket() as busy, tempfile.TemporaryDirectory() as folder:
            busy.bind(("127.0.0.1", 0))
            busy.listen()
            where = "127.0.0.1:%d" % busy.getsockname()[1]
            code, _, err = run(HELIO, "serve", "memory:", "--listen", "0", "--state", folder + "/s", "--metrics", where)
            self.assertEqual(code, 2)
            self.assertIn(f"metrics: cannot listen on {where}: Address already in use", err)
            self.assertIn("set another address, or off", err)

    def test_health_says_whose_it_is(self):
        with Server(HELIO, "d=memory:") as server:
            report = json.load(urllib.request.urlopen(server.metrics + "/health", timeout=PATIENCE_S))
            self.assertEqual(report["pid"], server.process.pid)
            self.assertEqual(report["exports"], [{"export": "/d", "source": "memory:"}])
            self.assertEqual(report["version"], run(HELIO, "--version")[1].strip())

    def test_denials_in_json_have_fields(self):
        with Server(HELIO, "d=memory:", "--ro", "--log", "json") as server:
            server.wait_for_log('"message": "metrics"')
            records = [json.loads(line) for line in server.log().splitlines()]
            where = next(one["address"] for one in records if one["message"] == "listening")
            handle = json.loads(run(HELIO, "call", where, "mount.MNT", '"/d"')[1])["mountinfo"]["fhandle"]
            run(HELIO, "call", where, "nfs3.REMOVE", json.dumps({"object": {"dir": handle, "name": "x"}}))
            run(HELIO, "call", where, "mount.MNT", '"/other"')
            run(HELIO, "ping", where, "100003.9", "--count", "1")
            server.wait_for_log("100003 version 9")
            records = [json.loads(line) for line in server.log().splitlines()]
            removed = next(one for one in records if one.get("procedure") == "NFS3 REMOVE")
            self.assertEqual((removed["export"], removed["status"], removed["reason"]),
                             ("/d", "NFS3ERR_ROFS", "/d is read-only"))
            self.assertEqual(removed["uid"], os.getuid())
            self.assertRegex(removed["client"], r"127\.0\.0\.1:\d+")
            self.assertRegex(removed["xid"], "0x[0-9a-f]{8}")
            mounted = next(one for one in records if one.get("procedure") == "MOUNT3 MNT")
            self.assertNotIn("export", mounted)
            refused = next(one for one in records if one["area"] == "rpc")
            self.assertEqual((refused["program"], refused["version"]), (100003, 9))
            self.assertEqual(refused["status"], "PROG_MISMATCH")


class Calls(Table):
    def test_arguments(self):
        self.rows([
            (["call", "localhost", "mount.MNT", "/export"], 1, """'"/export"'"""),
            (["call", "localhost", "nfs3.GETATTR", '{"obj": "00"}'], 1,
             """'object' of GETATTR3args is missing, and "obj" is not one of its fields; it has object"""),
            (["call", "localhost", "nfs3.READ", "[]"], 1,
             "takes an object with the fields of READ3args: file, offset, count"),
            (["call", "nfs://127.0.0.1", "nfs3.NULL"], 2, "'nfs://127.0.0.1' is a URL; say HOST or HOST:PORT"),
            (["call", "http://127.0.0.1:3500", "nfs3.NULL"], 2, "is a URL; say HOST or HOST:PORT"),
            (["ping", "localhost", "nfs5"], 2, "no schema has 'nfs5'"),
            (["ping", "localhost", "nfs5"], 2, "100003.5 names it by number"),
            (["template", "nfs3.CREATE3args"], 0, '"where"'),
            (["template", "nfs3.nosuch"], 2, "nosuch"),
        ])

    def test_a_struct_of_one_field_may_be_bare(self):
        with Server(HELIO, "memory:") as server:
            where = f"127.0.0.1:{server.port}"
            handle = json.loads(run(HELIO, "call", where, "mount.MNT", '"/"')[1])["mountinfo"]["fhandle"]
            for arguments in ({"object": handle}, {"object": {"data": handle}}, handle):
                code, out, err = run(HELIO, "call", where, "nfs3.GETATTR", json.dumps(arguments))
                self.assertEqual(code, 0, err)
                self.assertEqual(json.loads(out)["status"], "NFS3_OK")
            code, out, _ = run(HELIO, "list", where, "--json")
            names = [one["names"] for one in json.loads(out)["programs"] if one["program"] == 100003]
            self.assertIn(["nfs2", "nfs3", "nfs4"], names)

    def test_load_on_nobody(self):
        held, where = closed_port()
        with held:
            code, out, err = run(HELIO, "load", where, "nfs3.NULL", "--duration", "1s", "--warmup", "0")
            self.assertEqual((code, out), (3, ""))
            self.assertEqual(err, f"helio: {where} cannot be reached: Connection refused\n")
            code, _, err = run(HELIO, "load", where, "nfs3.NULL", "--html", "/nonexistent/x.html")
            self.assertEqual((code, err), (2, "helio: cannot write '/nonexistent/x.html'\n"))


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main()
