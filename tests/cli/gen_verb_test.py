#!/usr/bin/env python3
"""helio gen, as a user runs it: files that compile, errors that name the place.

Usage: gen_verb_test.py PATH_TO_HELIO
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from patience import PATIENCE_S  # noqa: E402

HELIO = ""
ROOT = pathlib.Path(__file__).resolve().parents[2]


def gen(*words):
    done = subprocess.run([HELIO, "gen", *words], capture_output=True, text=True, timeout=PATIENCE_S)
    return done.returncode, done.stdout, done.stderr


class GenVerb(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def test_writes_what_it_lists_and_leaves_unchanged_files_alone(self):
        words = (str(ROOT / "schema/nfs2.x"), "--out", str(self.path), "--namespace", "acme")
        code, out, err = gen(*words)
        self.assertEqual((code, err), (0, ""))
        listed = {pathlib.Path(line).name for line in out.splitlines()}
        self.assertEqual(listed, {file.name for file in self.path.iterdir()})
        self.assertIn("namespace acme::nfs2 {", (self.path / "nfs2.h").read_text())
        before = {file.name: file.stat().st_mtime_ns for file in self.path.iterdir()}
        self.assertEqual(gen(*words)[0], 0)
        self.assertEqual(before, {file.name: file.stat().st_mtime_ns for file in self.path.iterdir()})

    def test_what_it_writes_compiles(self):
        schema = self.path / "clock.x"
        schema.write_text("struct time { hyper seconds; int nanoseconds; };\n"
                          "program CLOCK { version CLOCK_V1 { time CLOCK_NOW(void) = 1; } = 1; } = 0x20001234;\n")
        # Without a namespace of one's own this one would be ::clock, which the C library has.
        self.assertEqual(gen(str(schema), "--out", str(self.path), "--namespace", "acme")[0], 0)
        done = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", str(ROOT), "-I",
                               str(self.path), str(self.path / "clock_service.cc"), str(self.path / "clock_decode.cc")],
                              capture_output=True, text=True, timeout=PATIENCE_S)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_wrong_schema_writes_nothing_and_names_the_place(self):
        schema = self.path / "wrong.x"
        schema.write_text("struct a { opaque data<LIMIT>; b other; };\n")
        code, out, err = gen(str(schema), "--out", str(self.path / "gen"))
        self.assertEqual((code, out), (1, ""))
        self.assertIn("wrong.x:1:24: error:", err)
        self.assertIn("'LIMIT'", err)
        self.assertIn("'b'", err)  # the second mistake of the same run
        self.assertFalse((self.path / "gen").exists())

    def test_misuse(self):
        self.assertEqual(gen(str(self.path / "none.x"))[0], 2)
        schema = self.path / "ok.x"
        schema.write_text("const A = 1;\n")
        self.assertEqual(gen(str(schema), "--namespace", "a b; evil")[0], 2)


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main(verbosity=2)
