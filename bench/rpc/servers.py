"""The servers of bench/rpc: how each is started on one core, and how it is stopped.

A server is started for each measurement and stopped behind it. One that cannot start raises Skipped with
the reason in a sentence; the table shows it.
"""

import contextlib
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
NULL_PROGRAM = (0x20000099, 1)  # null.x
NFS3_PROGRAM = (100003, 3)
NFS_PORT = 2049  # as in ganesha_*.conf
START_TIMEOUT_S = 20
STOP_TIMEOUT_S = 5


class Skipped(Exception):
    """A server that cannot run here, and why."""


class Running:
    def __init__(self, process, port, program):
        self.pid, self.port, self.program = process.pid, port, program


def null_call(connection, program, xid=1):
    """One NULL call; whether it was answered with SUCCESS."""
    number, version = program
    connection.sendall(struct.pack(">11I", 0x80000000 | 40, xid, 0, 2, number, version, 0, 0, 0, 0, 0))
    reply = b""
    while len(reply) < 28:
        piece = connection.recv(28 - len(reply))
        if not piece:
            return False
        reply += piece
    return struct.unpack(">7I", reply) == (0x80000000 | 24, xid, 1, 0, 0, 0, 0)


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def stop(process, timeout_s=STOP_TIMEOUT_S):
    process.terminate()
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def pinned(command, core):
    return list(command) if core is None else ["taskset", "--cpu-list", str(core), *command]


@contextlib.contextmanager
def program_server(command, core=None, program=NULL_PROGRAM):
    """A program of ours, which says `listening tcp PORT` on its first line."""
    if not Path(command[0]).exists():
        raise Skipped(f"{Path(command[0]).name} is not built")
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(pinned(command, core), stdout=subprocess.PIPE, stderr=errors, text=True)
        try:
            words = process.stdout.readline().split()
            if words[:2] != ["listening", "tcp"]:
                process.wait(STOP_TIMEOUT_S)
                errors.seek(0)
                raise Skipped(f"{Path(command[0]).name} did not start: {errors.read().decode().strip()}")
            yield Running(process, int(words[2]), program)
        finally:
            stop(process)
            process.stdout.close()


def private_folders(*folders):
    """Empty ones in place of the machine's, in a mount namespace that is ours alone."""
    for folder in folders:
        Path(folder).mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], text=True, capture_output=True)
        if done.returncode != 0:
            raise Skipped(f"no private {folder}: {done.stderr.strip()}")


def wait_for_null(process, port, program, log):
    end = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        with contextlib.suppress(OSError):
            with connect(port) as connection:
                if null_call(connection, program):
                    return
        time.sleep(0.02)
    lines = log.read_text(errors="replace").split("\n") if log.exists() else []
    faults = [line.rsplit(" :", 1)[-1] for line in lines if ":FATAL :" in line or "Config File" in line]
    raise Skipped(f"NFS-Ganesha did not answer: {faults[0] if faults else 'its log does not say why'}")


@contextlib.contextmanager
def rpcbind():
    """Ganesha insists on one at port 111."""
    if not shutil.which("rpcbind"):
        raise Skipped("rpcbind is not installed")
    process = subprocess.Popen(["rpcbind", "-f"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + START_TIMEOUT_S
        while process.poll() is None and time.monotonic() < end:
            with contextlib.suppress(OSError):
                connect(111).close()
                break
            time.sleep(0.02)
        else:
            raise Skipped("rpcbind does not listen at port 111")
        yield
    finally:
        stop(process)


@contextlib.contextmanager
def ganesha_server(configuration, isolated, core=None):
    """NFS-Ganesha; `isolated`: network and mounts are a namespace of ours."""
    program = shutil.which("ganesha.nfsd")
    if not program:
        raise Skipped("nfs-ganesha is not installed")
    if not isolated:
        raise Skipped("NFS-Ganesha wants ports 111 and 2049 and /run for itself: needs a namespace")
    if os.geteuid() != 0:
        raise Skipped("NFS-Ganesha wants to be root")
    private_folders("/run", "/var/lib/nfs")
    for folder in ("/run/ganesha", "/run/rpcbind", "/var/lib/nfs/ganesha"):
        Path(folder).mkdir(parents=True, exist_ok=True)
    log = Path("/run/ganesha/log")
    try:
        with rpcbind():
            process = subprocess.Popen(
                pinned([program, "-F", "-f", str(HERE / configuration), "-p", "/run/ganesha/pid", "-L", str(log),
                        "-N", "NIV_EVENT"], core),
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                wait_for_null(process, NFS_PORT, NFS3_PROGRAM, log)
                yield Running(process, NFS_PORT, NFS3_PROGRAM)
            finally:
                stop(process)
    finally:
        for folder in ("/var/lib/nfs", "/run"):
            subprocess.run(["umount", "--lazy", folder], capture_output=True)


def servers(programs, isolated):
    """Name → what starts it, given a core. In the order of the table."""
    def ours(name, *words):
        return lambda core: program_server([str(programs / name), *words], core)

    return {
        "limit": ours("rpc_limit_server"),
        "limit, one send per reply": ours("rpc_limit_server", "--one-send-per-reply"),
        "helio, plain": ours("rpc_bench_server", "--procedure", "plain"),
        "helio, suspending": ours("rpc_bench_server", "--procedure", "suspending"),
        "rpcgen + libtirpc": ours("rpc_tirpc_server"),
        "Ganesha default": lambda core: ganesha_server("ganesha_default.conf", isolated, core),
        "Ganesha tuned": lambda core: ganesha_server("ganesha_tuned.conf", isolated, core),
    }
