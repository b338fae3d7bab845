#!/usr/bin/env python3
"""NFS-Ganesha called with helio: NULL, MNT, GETATTR; in namespaces of the test's own.

Usage: ganesha_test.py PATH_TO_HELIO
"""
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from own_network import isolate, servers, skip  # noqa: E402
from peer_server import run  # noqa: E402

HELIO = ""
CONFIGURATION = """
NFS_CORE_PARAM { Bind_addr = 127.0.0.1; NFS_Port = 2049; Protocols = 3; }
EXPORT { Export_Id = 1; Path = /export; Pseudo = /export; Access_Type = RW; Squash = None; FSAL { Name = MEM; } }
"""


class Ganesha(unittest.TestCase):
    def call(self, *words):
        code, out, err = run(HELIO, "call", "127.0.0.1", *words)
        self.assertEqual((code, err), (0, ""), words)
        return json.loads(out)

    def test_from_null_to_attributes(self):
        self.assertIsNone(self.call("nfs3.NULL"))
        self.assertEqual(self.call("nfs3.NULL", "--udp"), None)
        mounted = self.call("mount.MNT", '"/export"')
        self.assertEqual(mounted["fhs_status"], "MNT3_OK")
        handle = {"object": {"data": mounted["mountinfo"]["fhandle"]}}
        root = self.call("nfs3.GETATTR", json.dumps(handle))
        self.assertEqual((root["status"], root["resok"]["obj_attributes"]["type"]), ("NFS3_OK", "NF3DIR"))
        exports = self.call("mount.EXPORT")
        self.assertEqual([one["ex_dir"] for one in exports], ["/export"])

    def test_a_failure_it_tells_is_a_result(self):
        stale = self.call("nfs3.GETATTR", '{"object": {"data": "0102"}}')
        self.assertTrue(stale["status"].startswith("NFS3ERR_"), stale)

    def test_list_and_ping(self):
        code, out, _ = run(HELIO, "list", "127.0.0.1")
        self.assertEqual(code, 0)
        self.assertIn(["100003", "3", "nfs3", "tcp"], [line.split()[:4] for line in out.splitlines()])
        self.assertEqual(run(HELIO, "ping", "127.0.0.1", "nfs3", "--count", "2", "--interval", "1ms")[0], 0)
        code, _, err = run(HELIO, "ping", "127.0.0.1", "nfs2")
        self.assertEqual(code, 4)
        self.assertIn("PROG_MISMATCH: versions 3 to 3", err)


if __name__ == "__main__":
    isolate()
    HELIO = sys.argv.pop(1)
    module = servers()
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(CONFIGURATION)
        file.flush()
        try:
            with module.ganesha_server(file.name, isolated=True):
                unittest.main()
        except module.Skipped as why:
            skip(str(why))
