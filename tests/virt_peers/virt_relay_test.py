#!/usr/bin/env python3
"""helio virt relay between Debian's virsh 9.0 and a daemon: libvirtd with its test driver, and helio virt serve for what that driver has
not (volumes, consoles).

Usage: virt_relay_test.py PATH_TO_HELIO. Needs virsh (apt install libvirt-clients), libvirtd (libvirt-daemon) and python3-libvirt;
where one is missing its tests say so and are skipped.
"""
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import uuid

try:
    import libvirt
except ImportError:
    libvirt = None

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from virt_daemons import WAIT_S, VirtServe, add_sasl_user, free_port, libvirtd, run, stop, thread_states  # noqa: E402

HELIO = ""
HOST = """
[[pool]]
name = "images"
path = "/images"
[[pool.volume]]
name = "disk"
capacity_mib = 8
[[domain]]
name = "prod-1"
state = "running"
[[domain]]
name = "test-1"
state = "running"
[[domain]]
name = "test-2"
"""


class Relay:
    """helio virt relay, ready, with its audit as JSON in a file."""

    def __init__(self, folder, daemon, *words, listen=None, before=()):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=folder))
        self.audit_file = self.folder / "audit"
        self.output = open(self.folder / "output", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [*before, HELIO, "virt", "relay", "--listen", listen or f"unix:{self.folder}/sock", "--to", daemon, "--audit", self.audit_file,
             "--json", *words], stdout=self.output, stderr=subprocess.PIPE, text=True)
        self.said = []
        for line in self.process.stderr:
            self.said.append(line.strip())
            if line == "helio: ready\n":
                return
        raise RuntimeError(f"helio virt relay does not start: {self.said}")

    def uri(self, driver="test", path="/default"):
        return f"{driver}+unix://{path}?socket={self.folder}/sock"

    def audit(self):
        return [json.loads(line) for line in self.audit_file.read_text().splitlines()]

    def calls(self, procedure):
        return [one for one in self.audit() if one.get("procedure") == procedure]

    def close(self):
        code = stop(self.process)
        self.process.stderr.close()
        self.output.close()
        return code


class RelayCase(unittest.TestCase):
    """With a daemon at cls.daemon, and a folder."""

    @classmethod
    def setUpClass(cls):
        if cls is RelayCase:
            raise unittest.SkipTest("what the others share")
        if shutil.which("virsh") is None:
            raise unittest.SkipTest("no virsh: apt install libvirt-clients")
        folder = tempfile.TemporaryDirectory(prefix="helio-relay-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.start()

    @classmethod
    def start(cls):
        raise NotImplementedError

    def relay(self, *words, **options):
        one = Relay(self.folder, self.daemon, *words, **options)
        self.addCleanup(one.close)
        return one

    def virsh(self, relay, *words, code=0):
        got, out, err = run("virsh", "-c", relay.uri(), *words)
        self.assertEqual(got, code, (words, out, err))
        return (out if code == 0 else err).strip()

    def helio(self, relay, *words, code=0):
        got, out, err = run(HELIO, "virt", "-c", relay.uri(), *words)
        self.assertEqual(got, code, (words, out, err))
        return out if code == 0 else err


class OverHelio(RelayCase):
    """What libvirt's test driver has not: volumes, consoles; and what rules do."""

    @classmethod
    def start(cls):
        cls.served = VirtServe(HELIO, "--listen", "127.0.0.1:0", host=HOST)
        cls.addClassCleanup(cls.served.stop)
        cls.daemon = f"unix:{cls.served.path}/sock"
        cls.tcp = next("tcp:" + line.split()[1] for line in cls.served.said if line.startswith("tcp "))

    def domain(self, name):
        """As the daemon has it."""
        got, out, _ = run(HELIO, "virt", "-c", self.served.uri(), "call", "DomainLookupByName", json.dumps({"name": name}), "--compact")
        self.assertEqual(got, 0)
        return json.loads(out)["dom"]

    def test_volumes_pass_unchanged(self):
        for daemon in (self.daemon, self.tcp):
            relay = Relay(self.folder, daemon)
            self.addCleanup(relay.close)
            content = self.folder / "content"
            content.write_bytes(os.urandom(3 << 20))
            self.virsh(relay, "vol-upload", "--pool", "images", "disk", content, "--length", 3 << 20)
            self.virsh(relay, "vol-download", "--pool", "images", "disk", self.folder / "copy", "--length", 3 << 20)
            self.assertEqual((self.folder / "copy").read_bytes(), content.read_bytes())
            (upload,) = relay.calls("StorageVolUpload")
            self.assertEqual((upload["verdict"], upload["status"], upload["arguments"]["vol"]["name"]), ("allowed", "ok", "disk"))

    def test_allow_list(self):
        relay = self.relay("--allow", "ConnectListAllDomains", "--allow", "*:domain=test-*")
        out = self.virsh(relay, "dominfo test-1; domstate test-1; suspend test-1; resume test-1")
        self.assertIn("Name:           test-1", out)
        self.assertIn("no rule of the relay allows it", self.virsh(relay, "nodeinfo", code=1))
        self.assertEqual({one["verdict"] for one in relay.calls("NodeGetInfo")}, {"denied"})
        # virsh reports only that it did not find it.
        self.assertIn("failed to get domain", self.virsh(relay, "dominfo prod-1", code=1))
        self.assertIn("failed to get domain", self.virsh(relay, f"domstate {uuid.UUID(self.domain('prod-1')['uuid'])}", code=1))
        self.assertEqual([one["verdict"] for one in relay.calls("DomainLookupByUuid")], ["denied"])

    def test_a_lie_is_found_out(self):
        relay = self.relay("--deny", "DomainDestroy:domain=prod-*")
        self.assertIn("denied by rule 1", self.virsh(relay, "destroy prod-1", code=1))
        lie = {**self.domain("prod-1"), "name": "test-1"}
        said = self.helio(relay, "call", "DomainDestroy", json.dumps({"dom": lie}), code=4)
        self.assertIn("denied by rule 1", said)
        unknown = {**lie, "uuid": "0" * 32}
        self.assertIn("Domain not found", self.helio(relay, "call", "DomainDestroy", json.dumps({"dom": unknown}), code=4))
        self.assertEqual(self.virsh(relay, "domstate prod-1"), "running")
        self.virsh(relay, "destroy test-1; start test-1")
        self.assertEqual([one["verdict"] for one in relay.calls("DomainDestroy")], ["denied", "denied", "denied", "allowed"])
        denied = relay.calls("DomainDestroy")[0]
        self.assertEqual((denied["rule"], denied["reason"], denied["status"], denied["code"], denied["domain"]),
                         (1, "deny DomainDestroy:domain=prod-*", "error", 29, 7))
        # Names change; the daemon is asked each time.
        self.virsh(relay, "domrename test-2 prod-2")
        stale = {**self.domain("prod-2"), "name": "test-2"}
        self.assertIn("denied by rule 1", self.helio(relay, "call", "DomainDestroy", json.dumps({"dom": stale}), code=4))
        self.virsh(relay, "domrename prod-2 test-2")

    def test_new_names_are_names(self):
        relay = self.relay("--deny", "*:domain=prod-*")
        self.assertIn("denied by rule 1", self.virsh(relay, "domrename test-2 prod-9", code=1))
        self.virsh(relay, "domrename test-2 test-9; domrename test-9 test-2")
        self.assertEqual([one["verdict"] for one in relay.calls("DomainRename")], ["denied", "allowed", "allowed"])

    def test_rules_from_a_file(self):
        rules = self.folder / "rules"
        rules.write_text("# who may do what\nallow *\ndeny Domain*:dom.name=prod-*\n")
        relay = self.relay("--rules", str(rules))
        self.assertIn("helio: rule 2: deny Domain*:dom.name=prod-*", relay.said)
        self.virsh(relay, "nodeinfo; dominfo test-1")
        self.assertIn("denied by rule 2", self.virsh(relay, "dominfo prod-1", code=1))

    def test_read_only(self):
        relay = self.relay("--read-only")
        self.virsh(relay, "list --all; dumpxml test-1; domstats")
        for words in ("suspend test-1", "dumpxml --security-info test-1", "vol-delete --pool images disk"):
            self.assertIn("read only access prevents", self.virsh(relay, words, code=1))
        self.assertEqual(self.virsh(relay, "domstate test-1"), "running")

    def test_console(self):
        relay = self.relay()
        console = subprocess.Popen([HELIO, "virt", "-c", relay.uri(), "console", "test-1"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(console.stdout.close)
        said = b""
        while b"test-1" not in said:
            said += os.read(console.stdout.fileno(), 1000)
        console.stdin.write(b"typed\n")
        console.stdin.flush()
        while b"typed" not in said:
            said += os.read(console.stdout.fileno(), 1000)
        console.stdin.close()
        self.assertEqual(console.wait(WAIT_S), 0)
        denying = self.relay("--deny", "DomainOpenConsole")
        self.assertIn("denied by rule 1", self.helio(denying, "console", "test-1", code=4))

    def test_records_and_prints(self):
        relay = self.relay("--record", str(self.folder / "calls"), "--print", "lines", "--deny", "NodeGetInfo")
        self.virsh(relay, "dominfo test-1")
        self.virsh(relay, "nodeinfo", code=1)
        relay.process.send_signal(signal.SIGTERM)
        self.assertEqual(relay.process.wait(WAIT_S), 0)
        sent, heard = sorted((self.folder / "calls").glob("*-0002.*"))
        got, out, err = run(HELIO, "explain", "--calls", sent, heard)
        self.assertEqual(got, 0, err)
        self.assertIn("remote.NODE_GET_INFO", out)
        self.assertIn("denied by rule 1", out)
        relay.output.seek(0)
        lines = relay.output.read().splitlines()
        self.assertIn('#1 → CALL DomainLookupByName serial 6 {"name": "test-1"}', lines)
        self.assertTrue(any(line.startswith("#2 ← REPLY NodeGetInfo serial") and "error 29/7" in line for line in lines), lines)

    def test_it_has_given_up_what_it_does_not_need(self):
        dac_override = 1 << 1  # to reach a daemon's socket in a directory of another user
        for daemon in (self.daemon, self.tcp):
            relay = Relay(self.folder, daemon, "--record", str(self.folder / "confined"))
            self.addCleanup(relay.close)
            self.virsh(relay, "nodeinfo")
            for no_new_privileges, filtered, capabilities in thread_states(relay.process):
                self.assertTrue(no_new_privileges and filtered)
                self.assertIn(capabilities, (0, dac_override))
            self.assertEqual(stop(relay.process), 0)
            self.assertFalse((relay.folder / "sock").exists(), "it still removes its socket")
        self.assertTrue(list((self.folder / "confined").glob("*.c2s.bin")))
        free = self.relay("--no-sandbox")
        self.assertFalse(any(filtered for _, filtered, _ in thread_states(free.process)))

    def test_prints_words(self):
        relay = self.relay("--print", "words")
        self.virsh(relay, "nodeinfo")
        relay.process.send_signal(signal.SIGTERM)
        self.assertEqual(relay.process.wait(WAIT_S), 0)
        relay.output.seek(0)
        out = relay.output.read()
        self.assertIn("call of remote.NODE_GET_INFO", out)
        self.assertIn("reply to remote.NODE_GET_INFO", out)

    def test_clients_over_tcp(self):
        relay = self.relay("--deny", "DomainDestroy", listen="tcp:127.0.0.1:0")
        port = relay.said[0].rsplit(":", 1)[1]
        got, out, err = run("virsh", "-c", f"test+tcp://127.0.0.1:{port}/default", "domstate test-1")
        self.assertEqual((got, out.strip()), (0, "running"), err)
        self.assertTrue(relay.audit()[0]["client"].startswith("127.0.0.1:"))

    def test_bad_clients_harm_nobody(self):
        relay = self.relay("--deny", "DomainDestroy:domain=prod-*")
        clients = []
        for bytes_ in (b"\0\0\0\x1b", b"\xff\xff\xff\xff", struct.pack(">7I", 28, 0x20008086, 1, 6, 1, 1, 0), b"\0\0",
                       struct.pack(">8I", 32, 0x20008086, 1, 12, 4, 1, 0, 5) + bytes(5)):
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(WAIT_S)
            client.connect(str(relay.folder / "sock"))
            client.sendall(bytes_)
            clients.append(client)
        for client in clients[:3]:
            self.assertEqual(client.recv(100), b"")  # a clean end
        self.virsh(relay, "nodeinfo")
        for client in clients:
            client.close()
        self.assertTrue(any("the client sent" in one.get("why", "") for one in relay.audit()))

    def test_silent_clients_keep_nobody_out(self):
        # 64 descriptors are enough for 24 clients.
        relay = self.relay(before=("prlimit", "--nofile=64:64"))
        silent = []
        for _ in range(60):
            client = socket.socket(socket.AF_UNIX)
            self.addCleanup(client.close)
            client.settimeout(WAIT_S)
            client.connect(str(relay.folder / "sock"))
            silent.append(client)
        self.virsh(relay, "nodeinfo")
        self.assertEqual(silent[0].recv(1), b"", "the oldest has gone")
        self.assertTrue(any("to make room for a newer client" in one.get("why", "") for one in relay.audit()))
        self.assertFalse(any("refused: " in one.get("why", "") for one in relay.audit()))

    def test_without_a_daemon(self):
        relay = Relay(self.folder, f"unix:{self.folder}/nobody")
        self.addCleanup(relay.close)
        self.assertIn("the relay cannot reach its daemon at unix:", self.virsh(relay, "list", code=1))
        self.assertTrue(any("cannot reach" in one.get("why", "") for one in relay.audit()))

    def test_misuse(self):
        for words in (["--deny", "DomainDestry"], ["--deny", "DomainDestroy:dom.nam=x"], ["--mode", "9"], ["--print", "x"],
                      ["--rules", f"{self.folder}/none"], ["--to", "ssh:x"], ["--to", "qemu+ssh://x/system"]):
            got, out, err = run(HELIO, "virt", "relay", "--listen", f"{self.folder}/misuse", "--to", self.daemon, *words)
            self.assertEqual((got != 0, out), (True, ""), words)
            self.assertTrue(err, words)
        self.assertFalse((self.folder / "misuse").exists())


class OverLibvirtd(RelayCase):
    """Debian's libvirtd, with its test driver."""
    options = 'auth_unix_rw = "none"\nauth_unix_ro = "none"\n'
    words = []

    @classmethod
    def start(cls):
        if shutil.which("libvirtd") is None:
            raise unittest.SkipTest("no libvirtd: apt install libvirt-daemon")
        daemon = libvirtd(cls.folder, cls.options, *cls.words)
        cls.addClassCleanup(daemon.stop)
        cls.daemon = f"unix:{cls.folder}/libvirt-sock"

    def test_virsh(self):
        relay = self.relay()
        direct = run("virsh", "-c", f"test+unix:///default?socket={self.folder}/libvirt-sock",
                     "list --all; dumpxml test; nodeinfo; net-list; pool-list; capabilities")
        through = run("virsh", "-c", relay.uri(), "list --all; dumpxml test; nodeinfo; net-list; pool-list; capabilities")
        self.assertEqual(through, direct)
        got, out, err = run("virsh", "-c", relay.uri(), "destroy test; list --all; start test; domstate test")
        self.assertEqual(got, 0, err)
        self.assertIn("running", out)
        self.assertIn("failed to get domain", self.virsh(relay, "dominfo nobody", code=1))
        (missed,) = [one for one in relay.calls("DomainLookupByName") if one["status"] == "error"]
        self.assertEqual((missed["verdict"], missed["code"]), ("allowed", 42))

    def test_rules(self):
        relay = self.relay("--deny", "*:domain=te*")
        for name in ("test", "1", "6695eb01-f6a4-8304-79aa-97f2502e193f"):
            self.assertIn("failed to get domain", self.virsh(relay, f"destroy {name}", code=1))
        for procedure in ("DomainLookupByName", "DomainLookupById", "DomainLookupByUuid"):
            self.assertEqual(relay.calls(procedure)[0]["rule"], 1)
        lie = {"name": "other", "uuid": "6695eb01f6a4830479aa97f2502e193f", "id": 1}
        self.assertIn("denied by rule 1", self.helio(relay, "call", "DomainSuspend", json.dumps({"dom": lie}), code=4))
        self.assertIn("default", self.virsh(relay, "net-list"))

    def test_names_in_xml(self):
        relay = self.relay("--allow", "*:domain=new-*")
        for name, uuid_text, said in (("new-1", "", "Domain 'new-1' defined"), ("other", "", "no rule of the relay allows it"),
                                      ("new-2", "<uuid>6695eb01-f6a4-8304-79aa-97f2502e193f</uuid>", "is already defined with uuid")):
            file = self.folder / f"{name}.xml"
            file.write_text(f"<domain type='test'><name>{name}</name>{uuid_text}<memory>65536</memory><os><type>hvm</type></os></domain>")
            self.assertIn(said, self.virsh(relay, "define", file, code=0 if name == "new-1" else 1))

    def test_read_only(self):
        relay = self.relay("--read-only")
        self.assertIn("running", self.virsh(relay, "list"))
        self.assertIn("read only access prevents virDomainDestroy", self.virsh(relay, "destroy test", code=1))

    @unittest.skipIf(libvirt is None, "no module libvirt: apt install python3-libvirt")
    def test_events_and_many_clients(self):
        relay = self.relay("--deny", "DomainReboot")
        libvirt.registerErrorHandler(lambda _, error: None, None)
        libvirt.virEventRegisterDefaultImpl()
        loop_ends = threading.Event()

        def turn():
            while not loop_ends.is_set():
                libvirt.virEventRunDefaultImpl()

        thread = threading.Thread(target=turn, daemon=True)
        thread.start()
        connections = [libvirt.open(relay.uri()) for _ in range(8)]
        connections[0].setKeepAlive(1, 3)
        seen, heard = [], threading.Event()

        def on_event(_, domain, event, detail, __):
            seen.append((domain.name(), event))
            if len(seen) == 2:
                heard.set()

        number = connections[0].domainEventRegisterAny(None, libvirt.VIR_DOMAIN_EVENT_ID_LIFECYCLE, on_event, None)
        domain = connections[1].lookupByName("test")
        with self.assertRaises(libvirt.libvirtError) as denied:
            domain.reboot()
        self.assertEqual(denied.exception.get_error_code(), libvirt.VIR_ERR_OPERATION_DENIED)
        domain.suspend()
        domain.resume()
        self.assertTrue(heard.wait(WAIT_S))
        self.assertEqual(seen, [("test", 3), ("test", 4)])
        workers = [threading.Thread(target=lambda one=one: [one.getHostname() for _ in range(50)]) for one in connections]
        for one in workers:
            one.start()
        for one in workers:
            one.join()
        connections[0].domainEventDeregisterAny(number)
        for one in connections:
            one.close()
        loop_ends.set()
        self.assertEqual(len(relay.calls("ConnectGetHostname")), 400)


class OverSasl(OverLibvirtd):
    """Where passwords are asked for. By AF_UNIX that passes; over TCP all that follows would be encrypted, and the relay says so."""
    port = free_port()
    options = (f'auth_unix_rw = "sasl"\nlisten_tls = 0\nlisten_tcp = 1\nauth_tcp = "sasl"\nlisten_addr = "127.0.0.1"\n'
               f'tcp_port = "{port}"\n')
    words = ["--listen"]
    test_virsh = test_rules = test_read_only = test_names_in_xml = test_events_and_many_clients = None

    @classmethod
    def start(cls):
        if not os.path.exists("/usr/sbin/saslpasswd2"):
            raise unittest.SkipTest("no saslpasswd2: apt install sasl2-bin")
        add_sasl_user(cls.folder)
        (cls.folder / "password").write_text("secret\n")
        super().start()

    def test_passwords(self):
        who = ["--user", "ada@here", "--password-file", self.folder / "password", "list"]
        relay = self.relay("--deny", "DomainDestroy")
        self.assertIn("running", self.helio(relay, *who))
        self.assertEqual({one["note"] for one in relay.calls("AuthSaslStart")}, {"(not shown)"})
        self.assertNotIn("ada", relay.audit_file.read_text())
        tcp = Relay(self.folder, f"tcp:127.0.0.1:{self.port}")
        self.addCleanup(tcp.close)
        self.assertIn("SASL over TCP would encrypt the traffic", self.helio(tcp, *who, code=4))


if __name__ == "__main__":
    # Debian's module is for Debian's Python.
    if libvirt is None and sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    HELIO = os.path.abspath(sys.argv.pop(1))
    unittest.main()
