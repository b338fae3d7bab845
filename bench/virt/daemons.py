"""The daemons of bench/virt: libvirtd with its test driver, ours, and the one that does nothing but answer.

All of them have the same domains, running, on sockets in one folder, and live until the run ends. libvirtd's test driver
keeps its state while a connection is open, so a client of its own library holds one.
"""

import contextlib
import os
import shutil
import subprocess
import time
from pathlib import Path

START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 5
CONFIGURATION = """unix_sock_dir = "{folder}"
auth_unix_rw = "none"
auth_unix_ro = "none"
log_level = 4
"""


class Missing(Exception):
    """What cannot run here, and why."""


class Daemon:
    def __init__(self, name, process, socket):
        self.name, self.process, self.pid = name, process, process.pid
        self.uri = f"test+unix:///default?socket={socket}"

    def place(self, cores):
        """All its threads, and those to come."""
        for thread in os.listdir(f"/proc/{self.pid}/task"):
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(int(thread), cores)


def stop(process):
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_for_word(process, name):
    word = process.stdout.readline().strip()
    while word and word != "ready":
        word = process.stdout.readline().strip()
    if word != "ready":
        raise Missing(f"{name} did not start")


@contextlib.contextmanager
def program(name, command, socket):
    """One of ours, which says `ready`."""
    if not Path(command[0]).exists():
        raise Missing(f"{command[0]} is not built")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        wait_for_word(process, name)
        yield Daemon(name, process, socket)
    finally:
        stop(process)
        process.stdout.close()


@contextlib.contextmanager
def libvirtd(folder, client, domains):
    if not shutil.which("libvirtd") or not Path(client).exists():
        raise Missing("libvirtd or libvirt's headers are not here: tools/setup bench")
    (folder / "no-drivers").mkdir()  # what is left is the test driver, which is built in
    (folder / "libvirtd.conf").write_text(CONFIGURATION.format(folder=folder))
    socket = folder / "libvirt-sock"
    with (folder / "libvirtd.log").open("w") as log:
        process = subprocess.Popen(
            ["libvirtd", "-f", str(folder / "libvirtd.conf"), "-p", str(folder / "pid")], stdout=log, stderr=log,
            env={**os.environ, "LIBVIRT_DRIVER_DIR": str(folder / "no-drivers")})
    try:
        end = time.monotonic() + START_TIMEOUT_S
        while not socket.exists():
            if process.poll() is not None or time.monotonic() > end:
                raise Missing("libvirtd did not start")
            time.sleep(0.02)
        daemon = Daemon("libvirtd", process, socket)
        holder = subprocess.Popen([client, daemon.uri, "hold", "--count", str(domains)], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        try:
            wait_for_word(holder, "libvirtd's domains")
            yield daemon
        finally:
            holder.stdin.close()
            holder.wait()
            holder.stdout.close()
    finally:
        stop(process)


@contextlib.contextmanager
def started(programs, folder, domains):
    """By name, those that run; and why others do not."""
    with contextlib.ExitStack() as stack:
        ways = {
            "libvirtd": lambda: libvirtd(folder, str(programs / "virt_libvirt_client"), domains),
            "helio": lambda: program("helio", [str(programs / "helio"), "virt", "serve", "--socket", str(folder / "helio-sock"),
                                               "--domains", str(domains)], folder / "helio-sock"),
            "limit": lambda: program("limit", [str(programs / "virt_limit"), "serve", str(folder / "limit-sock")],
                                     folder / "limit-sock"),
        }
        daemons, missing = {}, {}
        for name, way in ways.items():
            try:
                daemons[name] = stack.enter_context(way())
            except Missing as reason:
                missing[name] = str(reason)
        yield daemons, missing
