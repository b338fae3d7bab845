#!/usr/bin/env python3
"""helio virt against Debian's libvirtd 9.0: its test driver, and where it starts qemu's per-user driver for volumes.

Usage: virt_daemon_test.py PATH_TO_HELIO. Needs libvirtd (apt install libvirt-daemon libvirt-clients); where it is missing the
test says so and is skipped. Both daemons are the test's own, with sockets in a folder that goes away with it.
"""
import json
import os
import pathlib
import pty
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from virt_daemons import WAIT_S, Daemon, VirtServe, add_sasl_user, domain_xml, free_port, libvirtd, run  # noqa: E402

HELIO = ""
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


class TestDriver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="helio-virt-")
        path = pathlib.Path(cls.folder.name)
        cls.port = free_port()
        cls.socket = path / "libvirt-sock"
        cls.uri = f"test+unix:///default?socket={cls.socket}"
        cls.addClassCleanup(cls.folder.cleanup)
        cls.daemon = libvirtd(path, 'auth_unix_rw = "none"\nauth_unix_ro = "none"\nlisten_tls = 0\nlisten_tcp = 1\n'
                              f'auth_tcp = "none"\nlisten_addr = "127.0.0.1"\ntcp_port = "{cls.port}"\n', "--listen")
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
        self.assertIn("add --output", self.helio("call", "DomainScreenshot", "--domain", "test", code=2))

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

    def test_a_daemon_that_is_stopped(self):
        """Alive, and says nothing any more: who waits for an answer is told in time, who listens by keepalive."""
        listener = subprocess.Popen([HELIO, "virt", "-c", self.uri, "-k", "300ms", "-K", "3", "event"], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)
        self.assertEqual(listener.stderr.readline(), "helio: listening\n")
        self.daemon.process.send_signal(signal.SIGSTOP)
        try:
            _, err = listener.communicate(timeout=WAIT_S)
            self.assertEqual(listener.returncode, 3, err)
            self.assertIn("timed out", err)
            self.assertIn("no reply in time (300ms)", self.helio("--timeout", "300ms", "list", code=3))
        finally:
            self.daemon.process.send_signal(signal.SIGCONT)
        self.assertIn("running", self.helio("list"))

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
        add_sasl_user(cls.path)
        cls.port = free_port()
        (cls.path / "right").write_text("secret\n")
        (cls.path / "wrong").write_text("guess\n")
        cls.uris = (f"test+unix:///default?socket={cls.path}/libvirt-sock", f"test+tcp://127.0.0.1:{cls.port}/default")
        cls.daemon = libvirtd(cls.path, 'auth_unix_rw = "sasl"\nlisten_tls = 0\nlisten_tcp = 1\nauth_tcp = "sasl"\n'
                              f'listen_addr = "127.0.0.1"\ntcp_port = "{cls.port}"\n', "--listen")
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
            self.assertIn("requires a user and a password", err)


def certificate(folder, name, subject, names="", authority="", purpose="", expired=False):
    """NAME.pem and NAME.key in the folder: an authority's own, or signed by one."""
    (folder / f"{name}.cnf").write_text(
        f"[req]\ndistinguished_name=nobody\n[nobody]\n[ca]\ndefault_ca=here\n[here]\ndatabase={folder}/{name}.index\n"
        f"serial={folder}/{name}.serial\nnew_certs_dir={folder}\ndefault_md=sha256\npolicy=any\nunique_subject=no\n"
        f"[any]\ncommonName=supplied\n[signed]\nbasicConstraints=CA:{'FALSE' if authority else 'TRUE'}\n"
        + (f"subjectAltName={names}\n" if names else "") + (f"extendedKeyUsage={purpose}\n" if purpose else ""))
    (folder / f"{name}.index").write_text("")
    (folder / f"{name}.serial").write_text(f"{int.from_bytes(os.urandom(4), 'big') | 1:08X}\n")
    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{folder}/{name}.key"]
    request = ["req", "-new", *new_key, "-config", f"{folder}/{name}.cnf", "-subj", f"/CN={subject}", "-out", f"{folder}/{name}.csr"]
    signer = (["-cert", f"{folder}/{authority}.pem", "-keyfile", f"{folder}/{authority}.key"] if authority else
              ["-selfsign", "-keyfile", f"{folder}/{name}.key"])
    days = ["-startdate", "19990101000000Z", "-enddate", "20000101000000Z"] if expired else ["-days", "2"]
    for words in (request, ["ca", "-batch", "-notext", "-config", f"{folder}/{name}.cnf", "-extensions", "signed", *signer, *days,
                            "-in", f"{folder}/{name}.csr", "-out", f"{folder}/{name}.pem"]):
        done = subprocess.run(["openssl", *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)


def in_tls(path, chain, talk):
    """A TLS server of the test's own for one client; `talk` is given its socket. The port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{path}/{chain}.pem", f"{path}/{chain}.key")
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        peer, _ = listener.accept()
        listener.close()
        with peer:
            peer.settimeout(WAIT_S)
            try:
                with context.wrap_socket(peer, server_side=True) as stream:
                    talk(stream)
            except OSError:  # the client went away, which it may
                pass

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


def tls_works():
    """Whether this helio has TLS: without it, it says so before it looks for anybody."""
    return "this build does not support TLS" not in run(HELIO, "virt", "-c", "test+tls://127.0.0.1:1/default?no_verify=1", "list")[2]


@unittest.skipUnless(shutil.which("openssl"), "no openssl to make certificates with")
class OverTls(unittest.TestCase):
    """Debian's libvirtd with listen_tls, and certificates that are made here."""

    @classmethod
    def setUpClass(cls):
        if not tls_works():
            raise unittest.SkipTest("this helio was built without TLS: apt install libgnutls28-dev")
        cls.folder = tempfile.TemporaryDirectory(prefix="helio-virt-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = path = pathlib.Path(cls.folder.name)
        names = "DNS:localhost,IP:127.0.0.1"
        certificate(path, "authority", "helio's test authority")
        certificate(path, "stranger", "somebody else's authority")
        certificate(path, "server", "localhost", names, authority="authority", purpose="serverAuth")
        certificate(path, "elsewhere", "elsewhere", "DNS:elsewhere", authority="authority")
        certificate(path, "old", "localhost", names, authority="authority", expired=True)
        certificate(path, "client", "ada", authority="authority", purpose="clientAuth")
        certificate(path, "imposter", "localhost", names, authority="authority", purpose="clientAuth")
        certificate(path, "intruder", "mallory", authority="stranger")
        cls.pki("right", "authority", "client")
        cls.pki("nameless", "authority", None)
        cls.pki("intruder", "authority", "intruder")
        cls.pki("other", "stranger", "client")
        cls.port = free_port()
        cls.daemon = libvirtd(
            path, 'auth_unix_rw = "none"\nlisten_tls = 1\nlisten_tcp = 0\nauth_tls = "none"\n'
            f'listen_addr = "127.0.0.1"\ntls_port = "{cls.port}"\nca_file = "{path}/authority.pem"\n'
            f'cert_file = "{path}/server.pem"\nkey_file = "{path}/server.key"\ncrl_file = ""\n', "--listen")
        cls.addClassCleanup(cls.daemon.stop)

    @classmethod
    def pki(cls, name, authority, client):
        """A folder as pkipath wants it."""
        folder = cls.path / name
        folder.mkdir()
        shutil.copy(cls.path / f"{authority}.pem", folder / "cacert.pem")
        if client:
            shutil.copy(cls.path / f"{client}.pem", folder / "clientcert.pem")
            shutil.copy(cls.path / f"{client}.key", folder / "clientkey.pem")

    def helio(self, *words, pki="right", host="localhost", port=None, more="", code=0):
        uri = f"test+tls://{host}:{port or self.port}/default?pkipath={self.path}/{pki}{more}"
        got, out, err = run(HELIO, "virt", "-c", uri, *words)
        self.assertEqual(got, code, (words, out, err))
        return out if code == 0 else err

    def test_everything_as_without(self):
        for host in ("localhost", "127.0.0.1"):
            self.assertIn("running", self.helio("list", host=host))
        for priority in ("NORMAL:-VERS-TLS1.3", "SECURE128:-VERS-ALL:%2BVERS-TLS1.3"):
            self.assertIn("<name>test</name>", self.helio("dumpxml", "test", more="&tls_priority=" + priority))
        file = self.path / "shot.png"
        self.helio("call", "DomainScreenshot", "--domain", "test", '{"screen": 0, "flags": 0}', "--output", str(file))
        self.assertEqual(file.read_bytes()[-8:-4], b"IEND")

    def test_a_message_of_many_records(self):
        file = self.path / "node.xml"
        file.write_text("<node>" + "".join(domain_xml(f"vm{i:04}") for i in range(DOMAINS)) + "</node>")
        uri = f"test+tls://localhost:{self.port}{file}?pkipath={self.path}/right"
        code, out, err = run(HELIO, "virt", "-c", uri, "list", "--all", "--json")
        self.assertEqual((code, len(json.loads(out)), err), (0, DOMAINS, ""))

    def test_the_daemon_is_not_whom_we_want(self):
        self.assertIn(f"is not signed by the CA in {self.path}/other/cacert.pem", self.helio("list", pki="other", code=3))
        self.assertIn("running", self.helio("list", pki="other", more="&no_verify=1"))
        for chain, words in (("elsewhere", "is not for the host 'localhost'"), ("old", "has expired"),
                             ("imposter", "is not a server certificate")):
            port = in_tls(self.path, chain, lambda stream: stream.sendall(b"\1"))
            self.assertIn("the daemon's certificate " + words, self.helio("list", port=port, code=3))

    def test_we_are_not_whom_the_daemon_wants(self):
        self.assertIn("refused our certificate", self.helio("list", pki="intruder", code=3))
        self.assertIn("requires a client certificate, and there is none", self.helio("list", pki="nameless", code=3))
        self.assertIn("cacert.pem: No such file", self.helio("list", pki="nowhere", code=3))

    def test_hostile_peers(self):
        def message(stream):  # a call to the client, which is not allowed
            stream.sendall(b"\1")
            stream.recv(65536)
            stream.sendall(struct.pack(">7I", 28, 0x20008086, 1, 1, 0, 1, 0))
            stream.recv(65536)

        def garbage(stream):  # where records of TLS should be
            stream.sendall(b"\1")
            stream.recv(65536)
            os.write(stream.fileno(), b"no record of TLS" * 100)
            stream.recv(65536)

        talks = ((lambda stream: stream.sendall(b"\0"), "not a libvirt daemon"),
                 (lambda stream: stream.sendall(b"HTTP/1.1 400 Bad Request\r\n"), "not a libvirt daemon"),
                 (lambda stream: None, "refused our certificate"),
                 (lambda stream: stream.sendall(b"\1"), ""),
                 (message, ""), (garbage, ""))
        for talk, words in talks:
            self.assertIn(words, self.helio("list", port=in_tls(self.path, "server", talk), code=3))
        quiet = in_tls(self.path, "server", lambda stream: stream.recv(1))
        self.assertIn("the daemon did not confirm our certificate (1s)", self.helio("--timeout", "1s", "list", port=quiet, code=3))
        with socket.create_server(("127.0.0.1", 0)) as listener:  # takes the connection, and that is all
            port = listener.getsockname()[1]
            self.assertIn("in the TLS handshake (300ms)", self.helio("--timeout", "300ms", "list", port=port, code=3))
        self.assertIn("refused", self.helio("list", port=free_port(), code=3))

    def test_the_daemon_is_there_afterwards(self):
        """What a client says that speaks no TLS does the daemon no harm, nor us."""
        with socket.create_connection(("127.0.0.1", self.port)) as peer:
            peer.sendall(b"no TLS at all" * 10)
        self.assertIn("running", self.helio("list"))


class SmallDaemon:
    """Answers what its table says, (procedure → status, payload), to one client after the other; whatever else, nothing."""

    def __init__(self, path, answer):
        self.answer, self.called = answer, []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with client:
                stream = client.makefile("rb")
                while len(head := stream.read(28)) == 28:
                    size, program, version, procedure, _, serial, _ = struct.unpack(">7I", head)
                    stream.read(size - 28)
                    self.called.append(procedure)
                    status, payload = self.answer(procedure)
                    client.sendall(struct.pack(">7I", 28 + len(payload), program, version, procedure, 1, serial, status) + payload)


def virt_error(code, text):
    """virNetMessageError: code, domain 60 (polkit), message, level 2, and nothing more."""
    data = text.encode()
    return struct.pack(">4I", code, 60, 1, len(data)) + data + bytes(-len(data) % 4) + struct.pack(">8i", 2, 0, 0, 0, 0, 0, 0, 0)


class Polkit(unittest.TestCase):
    AUTH_LIST, AUTH_POLKIT, POLKIT, UNAVAILABLE = 66, 70, 2, 94

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="helio-virt-")
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def test_debians_daemon(self):
        """The superuser need not be asked about; for anybody else the daemon asks polkit, which is not there."""
        self.path.chmod(0o755)
        daemon = libvirtd(self.path, 'unix_sock_rw_perms = "0777"\nauth_unix_rw = "polkit"\n',
                          DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nowhere")
        self.addCleanup(daemon.stop)
        words = [HELIO, "virt", "-c", f"test+unix:///default?socket={self.path}/libvirt-sock", "list"]
        code, out, err = run(*words)
        if os.getuid() != 0:
            self.assertEqual(code, 4, err)
            return
        self.assertEqual((code, err), (0, ""))
        self.assertIn("running", out)
        helio = shutil.copy(HELIO, self.path)  # other users need not be able to reach the original
        os.chmod(helio, 0o755)
        done = subprocess.run([helio, *words[1:]], user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, text=True,
                              timeout=WAIT_S, check=False)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertTrue(done.stderr.startswith("helio: ") and len(done.stderr) > 20, done.stderr)

    def test_an_agent_for_the_terminal(self):
        """No agent: at a terminal polkit's own is started for us, and we try again; elsewhere we say what the daemon said."""
        asked = self.path / "asked"

        def answer(procedure):
            if procedure == self.AUTH_LIST:
                return 0, struct.pack(">2I", 1, self.POLKIT)
            if procedure == self.AUTH_POLKIT:
                return (0, struct.pack(">I", 1)) if asked.exists() else (1, virt_error(self.UNAVAILABLE, "no polkit agent available"))
            return 1, virt_error(1, "polkit has said yes")

        daemon = SmallDaemon(self.path / "sock", answer)
        self.addCleanup(daemon.listener.close)
        (self.path / "pkttyagent").write_text(f'#!/bin/sh\necho "$@" >{asked}\neval "exec $4>&-"\nexec sleep 60\n')
        (self.path / "pkttyagent").chmod(0o755)
        words = [HELIO, "virt", "-c", f"test+unix:///default?socket={self.path}/sock", "--no-keepalive", "list"]
        env = {**os.environ, "PATH": f"{self.path}:{os.environ['PATH']}"}
        options = {"capture_output": True, "text": True, "timeout": WAIT_S, "check": False, "env": env}
        done = subprocess.run(words, stdin=subprocess.DEVNULL, **options)
        self.assertEqual((done.returncode, done.stderr), (4, "helio: no polkit agent available\n"))
        self.assertFalse(asked.exists())
        outside, terminal = pty.openpty()
        try:
            done = subprocess.run(words, stdin=terminal, **options)
        finally:
            os.close(outside)
            os.close(terminal)
        self.assertEqual((done.returncode, done.stderr), (4, "helio: polkit has said yes\n"))
        self.assertRegex(asked.read_text(), r"^--process \d+ --notify-fd 3 --fallback\n$")


class NoAnswer(unittest.TestCase):
    """Whatever is asked for, --timeout is the end of waiting for it."""
    VERBS = (("list", "ConnectGetAllDomainStats"), ("dumpxml test", "DomainGetXMLDesc"), ("define {file}", "DomainDefineXML DomainDefineXMLFlags"),
             ("undefine test", "DomainUndefine DomainUndefineFlags"), ("start test", "DomainCreate DomainCreateWithFlags"), ("shutdown test", "DomainShutdown DomainShutdownFlags"),
             ("reboot test", "DomainReboot"), ("destroy test", "DomainDestroy DomainDestroyFlags"), ("suspend test", "DomainSuspend"),
             ("resume test", "DomainResume"), ("domstats", "ConnectGetAllDomainStats"), ("event", "ConnectDomainEventCallbackRegisterAny"),
             ("nodeinfo", "NodeGetInfo"), ("capabilities", "ConnectGetCapabilities"), ("net-list", "ConnectListAllNetworks"),
             ("pool-list", "ConnectListAllStoragePools"), ("vol-list p", "StoragePoolListAllVolumes"),
             ("vol-download --pool p v {file}", "StorageVolDownload"), ("vol-upload --pool p v {file}", "StorageVolUpload"),
             ("console test", "DomainOpenConsole"), ("call ConnectGetHostname", "ConnectGetHostname"))

    def test_every_verb(self):
        host = '[[pool]]\nname = "p"\npath = "/p"\n[[pool.volume]]\nname = "v"\ncapacity_mib = 1\n[[domain]]\nname = "test"\nstate = "running"\n'
        faults = [word for _, procedures in self.VERBS for procedure in procedures.split() for word in ("--fault", f"{procedure}:hang")]
        served = VirtServe(HELIO, "--quiet", "--client-requests", "100", *faults, host=host)
        self.addCleanup(served.stop)
        file = served.path / "file"
        file.write_text(domain_xml("new"))
        running = [(verb, subprocess.Popen([HELIO, "virt", "-c", served.uri(), "--timeout", "400ms", *verb.format(file=file).split()],
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
                   for verb, _ in self.VERBS]
        for verb, one in running:
            with self.subTest(verb):
                out, err = one.communicate(timeout=WAIT_S)
                self.assertEqual(one.returncode, 3, (out, err))
                self.assertIn("(400ms)", err)


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
            cls.daemon = Daemon(["libvirtd"], socket_path, **options)
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
        self.assertIn("v     file  3.00 MiB", self.helio("vol-list", "p"))
        self.assertIn("v     file  3145728", self.helio("vol-list", "p", "--bytes"))
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
        self.interrupt(content)
        piece = self.path / "piece"
        self.helio("vol-download", f"{self.path}/pool/v", str(piece), "--offset", str(1 << 20), "--length", "5")
        self.assertEqual(piece.read_bytes(), content.read_bytes()[1 << 20:(1 << 20) + 5])

    def interrupt(self, content):
        """Ctrl-C in the middle: we are gone at once, the daemon has done with the stream, and the volume is anybody's."""
        for verb, kind in (("vol-download", os.O_RDONLY), ("vol-upload", os.O_WRONLY)):
            pipe = self.path / verb  # without reader or writer
            os.mkfifo(pipe)
            client = subprocess.Popen([HELIO, "virt", "-c", self.uri, verb, "--pool", "p", "v", str(pipe)],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            end = os.open(pipe, kind)  # opened at both ends: the transfer has begun
            client.send_signal(signal.SIGINT)
            self.assertEqual(client.wait(WAIT_S), -signal.SIGINT)
            os.close(end)
        self.helio("vol-upload", "--pool", "p", "v", str(content))


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    if shutil.which("libvirtd") is None or shutil.which("virsh") is None:
        print("virt_daemon_test: no libvirtd or no virsh: apt install libvirt-daemon libvirt-clients; skipped", file=sys.stderr)
        sys.exit(0)
    unittest.main()
