#!/usr/bin/env python3
"""helio template: JSON that is valid as it stands.

Usage: template_test.py PATH_TO_HELIO
"""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from peer_server import SCHEMA, PeerServer, run  # noqa: E402

HELIO = ""


class Template(unittest.TestCase):
    def test_arguments_to_fill_in(self):
        code, out, err = run(HELIO, "template", "nfs3.READ")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(json.loads(out), {"file": {"data": ""}, "offset": 0, "count": 0})
        self.assertEqual(run(HELIO, "template", "nfs3.NULL")[:2], (0, "null\n"))

    def test_it_can_be_sent(self):
        with PeerServer(HELIO) as peer:
            for name in ("peer.TURN", "peer.ADD", "peer.ECHO", "peer.WHO"):
                _, template, _ = run(HELIO, "template", "--schema", SCHEMA, name)
                code, _, err = run(HELIO, "call", "--schema", SCHEMA, peer.tcp, name, template)
                self.assertEqual((code, err), (0, ""), name)

    def test_misuse(self):
        code, out, err = run(HELIO, "template", "nfs3.REED")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("did you mean 'READ'?", err)
        self.assertEqual(run(HELIO, "template")[0], 2)


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main()
