#!/usr/bin/env python3
"""helio explain --live: ends at once on Ctrl-C and SIGTERM, and shows each call when it is made, not when much has been seen.

Runs in a network of its own, which is quiet: no packet of anybody else wakes the capture.

Usage: explain_live_test.py PATH_TO_HELIO
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import termios
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1])]
from own_network import isolate  # noqa: E402
from patience import PATIENCE_S  # noqa: E402

HELIO = ""


class Terminal:
    """A program whose standard output and error are a terminal."""

    def __init__(self, *command):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)

    def read_until(self, what):
        text = b""
        while what not in text:
            text += os.read(self.master, 4096)
        return text.decode()


class Live(unittest.TestCase):
    def watch(self, *words):
        watcher = subprocess.Popen([HELIO, "explain", "--live", "lo", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(watcher.communicate)
        self.addCleanup(watcher.kill)
        first = watcher.stderr.readline().decode()
        if "cannot capture" in first:
            self.skipTest(first.strip())
        self.assertIn("capturing from lo", first)
        return watcher

    def serve(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server = subprocess.Popen([HELIO, "serve", "memory:", "--listen", "127.0.0.1:0", "--state", folder.name],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        return re.search(rb"127\.0\.0\.1:(\d+)", server.stdout.readline()).group(1).decode()

    def ping(self, port):
        subprocess.run([HELIO, "ping", f"127.0.0.1:{port}", "nfs3", "--count", "1"], capture_output=True, check=True,
                       timeout=PATIENCE_S)

    def test_a_signal_ends_it_on_a_quiet_interface(self):
        for which in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(which.name):
                watcher = self.watch()
                watcher.send_signal(which)
                out, _ = watcher.communicate(timeout=PATIENCE_S)
                self.assertIn("0 calls, 0 replies in 0 packets", out.decode())
                self.assertEqual(watcher.returncode, 1)  # no message was found

    def test_ctrl_c_ends_it_on_a_terminal(self):
        self.watch().kill()  # skips where capturing is not permitted
        terminal = Terminal(HELIO, "explain", "--live", "lo")
        self.addCleanup(terminal.process.kill)
        terminal.read_until(b"press Ctrl-C to stop")
        os.write(terminal.master, b"\x03")
        terminal.read_until(b"0 calls, 0 replies in 0 packets")
        self.assertEqual(terminal.process.wait(timeout=PATIENCE_S), 1)

    def test_a_call_shows_in_a_pipe_before_anything_else_is_captured(self):
        port = self.serve()
        for words in ((), ("--json",), ("--words",)):
            with self.subTest(words):
                watcher = self.watch(*words)
                self.ping(port)
                line = watcher.stdout.readline().decode()  # hangs if nothing is written before the end
                if words == ("--json",):
                    self.assertEqual(json.loads(line)["operation"], "nfs3.NULL")
                else:
                    self.assertIn("nfs3.NULL", line)
                watcher.send_signal(signal.SIGTERM)
                out, _ = watcher.communicate(timeout=PATIENCE_S)
                self.assertEqual(watcher.returncode, 0)
                if words == ():
                    self.assertIn("1 call, 1 reply in", out.decode())

    def test_it_ends_after_the_calls_that_were_asked_for(self):
        port = self.serve()
        watcher = self.watch("--json", "--limit", "2", "--filter", "nfs3.NULL")
        self.ping(port)
        self.ping(port)
        out, _ = watcher.communicate(timeout=PATIENCE_S)
        seen = [json.loads(line) for line in out.decode().splitlines()][:-1]
        self.assertEqual([(one["operation"], one["server"]) for one in seen], [("nfs3.NULL", f"127.0.0.1:{port}")] * 2)


if __name__ == "__main__":
    isolate()
    HELIO = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
