#!/usr/bin/env python3
"""helio load, as a user runs it, against a server by rpcgen and libtirpc.

Usage: load_test.py PATH_TO_HELIO
"""
import contextlib
import html.parser
import json
import os
import pathlib
import pty
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from patience import LONGER_DURATIONS, PATIENCE_S  # noqa: E402

HELIO = ""
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = str(ROOT / "tests/rpc_peers/peer.x")


@contextlib.contextmanager
def peer():
    """TCP and UDP ports of a peer server, and its process."""
    program = pathlib.Path(HELIO).resolve().parents[1] / "tests/rpc_peers/tirpc_peer_server"
    if not program.exists():
        raise unittest.SkipTest(f"{program} is not built")
    process = subprocess.Popen([str(program)], stdout=subprocess.PIPE, text=True)
    try:
        words = process.stdout.readline().split()
        yield int(words[words.index("tcp") + 1]), int(words[words.index("udp") + 1]), process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def command(port, *words):
    warmup = () if "--warmup" in words else ("--warmup", "100ms")
    return [HELIO, "load", "--schema", SCHEMA, f"127.0.0.1:{port}", *words, *warmup]


def load(port, *words, duration="500ms"):
    done = subprocess.run([*command(port, *words), "--duration", duration], capture_output=True, text=True, timeout=PATIENCE_S)
    return done.returncode, done.stdout, done.stderr


def count_once(port):
    """One call of COUNT, written out: how often it was called, this call included."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        connection.sendall(struct.pack(">11I", 0x80000000 | 40, 1, 0, 2, 0x20000100, 2, 3, 0, 0, 0, 0))
        reply = b""
        while len(reply) < 32:
            reply += connection.recv(32 - len(reply)) or exit("the peer closed the connection")
        return struct.unpack(">8I", reply)[7]


def wait_for_calls(port):
    """Until somebody else has called COUNT often."""
    ours = 1
    while count_once(port) < 100 + ours:
        ours += 1
        time.sleep(0.01)


class Balanced(html.parser.HTMLParser):
    """Counts tags, and fails on one that is closed and was not open."""
    VOID = {"meta"}

    def __init__(self, text):
        super().__init__()
        self.open, self.counts = [], {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            raise ValueError(f"</{tag}> closes what is not open")


class LoadVerb(unittest.TestCase):
    def check_report(self, report):
        """What holds for every run that went well."""
        self.assertEqual((report["failed"], report["errors"], report["ended_early"]), (0, [], None))
        self.assertGreater(report["answered"], 0)
        latency = report["latency_us"]
        order = [latency[key] for key in ("min", "p50", "p90", "p99", "p99.9", "max")]
        self.assertEqual(order, sorted(order))
        self.assertGreater(order[0], 0)
        self.assertGreaterEqual(report["seconds"], 0.5 - 0.001)
        self.assertGreaterEqual(len(report["series"]), 5)
        seen = sum(point["rate"] for point in report["series"]) * report["interval_s"]
        self.assertAlmostEqual(seen, report["rate"] * report["seconds"], delta=seen * 0.01 + 1)
        self.assertGreater(report["generator"]["cpu_us_per_call"], 0)

    def test_a_closed_loop_over_tcp_and_udp(self):
        with peer() as (tcp, udp, _):
            for port, words, transport in ((tcp, (), "tcp"), (udp, ("--udp",), "udp")):
                code, out, err = load(port, "peer.2.ADD", '{"a": "{{counter}}", "b": "{{random -5 5}}"}', "--connections",
                                      "2", "--depth", "2", "--check", "--json", *words)
                self.assertEqual((code, err), (0, ""))
                report = json.loads(out)
                self.check_report(report)
                self.assertEqual((report["loop"], report["transport"]), ("closed", transport))
                self.assertEqual(report["checked"], report["answered"])
                self.assertEqual(report["argument_bytes"], 8 * report["answered"])
                self.assertEqual(report["result_bytes"], 4 * report["answered"])

    def test_an_open_loop_over_tcp_and_udp(self):
        with peer() as (tcp, udp, _):
            for port, words in ((tcp, ("--threads", "2")), (udp, ("--udp",))):
                code, out, err = load(port, "peer.2.NULL", "--rate", "400", "--json", *words)
                self.assertEqual((code, err), (0, ""))
                report = json.loads(out)
                self.check_report(report)
                self.assertEqual(report["loop"], "open")
                self.assertEqual(report["answered"] + report["unanswered"], 200)
                self.assertGreater(report["generator"]["lag_us"]["max"], 0)

    def test_the_calls_really_differ_and_arrive(self):
        """COUNT is called as often as answers are reported, and a mix keeps its weights."""
        with peer() as (tcp, _, __):
            code, out, _ = load(tcp, "--mix", "peer.2.COUNT=3", "--mix", 'peer.2.ECHO=1:"{{random_hex 100}}"',
                                "--connections", "1", "--depth", "1", "--json", "--warmup", "0")
            self.assertEqual(code, 0)
            report = json.loads(out)
            # An ECHO takes and gives 104 bytes, a COUNT gives 4.
            echoes = report["argument_bytes"] // 104
            self.assertEqual(report["result_bytes"], 104 * echoes + 4 * (report["answered"] - echoes))
            self.assertAlmostEqual(echoes, report["answered"] / 4, delta=1)
            self.assertEqual(count_once(tcp), report["answered"] - echoes + 1)

    def test_the_page_stands_alone(self):
        with tempfile.TemporaryDirectory() as folder, peer() as (tcp, _, __):
            path = pathlib.Path(folder) / "report.html"
            code, out, err = load(tcp, "peer.2.NULL", "--html", str(path))
            self.assertEqual((code, err), (0, ""))
            self.assertRegex(out, r"answers +[\d,]+, [\d,]+ per second")
            self.assertRegex(out, r"latency +p50 .*p90 .*p99 .*p99\.9 .*max ")
            self.assertRegex(out, r"generator: +\d+\.\d\d µs of CPU per call, \d+ % of one core")
            text = path.read_text()
            page = Balanced(text)
            self.assertEqual(page.open, [])
            self.assertEqual(page.counts["svg"], 3)
            self.assertNotIn("script", page.counts)
            self.assertIsNone(re.search(r"https?:|src=|href=|url\(", text))

    def test_a_slow_procedure_holds_calls_back_and_that_counts(self):
        with peer() as (tcp, _, __):
            code, out, _ = load(tcp, "peer.2.SLOW", "20", "--rate", "200", "--connections", "1", "--depth", "1", "--json")
            self.assertEqual(code, 0)
            report = json.loads(out)
            self.assertGreater(report["generator"]["held_back"], 0)
            self.assertEqual(report["answered"] + report["unanswered"], 100)
            # A call takes 20 ms; those at the end of the queue have waited far longer.
            self.assertGreater(report["latency_us"]["p90"], 100_000)
            self.assertTrue(report["generator"]["warnings"])

    def test_nobody_there(self):
        with peer() as (tcp, udp, _):
            pass
        for port, words in ((tcp, ()), (udp, ("--udp",))):
            code, out, err = load(port, "peer.2.NULL", *words, duration="24h")  # it ends before, or never
            self.assertEqual(code, 3, out + err)
            self.assertIn(f"127.0.0.1:{port} cannot be reached", err)

    def test_a_server_that_goes_away_is_named_and_what_was_seen_is_shown(self):
        with peer() as (tcp, _, process):
            client = subprocess.Popen([*command(tcp, "peer.2.COUNT", "--json", "--warmup", "0"), "--duration", "24h"],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            wait_for_calls(tcp)
            process.kill()
            out, err = client.communicate(timeout=PATIENCE_S)
            report = json.loads(out)
            self.assertEqual(client.returncode, 0)
            self.assertIn("went away", err)
            self.assertIn("unreachable", report["ended_early"])
            self.assertGreater(report["answered"], 0)

    def test_ctrl_c_ends_the_run_and_not_the_report(self):
        with peer() as (tcp, _, __):
            client = subprocess.Popen([*command(tcp, "peer.2.COUNT", "--json", "--warmup", "0"), "--duration", "24h"],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            wait_for_calls(tcp)
            client.send_signal(signal.SIGINT)
            out, _ = client.communicate(timeout=PATIENCE_S)
            report = json.loads(out)
            self.assertEqual((client.returncode, report["ended_early"]), (0, "interrupted"))
            self.assertGreater(report["answered"], 0)

    def test_a_refusal_is_counted_by_its_name(self):
        with peer() as (tcp, _, __):
            code, out, _ = load(tcp, "mount.3.NULL", "--json")
            self.assertEqual(code, 4)
            report = json.loads(out)
            self.assertEqual(report["answered"], 0)
            self.assertIn("PROG_UNAVAIL", report["errors"][0]["name"])

    def test_a_terminal_sees_progress(self):
        with peer() as (tcp, _, __):
            ours, theirs = pty.openpty()
            client = subprocess.Popen([*command(tcp, "peer.2.NULL"), "--duration", "24h"], stdout=subprocess.PIPE, stderr=theirs,
                                      text=True)
            os.close(theirs)
            seen = b""
            try:
                while not re.search(rb"\d+ of 86400 s +\d+ calls/s +p50 \d+ \xc2\xb5s +p99 \d+ \xc2\xb5s", seen):
                    seen += os.read(ours, 1 << 16)
                client.send_signal(signal.SIGINT)
                with contextlib.suppress(OSError):  # EIO: the client is gone
                    while piece := os.read(ours, 1 << 16):
                        seen += piece
            finally:
                os.close(ours)
                client.kill()
                client.communicate()
            self.assertEqual(client.returncode, 0)
            self.assertTrue(seen.endswith(b"\r\x1b[K"), seen[-100:])

    def test_misuse(self):
        for words in (["peer.2.ADD"], ["peer.2.ADD", '{"a": 1}'], ["peer.2.ADD", '{"a": "{{wrong}}", "b": 1}'],
                      ["peer.2.NONE"], [], ["peer.2.NULL", "--mix", "peer.2.NULL=1"], ["--mix", "peer.2.NULL=0"],
                      ["--mix", "peer.2.NULL"], ["peer.2.NULL", "--depth", "0"], ["peer.2.NULL", "--rate", "-1"],
                      ["peer.2.NULL", "--html", "/nowhere/report.html"]):
            code, out, err = load(1, *words)
            self.assertEqual((code, out), (2, ""), words)
            self.assertNotEqual(err, "")


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main(verbosity=2)
