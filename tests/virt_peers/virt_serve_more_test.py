#!/usr/bin/env python3
"""helio virt serve: its limits, its administration by virt-admin, SASL, moments of domains, and calls that nobody should make.

Usage: virt_serve_more_test.py PATH_TO_HELIO. Needs virsh and virt-admin (apt install libvirt-clients), for SASL saslpasswd2
(sasl2-bin); what is missing is skipped.
"""
import array
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import virt_serve_test as serve
from virt_daemons import stop, thread_states
from virt_serve_test import ERROR, REMOTE, STREAM, Raw, Served

OK, CONTINUE, CALL_WITH_FDS = 0, 2, 4
WAIT_S = serve.WAIT_S


def domain(name, uuid):
    return struct.pack(">I", len(name)) + name + bytes(-len(name) % 4) + uuid + struct.pack(">i", 1)


def lookup(raw, name):
    """The domain's name, uuid and id, as calls carry them."""
    return raw.ask(23, struct.pack(">I", len(name)) + name + bytes(-len(name) % 4))[1]


@unittest.skipIf(shutil.which("virsh") is None, "no virsh: apt install libvirt-clients")
class Moments(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.served = Served()
        cls.addClassCleanup(cls.served.stop)

    def virsh(self, *lines):
        done = subprocess.run(["virsh", "-q", "-c", self.served.uri(), "; ".join(lines)], capture_output=True, text=True,
                              timeout=WAIT_S, check=False)
        return done.stdout + done.stderr

    def test_snapshots(self):
        said = self.virsh("snapshot-create-as alpha first 'the first'", "snapshot-create-as alpha second",
                          "snapshot-list alpha --tree", "snapshot-info alpha second", "snapshot-create-as alpha first",
                          "suspend alpha", "snapshot-revert alpha first", "domstate alpha --reason",
                          "snapshot-current alpha --name", "snapshot-delete alpha first --children", "snapshot-list alpha",
                          "snapshot-info alpha first")
        for words in ("first\n  |\n  +- second", "Parent:         first", "domain moment first already exists",
                      "running (from snapshot)", "Domain snapshot not found: no domain snapshot with matching name 'first'"):
            self.assertIn(words, said)
        self.assertIn("\nerror: ", said)

    def test_devices(self):
        with tempfile.TemporaryDirectory() as folder:
            disk = pathlib.Path(folder, "disk.xml")
            disk.write_text("<disk type='file' device='disk'><source file='/images/small'/><target dev='vdb'/></disk>")
            said = self.virsh(f"attach-device alpha {disk}", "domblklist alpha", f"attach-device alpha {disk}",
                              "attach-interface alpha network default --mac 52:54:00:00:00:07", "domiflist alpha",
                              f"detach-device alpha {disk}", f"detach-device alpha {disk}", "vcpupin alpha 0 1-2", "vcpupin alpha",
                              f"screenshot alpha {folder}/screen")
            self.assertEqual(pathlib.Path(folder, "screen").stat().st_size, 15 + 3 * 320 * 200)
        for words in (" vdb   /images/small", "target vdb already exists", "52:54:00:00:00:07", "disk vdb not found", " 0   1-2"):
            self.assertIn(words, said)

    def test_saved(self):
        said = self.virsh("save alpha /tmp/nowhere/saved", "domstate alpha --reason", "restore /tmp/nowhere/saved",
                          "domstate alpha --reason", "restore /tmp/nowhere/other", "managedsave alpha", "list --all --managed-save",
                          "start alpha")
        for words in ("shut off (saved)", "running (restored)", "No such file or directory", " saved\n"):
            self.assertIn(words, said)


    def test_rates_parts_secrets(self):
        with tempfile.TemporaryDirectory() as folder:
            part, secret = pathlib.Path(folder, "part.xml"), pathlib.Path(folder, "secret.xml")
            part.write_text("<host mac='52:54:00:00:00:09' ip='192.168.122.77'/>")
            secret.write_text("<secret><usage type='ceph'><name>key</name></usage></secret>")
            said = self.virsh("memtune alpha --hard-limit 1000000", "memtune alpha", "domiftune alpha vnet0 --inbound 100,200,300",
                              "domiftune alpha vnet0", f"net-update default add ip-dhcp-host {part}", "net-dumpxml default",
                              f"secret-define {secret}", "secret-list")
        for words in ("hard_limit     : 1000000", "inbound.average: 100", "<host mac='52:54:00:00:00:09' ip='192.168.122.77'/>",
                      "ceph key"):
            self.assertIn(words, said)


class Limits(unittest.TestCase):
    """Workers are shared by all clients, and some are kept for what is quick."""

    def test_workers(self):
        served = Served("--workers", "2", "--priority-workers", "1", "--fault", "DomainGetXMLDesc:delay=3s,times=2")
        self.addCleanup(served.stop)
        busy = [Raw(served.path / "sock").open() for _ in range(2)]
        alpha = lookup(busy[0], b"alpha")
        other = Raw(served.path / "sock").open()
        for one in (*busy, other):
            self.addCleanup(one.socket.close)
        for one in busy:
            one.send(14, alpha + bytes(4))  # DOMAIN_GET_XML_DESC, of low priority: both workers wait
        time.sleep(0.1)  # theirs should have arrived by now, or this test proves less
        other.send(14, alpha + bytes(4), serial=8)
        other.send(212, alpha + bytes(4), serial=9)  # DOMAIN_GET_STATE, of high priority
        self.assertEqual(other.hear()[0][4], 9, "what came first waits for a worker")
        header, body = other.hear()
        self.assertEqual((header[4], header[5]), (8, OK))
        self.assertIn(b"<name>alpha</name>", body)
        for one in busy:
            self.assertEqual(one.hear()[0][5], OK)

    def test_clients(self):
        served = Served("--max-clients", "3", "--quiet")
        self.addCleanup(served.stop)
        three = [Raw(served.path / "sock").open() for _ in range(3)]
        fourth = Raw(served.path / "sock")
        try:
            self.assertEqual(fourth.socket.recv(1), b"")
        except ConnectionResetError:
            pass
        fourth.socket.close()
        three.pop().socket.close()
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:
            again = Raw(served.path / "sock")
            try:
                again.open()
                break
            except (ConnectionResetError, BrokenPipeError):
                again.socket.close()
        self.assertEqual(again.ask(59)[0][5], OK)
        for one in (again, *three):
            one.socket.close()

    def test_silent_clients_keep_nobody_out(self):
        served = Served("--max-clients", "3", "--quiet")
        self.addCleanup(served.stop)
        talking = Raw(served.path / "sock").open()
        silent = [Raw(served.path / "sock") for _ in range(9)]
        for one in (talking, *silent):
            self.addCleanup(one.socket.close)
        for _ in range(2):
            one = Raw(served.path / "sock").open()
            self.addCleanup(one.socket.close)
            self.assertEqual(one.ask(59)[0][5], OK)
        self.assertEqual(talking.ask(59)[0][5], OK)
        self.assertEqual(silent[0].socket.recv(1), b"", "the oldest has gone")


class Confinement(unittest.TestCase):
    def test_every_thread_has_given_up_what_it_does_not_need(self):
        served = Served("--listen", "127.0.0.1:0", "--threads", "3")
        self.addCleanup(served.stop)
        raw = Raw(served.path / "sock").open()
        self.assertEqual(raw.ask(59)[0][5], OK)
        states = thread_states(served.process)
        self.assertGreaterEqual(len(states), 4)
        self.assertEqual(set(states), {(True, True, 0)})
        raw.socket.close()
        self.assertEqual(stop(served.process), 0)
        self.assertFalse((served.path / "sock").exists(), "it still removes its sockets")

    def test_without(self):
        served = Served("--no-sandbox")
        self.addCleanup(served.stop)
        self.assertFalse(any(filtered for _, filtered, _ in thread_states(served.process)))


@unittest.skipIf(shutil.which("virt-admin") is None, "no virt-admin: apt install libvirt-clients")
class Admin(unittest.TestCase):
    def test_virt_admin(self):
        folder = tempfile.TemporaryDirectory(prefix="helio-virt-")
        self.addCleanup(folder.cleanup)
        served = Served("--socket-admin", f"{folder.name}/admin", "--quiet")
        self.addCleanup(served.stop)

        def admin(*lines):
            done = subprocess.run(["virt-admin", "-c", f"libvirtd+unix:///system?socket={folder.name}/admin", "; ".join(lines)],
                                  capture_output=True, text=True, timeout=WAIT_S, check=False)
            return done.stdout + done.stderr

        raw = Raw(served.path / "sock-ro").open()
        said = admin("srv-list", "srv-threadpool-info libvirtd", "srv-clients-list libvirtd", "client-info libvirtd 1",
                     "srv-clients-info libvirtd", "daemon-log-outputs", "srv-threadpool-info nobody", "client-info libvirtd 77",
                     "srv-threadpool-set libvirtd --max-workers 7 --priority-workers 2", "srv-threadpool-info libvirtd",
                     "srv-clients-set libvirtd --max-clients 9 --max-unauth-clients 4", "srv-clients-info libvirtd",
                     "daemon-log-outputs --outputs 3:stderr", "daemon-log-outputs --outputs 1:file:/x")
        for words in (" 1    libvirtd", "maxWorkers     : 20", "prioWorkers    : 5", " 1    unix ", "readonly       : yes",
                      "unix_user_id   : ", "nclients_max        : 5000", "nclients_unauth_max : 20", " Logging outputs: 4:stderr",
                      "No server named 'nobody'", "No client with matching ID '77'", "maxWorkers     : 7", "prioWorkers    : 2",
                      "nclients_max        : 9", "nclients_unauth_max : 4", "LEVEL:stderr"):
            self.assertIn(words, said)
        self.assertIn("Client '1' disconnected", admin("client-disconnect libvirtd 1"))
        self.assertEqual(raw.socket.recv(1), b"")
        raw.socket.close()


@unittest.skipUnless(os.path.exists("/usr/sbin/saslpasswd2"), "no saslpasswd2: apt install sasl2-bin")
class Sasl(unittest.TestCase):
    def test_passwords(self):
        folder = tempfile.TemporaryDirectory(prefix="helio-virt-")
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        subprocess.run(["/usr/sbin/saslpasswd2", "-p", "-c", "-f", path / "db", "-a", "libvirt", "-u", "here", "ada"],
                       input=b"secret", check=True)
        served = Served("--sasl-passwords", path / "db", "--quiet")
        self.addCleanup(served.stop)
        # Before authentication, only authentication works.
        raw = Raw(served.path / "sock")
        self.addCleanup(raw.socket.close)
        self.assertEqual(raw.ask(66)[1], struct.pack(">II", 1, 1))  # one way, REMOTE_AUTH_SASL
        for procedure in (1, 59, 60, 23, 361, 999):
            header, body = raw.ask(procedure, bytes(8))
            self.assertEqual(header[5], ERROR)
            self.assertIn(b"unknown procedure" if procedure == 999 else b"authentication required", body)
        self.assertIn(b"authentication failed", raw.ask(69, struct.pack(">II", 1, 0))[1])  # a step before the first
        (path / "right").write_text("secret\n")
        (path / "wrong").write_text("guess\n")

        def helio(password):
            return subprocess.run([serve.HELIO, "virt", "-c", served.uri(), "--user", "ada@here", "--password-file", path / password,
                                   "list"], capture_output=True, text=True, timeout=WAIT_S, check=False)

        self.assertIn("alpha", helio("right").stdout)
        self.assertIn("authentication failed", helio("wrong").stderr)
        if shutil.which("virsh") is not None:
            (path / "auth.conf").write_text("[credentials-x]\nauthname=ada@here\npassword=secret\n"
                                            "[auth-libvirt-localhost]\ncredentials=x\n")
            done = subprocess.run(["virsh", "-c", f"{served.uri()}&authfile={path}/auth.conf", "list"], capture_output=True,
                                  text=True, timeout=WAIT_S, check=False)
            self.assertIn("alpha", done.stdout, done.stderr)


class Sweep(unittest.TestCase):
    """Every number as a procedure, with arguments that fit none of them; messages at the wrong time. All are answered or ignored,
    and afterwards the daemon has as many descriptors open as before."""

    def setUp(self):
        self.served = Served("--quiet")
        self.addCleanup(self.served.stop)
        self.before = self.descriptors(None)

    def descriptors(self, expected):
        folder = f"/proc/{self.served.process.pid}/fd"
        end = time.monotonic() + WAIT_S
        while len(os.listdir(folder)) != expected and expected is not None and time.monotonic() < end:
            time.sleep(0.01)
        return len(os.listdir(folder))

    def raw(self):
        return Raw(self.served.path / "sock").open()

    def tearDown(self):
        raw = self.raw()
        self.assertEqual(raw.ask(59)[0][5], OK)
        raw.socket.close()
        self.assertEqual(self.descriptors(self.before), self.before)

    def test_every_procedure(self):
        schema = (pathlib.Path(__file__).parents[2] / "schema" / "remote.x").read_text()
        events = {int(number) for notes, number in re.findall(r"/\*((?:[^*]|\*(?!/))*)\*/\s*[^;]*?= (\d+);", schema)
                  if "@event" in notes}
        self.assertEqual(len(events), 55)
        for body in (b"", bytes(400), b"\xff" * 400, struct.pack(">I", 0x7fffffff) * 100, domain(b"alpha", bytes(16)) * 4):
            raw = self.raw()
            for procedure in range(-1, 470):
                if procedure == 2:  # CONNECT_CLOSE
                    continue
                header, answer = raw.ask(procedure, body, serial=procedure & 0xffff)
                self.assertEqual(header[4], procedure & 0xffff)
                self.assertLess(len(answer), 1 << 20)
                if procedure < 1 or procedure > 456 or procedure in events:
                    self.assertIn(b"unknown procedure: %d" % procedure, answer)
            raw.socket.close()

    def test_counts(self):
        """Counts that the caller made up, for lists that the daemon makes: CVE-2012-3445, CVE-2024-2494, CVE-2026-18917."""
        raw = self.raw()
        alpha = lookup(raw, b"alpha")
        for count in (-1, -0x80000000, 0, 1, 0x7fffffff, 0x40000001, 1 << 30):
            number = struct.pack(">i", count)
            for procedure, body in ((6, b""), (17, alpha + number), (37, number), (101, bytes(4) + number),
                                    (20, alpha + number * 2), (227, number * 3), (228, number * 3),
                                    (243, alpha + struct.pack(">I", 3) + b"vda\0" + number + bytes(4)),
                                    (230, alpha + number * 2 + bytes(4)), (261, alpha + number + b"\xff\xff\xff\xff" + number + bytes(4)),
                                    (262, alpha + number + bytes(4)), (188, alpha + number + bytes(4))):
                header, answer = raw.ask(procedure, body)
                self.assertIn(header[5], (OK, ERROR))
                self.assertLess(len(answer), 1 << 20, (procedure, count))
        raw.socket.close()

    def test_padding_and_trailing_bytes(self):
        raw = self.raw()
        self.assertEqual(raw.ask(23, struct.pack(">I", 5) + b"alpha\xff\xff\xff" + b"more")[0][5], OK)
        raw.socket.close()

    def test_streams(self):
        raw = self.raw()
        volume = b"".join(struct.pack(">I", len(word)) + word + bytes(-len(word) % 4)
                          for word in (b"images", b"small", b"/images/small"))
        # A stream whose opening failed, with descriptors; an ended one; one of another procedure.
        nothing = volume.replace(b"small", b"nopes")
        for serial in range(10, 60):
            self.assertEqual(raw.ask(209, nothing + bytes(20), serial=serial)[0][5], ERROR)
            raw.send(209, b"x" * 100, kind=STREAM, serial=serial, status=CONTINUE)
        self.assertEqual(raw.ask(209, volume + bytes(20), serial=99)[0][5], OK)
        while raw.hear()[1]:
            pass
        raw.send(209, kind=STREAM, serial=99, status=OK)
        self.assertEqual(raw.hear()[0][3:], (STREAM, 99, OK))
        raw.send(209, b"late", kind=STREAM, serial=99, status=CONTINUE)
        raw.send(209, kind=STREAM, serial=99, status=OK)
        raw.send(208, b"who", kind=STREAM, serial=100, status=CONTINUE)
        self.assertEqual(raw.ask(59, serial=101)[0][4], 101)
        raw.socket.close()

    def test_descriptors_of_calls_that_fail(self):
        raw = self.raw()
        for procedure in (999, 59, 350):
            body = struct.pack(">I", 2)
            head = struct.pack(">IIiIII", REMOTE, 1, procedure, CALL_WITH_FDS, 5, 0)
            raw.socket.sendall(struct.pack(">I", 4 + len(head) + len(body)) + head + body)
            for _ in range(2):
                with open(os.devnull, "rb") as file:
                    raw.socket.sendmsg([b"\0"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file.fileno()]))])
            self.assertEqual(raw.hear()[0][4], 5)
        raw.socket.close()

    def test_many_at_once(self):
        """Clients that come, ask for much, and go without listening."""
        def rude():
            for _ in range(10):
                raw = self.raw()
                for serial in range(200):
                    raw.send(273, struct.pack(">II", 1, 0), serial=serial)
                raw.socket.close()

        threads = [threading.Thread(target=rude) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()


if __name__ == "__main__":
    serve.HELIO = os.path.abspath(sys.argv.pop(1))
    unittest.main()
