#!/usr/bin/env python3
"""The RDMA tests, as they run in the guest that tools/rdma_guest boots; rdma_test.py is the other side.

    in_guest.py HELIO SHARE [--devices rxe,siw] [CLIENT:SERVER…]

Linux's NFS client (kernel_client.py) and ours (helio_client.py) on our server and on Linux's, over each device; a part is
captured into SHARE. Prints a line for each check, `ok` or `FAIL`, and under a failed one what may explain it.
`linux:nfsd` is left out unless asked for: it shows that what the checks want is right.

A check is a process of its own, because one that hangs in the kernel cannot be told to stop. Then everything ends.
"""
import argparse
import collections
import os
import pathlib
import select
import signal
import subprocess
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "linux_client"), str(HERE.parent)]
import guest  # noqa: E402
import helio_client  # noqa: E402
import kernel_client  # noqa: E402
import restart_check  # noqa: E402
import servers  # noqa: E402
from checking import soon, write  # noqa: E402
from patience import PATIENCE_S  # noqa: E402

# Unit tests that need a device, from the build whose `helio` is tested.
TESTS_OF_DEVICES = ("helio/transport/rdma/verbs/transport_verbs_test",)
# And one that mistreats our server, which goes on serving.
HOSTILE = ("tests/nfs_over_rdma/nfs_rdma_device_test",)
PAIRS = ("linux:helio", "helio:helio", "helio:nfsd")
MOUNTS = "/run/mnt"
# These words and no others: the server must be found by them.
OPTIONS = f"vers=3,proto=rdma,port={servers.RDMA_PORT},nolock"
OPTIONS_4_1 = f"vers=4.1,proto=rdma,port={servers.RDMA_PORT}"
REMOUNTS = 20
# How often a check may be repeated because a device gave up a connection; see given_up().
REPEATS_MAX = 5

Device = collections.namedtuple("Device", "name address interface packet_max filter")
DEVICES = {
    "rxe": Device("rxe", "10.0.2.2", "roce0", 9_100, "udp port 4791"),
    "siw": Device("siw", "10.0.1.1", "lo", 66_000, f"tcp port {servers.RDMA_PORT}"),
}
# The same cable from its other end: a second client.
RXE_BACK = Device("rxe-back", "10.0.2.1", "roce0", 9_100, "udp port 4791")


class Place:
    """A mount of the server over one device."""

    def __init__(self, device, options=OPTIONS, name=None):
        self.name, self.device, self.options = name or device.name, device, options
        self.there, self.here = f"{MOUNTS}/{self.name}", servers.EXPORT

    def mount(self):
        os.makedirs(self.there, exist_ok=True)
        servers.call("mount", "-t", "nfs", "-o", self.options, f"{self.device.address}:/export", self.there)

    def unmount(self):
        servers.call("umount", self.there)

    def mount_quickly(self):
        """By system call, with what mount(8) would find out: programs are slow to start here. For our server, where MOUNT is
        at NFS's port."""
        where = self.device.address
        guest.mount(f"{where}:/export", self.there, "nfs", f"{OPTIONS},addr={where},mountaddr={where},mountvers=3,mountproto=tcp,"
                                                           f"mountport={servers.NFS_PORT}")

    def unmount_quickly(self):
        guest.unmount(self.there)


class Capture:
    """tcpdump of one device, into a file. With packets it may have lost there is nothing to compare: that is a failure."""

    def __init__(self, run, device, path):
        self.run, self.device, self.path = run, device, path

    def __enter__(self):
        # Immediate mode: otherwise the last second's packets would stay in a buffer. Its buffer
        # slots are then of the largest size.
        words = ["tcpdump", "--immediate-mode", "-i", self.device.interface, "-s", str(self.device.packet_max),
                 "-B", "131072", "-Z", "root", "-w", self.path, self.device.filter]
        self.said = open("/run/tcpdump.log", "w+")
        self.given_up = given_up()
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.said, stderr=self.said)
        servers.wait_until(lambda: "listening" in self.words() or self.process.poll() is not None, "tcpdump does not listen")
        return self

    def words(self):
        with open("/run/tcpdump.log") as file:
            return file.read()

    def __exit__(self, *_):
        time.sleep(0.2)  # wait for the last packets
        self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE_S)
        self.said.close()
        if given_up() > self.given_up:
            # Calls were sent again over a new connection: nothing to compare.
            print(f"not compared: {self.path}, a device gave up a connection", flush=True)
            os.unlink(self.path)
            return
        if "\n0 packets dropped by kernel" not in self.words():
            self.run.failed += 1
            print(f"FAIL tcpdump lost something: {self.words()}", flush=True)


class Run:
    """All checks of one boot."""

    def __init__(self, given):
        self.given = given
        self.devices = [DEVICES[name] for name in given.devices.split(",")]
        self.server = None
        self.failed = 0

    def check(self, name, function, *arguments, meanwhile=None):
        """In a process of its own; `meanwhile` is done in this one. Whether all was well. A check that fails while a device gave
        up a connection proves nothing, and is repeated."""
        for _ in range(REPEATS_MAX):
            before, status = given_up(), self.try_once(name, function, *arguments, meanwhile=meanwhile)
            if status == 0 or given_up() == before:
                break
            print(f"again {name}: a device gave up a connection", flush=True)
        if status != 0:
            self.failed += 1
            explain_failure()
        return status == 0

    def try_once(self, name, function, *arguments, meanwhile):
        """Its exit status."""
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                function(*arguments)
                status = 0
            except AssertionError as why:
                print(f"    {why}", flush=True)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                os._exit(status)
        if meanwhile:
            meanwhile()
        status = self.end_of(child)
        taken = time.monotonic() - began
        print(f"{'ok' if status == 0 else 'FAIL'} {name}, {taken:.1f} s", flush=True)
        if status is None:
            raise servers.Failed(f"{name} has no end, or its server has come to one")
        return status

    def end_of(self, child):
        """Its exit status; None if it does not end, and never would when the server has died."""
        handle, deadline = os.pidfd_open(child), time.monotonic() + PATIENCE_S
        try:
            while not select.select([handle], [], [], 1)[0]:
                if time.monotonic() > deadline or (self.server and not self.server.is_there()):
                    for line in ("wchan", "stack"):
                        print(f"    {line}: {pathlib.Path(f'/proc/{child}/{line}').read_text()}", flush=True)
                    os.kill(child, signal.SIGKILL)
                    return None
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        finally:
            os.close(handle)

    def serve(self, server, clients):
        servers.empty_export()
        kernel_client.furnish(servers.EXPORT)
        write(servers.LOG, b"")
        server.start()
        self.server = server
        devices = self.devices
        if "linux" in clients:
            for device in devices:
                self.linux_mounts(server, device)
            if server.name == "helio":
                for device in devices:
                    self.linux_mounts_version_4_1(server, device)
            self.linux_mounts_again(server, devices)
        if server.name == "helio":
            self.run_tests(HOSTILE, devices, "HELIO_RDMA_SERVER", f":{servers.RDMA_PORT}")
        if "helio" in clients:
            for device in devices:
                self.helio_calls(server, device)
        server.stop()

    def run_tests(self, programs, devices, variable, port=""):
        """Programs of the build, each with a device's address in an environment variable."""
        build = pathlib.Path(self.given.helio).parents[1]
        for program in programs:
            if not (build / program).exists():
                print(f"skipped: there is no {build / program}", flush=True)
                continue
            for device in devices:
                self.check(f"{os.path.basename(program)} over {device.name}", run_program, build / program,
                           {variable: f"{device.address}{port}"})

    def linux_mounts(self, server, device):
        what, place = f"Linux on {server.name} over {device.name}", Place(device)
        with Capture(self, device, f"{self.given.share}/linux-{server.name}-{device.name}.pcap"):
            if not self.check(f"{what}: mount", place.mount):
                return
            for function in kernel_client.CHECKS:
                self.check(f"{what}: {function.__name__}", function, place)
            self.check(f"{what}: umount", place.unmount)

    def linux_mounts_version_4_1(self, server, device):
        what, place = f"Linux on {server.name} over {device.name}, version 4.1", Place(device, OPTIONS_4_1, f"{device.name}-4.1")
        if not self.check(f"{what}: mount", place.mount):
            return
        for function in (*kernel_client.CHECKS, kernel_client.locks):
            self.check(f"{what}: {function.__name__}", function, place)
        self.check(f"{what}: umount", place.unmount)

    def linux_mounts_again(self, server, devices):
        places = [Place(device) for device in devices]
        if DEVICES["rxe"] in devices:
            places.append(Place(RXE_BACK))
        what = f"Linux on {server.name}"
        if server.name == "helio":
            self.check(f"{what}: {REMOUNTS} mounts leave nothing behind", leave_nothing, server, places)
        if not all(self.check(f"{what} over {place.name}: mount again", place.mount) for place in places):
            return
        self.check(f"{what}: clients at once", kernel_client.clients_at_once, places)
        self.check(f"{what}: restart", restart_check.write_and_compare, places,
                   meanwhile=lambda: restart_check.restart(server, len(places)))
        for place in places:
            self.check(f"{what} over {place.name}: umount again", place.unmount)

    def helio_calls(self, server, device):
        what = f"helio on {server.name} over {device.name}"
        client = helio_client.Client(self.given.helio, device, servers.EXPORT)
        with Capture(self, device, f"{self.given.share}/helio-{server.name}-{device.name}.pcap"):
            for function in helio_client.CHECKS:
                if not self.check(f"{what}: {function.__name__}", function, client) and function is helio_client.look_up:
                    return
        self.check(f"{what}: load", helio_client.load, client)


def given_up():
    """How many connections soft-RoCE has given up. rxe (6.1) asks again for data that is only late, and after seven times breaks
    off, although every packet was on the wire (docs/rdma.md)."""
    counters = pathlib.Path("/sys/class/infiniband").glob("rxe*/ports/1/hw_counters/retry_exceeded_err")
    return sum(int(counter.read_text()) for counter in counters)


def run_program(program, environment):
    """What it says is worth reading only when it fails."""
    servers.call(program, timeout=PATIENCE_S, environment=environment)


def leave_nothing(server, places):
    """Whoever came and went, the server and the devices hold no more than before."""
    def come_and_go(place):
        place.mount_quickly()
        os.listdir(place.there)
        place.unmount_quickly()

    def grown():
        return {name: count for name, count in held_by(server).items() if count > before[name]}

    for place in places:
        come_and_go(place)
    before = held_by(server)
    for turn in range(REMOUNTS):
        come_and_go(places[turn % len(places)])
    soon(grown, {}, f"what has grown by {REMOUNTS} mounts, from {before}")


def held_by(server):
    """Queue pairs, connections, memory regions … of each device, and the server's descriptors, counted."""
    held = {"descriptors": server.descriptors()}
    for line in servers.call("rdma", "resource", "show").splitlines():
        _, device, *counts = line.split()
        held.update({f"{device} {kind}": int(count) for kind, count in zip(counts[::2], counts[1::2])})
    return held


def explain_failure():
    for what, text in (("The server said", servers.call("tail", "-n", "15", servers.LOG)),
                       ("The kernel said", "\n".join(servers.call("dmesg").splitlines()[-15:]))):
        print(f"    {what}:", *text.splitlines(), sep="\n        ", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("helio")
    parser.add_argument("share")
    parser.add_argument("pairs", nargs="*", default=PAIRS, metavar="CLIENT:SERVER")
    parser.add_argument("--devices", default=",".join(DEVICES))
    run = Run(parser.parse_args())
    servers.make_export()
    write(servers.LOG, b"")
    try:
        run.run_tests(TESTS_OF_DEVICES, run.devices, "HELIO_RDMA_ADDRESS")
        pairs = [pair.split(":") for pair in run.given.pairs]
        for kind in (servers.HelioServer, servers.KernelServer):
            clients = [client for client, server in pairs if server == kind.name]
            if clients:
                run.serve(kind(run.given.helio), clients)
    except (servers.Failed, OSError, subprocess.SubprocessError) as why:
        run.failed += 1
        print(f"FAIL {why}", flush=True)
        explain_failure()
    print(f"{run.failed} failed", flush=True)
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
