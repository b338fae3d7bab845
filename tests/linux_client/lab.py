#!/usr/bin/env python3
"""The kernel lab: Linux's own NFS client, in user-mode-linux, on a server of ours.

    lab.py [--vers 3|2] [--export PATH] [--options O] [--port N] [--memory SIZE] --server 'COMMAND' -- WORD…

starts COMMAND with sh in a network of its own, mounts ADDRESS:PATH from it in a guest, runs WORD… in the mount and
ends with its exit status; 125 when the lab itself failed. In COMMAND, $LAB_ADDRESS and $LAB_PORT say where to listen.
For another server's way to mount, --options may override what lab.py gives (`mountport=20048`).

As a module: `isolate()` first, then

    with Lab() as lab, Server([...], lab.address, port) as server:
        there = lab.mount(vers=3, port=port)
        done = lab.run(["python3", "script.py"], cwd=there)

One Lab is one boot, and lives in namespaces of its own (network, mounts, processes), so that everything ends when it
does. The guest sees the host's files read-only, through hostfs, and can write only below /run (guest.py). Its
one link is a tap: HOST is this side, GUEST the other. `Lab(number=1)` is another guest beside it, with a link of its own;
all guests reach HOST and each other.
"""
import argparse
import ctypes
import json
import os
import pathlib
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
LABS_MAX = 3  # guests in one network
HOST, GUEST = "10.213.0.1", "10.213.0.2"
TAP = "lab0"
MTU = 16000  # a READ reply of 1 MiB is then a few dozen packets, and user-mode-linux pays by the packet
KERNEL = "linux.uml"
MODULES = "/usr/lib/uml/modules"
MARK = "HELIO_LAB_ISOLATED"

sys.path[:0] = [str(HERE), str(HERE.parent)]
from guest import JOB_PORT, MOUNTS  # noqa: E402
from patience import PATIENCE_S  # noqa: E402


class Failed(Exception):
    """The lab itself did not work; nothing is known about the server."""


def missing():
    """Why there can be no lab on this machine, or None."""
    if os.geteuid() != 0:
        return "the lab needs root"
    if not os.path.exists("/dev/net/tun"):
        return "there is no /dev/net/tun"
    for program, package in ((KERNEL, "user-mode-linux"), ("ip", "iproute2"), ("unshare", "util-linux"), ("cc", "gcc")):
        if not shutil.which(program):
            return f"{program} is not installed (Debian's {package})"
    command = ["unshare", "--net", "--mount", "--pid", "--fork", "ip", "tuntap", "add", "dev", TAP, "mode", "tap"]
    probe = subprocess.run(command, capture_output=True, text=True)
    if probe.returncode != 0:
        return f"no network of our own: {probe.stderr.strip()}"
    return None


def isolate():
    """Starts the program again in new namespaces; returns in there."""
    if os.environ.get(MARK):
        # As process 1 of its namespace it would not even notice.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        return
    os.environ[MARK] = "1"
    sys.stdout.flush()
    command = ["unshare", "--net", "--mount", "--pid", "--propagation", "private", "--fork", "--kill-child", "--mount-proc"]
    os.execvp(command[0], [*command, sys.executable, *sys.argv])


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def addresses(number):
    """This side and the guest's side of the link to the guest with this number."""
    return f"10.213.{number}.1", f"10.213.{number}.2"


def protect_host(work):
    """Between fork and exec of the guest's kernel: from here on the host's files cannot be written, except in `work`."""
    mount_setattr, at_fdcwd, at_recursive, read_only, clone_newns = 442, -100, 0x8000, 1, 0x20000
    libc = ctypes.CDLL(None, use_errno=True)
    attributes = struct.pack("QQQQ", read_only, 0, 0, 0)
    if libc.unshare(clone_newns) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    if libc.syscall(mount_setattr, at_fdcwd, b"/", at_recursive, attributes, len(attributes)) != 0:
        raise OSError(ctypes.get_errno(), "mount_setattr")
    if libc.mount(b"tmpfs", work.encode(), b"tmpfs", 0, b"") != 0:
        raise OSError(ctypes.get_errno(), "mount")


class Lab:
    address = HOST  # of servers on this side, for all guests

    def __init__(self, memory="512M", number=0):
        self.memory, self.number = memory, number
        self.host, self.guest = addresses(number)
        self.tap = f"{TAP[:-1]}{number}"
        self.mounted = []

    def __enter__(self):
        self.work = tempfile.TemporaryDirectory(prefix="kernel-lab-")
        self.console = open(f"{self.work.name}/console", "w+b")
        ip("link", "set", "lo", "up")
        ip("tuntap", "add", "dev", self.tap, "mode", "tap")
        ip("address", "add", f"{self.host}/30", "dev", self.tap)
        ip("link", "set", self.tap, "mtu", str(MTU), "up")
        pathlib.Path("/proc/sys/net/ipv4/ip_forward").write_text("1")  # from guest to guest
        with socket.create_server((self.host, 0)) as listener:
            self.process = self.boot(listener.getsockname()[1])
            self.wait_until_up(listener)
        return self

    def boot(self, ready_port):
        work, preload = f"{self.work.name}/uml", f"{self.work.name}/wide_xstate.so"
        os.mkdir(work)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", preload, HERE / "wide_xstate.c"], check=True)
        # Standard output must be a file: the kernel makes its descriptors non-blocking for all
        # processes that share them.
        return subprocess.Popen(
            [KERNEL, f"mem={self.memory}", f"uml_dir={work}", "quiet", "panic=1", "con=null", "con0=null,fd:1",
             "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro",
             f"vec0:transport=tap,ifname={self.tap},depth=128,gro=1,mtu={MTU}",
             f"init={sys.executable}", "--", str(HERE / "guest.py"), self.host, self.guest, str(ready_port), MODULES],
            env={**os.environ, "TMPDIR": work, "LD_PRELOAD": preload},
            stdin=subprocess.DEVNULL, stdout=self.console, stderr=subprocess.STDOUT, preexec_fn=lambda: protect_host(work))

    def wait_until_up(self, listener):
        deadline = time.monotonic() + PATIENCE_S
        listener.settimeout(0.5)
        while True:
            try:
                listener.accept()[0].close()
                return
            except TimeoutError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise Failed(f"the guest did not come up:\n{self.last_words()}") from None

    def last_words(self):
        with open(f"{self.work.name}/console", "rb") as console:
            return console.read()[-4000:].decode(errors="replace")

    def __exit__(self, *_):
        try:
            self.ask({"job": "power_off"}, timeout=5)
            self.process.wait(5)
        except (OSError, Failed, subprocess.TimeoutExpired):
            pass
        finally:
            self.process.kill()
            self.process.wait()
            self.console.close()
            self.work.cleanup()
            ip("link", "delete", self.tap)

    def ask(self, job, timeout, live=None):
        """Has the guest do a job; (status, stdout, stderr). `live` gets the output as it comes, too."""
        output = {"stdout": [], "stderr": []}
        deadline = time.monotonic() + timeout
        with socket.create_connection((self.guest, JOB_PORT), timeout=timeout) as connection:
            connection.sendall(json.dumps(job).encode() + b"\n")
            received = b""
            while True:
                connection.settimeout(max(deadline - time.monotonic(), 0.001))
                try:
                    piece = connection.recv(1 << 16)
                except TimeoutError:
                    said = "".join(output["stdout"] + output["stderr"])[-2000:]
                    raise Failed(f"no end after {timeout} s of {job}; it said:\n{said}\n{self.last_words()}") from None
                if not piece:
                    raise Failed(f"the guest broke off in {job}:\n{self.last_words()}")
                *lines, received = (received + piece).split(b"\n")
                for line in lines:
                    fields = json.loads(line)
                    if "status" in fields:
                        for name, text in fields.items():
                            if name in output:
                                output[name].append(text)
                        return fields["status"], "".join(output["stdout"]), "".join(output["stderr"])
                    for name, text in fields.items():
                        output[name].append(text)
                        if live:
                            live(name, text)

    def mount(self, port, vers=3, name="nfs", export="/", options="", read_only=False):
        """Mounts from this side's server; where it is in the guest. nfs-utils no longer know version 2: the words
        they would add are added here, and the kernel is called directly."""
        target = f"{MOUNTS}/{name}"
        data = f"vers={vers},proto=tcp,addr={HOST},port={port},sec=sys,"
        if float(vers) >= 4:
            data += f"clientaddr={self.guest}"
        else:
            data += f"nolock,mountaddr={HOST},mountport={port},mountproto=tcp,mountvers={1 if vers == 2 else 3}"
        self.mount_any(f"{HOST}:{export}", target, "nfs", data + (f",{options}" if options else ""), read_only)
        return target

    def mount_with(self, command, name):
        """Mounts with a command for a shell, whose last word is /mnt, as a user would: with mount.nfs, which chooses
        what the command leaves open. Where it is in the guest."""
        target = f"{MOUNTS}/{name}"
        words = shlex.split(command)
        if words[-1:] != ["/mnt"]:
            raise Failed(f"not a command that mounts at /mnt: {command}")
        status, out, err = self.run(["sh", "-c", f"mkdir -p {target} && exec {shlex.join([*words[:-1], target])}"])
        if status != 0:
            raise Failed(f"{command}: {out}{err}{self.last_words()}")
        self.mounted.append(target)
        return target

    def options_of(self, target):
        """Of a mount, as the guest's kernel lists them: {"vers": "4.2", "rw": "", …}."""
        for line in self.run(["cat", "/proc/mounts"])[1].splitlines():
            words = line.split()
            if words[1] == target:
                return dict((*option.split("=", 1), "")[:2] for option in words[3].split(","))
        raise Failed(f"nothing is mounted at {target}")

    def mount_any(self, source, target, kind, data, read_only=False):
        status, _, why = self.ask({"job": "mount", "source": source, "target": target, "kind": kind, "data": data,
                                   "read_only": read_only}, timeout=PATIENCE_S)
        if status != 0:
            raise Failed(f"mount of {source} with {data}: {why}{self.last_words()}")
        self.mounted.append(target)

    def unmount_all(self, lazy=False):
        while self.mounted:
            target = self.mounted.pop()
            status, _, why = self.ask({"job": "unmount", "target": target, "lazy": lazy}, timeout=PATIENCE_S)
            if status != 0:
                raise Failed(f"umount {target}: {why}")

    def run(self, argv, cwd="/run", timeout=PATIENCE_S, live=None):
        """A program in the guest, as root: (status, stdout, stderr)."""
        return self.ask({"job": "run", "argv": [str(word) for word in argv], "cwd": cwd}, timeout, live)

    def talk(self, argv, cwd="/run"):
        """A program in the guest, as root, whose standard input and output are the socket that is returned."""
        connection = socket.create_connection((self.guest, JOB_PORT), timeout=PATIENCE_S)
        job = {"job": "talk", "argv": [str(word) for word in argv], "cwd": cwd}
        connection.sendall(json.dumps(job).encode() + b"\n")
        return connection

    def kill_process(self, pid):
        """SIGKILL to a process of the guest."""
        status, _, why = self.ask({"job": "kill", "pid": pid}, timeout=PATIENCE_S)
        if status != 0:
            raise Failed(f"kill {pid}: {why}")

    def freeze(self):
        """Stops the whole guest, as a hypervisor pauses a machine: its clock goes on, but it does nothing."""
        os.kill(self.process.pid, signal.SIGSTOP)

    def thaw(self):
        os.kill(self.process.pid, signal.SIGCONT)


class Capture:
    """What a guest and a server's port say to each other, in a file. Needs dumpcap, which comes with tshark."""

    def __init__(self, lab, port, path):
        # -B: MiB of packets that wait to be written, many times what a short test sends, so that none are lost.
        self.command = ["dumpcap", "-i", lab.tap, "-f", f"tcp port {port}", "-s", "0", "-B", "64", "-w", str(path)]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = []
        for line in self.process.stderr:
            said.append(line)
            if line.startswith("File: "):  # it has begun
                return self
        self.process.wait()
        raise Failed(f"no capture: {''.join(said)}")

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.communicate()


class Server:
    """A server process on this side, which can be killed and started again."""

    def __init__(self, command, address, port, log=None, environment=None):
        self.command, self.address, self.port = [str(word) for word in command], address, port
        self.environment = {**os.environ, "LAB_ADDRESS": address, "LAB_PORT": str(port), **(environment or {})}
        self.log = log or tempfile.TemporaryFile()
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        self.log.close()

    def start(self):
        self.process = subprocess.Popen(self.command, env=self.environment, stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True)
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                socket.create_connection((self.address, self.port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise Failed(f"no server at port {self.port}; it said:\n{self.said()}") from None
                time.sleep(0.005)

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()

    def said(self):
        self.log.flush()
        size = os.fstat(self.log.fileno()).st_size
        return os.pread(self.log.fileno(), 4000, max(size - 4000, 0)).decode(errors="replace")

    def restart(self, quietly):
        """SIGKILL and a new start at the same port.

        A client that finds the port closed waits 3 s before it knocks again. `quietly`: packets to guests are lost
        in between, as if the machine had crashed, so that they notice when the server is back; a restart then costs a
        few tenths of a second.
        """
        guests = [f"{addresses(number)[1]}/32" for number in range(LABS_MAX)] if quietly else []
        for guest in guests:
            ip("route", "add", "blackhole", guest)
        try:
            self.kill()
            self.start()
        finally:
            for guest in guests:
                ip("route", "delete", "blackhole", guest)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--server", required=True, help="started with sh; listens on $LAB_ADDRESS, port $LAB_PORT")
    parser.add_argument("--vers", type=float, choices=(2, 3, 4.1, 4.2), default=3)
    parser.add_argument("--port", type=int, default=2049)
    parser.add_argument("--export", default="/")
    parser.add_argument("--options", default="", help="more mount options; the last one counts")
    parser.add_argument("--memory", default="512M", help="of the guest")
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("command", nargs="+", help="runs in the mount")
    given = parser.parse_args()
    if not os.environ.get(MARK) and (why := missing()):
        print(f"lab: {why}", file=sys.stderr)
        return 125
    isolate()

    def live(name, text):
        stream = getattr(sys, name)
        stream.buffer.write(text.encode("latin-1"))
        stream.flush()

    try:
        with Lab(given.memory) as lab, Server(["sh", "-c", given.server], HOST, given.port) as server:
            try:
                there = lab.mount(given.port, given.vers, export=given.export, options=given.options)
                return lab.run(given.command, there, given.timeout, live)[0]
            except Failed as why:
                raise Failed(f"{why}\nThe server said:\n{server.said()}") from None
    except Failed as why:
        print(f"lab: {why}", file=sys.stderr)
        return 125


if __name__ == "__main__":
    sys.exit(main())
