#!/usr/bin/env python3
"""Owners and groups as clients of NFS 4 see them: numbers, or names with --domain.

Usage: owners_test.py PATH_TO_HELIO
"""
import grp
import os
import pathlib
import pwd
import subprocess
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).resolve().parents[1])]
import nfs4_client as nfs4  # noqa: E402
from serve_server import Server  # noqa: E402

HELIO = ""
NAMELESS = 3_999_999_999  # neither a user nor a group
DOMAIN = "example.com"


class Owners(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give files away")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.folder.chmod(0o777)
        self.users = [one for one in pwd.getpwall() if one.pw_uid != 0][:5]
        self.group = next(one for one in grp.getgrall() if one.gr_gid != 0)
        for user in self.users:
            self.make(f"of-{user.pw_name}", user.pw_uid, self.group.gr_gid)
        self.make("nameless", NAMELESS, NAMELESS)

    def make(self, name, uid, gid):
        (self.folder / name).touch()
        os.chown(self.folder / name, uid, gid)

    def serve(self, *words):
        server = Server(HELIO, str(self.folder), "--squash", "none", *words)
        server.__enter__()
        self.addCleanup(server.__exit__)
        client = nfs4.Nfs4(server.port)
        client.__enter__()
        self.addCleanup(client.__exit__)
        return client

    def owners(self, client, name):
        status, results = client.compound(nfs4.PUTROOTFH, nfs4.lookup(name),
                                          nfs4.getattr_of(nfs4.OWNER, nfs4.OWNER_GROUP))
        self.assertEqual(status, nfs4.OK)
        for _ in range(3):
            results.result()
        return tuple(results.strings())

    def listed(self, client):
        status, results = client.compound(nfs4.PUTROOTFH, nfs4.readdir(nfs4.OWNER, nfs4.OWNER_GROUP))
        self.assertEqual(status, nfs4.OK)
        for _ in range(2):
            results.result()
        results.words(2)  # the verifier
        found = {}
        while results.word():
            results.words(2)  # the cookie
            name = results.opaque().decode()
            found[name] = tuple(results.strings())
        return found

    def set_owners(self, client, name, **owners):
        return client.compound(nfs4.PUTROOTFH, nfs4.lookup(name), nfs4.setattr_of(**owners))[0]

    def test_are_numbers(self):
        client = self.serve()
        user = self.users[0]
        self.assertEqual(self.owners(client, f"of-{user.pw_name}"),
                         (b"%d" % user.pw_uid, b"%d" % self.group.gr_gid))
        self.assertEqual(self.set_owners(client, "nameless", owner=b"root@" + DOMAIN.encode()), nfs4.BADOWNER)
        self.assertEqual(self.set_owners(client, "nameless", owner=b"0"), nfs4.OK)

    def test_are_names_in_a_domain(self):
        client = self.serve("--domain", DOMAIN)
        wanted = {f"of-{user.pw_name}": (f"{user.pw_name}@{DOMAIN}".encode(), f"{self.group.gr_name}@{DOMAIN}".encode())
                  for user in self.users}
        wanted["nameless"] = (b"%d" % NAMELESS, b"%d" % NAMELESS)
        # A listing comes first, when no name is known yet, and once more when all are.
        for _ in range(2):
            self.assertEqual(self.listed(client), wanted)
        for name, both in wanted.items():
            self.assertEqual(self.owners(client, name), both)

    def test_are_names_at_the_first_question(self):
        client = self.serve("--domain", DOMAIN)
        user = self.users[0]
        self.assertEqual(self.owners(client, f"of-{user.pw_name}"),
                         (f"{user.pw_name}@{DOMAIN}".encode(), f"{self.group.gr_name}@{DOMAIN}".encode()))

    def test_are_set_by_name(self):
        client = self.serve("--domain", DOMAIN)
        user = self.users[-1]
        self.assertEqual(self.set_owners(client, "nameless", owner=f"{user.pw_name}@{DOMAIN}".encode(),
                                         group=f"{self.group.gr_name}@{DOMAIN.upper()}".encode()), nfs4.OK)
        found = os.stat(self.folder / "nameless")
        self.assertEqual((found.st_uid, found.st_gid), (user.pw_uid, self.group.gr_gid))
        self.assertEqual(self.set_owners(client, "nameless", owner=b"%d" % NAMELESS, group=b"0"), nfs4.OK)
        found = os.stat(self.folder / "nameless")
        self.assertEqual((found.st_uid, found.st_gid), (NAMELESS, 0))

    def test_that_are_not_understood_change_nothing(self):
        client = self.serve("--domain", DOMAIN)
        user, domain = self.users[0].pw_name.encode(), DOMAIN.encode()
        for bad in (b"", b"@", b"@" + domain, user, user + b"@", user + b"@example.org", b"a@b@c", user + b"@" + domain + b"@" + domain,
                    b"no-such-user-here@" + domain, b"root\0@" + domain, b"root\0x@" + domain, b"4294967296", b"-1", b"007",
                    b"9" * 100, b"a" * (64 << 10), b"a" * (64 << 10) + b"@" + domain, b"\xff\xfe@" + domain):
            for which in ("owner", "group"):
                self.assertEqual(self.set_owners(client, "nameless", **{which: bad}), nfs4.BADOWNER, bad[:40])
        found = os.stat(self.folder / "nameless")
        self.assertEqual((found.st_uid, found.st_gid), (NAMELESS, NAMELESS))

    def test_bad_domains_are_refused_at_start(self):
        for domain in ("a@b", "a b", "x" * 96):
            done = subprocess.run([HELIO, "serve", "memory:", "--domain", domain], capture_output=True, text=True, timeout=60)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("--domain: ", done.stderr)

    def test_other_minor_versions_are_refused_as_clients_expect(self):
        client = self.serve()
        for minor in (0, 3):
            self.assertEqual(client.raw(nfs4.PUTROOTFH, minor=minor)[0], nfs4.MINOR_VERS_MISMATCH)


if __name__ == "__main__":
    HELIO = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
