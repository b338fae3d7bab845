#!/usr/bin/env python3
"""The worked examples of docs/tutorial.md and docs/file-systems.md: servers and clients, and helio calling the same servers.

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
LINES_MAX = {"guestbook/guestbook.x": 20, "guestbook/server.cc": 60, "guestbook/client.cc": 60, "file_system/main.cc": 60}


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
            text = (ROOT / "examples" / name).read_text("utf-8")
            self.assertLessEqual(text.count("\n"), lines, name)


class FileSystem(unittest.TestCase):
    def setUp(self):
        self.server = subprocess.Popen([program("notes_server"), "0"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.stop)
        said = [self.server.stdout.readline() for _ in range(4)]
        self.where = re.match(r"NFS versions 4\.2, 4\.1, 3 and 2 at (\S+:\d+), TCP and UDP\n", said[0])[1]
        self.mount_line = said[3]

    def stop(self):
        if self.server.poll() is None:
            self.server.kill()
        self.server.wait()
        self.server.stdout.close()

    def call(self, procedure, arguments):
        done = subprocess.run([HELIO, "call", self.where, procedure, json.dumps(arguments)], capture_output=True, text=True,
                              timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def root(self):
        return {"data": self.call("mount.MOUNT_V3.MNT", "/notes")["mountinfo"]["fhandle"]}

    def test_it_prints_how_to_mount_it(self):
        port = self.where.rpartition(":")[2]
        self.assertEqual(self.mount_line, f"  sudo mount -t nfs -o port={port} 127.0.0.1:/notes /mnt\n")

    def test_files_are_listed_and_read(self):
        root = self.root()
        listed = self.call("nfs3.READDIRPLUS", {"dir": root, "cookie": 0, "cookieverf": "0" * 16, "dircount": 4096, "maxcount": 8192})
        text = json.dumps(listed)
        for name in ("hello.txt", "empty.txt", ".", ".."):
            self.assertIn(f'"name": "{name}"', text)
        file = self.call("nfs3.LOOKUP", {"what": {"dir": root, "name": "hello.txt"}})["resok"]["object"]
        data = self.call("nfs3.READ", {"file": file, "offset": 6, "count": 100})["resok"]
        self.assertEqual(bytes.fromhex(data["data"]), b"from C++.\n")
        self.assertTrue(data["eof"])

    def test_nothing_can_be_changed(self):
        done = self.call("nfs3.REMOVE", {"object": {"dir": self.root(), "name": "hello.txt"}})
        self.assertEqual(done["status"], "NFS3ERR_ROFS")

    def test_sigterm_ends_it(self):
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.wait(timeout=PATIENCE_S), 0)


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main()
