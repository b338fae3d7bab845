#!/usr/bin/env python3
"""helio virt serve, as Debian's virsh 9.0 and python3-libvirt see it.

Usage: virt_serve_test.py PATH_TO_HELIO. Needs virsh (apt install libvirt-clients) and python3-libvirt; where one is missing
its tests say so and are skipped.
"""
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
import time
import unittest

try:
    import libvirt
except ImportError:
    libvirt = None

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from virt_daemons import WAIT_S, VirtServe, domain_xml  # noqa: E402

HELIO = ""
DOMAINS = 5000
NOTHING_YET = -2  # of a stream that does not block

HOST = """
hostname = "lab"
[node]
memory_mib = 65536
cpus = 16

[[network]]
name = "default"
bridge = "virbr0"
address = "192.168.122.1"
range_start = "192.168.122.2"
range_end = "192.168.122.254"

[[network]]
name = "spare"
active = false

[[pool]]
name = "images"
path = "/images"
[[pool.volume]]
name = "small"
text = "what is in the volume\\n"
[[pool.volume]]
name = "big"
capacity_mib = 64

[[domain]]
name = "alpha"
state = "running"
memory_mib = 512
vcpus = 2
networks = ["default"]
disks = ["/images/big"]

[[domain]]
name = "beta"
memory_mib = 256
"""


class Served(VirtServe):
    def __init__(self, *words, host=HOST):
        super().__init__(HELIO, *words, host=host)


class Virsh(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if shutil.which("virsh") is None:
            raise unittest.SkipTest("no virsh: apt install libvirt-clients")
        cls.served = Served()
        cls.addClassCleanup(cls.served.stop)

    def virsh(self, *words, code=0, uri=None, text=True):
        done = subprocess.run(["virsh", "-c", uri or self.served.uri(), *map(str, words)], capture_output=True, text=text,
                              timeout=WAIT_S, check=False)
        self.assertEqual(done.returncode, code, (words, done.stdout, done.stderr))
        return done.stdout if code == 0 else done.stderr

    def rows(self, *words):
        """The cells of a table, without its head."""
        return [line.split() for line in self.virsh(*words).splitlines()[2:] if line.strip()]

    def test_lists(self):
        self.assertIn(["1", "alpha", "running"], self.rows("list", "--all"))
        self.assertIn(["-", "beta", "shut", "off"], self.rows("list", "--all"))
        self.assertNotIn("beta", self.virsh("list"))
        self.assertEqual(self.rows("net-list", "--all"),
                         [["default", "active", "no", "yes"], ["spare", "inactive", "no", "yes"]])
        self.assertEqual(self.rows("pool-list", "--all"), [["images", "active", "no"]])
        self.assertEqual(self.rows("vol-list", "images"), [["big", "/images/big"], ["small", "/images/small"]])
        self.assertIn("Capacity:       64.00 MiB", self.virsh("vol-info", "big", "--pool", "images"))

    def test_node(self):
        self.assertIn("CPU(s):              16", self.virsh("nodeinfo"))
        self.assertIn("<domain type='test'/>", self.virsh("capabilities"))
        self.assertEqual(self.virsh("hostname").strip(), "lab")
        self.assertEqual(self.virsh("uri").strip(), self.served.uri())
        self.assertIn("Running hypervisor: TEST 1.0.0", self.virsh("version"))
        self.assertIn("total  :             67108864 KiB", self.virsh("nodememstats"))
        self.assertIn("user:", self.virsh("nodecpustats"))

    def test_one_domain(self):
        info = self.virsh("dominfo", "alpha")
        self.assertIn("State:          running", info)
        self.assertIn("Max memory:     524288 KiB", info)
        self.assertIn("CPU(s):         2", info)
        xml = self.virsh("dumpxml", "alpha")
        self.assertIn("<name>alpha</name>", xml)
        self.assertIn("<target dev='vnet0'/>", xml)
        self.assertIn("/images/big", self.virsh("domblklist", "alpha"))
        self.assertIn("vnet0", self.virsh("domiflist", "alpha"))
        self.assertIn("192.168.122.2/24", self.virsh("domifaddr", "alpha"))
        self.assertIn("rx_bytes", self.virsh("domifstat", "alpha", "vnet0"))
        self.assertIn("rd_req", self.virsh("domblkstat", "alpha", "vda"))
        self.assertIn("67108864", self.virsh("domblkinfo", "alpha", "vda"))
        self.assertIn("actual 524288", self.virsh("dommemstat", "alpha"))
        self.assertIn("CPU Affinity", self.virsh("vcpuinfo", "alpha"))
        self.assertIn("192.168.122.2/24", self.virsh("net-dhcp-leases", "default"))

    def test_life_cycle(self):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(domain_xml("gamma"))
            file.flush()
            self.virsh("define", file.name)
            for verb, state in (("start", "running"), ("suspend", "paused"), ("resume", "running"), ("reboot", "running"),
                                ("shutdown", "shut off"), ("start", "running"), ("destroy", "shut off")):
                self.virsh(verb, "gamma")
                self.assertEqual(self.virsh("domstate", "gamma").strip(), state, verb)
            self.virsh("autostart", "gamma")
            self.assertIn("Autostart:      enable", self.virsh("dominfo", "gamma"))
            self.virsh("setmaxmem", "gamma", "128M", "--config")
            self.virsh("desc", "gamma", "--config", "--title", "a title")
            self.assertEqual(self.virsh("desc", "gamma", "--title").strip(), "a title")
            self.virsh("domrename", "gamma", "delta")
            self.virsh("undefine", "delta")
            self.assertIn("failed to get domain 'delta'", self.virsh("dominfo", "delta", code=1))
            self.virsh("create", file.name)
            self.assertIn("Persistent:     no", self.virsh("dominfo", "gamma"))
            self.virsh("destroy", "gamma")
            self.assertNotIn("gamma", self.virsh("list", "--all"))

    def test_refusals_are_libvirts(self):
        self.assertIn("Domain is already active", self.virsh("start", "alpha", code=1))
        self.assertIn("domain is not running", self.virsh("destroy", "beta", code=1))
        self.assertIn("read only access prevents virDomainDestroy",
                      self.virsh("destroy", "alpha", code=1, uri=self.served.uri("sock-ro")))
        for words in (("blockcommit", "alpha", "vda"), ("migrate", "alpha", self.served.uri())):
            self.assertIn("not supported", self.virsh(*words, code=1))
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write("<domain")
            file.flush()
            self.assertIn("(domain_definition):1:", self.virsh("define", file.name, code=1))

    def test_statistics(self):
        stats = self.virsh("domstats", "alpha")
        for line in ("state.state=1", "cpu.time=", "balloon.current=524288", "vcpu.current=2", "vcpu.1.time=",
                     "net.0.name=vnet0", "block.0.path=/images/big", "block.0.capacity=67108864"):
            self.assertIn(line, stats)
        self.assertIn("Domain: 'beta'", self.virsh("domstats", "--list-inactive"))

    def test_volumes(self):
        with tempfile.TemporaryDirectory() as folder:
            there, back = pathlib.Path(folder, "there"), pathlib.Path(folder, "back")
            self.virsh("vol-download", "small", back, "--pool", "images")
            self.assertEqual(back.read_bytes(), b"what is in the volume\n")
            there.write_bytes(os.urandom(3 << 20) + bytes(5 << 20) + os.urandom(1 << 20))
            self.virsh("vol-create-as", "images", "copy", "9M")
            self.virsh("vol-upload", "copy", there, "--pool", "images")
            self.virsh("vol-download", "copy", back, "--pool", "images")
            self.assertEqual(back.read_bytes(), there.read_bytes())
            self.virsh("vol-upload", "copy", there, "--pool", "images", "--sparse")
            self.virsh("vol-download", "copy", back, "--pool", "images", "--sparse")
            self.assertEqual(back.read_bytes(), there.read_bytes())
            self.virsh("vol-download", "copy", back, "--pool", "images", "--offset", "100", "--length", "1000")
            self.assertEqual(back.read_bytes(), there.read_bytes()[100:1100])
            self.virsh("vol-clone", "copy", "twin", "--pool", "images")
            self.virsh("vol-download", "twin", back, "--pool", "images")
            self.assertEqual(back.read_bytes(), there.read_bytes())
            for name in ("copy", "twin"):
                self.virsh("vol-delete", name, "--pool", "images")

    def test_pools_and_networks(self):
        self.virsh("pool-define-as", "extra", "dir", "--target", "/extra")
        self.virsh("pool-build", "extra")
        self.virsh("pool-start", "extra")
        self.virsh("pool-refresh", "extra")
        self.assertIn("<path>/extra</path>", self.virsh("pool-dumpxml", "extra"))
        self.assertIn("State:          running", self.virsh("pool-info", "extra"))
        self.virsh("pool-destroy", "extra")
        self.virsh("pool-undefine", "extra")
        self.virsh("net-start", "spare")
        self.virsh("net-autostart", "spare")
        self.assertIn("Active:         yes", self.virsh("net-info", "spare"))
        self.virsh("net-autostart", "spare", "--disable")
        self.virsh("net-destroy", "spare")

    def test_events(self):
        listener = subprocess.Popen(["virsh", "-c", self.served.uri(), "event", "--loop", "--event", "lifecycle", "--timeout",
                                     str(WAIT_S)], stdout=subprocess.PIPE, text=True)
        self.addCleanup(listener.stdout.close)
        # It prints nothing when it listens: retry until it answers.
        seen = []
        reader = threading.Thread(target=lambda: seen.extend(iter(listener.stdout.readline, "")))
        reader.start()
        end = time.monotonic() + WAIT_S
        paused = "event 'lifecycle' for domain 'alpha': Suspended Paused"
        while not any(paused in line for line in seen) and time.monotonic() < end:
            self.virsh("suspend", "alpha")
            self.virsh("resume", "alpha")
        listener.send_signal(signal.SIGINT)
        listener.wait(WAIT_S)
        reader.join()
        self.assertTrue(any(paused in line for line in seen), seen)

    def test_thousands(self):
        many = Served("--domains", str(DOMAINS))
        self.addCleanup(many.stop)
        listed = self.virsh("list", "--all", "--name", uri=many.uri())
        self.assertEqual(len(listed.split()), DOMAINS + 2)
        stats = self.virsh("domstats", "--state", uri=many.uri())
        self.assertEqual(stats.count("Domain: "), DOMAINS + 2)

    def test_faults(self):
        broken = Served("--fault", "DomainSuspend:error=38/18 disk is gone", "--fault", "DomainReboot:disconnect", "--fault",
                        "DomainGetXMLDesc:delay=300ms")
        self.addCleanup(broken.stop)
        self.assertIn("disk is gone", self.virsh("suspend", "alpha", code=1, uri=broken.uri()))
        self.assertIn("error:", self.virsh("reboot", "alpha", code=1, uri=broken.uri()))
        begun = time.monotonic()
        self.virsh("dumpxml", "alpha", uri=broken.uri())
        self.assertGreater(time.monotonic() - begun, 0.3)


REMOTE, CALL, REPLY, STREAM, ERROR = 0x20008086, 0, 1, 3, 1


class Raw:
    """Bytes to the daemon, and what comes back."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(WAIT_S)
        self.socket.connect(str(path))

    def send(self, procedure, body=b"", kind=CALL, serial=7, status=0, program=REMOTE, version=1):
        head = struct.pack(">IIiIII", program, version, procedure, kind, serial, status)
        self.socket.sendall(struct.pack(">I", 4 + len(head) + len(body)) + head + body)

    def exactly(self, size):
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            if not part:
                raise ConnectionResetError
            data += part
        return data

    def hear(self):
        message = self.exactly(struct.unpack(">I", self.exactly(4))[0] - 4)
        return struct.unpack(">IIiIII", message[:24]), message[24:]

    def ask(self, procedure, body=b"", **words):
        self.send(procedure, body, **words)
        return self.hear()

    def open(self):
        self.ask(66)
        self.ask(1, struct.pack(">II", 0, 0))
        return self


class Hostile(unittest.TestCase):
    """Messages that no client of libvirt's sends. Whatever comes of them, the daemon answers the next one who asks."""

    @classmethod
    def setUpClass(cls):
        cls.served = Served("--quiet")
        cls.addClassCleanup(cls.served.stop)

    def raw(self):
        raw = Raw(self.served.path / "sock")
        self.addCleanup(raw.socket.close)
        return raw

    def tearDown(self):
        raw = self.raw().open()
        self.assertEqual(raw.ask(59)[0][3:], (REPLY, 7, 0))
        self.assertIsNone(self.served.process.poll())

    def refused(self, answer, code, words):
        header, body = answer
        self.assertEqual(header[5], ERROR)
        self.assertEqual(struct.unpack(">i", body[:4])[0], code)
        self.assertIn(words, body)

    def test_lengths(self):
        for length in (0, 4, 27, 33554437, 0xffffffff):
            raw = self.raw()
            raw.socket.sendall(struct.pack(">I", length) + bytes(24))
            self.assertEqual(raw.socket.recv(1), b"", length)

    def test_procedures_that_are_none(self):
        raw = self.raw().open()
        for procedure in (0, 999, -1, 0x7fffffff):
            self.refused(raw.ask(procedure), 39, b"unknown procedure: %d" % procedure)
        self.refused(raw.ask(318, bytes(64)), 39, b"unknown procedure: 318")  # an event
        self.refused(raw.ask(1, program=0x12345678), 39, b"Cannot find program")
        self.refused(raw.ask(1, version=2), 39, b"version")

    def test_arguments_that_are_none(self):
        raw = self.raw().open()
        # A string of -1 bytes; -1 domains; none at all; 4 GiB of typed parameters.
        for procedure, body in ((23, b"\xff\xff\xff\xff"), (344, b"\xff\xff\xff\xff" + bytes(8)), (16, b""),
                                (444, b"\x7f\xff\xff\xff"), (23, struct.pack(">I", 5) + b"ab")):
            self.refused(raw.ask(procedure, body), 39, b"Unable to decode message payload")
        # Counts that are too high, or negative, where the protocol has a number and no array.
        for count in (-1, 0x7fffffff):
            header, body = raw.ask(37, struct.pack(">i", count))
            self.assertIn(header[5], (0, ERROR))
        domain = struct.pack(">I", 5) + b"alpha\0\0\0" + bytes(16) + struct.pack(">i", 1)
        self.refused(raw.ask(16, domain), 42, b"no domain with matching uuid")

    def test_before_it_is_open(self):
        self.refused(self.raw().ask(59), 1, b"hypervisor connection not open")

    def test_streams_that_are_none(self):
        raw = self.raw().open()
        raw.send(209, b"bytes", kind=STREAM, serial=99, status=2)
        raw.send(59, kind=REPLY, serial=3)
        self.assertEqual(raw.ask(59, serial=8)[0][4], 8)

    def test_uploads_that_stop_in_the_middle(self):
        volume = b"".join(struct.pack(">I", len(word)) + word + bytes(-len(word) % 4)
                          for word in (b"images", b"big", b"/images/big"))
        for _ in range(100):
            raw = self.raw().open()
            self.assertEqual(raw.ask(208, volume + bytes(20))[0][5], 0)
            raw.send(208, bytes(1000), kind=STREAM, status=2)
            raw.socket.close()


@unittest.skipIf(libvirt is None, "no python3-libvirt")
class Python(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        libvirt.registerErrorHandler(lambda context, error: None, None)
        libvirt.virEventRegisterDefaultImpl()
        cls.served = Served("--listen", "127.0.0.1:0")
        cls.addClassCleanup(cls.served.stop)
        cls.turning = True
        cls.turner = threading.Thread(target=cls.turn, daemon=True)
        cls.turner.start()

    @classmethod
    def turn(cls):
        while cls.turning:
            libvirt.virEventRunDefaultImpl()

    def open(self, uri=None):
        connection = libvirt.open(uri or self.served.uri())
        self.addCleanup(connection.close)
        return connection

    def test_domains(self):
        connection = self.open()
        self.assertEqual(connection.getType(), "TEST")
        domain = connection.defineXML(domain_xml("made"))
        self.addCleanup(domain.undefine)
        self.assertEqual(domain.state(), [libvirt.VIR_DOMAIN_SHUTOFF, 0])
        domain.create()
        self.assertTrue(domain.isActive())
        self.assertEqual(connection.lookupByID(domain.ID()).name(), "made")
        domain.setMetadata(libvirt.VIR_DOMAIN_METADATA_ELEMENT, "<a>1</a>", "k", "http://x", 0)
        self.assertEqual(domain.metadata(libvirt.VIR_DOMAIN_METADATA_ELEMENT, "http://x"), "<a>1</a>")
        domain.destroy()
        with self.assertRaises(libvirt.libvirtError) as raised:
            domain.destroy()
        self.assertEqual(raised.exception.get_error_code(), libvirt.VIR_ERR_OPERATION_INVALID)
        with self.assertRaises(libvirt.libvirtError) as raised:
            connection.lookupByName("nobody")
        self.assertEqual(raised.exception.get_error_code(), libvirt.VIR_ERR_NO_DOMAIN)

    def test_many_threads_on_one_connection(self):
        connection = self.open()
        faults = []

        def work():
            try:
                for _ in range(200):
                    connection.lookupByName("alpha").info()
            except libvirt.libvirtError as error:
                faults.append(error)

        threads = [threading.Thread(target=work) for _ in range(12)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(faults, [])

    def test_events_and_keepalive(self):
        connection = self.open()
        connection.setKeepAlive(1, 3)
        heard = threading.Event()
        seen = []

        def on_event(_connection, domain, event, detail, _opaque):
            seen.append((domain.name(), event, detail))
            if event == libvirt.VIR_DOMAIN_EVENT_STOPPED:
                heard.set()

        number = connection.domainEventRegisterAny(None, libvirt.VIR_DOMAIN_EVENT_ID_LIFECYCLE, on_event, None)
        domain = self.open().createXML(domain_xml("passing"), 0)
        domain.shutdown()
        self.assertTrue(heard.wait(WAIT_S))
        self.assertEqual(seen, [("passing", 2, 0), ("passing", 5, 0)])
        connection.domainEventDeregisterAny(number)

    def test_console(self):
        # libvirt 9.0 can lose sight of data that its event loop takes while another thread is about to wait for it. A stream that
        # never waits is safe.
        connection = self.open()
        stream = connection.newStream(libvirt.VIR_STREAM_NONBLOCK)
        connection.lookupByName("alpha").openConsole(None, stream, 0)

        def hear():
            end = time.monotonic() + WAIT_S
            while (said := stream.recv(1000)) == NOTHING_YET and time.monotonic() < end:
                time.sleep(0.01)
            return said

        self.assertIn(b"alpha on lab", hear())
        self.assertEqual(stream.send(b"typed"), len(b"typed"))
        self.assertEqual(hear(), b"typed")
        stream.finish()

    def test_tcp(self):
        port = next(word.rsplit(":", 1)[1] for word in self.served.said if word.startswith("tcp "))
        connection = self.open(f"test+tcp://127.0.0.1:{port}/default")
        self.assertEqual(connection.getHostname(), "lab")


if __name__ == "__main__":
    # Debian's module is for Debian's Python.
    if libvirt is None and sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    HELIO = os.path.abspath(sys.argv.pop(1))
    unittest.main()
