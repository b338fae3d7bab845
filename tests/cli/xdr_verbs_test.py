#!/usr/bin/env python3
"""helio xdr, as a user runs it: what goes in, what comes out, with which exit code.

Usage: xdr_verbs_test.py PATH_TO_HELIO
"""
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from patience import PATIENCE_S  # noqa: E402

HELIO = ""
ROOT = pathlib.Path(__file__).resolve().parents[2]
RICH = str(ROOT / "testdata/reflect/rich.x")

# file: length 5, five bytes, padding; offset 65536; count 4096
READ_ARGS = bytes.fromhex("00000005 0102030405000000 0000000000010000 00001000")


def helio(*words, stdin=b""):
    done = subprocess.run([HELIO, "xdr", *words], input=stdin, capture_output=True, timeout=PATIENCE_S)
    return done.returncode, done.stdout, done.stderr.decode()


class XdrVerbs(unittest.TestCase):
    def test_decode_prints_a_line_for_each_word(self):
        code, out, err = helio("decode", "--schema", RICH, "--type", "read_args", stdin=READ_ARGS)
        self.assertEqual((code, err), (0, ""))
        lines = out.decode().splitlines()
        self.assertEqual(len(lines), 1 + len(READ_ARGS) // 4)
        self.assertEqual(lines[4].split(), ["12", "00", "00", "00", "00", "offset", "65536"])

    def test_a_name_that_is_no_file_is_a_built_in_schema(self):
        code, out, err = helio("decode", "--schema", "nfs3", "--type", "READ.args", stdin=READ_ARGS)
        self.assertEqual((code, err), (0, ""))
        self.assertIn(b"65536", out)
        code, out, err = helio("describe", "--schema", "nfs33")
        self.assertEqual((code, out), (2, b""))
        self.assertIn("nfs3, nfs4, nfs4_cb, nfsacl", err)  # the names there are

    def test_decode_hex_to_json_and_back(self):
        text = READ_ARGS.hex(" ", 4).encode()
        code, json, _ = helio("decode", "--schema", RICH, "--type", "READ.args", "--hex", "--json", stdin=text)
        self.assertEqual(code, 0)
        code, out, err = helio("encode", "--schema", RICH, "--type", "READ.args", stdin=json)
        self.assertEqual((code, out, err), (0, READ_ARGS, ""))
        code, out, _ = helio("encode", "--schema", RICH, "--type", "READ.args", "--hex", stdin=json)
        self.assertEqual(bytes.fromhex(out.decode()), READ_ARGS)

    def test_bytes_that_do_not_fit(self):
        code, out, err = helio("decode", "--schema", RICH, "--type", "read_args", stdin=READ_ARGS[:-1])
        self.assertEqual(code, 1)
        self.assertIn("truncated at byte 23", err)
        self.assertIn(b"65536", out)  # what could be read is shown
        code, _, err = helio("decode", "--schema", RICH, "--type", "read_args", stdin=READ_ARGS + b"\0")
        self.assertEqual(code, 1)
        self.assertIn("at byte 24", err)
        code, _, err = helio(
            "decode", "--schema", RICH, "--type", "read_args", "--lenient", stdin=READ_ARGS + b"\0")
        self.assertEqual((code, err), (0, ""))

    def test_json_that_does_not_fit(self):
        bad = b'{"file": "%s", "offset": 0, "count": 0}' % (b"00" * 72)
        code, out, err = helio("encode", "--schema", RICH, "--type", "read_args", stdin=bad)
        self.assertEqual((code, out), (1, b""))
        self.assertIn("$.file: 72 bytes, the limit is 64", err)

    def test_template_encodes(self):
        code, json, _ = helio("template", "--schema", RICH, "--type", "everything")
        self.assertEqual(code, 0)
        code, _, err = helio("encode", "--schema", RICH, "--type", "everything", stdin=json)
        self.assertEqual((code, err), (0, ""))

    def test_describe(self):
        for words in ([], ["--type", "read_args"], ["--type", "RICH"], ["--type", "READ"]):
            code, out, err = helio("describe", "--schema", RICH, *words)
            self.assertEqual((code, err), (0, ""))
            self.assertTrue(out)

    def test_misuse(self):
        for words in (
            ["decode", "--schema", RICH],
            ["decode", "--schema", "/no/such/file.x", "--type", "t"],
            ["decode", "--schema", RICH, "--type", "read_arg"],
            ["decode", "--schema", RICH, "--type", "read_args", "--strict", "--lenient"],
            ["decode", "--schema", RICH, "--type", "read_args", "/no/such/input"],
        ):
            code, out, err = helio(*words)
            self.assertEqual((code, out), (2, b""), words)
            self.assertTrue(err)
        self.assertIn("did you mean 'read_args'", helio("decode", "--schema", RICH, "--type", "read_arg")[2])

    def test_nothing_acts_on_the_terminal(self):
        evil = b"\x1b]0;owned\x07\x9b2J\x7f\r"
        value = len(evil).to_bytes(4, "big") + evil + bytes(-len(evil) % 4)
        for words in ([], ["--json"]):
            code, out, _ = helio("decode", "--schema", RICH, "--type", "name", *words, stdin=value)
            self.assertEqual(code, 0)
            self.assertFalse(set(out) & (set(range(32)) - {10} | {0x7F}))

    def test_help_has_examples(self):
        code, out, _ = helio("decode", "--help")
        self.assertEqual(code, 0)
        self.assertIn(b"Examples:", out)


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main()
