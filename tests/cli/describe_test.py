#!/usr/bin/env python3
"""helio describe, as a user runs it.

Usage: describe_test.py PATH_TO_HELIO
"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from peer_server import SCHEMA, run  # noqa: E402

HELIO = ""


def describe(*words):
    return run(HELIO, "describe", *words)


class Describe(unittest.TestCase):
    def test_all_programs(self):
        code, out, err = describe("--schema", SCHEMA)
        self.assertEqual((code, err), (0, ""))
        rows = [line.split() for line in out.splitlines()]
        self.assertEqual(rows[1], ["536871168", "peer", "PEER_PROGRAM", "1", "2"])  # the user's own first
        self.assertIn(["100005", "mount", "MOUNT_PROGRAM", "1", "2", "3"], rows)

    def test_a_program_by_name_and_number(self):
        for name in ("mount", "MOUNT_PROGRAM", "100005", "mountd"):
            code, out, _ = describe(name)
            self.assertEqual(code, 0)
            self.assertTrue(out.startswith("program MOUNT_PROGRAM = 100005\n"), out)
        self.assertIn("NFS_V3 = 3", describe("nfs")[1])

    def test_a_procedure(self):
        code, out, err = describe("nfs3.READ")
        self.assertEqual((code, err), (0, ""))
        for expected in ("nfs3.READ: program NFS_PROGRAM = 100003, version 3\n", "(READ3args) → READ3res",
                         "Bytes of a file.", "struct READ3args", "union READ3res", "struct READ3resok", "enum nfsstat3"):
            self.assertIn(expected, out)

    def test_an_operation(self):
        code, out, err = describe("nfs4.OPEN")
        self.assertEqual((code, err), (0, ""))
        for expected in ("nfs4.OPEN: operation OP_OPEN = 18 of nfs4.COMPOUND\n", "struct OPEN4args",
                         "Flags: OPEN4_SHARE_ACCESS_*.", "union OPEN4res"):
            self.assertIn(expected, out)
        self.assertIn("of nfs4_cb.COMPOUND", describe("nfs4_cb.CB_RECALL")[1])
        self.assertRegex(describe("nfs4.COMPOUND")[1], r"(?m)^ +53  SEQUENCE +SEQUENCE4args$")

    def test_the_highest_version_and_a_named_one(self):
        self.assertIn("mount.3.MNT: ", describe("mount.MNT")[1])
        self.assertIn("Also: mount.1.MNT, mount.2.MNT", describe("mount.MNT")[1])
        self.assertIn("→ fhstatus", describe("mount.1.MNT")[1])

    def test_a_type(self):
        for name in ("fattr3", "nfs3.fattr3"):
            code, out, _ = describe(name)
            self.assertEqual((code, out.splitlines()[0]), (0, "struct fattr3: 84 bytes"))
        self.assertIn("struct peer_pair", describe("--schema", SCHEMA, "peer_pair")[1])

    def test_what_there_is_not(self):
        for name, says in (("nfs3.REED", "did you mean 'READ'?"), ("nfs33", "nfs2, nfs3, "),
                           ("GETATTR", "nfs2.GETATTR, nfs3.GETATTR"), ("\x1b[2J", "'\\x1b[2J'")):
            code, out, err = describe(name)
            self.assertEqual((code, out), (2, ""), name)
            self.assertIn(says, err)

    def test_a_schema_with_errors(self):
        code, _, err = describe("--schema", __file__)
        self.assertEqual(code, 2)
        self.assertIn("error:", err)


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main()
