#!/usr/bin/env python3
"""The worked example of docs/tutorial.md: its server and client, and helio calling the same server.

Usage: examples_test.py PATH_TO_HELIO; the example's programs are in examples/ of the same build.
"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from patience import PATIENCE_S  # noqa: E402

HELIO = ""
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "examples/guestbook/guestbook.x"
LINES_MAX = {"guestbook.x": 20, "server.cc": 60, "client.cc": 60}


def program(name):
    return str(pathlib.Path(HELIO).resolve().parents[1] / "examples" / name)


def client(where, name, text):
    done = subprocess.run([program("guestbook_client"), where, name, text], capture_output=True, text=True, timeout=PATIENCE_S)
    return done.returncode, done.stdout, done.stderr


def call(where, procedure, arguments, *flags):
    done = subprocess.run([HELIO, "call", "--schema", str(SCHEMA), *flags, where, procedure, json.dumps(arguments)],
                          capture_output=True, text=True, timeout=PATIENCE_S)
    return done.returncode, done.stdout, done.stderr


class Guestbook(unittest.TestCase):
    def setUp(self):
        self.server = subprocess.Popen([program("guestbook_server")], stdout=subprocess.PIPE, text=True)
        said = self.server.stdout.readline()
        self.where = re.fullmatch(r"listening on (\S+:\d+)\n", said)[1]

    def tearDown(self):
        if self.server.poll() is None:
            self.server.kill()
        self.server.wait()
        self.server.stdout.close()

    def test_client_signs_and_reads(self):
        self.assertEqual(client(self.where, "Ada", "hello"), (0, "entry number 1\nAda: hello\n", ""))
        self.assertEqual(client(self.where, "Bob", "me too"), (0, "entry number 2\nAda: hello\nBob: me too\n", ""))

    def test_what_does_not_fit_never_leaves(self):
        code, out, err = client(self.where, "A" * 65, "hello")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("65, the limit is 64", err)

    def test_helio_calls_it_too(self):
        for flags in ((), ("--udp",)):
            code, out, err = call(self.where, "SIGN", {"name": "JSON", "text": "{}"}, *flags)
            self.assertEqual(code, 0, err)
        code, out, err = call(self.where, "READ", 1)
        self.assertEqual(code, 0, err)
        self.assertEqual(json.loads(out), [{"name": "JSON", "text": "{}"}])

    def test_it_says_what_it_serves(self):
        done = subprocess.run([HELIO, "list", "--schema", str(SCHEMA), self.where], capture_output=True, text=True,
                              timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("guestbook", done.stdout)
        self.assertIn(self.where.rpartition(":")[2], done.stdout)

    def test_wait_answers_when_somebody_signs(self):
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(call(self.where, "WAIT", 0)))
        waiting.start()
        self.assertEqual(client(self.where, "Ada", "hello")[0], 0)
        waiting.join()
        self.assertEqual(answers[0][0], 0, answers[0][2])
        self.assertEqual(json.loads(answers[0][1]), 1)

    def test_sigterm_ends_it(self):
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.wait(timeout=PATIENCE_S), 0)
        code, _, err = client(self.where, "Eve", "anyone?")
        self.assertEqual(code, 1)
        self.assertIn("Connection refused", err)

    def test_it_is_as_short_as_the_tutorial_says(self):
        for name, lines in LINES_MAX.items():
            text = (ROOT / "examples/guestbook" / name).read_text("utf-8")
            self.assertLessEqual(text.count("\n"), lines, name)


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main()
