#!/usr/bin/env python3
"""helio virt against Debian's libvirtd 9.0: its test driver, and where it starts qemu's per-user driver for volumes.

Usage: virt_daemon_test.py PATH_TO_HELIO. Needs libvirtd (apt install libvirt-daemon libvirt-clients); where it is missing the
test says so and is skipped. Both daemons are the test's own, with sockets in a folder that goes away with it.
"""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

HELIO = ""
WAIT_S = 20
DOMAINS = 1000
NOBODY = 65534
NETCAT = """#!/usr/bin/env python3
import os, select, socket, sys
peer = socket.socket(socket.AF_UNIX)
peer.connect(sys.argv[2])
while True:
    ready, _, _ = select.select([0, peer], [], [])
    for one in ready:
        data = os.read(0, 65536) if one == 0 else peer.recv(65536)
        if not data:
            sys.exit(0)
        peer.sendall(data) if one == 0 else os.write(1, data)
"""


def run(*words, timeout=WAIT_S):
    done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False)
    return done.returncode, done.stdout, done.stderr


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Daemon:
    """A libvirtd; `folder` is its own."""

    def __init__(self, words, socket_path, **options):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(["libvirtd", *words], stdout=self.log, stderr=self.log, **options)
        end = time.monotonic() + WAIT_S
        while not os.path.exists(socket_path):
            if self.process.poll() is not None or time.monotonic() > end:
                self.stop()
                self.log.seek(0)
                raise RuntimeError("libvirtd does not start: " + self.log.read().decode()[-500:])
            time.sleep(0.02)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def domain_xml(name):
    return (f"<domain type='test'><name>{name}</name><memory>65536</memory><os><type>hvm</type></os></domain>")


class TestDriver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="helio-virt-")
        path = pathlib.Path(cls.folder.name)
        (path / "no-drivers").mkdir()  # what is left is the test driver, which is built in
        cls.port = free_port()
        (path / "libvirtd.conf").write_text(
            f'unix_sock_dir = "{path}"\nauth_unix_rw = "none"\nauth_unix_ro = "none"\nlisten_tls = 0\nlisten_tcp = 1\n'
            f'auth_tcp = "none"\nlisten_addr = "127.0.0.1"\ntcp_port = "{cls.port}"\n')
        cls.socket = path / "libvirt-sock"
        cls.uri = f"test+unix:///default?socket={cls.socket}"
        cls.addClassCleanup(cls.folder.cleanup)
        cls.daemon = Daemon(["--listen", "-f", str(path / "libvirtd.conf"), "-p", str(path / "pid")], cls.socket,
                            env={**os.environ, "LIBVIRT_DRIVER_DIR": str(path / "no-drivers")})
        cls.addClassCleanup(cls.daemon.stop)

    def helio(self, *words, uri=None, code=0):
        got, out, err = run(HELIO, "virt", "-c", uri or self.uri, *words)
        self.assertEqual(got, code, (words, out, err))
        return out if code == 0 else err

    def listening(self, *words):
        """helio virt event, once it listens. While it does, the driver keeps its state."""
        listener = subprocess.Popen([HELIO, "virt", "-c", self.uri, "event", *words], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)
        self.addCleanup(listener.stderr.close)
        self.addCleanup(listener.stdout.close)
        self.assertEqual(listener.stderr.readline(), "helio: listening\n")
        return listener

    def test_looking(self):
        self.assertEqual(self.helio("list", "--all").split(), ["id", "name", "state", "1", "test", "running"])
        (one,) = json.loads(self.helio("list", "--json"))
        self.assertEqual((one["name"], one["id"], one["uuid"]), ("test", 1, "6695eb01-f6a4-8304-79aa-97f2502e193f"))
        xml = self.helio("dumpxml", "test")
        self.assertEqual(xml, self.helio("dumpxml", one["uuid"]))
        self.assertEqual(xml.strip(), run("virsh", "-c", self.uri, "dumpxml", "test")[1].strip())
        self.assertEqual(json.loads(self.helio("nodeinfo", "--json"))["cpus"], 16)
        self.assertTrue(self.helio("capabilities").startswith("<capabilities>"))
        self.assertIn("default  active", self.helio("net-list"))
        (pool,) = json.loads(self.helio("pool-list", "--json"))
        self.assertEqual((pool["name"], pool["state"]), ("default-pool", "running"))
        (stats,) = json.loads(self.helio("domstats", "--state", "--json", "test"))
        self.assertEqual(stats["state.state"], 1)

    def test_a_life_and_its_events(self):
        listener = self.listening("--count", "6", "--for", "15s")
        file = pathlib.Path(self.folder.name) / "new.xml"
        file.write_text(domain_xml("new"))
        for words in (["define", str(file)], ["start", "new"], ["suspend", "new"], ["resume", "new"], ["destroy", "new"]):
            self.helio(*words)
        self.assertIn("new   shut off", self.helio("list", "--all"))
        self.helio("undefine", "new")
        self.assertEqual(listener.wait(WAIT_S), 0)
        self.assertEqual(listener.stdout.read().splitlines(),
                         ["new: Defined (Added)", "new: Started (Booted)", "new: Suspended (Paused)", "new: Resumed (Unpaused)",
                          "new: Stopped (Destroyed)", "new: Undefined (Removed)"])

    def test_calls_by_json(self):
        info = json.loads(self.helio("call", "DomainGetInfo", "--domain", "test"))
        self.assertEqual((info["state"], info["nrVirtCpu"]), (1, 2))
        found = json.loads(self.helio("call", "virDomainLookupByName", '{"name": "test"}'))
        again = json.loads(self.helio("call", "DOMAIN_GET_INFO", json.dumps(found)))
        self.assertEqual(again["maxMem"], info["maxMem"])
        self.assertIn("Domain not found", self.helio("call", "DomainLookupByName", '{"name": "x"}', code=4))
        self.helio("call", "DomainLookupByName", '{"nam": "x"}', code=1)
        self.helio("call", "DomainNoSuchThing", code=2)
        self.assertIn("say --output", self.helio("call", "DomainScreenshot", "--domain", "test", code=2))

    def test_a_stream(self):
        file = pathlib.Path(self.folder.name) / "shot.png"
        self.helio("call", "DomainScreenshot", "--domain", "test", '{"screen": 0, "flags": 0}', "--output", str(file))
        self.assertTrue(file.read_bytes().startswith(b"\x89PNG"))
        self.assertEqual(file.read_bytes()[-8:-4], b"IEND")

    def test_refusals(self):
        self.assertIn("Domain not found", self.helio("start", "nobody", code=4))
        self.assertIn("read only access prevents virDomainDestroy", self.helio("-r", "destroy", "test", code=4))
        only_reads = f"test+unix:///default?socket={self.socket}-ro"
        self.assertIn("test", self.helio("list", uri=only_reads))
        self.helio("destroy", "test", uri=only_reads, code=4)
        self.assertIn("not supported", self.helio("console", "test", code=4))
        self.helio("list", uri="test+unix:///default?socket=/nowhere", code=3)
        self.helio("list", uri="no URI", code=2)
        self.helio("list", uri=f"nothing+unix:///x?socket={self.socket}", code=4)

    def test_over_tcp(self):
        uri = f"test+tcp://127.0.0.1:{self.port}/default"
        self.assertIn("running", self.helio("list", uri=uri))

    def test_by_ssh(self):
        """What ssh is told to run over there runs here, with a netcat of the test's own."""
        tools = pathlib.Path(self.folder.name) / "tools"
        tools.mkdir()
        (tools / "ssh").write_text(
            f'#!/bin/sh\necho "$@" >{tools}/words\nfor last; do :; done\nPATH={tools}:$PATH exec sh -c "$last"\n')
        (tools / "nc").write_text(NETCAT)
        for name in ("ssh", "nc"):
            (tools / name).chmod(0o755)
        uri = f"test+ssh://me@far:2222/default?socket={self.socket}&command={tools}/ssh"
        self.assertIn("running", self.helio("list", uri=uri))
        self.assertTrue((tools / "words").read_text().startswith("-T -e none -p 2222 -l me -- far sh -c"))
        self.helio("list", uri=uri.replace("/ssh", "/none"), code=3)

    def test_a_thousand_domains(self):
        file = pathlib.Path(self.folder.name) / "node.xml"
        names = [f"vm{i:04}" for i in range(DOMAINS)]
        file.write_text("<node>" + "".join(map(domain_xml, names)) + "</node>")
        uri = f"test+unix://{file}?socket={self.socket}"
        listed = json.loads(self.helio("list", "--all", "--json", uri=uri))
        self.assertEqual(sorted(one["name"] for one in listed), names)
        self.assertEqual({one["state"] for one in listed}, {"running"})


@unittest.skipUnless(os.path.exists("/usr/sbin/saslpasswd2"), "no saslpasswd2: apt install sasl2-bin")
class Sasl(unittest.TestCase):
    """Over AF_UNIX the password alone is kept from others (SCRAM), over TCP everything that is said is."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="helio-virt-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "no-drivers").mkdir()
        (cls.path / "libvirt.conf").write_text(
            f"mech_list: scram-sha-256 digest-md5\nsasldb_path: {cls.path}/db\n")
        subprocess.run(["/usr/sbin/saslpasswd2", "-p", "-c", "-f", f"{cls.path}/db", "-a", "libvirt", "-u", "here", "ada"],
                       input=b"secret", check=True)
        cls.port = free_port()
        (cls.path / "libvirtd.conf").write_text(
            f'unix_sock_dir = "{cls.path}"\nauth_unix_rw = "sasl"\nlisten_tls = 0\nlisten_tcp = 1\nauth_tcp = "sasl"\n'
            f'listen_addr = "127.0.0.1"\ntcp_port = "{cls.port}"\n')
        (cls.path / "right").write_text("secret\n")
        (cls.path / "wrong").write_text("guess\n")
        cls.uris = (f"test+unix:///default?socket={cls.path}/libvirt-sock", f"test+tcp://127.0.0.1:{cls.port}/default")
        cls.daemon = Daemon(["--listen", "-f", f"{cls.path}/libvirtd.conf", "-p", f"{cls.path}/pid"], cls.path / "libvirt-sock",
                            env={**os.environ, "LIBVIRT_DRIVER_DIR": f"{cls.path}/no-drivers", "SASL_CONF_PATH": str(cls.path)})
        cls.addClassCleanup(cls.daemon.stop)

    def test_password(self):
        for uri in self.uris:
            who = ["virt", "-c", uri, "--user", "ada@here", "--password-file"]
            code, out, err = run(HELIO, *who, f"{self.path}/right", "dumpxml", "test")
            self.assertEqual((code, err), (0, ""), uri)
            self.assertIn("<name>test</name>", out)
            code, _, err = run(HELIO, *who, f"{self.path}/wrong", "list")
            self.assertEqual(code, 4)
            self.assertIn("authentication failed", err)
            code, _, err = run(HELIO, "virt", "-c", uri, "list")
            self.assertEqual(code, 4)
            self.assertIn("wants a user and a password", err)


class QemuVolumes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="helio-virt-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name)
        for name in ("home", "run", "pool"):
            (cls.path / name).mkdir()
        options = {"env": {**os.environ, "HOME": str(cls.path / "home"), "XDG_RUNTIME_DIR": str(cls.path / "run")}}
        for name in list(options["env"]):
            if name.startswith("XDG_") and name != "XDG_RUNTIME_DIR":
                del options["env"][name]
        if os.getuid() == 0:  # the superuser has no daemon of their own
            cls.path.chmod(0o755)
            for name in ("home", "run", "pool"):
                os.chown(cls.path / name, NOBODY, NOBODY)
            options.update(user=NOBODY, group=NOBODY, extra_groups=[])
        socket_path = cls.path / "run/libvirt/libvirt-sock"
        cls.uri = f"qemu+unix:///session?socket={socket_path}"
        try:
            cls.daemon = Daemon([], socket_path, **options)
        except RuntimeError as error:
            raise unittest.SkipTest(str(error)) from error
        cls.addClassCleanup(cls.daemon.stop)
        code, _, err = run("virsh", "-c", cls.uri,
                           f"pool-create-as p dir --target {cls.path}/pool; vol-create-as p v 3M --allocation 0")
        if code != 0:
            raise unittest.SkipTest("no volumes here: " + err.strip())

    def helio(self, *words):
        code, out, err = run(HELIO, "virt", "-c", self.uri, *words)
        self.assertEqual(code, 0, (words, out, err))
        return out

    def test_content_goes_up_and_comes_down(self):
        self.assertIn("v     file  3145728", self.helio("vol-list", "p"))
        content = self.path / "content"
        content.write_bytes(bytes(1 << 20) + os.urandom(1 << 20) + bytes(1 << 20))
        with open(content, "r+b") as file:  # holes where there are zeros
            file.truncate(2 << 20)
            file.truncate(3 << 20)
        for flags in ([], ["--sparse"]):
            back = self.path / f"back{len(flags)}"
            self.assertEqual(self.helio("vol-upload", "--pool", "p", "v", str(content), *flags), "3145728 bytes to v\n")
            self.helio("vol-download", "--pool", "p", "v", str(back), *flags)
            self.assertEqual(back.read_bytes(), content.read_bytes(), flags)
        piece = self.path / "piece"
        self.helio("vol-download", f"{self.path}/pool/v", str(piece), "--offset", str(1 << 20), "--length", "5")
        self.assertEqual(piece.read_bytes(), content.read_bytes()[1 << 20:(1 << 20) + 5])


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    if shutil.which("libvirtd") is None or shutil.which("virsh") is None:
        print("virt_daemon_test: no libvirtd or no virsh: apt install libvirt-daemon libvirt-clients; skipped", file=sys.stderr)
        sys.exit(0)
    unittest.main()
