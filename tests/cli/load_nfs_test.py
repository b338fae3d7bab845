#!/usr/bin/env python3
"""helio load nfs, as a user runs it: against a small server that can lie, NFS-Ganesha, and our own server.

Usage: load_nfs_test.py PATH_TO_HELIO
"""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from own_network import MARK, isolate, servers  # noqa: E402
from patience import LONGER_DURATIONS, PATIENCE_S  # noqa: E402
from peer_server import closed_port, run  # noqa: E402
from small_nfs import SmallNfs  # noqa: E402

HELIO = ""
FEW = ("--warmup", "50ms", "--connections", "2", "--depth", "2", "--files", "5", "--data-files", "2",
       "--data-size", "64k", "--entries", "50")
ALL = ("null", "getattr", "lookup", "access", "read", "write", "create", "readdirplus", "mixed")
ALL_V4 = (*ALL, "open", "open-read", "lock")
GANESHA = """
NFS_CORE_PARAM { Bind_addr = 127.0.0.1; NFS_Port = 2049; Protocols = 3, 4; }
NFSV4 { Graceless = true; Minor_Versions = 1, 2; }
MEM { Inode_Size = 1048576; }
EXPORT { Export_Id = 1; Path = /export; Pseudo = /export; Access_Type = RW; Squash = None; FSAL { Name = MEM; } }
"""


def load(target, *words, duration=LONGER_DURATIONS[0]):
    return run(HELIO, "load", "nfs", target, "--duration", duration, *words)


def target(server, path="/export"):
    return f"127.0.0.1:{server.port}:{path}"


def has_serve():
    return "\n  serve " in run(HELIO, "--help")[1]


@contextlib.contextmanager
def our_server(*words):
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    process = subprocess.Popen([HELIO, "serve", "--listen", f"127.0.0.1:{port}", "--rw", "--squash", "none", *words],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and process.poll() is None:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            time.sleep(0.01)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


class Honest(unittest.TestCase):
    def check(self, where, *words, operations=ALL):
        for duration in LONGER_DURATIONS:
            code, out, err = load(where, *operations, "--json", *FEW, *words, duration=duration)
            if code not in (0, 1) or all(server["rate"] > 0 for one in json.loads(out)["operations"] for server in one["servers"]):
                break
        self.assertEqual((code, err), (0, ""), out[:2000])
        report = json.loads(out)
        self.assertEqual([one["operation"] for one in report["operations"]], [one.split(":")[0] for one in operations])
        for operation in report["operations"]:
            for server in operation["servers"]:
                self.assertGreater(server["rate"], 0, f"{operation['name']} on {server['target']}")
                for one in server["rounds"]:
                    self.assertEqual((one["wrong"], one["load"]["failed"], one["load"]["strays"]), (0, 0, 0))
                    self.assertEqual(one["checked"], one["load"]["answered"])
        return {one["name"]: one for one in report["operations"]}

    def test_a_small_server(self):
        with SmallNfs() as server:
            found = self.check(target(server))
            self.assertGreater(found["readdirplus"]["servers"][0]["rounds"][0]["listings"], 0)
            write = next(found[name] for name in found if name.startswith("write"))
            self.assertGreater(write["servers"][0]["rounds"][0]["read_back"], 0)
            self.assertEqual(list(server.nodes), [1], "everything it made is removed again")

    def test_sizes_patterns_and_stability(self):
        with SmallNfs() as server:
            found = self.check(target(server), operations=("read:1k:sequential", "write:64k:random:file_sync", "read:64k"))
            self.assertEqual(list(found), ["read 1024 sequential", "write 65536 random file_sync", "read 65536 random"])
            bytes_read = found["read 1024 sequential"]["servers"][0]["rounds"][0]["load"]
            self.assertGreater(bytes_read["result_bytes"], 1024 * bytes_read["answered"])

    def test_an_open_loop(self):
        with SmallNfs() as server:
            found = self.check(target(server), "--rate", "100", operations=("getattr",))
            one = found["getattr"]["servers"][0]["rounds"][0]["load"]
            self.assertEqual(one["loop"], "open")
            calls_due = 100 * one["seconds"]
            self.assertAlmostEqual(one["answered"] + one["unanswered"], calls_due, delta=1)

    def test_two_servers_in_turn_with_ratios(self):
        with SmallNfs() as one, SmallNfs() as other:
            found = self.check(target(one), "--against", target(other), "--rounds", "2", "--pid", str(os.getpid()),
                               "--against-pid", str(os.getpid()), operations=("getattr", "null"))
            for operation in found.values():
                self.assertEqual([len(server["rounds"]) for server in operation["servers"]], [2, 2])
                self.assertGreater(operation["servers"][0]["server_us_per_call"], 0)
                self.assertGreater(operation["ratio"]["rate"], 0)
                self.assertGreater(operation["ratio"]["server_us_per_call"], 0)
            self.assertGreater(min(one.counts[1], other.counts[1]), 0)

    def test_text(self):
        with SmallNfs() as server:
            code, out, err = load(f"nfs://127.0.0.1:{server.port}/export", "getattr", *FEW)
            self.assertEqual((code, err), (0, ""))
            self.assertRegex(out, r"2 connections × 2 in flight, closed loop, 1 round of 0\.2 s")
            self.assertRegex(out, r"getattr\n  nfs://127.* +- +\d+ +\d+ +\d+ +\d+\.\d\d +\d\.\d\d\n  statuses: [\d,]+ NFS3_OK\n")
            self.assertRegex(out, r"\nrun      20\d\d-\S+Z, helio \d\S*\ncommand  helio load nfs nfs://127\S+ --duration ")

    def test_html_and_json_say_how_to_repeat_the_run(self):
        with SmallNfs() as server, tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "report.html"
            code, out, err = load(target(server), "null", "getattr", *FEW, "--json", "--html", str(page))
            self.assertEqual((code, err), (0, ""))
            report = json.loads(out)
            self.assertRegex(report["when"], r"^20\d\d-.*Z$")
            self.assertRegex(report["version"], r"^\d")
            self.assertTrue(report["command"].startswith(f"helio load nfs {target(server)} "), report["command"])
            statuses = report["operations"][1]["servers"][0]["rounds"][0]["load"]["statuses"]
            self.assertEqual([one["name"] for one in statuses], ["NFS3_OK"])
            text = page.read_text("utf-8")
            for words in (report["when"], f"helio {report['version']}", f"helio load nfs {target(server)} ", "<h2>getattr</h2>",
                          " NFS3_OK</p>", " SUCCESS</p>"):
                self.assertIn(words, text)
            self.assertEqual(load(target(server), "null", "--html", "/nowhere/report.html")[0], 2)

    def test_a_directory_that_is_there(self):
        with SmallNfs() as server:
            root = server.nodes[1]
            server.make(root, b"big", 2)
            for i in range(77):
                server.make(root.names[b"big"], b"n%d" % i, 1)
            code, out, err = load(target(server), "list", "--path", "big", "--json")
            self.assertEqual((code, err), (0, ""))
            found = json.loads(out)
            self.assertEqual((found["names"], found["duplicates"], found["replies"]), (79, 0, 4))
            self.assertEqual(load(target(server), "list", "--path", "small")[0], 4)

    def test_ctrl_c_removes_what_was_made(self):
        with SmallNfs() as server:
            client = subprocess.Popen([HELIO, "load", "nfs", target(server), "getattr", *FEW, "--duration", "60s", "--json"],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while server.counts.get(1, 0) < 100:
                self.assertIsNone(client.poll())
                time.sleep(0.01)
            client.send_signal(signal.SIGINT)
            out, _ = client.communicate(timeout=PATIENCE_S)
            self.assertEqual(json.loads(out)["operations"][0]["servers"][0]["rounds"][0]["load"]["ended_early"], "interrupted")
            self.assertEqual(list(server.nodes), [1])

    def test_ganesha(self):
        if not os.environ.get(MARK):
            self.skipTest("no network of our own")
        module = servers()
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write(GANESHA)
            file.flush()
            try:
                with module.ganesha_server(file.name, isolated=True) as server:
                    found = self.check("127.0.0.1:/export", "--pid", str(server.pid))
                    for operation in found.values():
                        self.assertGreater(operation["servers"][0]["server_us_per_call"], 0)
                    self.check("127.0.0.1:/export", "--version", "4.1", "--locks", "20", operations=ALL_V4)
            except module.Skipped as why:
                self.skipTest(str(why))

    def test_our_own(self):
        if not has_serve():
            self.skipTest("this helio has no serve")
        # In memory if possible: a busy disk can hold a file system up for longer than a measurement takes.
        place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryDirectory(dir=place) as folder, tempfile.TemporaryDirectory() as state, \
                our_server("memory:") as (memory, pid), our_server("--state", state, folder) as (posix, other):
            self.check(f"127.0.0.1:{memory}:/", "--pid", str(pid), "--against", f"127.0.0.1:{posix}:/", "--against-pid",
                       str(other))
            self.assertEqual(os.listdir(folder), [])

    def test_our_own_at_version_4(self):
        if not has_serve():
            self.skipTest("this helio has no serve")
        place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryDirectory(dir=place) as folder, tempfile.TemporaryDirectory() as state, \
                our_server("--versions", "4.2,4.1,3", "memory:") as (memory, _), \
                our_server("--versions", "4.2,4.1,3", "--state", state, folder) as (posix, _):
            for version, threads in (("4.1", "2"), ("4.2", "1")):
                self.check(f"127.0.0.1:{memory}:/", "--version", version, "--against", f"127.0.0.1:{posix}:/", "--threads",
                           threads, "--locks", "20", operations=ALL_V4)
            self.assertEqual(os.listdir(folder), [])
            os.mkdir(f"{folder}/some")
            for name in ("a", "b", "c"):
                pathlib.Path(folder, "some", name).touch()
            code, out, err = load(f"127.0.0.1:{posix}:/", "list", "--path", "some", "--version", "4.1", "--json")
            self.assertEqual((code, err), (0, ""))
            self.assertEqual((json.loads(out)["names"], json.loads(out)["without_attributes"]), (3, 0))


class Lies(unittest.TestCase):
    """Whatever the server tells wrongly is counted, named, and ends with exit 1."""

    def check(self, lie, operation, sentence):
        with SmallNfs(lie) as server:
            for duration in LONGER_DURATIONS:
                code, out, err = load(target(server), operation, "--json", *FEW, "--timeout", "5s", duration=duration)
                self.assertIn(code, (0, 1), f"{lie}: {out[:2000]} {err}")
                one = json.loads(out)["operations"][0]["servers"][0]["rounds"][0]
                if one["wrong"] + one["load"]["failed"] + one["load"]["strays"] > 0:
                    break
            self.assertEqual(code, 1, f"{lie}: {out[:2000]} {err}")
            if sentence:
                self.assertIn(sentence, one["first_wrong"] or "", lie)
                self.assertGreater(one["wrong"], 0)
            self.assertEqual(list(server.nodes), [1], "it cleans up behind itself all the same")
            return one

    def test_wrong_xid(self):
        one = self.check("xid", "getattr", None)
        self.assertGreater(one["load"]["strays"], 0)
        self.assertEqual(one["load"]["answered"], 0)

    def test_wrong_status_and_form(self):
        self.check("status", "getattr", "GETATTR: NFS3ERR_STALE")
        self.check("status", "mixed", "NFS3ERR_STALE")
        self.check("garbage", "access", "ACCESS: the result cannot be decoded")

    def test_wrong_file(self):
        self.check("getattr", "getattr", "GETATTR: attributes of another file")
        self.check("lookup", "lookup", "LOOKUP: another file")
        self.check("access", "access", "ACCESS: rights that were not requested")

    def test_wrong_data(self):
        self.check("read", "read", "READ: data that differs from what was written")
        self.check("eof", "read", "READ: end of file reported too early")
        self.check("write", "write", "WRITE: not the number of bytes sent")
        self.check("lost", "write:4k:sequential", "were acknowledged, but READ returns different data")

    def test_wrong_names(self):
        self.check("twice", "readdirplus", "READDIRPLUS: a duplicate name in one listing")
        self.check("missing", "readdirplus", "the listing is incomplete")
        self.check("extra", "readdirplus", "a name that was never created")
        self.check("endless", "readdirplus", "neither an entry nor end of directory")

    def test_a_name_twice_in_a_directory_that_is_there(self):
        with SmallNfs("twice") as server:
            server.make(server.nodes[1], b"only", 1)
            code, out, _ = load(target(server), "list", "--path", "", "--json")
            self.assertEqual((code, json.loads(out)["duplicates"]), (1, 1))


class Refused(unittest.TestCase):
    def test_nobody_there(self):
        held, place = closed_port()
        with held:
            code, out, err = load(f"{place}:/export", "getattr", "--mount-port", place.split(":")[1], *FEW)
            self.assertEqual((code, out), (3, ""))
            self.assertIn("MNT of /export", err)

    def test_more_than_the_server_reads_at_once(self):
        with SmallNfs() as server:
            code, _, err = load(target(server), "read:1M", *FEW)
            self.assertEqual(code, 4)
            self.assertIn("reads at most 65536", err)
            self.assertEqual(list(server.nodes), [1])

    def test_misuse(self):
        for words in ([], ["here"], ["localhost:/x", "chmod"], ["localhost:/x", "getattr:4k"], ["localhost:/x", "read:0"],
                      ["localhost:/x", "read:4M"], ["localhost:/x", "read:4x"], ["localhost:1:/x", "--depth", "0"],
                      ["localhost:1:/x", "--data-size", "many"], ["localhost:1:/x", "open"], ["localhost:1:/x", "lock"],
                      ["localhost:1:/x", "--version", "4.0"], ["localhost:1:/x", "lock", "--version", "4.1", "--locks", "100001"]):
            code, out, err = run(HELIO, "load", "nfs", *words)
            self.assertEqual((code, out), (2, ""), words)
            self.assertNotEqual(err, "")
        with SmallNfs() as server:
            code, _, err = load(target(server), "null", "--pid", "999999999")
            self.assertEqual(code, 2, err)


if __name__ == "__main__":
    # Only NFS-Ganesha needs it: without it the rest is still tested.
    if os.geteuid() == 0:
        isolate()
    HELIO = sys.argv.pop(1)
    unittest.main(verbosity=2)
