#!/usr/bin/env python3
"""Process 1 of the lab's guest: makes the machine usable, then does what the host asks.

Started by the kernel as `python3 guest.py HOST_ADDRESS GUEST_ADDRESS READY_PORT MODULES`; lab.py is the other side.
The guest connects to READY_PORT once and is then a server on JOB_PORT. One connection is one job: the host
sends a line of JSON, gets lines of JSON back, the last of which has the key "status". Jobs may run side by side. After the job
"talk" the connection belongs to the program that was started.

The root is the host's, read-only. Only /run can be written: a tmpfs, with home, temporary files and mount points.
Forking is dear in user-mode-linux, so what system calls can do is done by them and not by programs.
"""
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading

JOB_PORT = 1024
WRITABLE = "/run"
MOUNTS = WRITABLE + "/mnt"
RUN_AS_ROOT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": WRITABLE + "/home",
    "TMPDIR": WRITABLE + "/tmp",
    "LC_ALL": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
}

MS_RDONLY = 1
MNT_DETACH = 2
FINIT_MODULE = 313  # x86-64's number of finit_module(2), for which the C library has no function
POWER_OFF = 0x4321FEDC

libc = ctypes.CDLL(None, use_errno=True)


def system_call(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount(source, target, kind, data="", flags=0):
    os.makedirs(target, exist_ok=True)
    system_call(libc.mount(source.encode(), target.encode(), kind.encode(), flags, data.encode()), f"mount {target}")


def unmount(target, lazy=False):
    system_call(libc.umount2(target.encode(), MNT_DETACH if lazy else 0), f"umount {target}")


def load_modules(folder, names, present=()):
    """insmod of each name after what it needs: modules.dep lists that for every module. `present` were loaded before."""
    folder = f"{folder}/{os.uname().release}"
    needs, path_of = {}, {}
    with open(f"{folder}/modules.dep") as lines:
        for line in lines:
            path, rest = line.split(":")
            needs[path] = rest.split()
            path_of[os.path.basename(path).removesuffix(".ko")] = path

    def in_order(name):  # the list of a module goes from the near to the far
        return [*reversed(needs[path_of[name]]), path_of[name]]

    loaded = {path for name in present for path in in_order(name)}
    for name in names:
        for path in in_order(name):
            if path in loaded:
                continue
            loaded.add(path)
            with open(f"{folder}/{path}", "rb") as module:
                system_call(libc.syscall(FINIT_MODULE, module.fileno(), b"", 0), f"load {path}")


def set_up(host_address, guest_address, modules):
    mount("proc", "/proc", "proc")
    mount("sysfs", "/sys", "sysfs")
    mount("tmpfs", WRITABLE, "tmpfs", "mode=755")
    mount("tmpfs", "/dev/shm", "tmpfs", "mode=1777")
    for name in ("home", "mnt"):
        os.mkdir(f"{WRITABLE}/{name}")
    os.mkdir(RUN_AS_ROOT["TMPDIR"])
    os.chmod(RUN_AS_ROOT["TMPDIR"], 0o1777)
    os.environ.clear()
    os.environ.update(RUN_AS_ROOT)
    os.chdir(WRITABLE)
    # Part of the name by which an NFS 4 server knows a client: no two guests may have the same.
    socket.sethostname("guest-" + guest_address.replace(".", "-"))
    commands = (f"link set lo up\nlink set vec0 up\naddress add {guest_address}/30 dev vec0\n"
                f"route add default via {host_address}\n")
    subprocess.run(["ip", "-batch", "-"], input=commands, text=True, check=True)
    load_modules(modules, ["nfs", "nfsv2", "nfsv3", "nfsv4"])


def answer(connection, **fields):
    connection.sendall(json.dumps(fields).encode() + b"\n")


def run(connection, job):
    """A program, its output sent on as it comes."""
    process = subprocess.Popen(
        job["argv"], cwd=job.get("cwd", WRITABLE), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    sending = threading.Lock()

    def forward(name, pipe):
        while piece := os.read(pipe.fileno(), 65536):
            with sending:
                answer(connection, **{name: piece.decode("latin-1")})

    readers = [threading.Thread(target=forward, args=pair)
               for pair in (("stdout", process.stdout), ("stderr", process.stderr))]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    return process.wait()


def talk(connection, job):
    """A program that has the connection as its standard input and output. Does not return."""
    os.chdir(job["cwd"])
    for descriptor in (0, 1):
        os.dup2(connection.fileno(), descriptor)
    os.execvp(job["argv"][0], job["argv"])


def power_off():
    libc.sync()
    libc.reboot(POWER_OFF)


def do(connection, job):
    kind = job["job"]
    if kind == "run":
        return run(connection, job)
    if kind == "talk":
        talk(connection, job)
    elif kind == "kill":
        os.kill(job["pid"], signal.SIGKILL)
    elif kind == "mount":
        mount(job["source"], job["target"], job["kind"], job["data"], MS_RDONLY if job.get("read_only") else 0)
    elif kind == "unmount":
        unmount(job["target"], job["lazy"])
    elif kind == "power_off":
        answer(connection, status=0)
        power_off()
    return 0


def serve_one(connection):
    try:
        job = json.loads(connection.makefile().readline())
        answer(connection, status=do(connection, job))
    except OSError as why:
        answer(connection, stderr=f"{why}\n", status=125)


def main():
    host_address, guest_address, ready_port, modules = sys.argv[1:5]  # the kernel adds more
    set_up(host_address, guest_address, modules)
    listener = socket.create_server((guest_address, JOB_PORT))
    socket.create_connection((host_address, int(ready_port))).close()
    while True:
        connection, _ = listener.accept()
        # A process per job, so that a job that hangs in the kernel holds up no other.
        if os.fork() == 0:
            listener.close()
            serve_one(connection)
            os._exit(0)
        connection.close()
        try:
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
        except ChildProcessError:
            pass


if __name__ == "__main__":
    try:
        main()
    except BaseException as why:  # process 1 must not end: the kernel would panic with no word about why
        print(f"guest: {why!r}", flush=True)
        power_off()
