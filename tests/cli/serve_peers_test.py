#!/usr/bin/env python3
"""Clients of others that cannot be told a port: showmount and QEMU, in a network of the test's own.

Usage: serve_peers_test.py PATH_TO_HELIO
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import own_network  # noqa: E402
from serve_server import PATIENCE_S, Server  # noqa: E402

HELIO = ""


def ask(*words):
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S)


class AtPort111(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        os.chmod(folder.name, 0o777)
        cls.folder = pathlib.Path(folder.name)
        cls.server = Server(HELIO, f"data={cls.folder}", "m=memory:", "--portmap", "--allow", "127.0.0.0/8",
                            "--squash", "none", listen="127.0.0.1:2049").__enter__()
        cls.addClassCleanup(cls.server.__exit__)

    def test_every_system_has_its_mount_line(self):
        self.assertIn("FreeBSD  mount -t nfs -o nfsv4,minorversion=1 127.0.0.1:/data /mnt", self.server.text)
        self.assertIn("Windows  mount -o nolock,anon 127.0.0.1:/data Z:", self.server.text)

    def test_showmount(self):
        if shutil.which("showmount") is None:
            self.skipTest("nfs-common is not installed")
        done = ask("showmount", "--no-headers", "-e", "127.0.0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split() for line in done.stdout.splitlines()],
                         [["/data", "127.0.0.1"], ["/m", "127.0.0.1"]])

    def test_showmount_of_the_clients(self):
        if shutil.which("showmount") is None:
            self.skipTest("nfs-common is not installed")
        # From this machine, whichever address it calls from: the mounts of all clients.
        done = ask(HELIO, "call", "127.0.0.1", "mount.MNT", '"/data"')
        self.assertEqual(done.returncode, 0, done.stderr)
        done = ask("showmount", "--no-headers", "-a", "127.0.0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("127.0.0.1:/data", done.stdout.splitlines())

    def test_rpcinfo(self):
        if shutil.which("rpcinfo") is None:
            self.skipTest("rpcbind is not installed")
        for program, version in ((100003, 3), (100003, 2), (100005, 3), (100005, 1)):
            for transport in ("tcp", "udp"):
                done = ask("rpcinfo", "-T", transport, "127.0.0.1", str(program), str(version))
                self.assertEqual(done.returncode, 0, done.stderr)
        done = ask("rpcinfo", "-T", "tcp", "127.0.0.1", "100003", "4")
        self.assertEqual(done.returncode, 0, done.stderr)
        listed = [line.split()[:3] for line in ask("rpcinfo", "-p", "127.0.0.1").stdout.splitlines()]
        self.assertIn(["100003", "4", "tcp"], listed)
        self.assertNotIn(["100003", "4", "udp"], listed, "version 4 needs connections")

    def test_qemu(self):
        if shutil.which("qemu-img") is None:
            self.skipTest("qemu-utils is not installed")
        source = self.folder / "disk.raw"
        source.write_bytes(os.urandom(1 << 20) + bytes(1 << 20) + os.urandom(1 << 20))
        for export in ("data", "m"):
            image = f"nfs://127.0.0.1/{export}/disk.qcow2"
            done = ask("qemu-img", "convert", "-f", "raw", "-O", "qcow2", str(source), image)
            if "Unknown protocol 'nfs'" in done.stderr:
                self.skipTest("qemu-block-extra is not installed")
            self.assertEqual(done.returncode, 0, done.stderr)
            done = ask("qemu-img", "compare", str(source), "-f", "raw", "-F", "qcow2", image)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(ask("qemu-img", "check", image).returncode, 0)


if __name__ == "__main__":
    own_network.isolate()
    HELIO = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
