#!/usr/bin/env python3
"""helio virt as a user of virsh types it first: its verbs on a simulated host, and what it says when something is not there.

Usage: virt_verbs_test.py PATH_TO_HELIO
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1])]
from patience import PATIENCE_S  # noqa: E402
from virt_daemons import VirtServe, free_port, libvirtd  # noqa: E402

HELIO = ""
HOST = """
hostname = "lab"
[[domain]]
name = "web"
memory_mib = 512
vcpus = 2
state = "running"
[[domain]]
name = "spare"
[[network]]
name = "net"
active = false
[[pool]]
name = "images"
capacity_mib = 102400
[[pool.volume]]
name = "disk"
capacity_mib = 1536
"""


def helio(*words, uri=None, **variables):
    """Exit code, standard output, standard error."""
    environment = {name: value for name, value in os.environ.items() if name not in ("LIBVIRT_DEFAULT_URI", "VISUAL")}
    environment.update(variables)
    done = subprocess.run([HELIO, "virt", *(["-c", uri] if uri else []), *words], capture_output=True, text=True,
                          timeout=PATIENCE_S, env=environment, stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout, done.stderr


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        served = VirtServe(HELIO, host=HOST)
        cls.addClassCleanup(served.stop)
        cls.uri = served.uri()

    def says(self, *words):
        code, out, err = helio(*words, uri=self.uri)
        self.assertEqual((code, err), (0, ""), words)
        return out

    def refuses(self, *words):
        code, out, err = helio(*words, uri=self.uri)
        self.assertEqual((code, out), (4, ""), words)
        return err

    def test_domains(self):
        about = dict(re.split(r"  +", line) for line in self.says("dominfo", "web").splitlines())
        self.assertEqual((about["name"], about["state"], about["CPUs"]), ("web", "running", "2"))
        self.assertEqual((about["max memory"], about["persistent"], about["autostart"]), ("524288 KiB", "yes", "no"))
        self.assertEqual(self.says("domstate", "web"), "running\n")
        self.assertEqual(self.says("domstate", "spare"), "shut off\n")
        self.assertRegex(self.says("version"), r"(?m)^the daemon's libvirt  \d+\.\d+\.\d+$")

    def edit(self, editor):
        """Exit code, standard output, standard error, and the files that remain."""
        with tempfile.TemporaryDirectory() as folder:
            done = helio("edit", "spare", uri=self.uri, EDITOR=editor, TMPDIR=folder)
            return *done, [path.read_text() for path in pathlib.Path(folder).iterdir()]

    def test_edit(self):
        self.assertEqual(self.edit("true"), (0, "spare not changed\n", "", []))
        memory = re.search(r"<memory[^>]*>(\d+)<", self.says("dumpxml", "spare"))[1]
        changed = str(int(memory) * 2)
        self.assertEqual(self.edit(f"sed -i 's/>{memory}</>{changed}</'"), (0, "spare edited\n", "", []))
        self.assertIn(f">{changed}<", self.says("dumpxml", "spare"))

    def test_an_edit_that_fails_keeps_the_text(self):
        before = self.says("dumpxml", "spare")
        code, out, err, left = self.edit("sed -i 's/<name>/<nome>/'")
        self.assertEqual((code, out), (4, ""))
        self.assertRegex(err, r"(?m)^helio: the edited XML is in /.*/helio-\w+\.xml$")
        self.assertEqual(len(left), 1)
        self.assertIn("<nome>", left[0])
        code, out, err, left = self.edit("exit 3; true")
        self.assertEqual((code, out, left), (2, "", []))
        self.assertIn("(exit status 3)", err)
        # Somebody else changes it meanwhile.
        other = shlex.join([HELIO, "virt", "-c", self.uri, "define", "/dev/stdin"])
        code, out, err, left = self.edit(f"sh -c 'sed s/hvm/hvm/ \"$0\" | sed \"s,</memory>,0</memory>,\" | {other} >&2; echo >> \"$0\"'")
        self.assertEqual((code, out), (1, ""), err)
        self.assertIn("the definition of spare changed while it was being edited", err)
        self.assertEqual(len(left), 1)
        subprocess.run(shlex.split(other), input=before, text=True, check=True, capture_output=True, timeout=PATIENCE_S)
        self.assertEqual(self.says("dumpxml", "spare"), before)

    def test_snapshots(self):
        self.assertEqual(self.says("snapshot-list", "web").splitlines()[1:], [])
        self.says("call", "DomainSnapshotCreateXML", "--domain", "web",
                  '{"xml_desc": "<domainsnapshot><name>first</name></domainsnapshot>", "flags": 0}')
        row, = self.says("snapshot-list", "web").splitlines()[1:]
        self.assertRegex(row, r"^first  20\d\d-\d\d-\d\dT[\d:]+Z  running$")

    def test_networks(self):
        self.assertIn("<name>net</name>", self.says("net-dumpxml", "net"))
        self.assertEqual(self.says("net-start", "net"), "net started\n")
        self.assertIn("already running", self.refuses("net-start", "net"))
        self.assertEqual(self.says("net-destroy", "net"), "net stopped\n")

    def test_storage(self):
        self.assertRegex(self.says("pool-list"), r"images +running .* 100\.00 GiB +")
        self.assertRegex(self.says("pool-list", "--bytes"), r"images +running .* 107374182400 +")
        self.assertRegex(self.says("vol-list", "images"), r"disk +file +1\.50 GiB +")
        self.assertRegex(self.says("vol-info", "--pool", "images", "disk"), r"(?m)^capacity +1\.50 GiB$")
        self.assertRegex(self.says("vol-info", "--pool", "images", "disk", "--bytes"), r"(?m)^capacity +1610612736$")

    def test_what_is_not_there_is_named(self):
        for words in (("dumpxml", "nosuch"), ("domstate", "nosuch"), ("net-start", "nosuch"), ("vol-list", "nosuch"),
                      ("vol-info", "--pool", "images", "nosuch")):
            self.assertIn("'nosuch'", self.refuses(*words), words)

    def test_leases_expire_in_the_future(self):
        code, out, _ = helio("call", "NetworkGetDhcpLeases",
                             '{"net": {"name": "default", "uuid": "dd8fe8846c02601e7551cca97df1c5df"}, "mac": null, '
                             '"need_results": 1, "flags": 0}', uri=self.default_host())
        self.assertEqual(code, 0, out)
        self.assertGreater(int(re.search(r'"expirytime": (\d+)', out)[1]), time.time())

    def default_host(self):
        served = VirtServe(HELIO)
        self.addCleanup(served.stop)
        return served.uri()


class Mistakes(unittest.TestCase):
    def test_no_daemon(self):
        code, _, err = helio("list", uri="nosuch:///system")
        self.assertEqual(code, 3)
        for words in ("/run/libvirt/virtnosuchd-sock", "/run/libvirt/libvirt-sock", "-c URI"):
            self.assertIn(words, err)
        self.assertIn("/nowhere/sock", helio("list", uri="test+unix:///default?socket=/nowhere/sock")[2])

    def test_ssh_that_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            ssh = pathlib.Path(folder, "ssh")
            ssh.write_text("#!/bin/sh\necho 'no route' >&2\nexit 255\n")
            ssh.chmod(0o755)
            code, _, err = helio("list", uri=f"qemu+ssh://nosuch/system?command={ssh}")
        self.assertEqual(code, 3)
        self.assertIn("no route\n", err)
        self.assertIn(f"ssh ended with exit status 255; the command was: {ssh} -T -e none -- nosuch 'sh -c ", err)

    def test_a_host_with_mistakes(self):
        with tempfile.TemporaryDirectory() as folder:
            host = pathlib.Path(folder, "host.toml")
            host.write_text("hostnam = 'x'\n[[domain]]\nname = 'a'\nvcpu = 2\n")
            code, _, err = helio("serve", "--socket", folder + "/sock", "--host", str(host))
        self.assertEqual(code, 2)
        self.assertIn(":1:1: a host has no 'hostnam'; did you mean 'hostname'?", err)
        self.assertIn(":4:1: [[domain]] has no 'vcpu'; did you mean 'vcpus'?", err)

    def test_a_fault_of_no_procedure(self):
        with tempfile.TemporaryDirectory() as folder:
            code, _, err = helio("serve", "--socket", folder + "/sock", "--fault", "DomainCreat:hang")
        self.assertEqual((code, err), (2, "helio: libvirt has no procedure 'DomainCreat'; did you mean DOMAIN_CREATE?\n"))

    def test_a_relay_to_nobody(self):
        with tempfile.TemporaryDirectory() as folder:
            relay = subprocess.Popen([HELIO, "virt", "relay", "--listen", "l.sock", "--to", "v3.sock"], cwd=folder,
                                     stderr=subprocess.PIPE, text=True)
            self.addCleanup(relay.communicate)
            self.addCleanup(relay.kill)
            said = ""
            while "ready" not in said:
                line = relay.stderr.readline()
                self.assertTrue(line, said)
                said += line
            self.assertIn("warning: no daemon is listening on v3.sock yet", said)


@unittest.skipIf(shutil.which("certtool") is None, "no certtool: apt install gnutls-bin")
@unittest.skipIf(shutil.which("libvirtd") is None, "no libvirtd: apt install libvirt-daemon")
class TlsRecipe(unittest.TestCase):
    def test_the_commands_of_the_document_end_in_success(self):
        document = pathlib.Path(__file__).resolve().parents[2] / "docs/virt-client.md"
        recipe, = re.findall(r"^```sh\n(.*?)^```$", document.read_text("utf-8"), re.M | re.S)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            subprocess.run(["bash", "-ec", recipe.replace("host.example.org", "localhost")], cwd=folder, check=True,
                           capture_output=True, timeout=PATIENCE_S)
            port = free_port()
            daemon = libvirtd(folder, 'auth_unix_rw = "none"\nlisten_tls = 1\nlisten_tcp = 0\nauth_tls = "none"\n'
                              f'listen_addr = "127.0.0.1"\ntls_port = "{port}"\nca_file = "{folder}/cacert.pem"\n'
                              f'cert_file = "{folder}/servercert.pem"\nkey_file = "{folder}/serverkey.pem"\n', "-l")
            try:
                code, out, err = helio("list", uri=f"test+tls://localhost:{port}/default?pkipath={folder}")
            finally:
                daemon.stop()
        if "this build does not support TLS" in err:
            self.skipTest(err)
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"1 +test +running")


if __name__ == "__main__":
    HELIO = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
