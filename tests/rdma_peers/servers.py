"""The two servers of the RDMA tests, in the guest: ours, and the kernel's. Both export EXPORT, a tmpfs, as `/export`; NFS is
at 2049 over TCP and at 20049 over RDMA, and MOUNT is found at port 111.
"""
import os
import shutil
import signal
import socket
import subprocess
import time

from patience import PATIENCE_S

EXPORT = "/export"
NFS_PORT, RDMA_PORT, PORTMAP_PORT = 2049, 20049, 111
LOG = "/run/server.log"


class Failed(Exception):
    """The machine or a server did not do what every check needs."""


def call(*words, timeout=PATIENCE_S, environment=None):
    """A program that must succeed; what it said."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=timeout, check=False, env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, words))[:300]}: status {done.returncode}\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def wait_until(condition, what, timeout=PATIENCE_S):
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise Failed(f"after {timeout} s: {what}")
        time.sleep(0.02)


def answers(port, address="127.0.0.1"):
    try:
        socket.create_connection((address, port), timeout=1).close()
        return True
    except OSError:
        return False


def make_export():
    os.makedirs(EXPORT, exist_ok=True)
    if not os.path.ismount(EXPORT):
        call("mount", "-t", "tmpfs", "-o", "mode=777", "export", EXPORT)


def empty_export():
    for name in os.listdir(EXPORT):
        path = f"{EXPORT}/{name}"
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)


class HelioServer:
    """`helio serve`, found at port 111 by itself unless it has ports of its own."""
    name = "helio"

    def __init__(self, helio, nfs_port=NFS_PORT, rdma_port=RDMA_PORT):
        self.nfs_port, self.needs_portmap = nfs_port, nfs_port == NFS_PORT
        self.command = [helio, "serve", "--listen", f"*:{nfs_port}", "--squash", "none", "--state", "/run/helio-state",
                        "--metrics", "off", f"export={EXPORT}",
                        *(["--portmap", "--rdma"] if self.needs_portmap else [f"--rdma=*:{rdma_port}"])]
        self.process = None

    def start(self):
        os.makedirs("/run/helio-state", mode=0o700, exist_ok=True)
        with open(LOG, "ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

        def is_up():
            if self.process.poll() is not None:
                raise Failed(f"{' '.join(self.command)}: it ended with status {self.process.returncode}")
            return answers(self.nfs_port) and (not self.needs_portmap or answers(PORTMAP_PORT))

        wait_until(is_up, "helio serve does not answer")

    def is_there(self):
        return self.process.poll() is None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.kill()
        self.start()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failed(f"helio serve is still there {PATIENCE_S} s after SIGTERM") from None
        if status != 0:
            raise Failed(f"helio serve ended with status {status}")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


class KernelServer:
    """Linux's nfsd, with Debian's rpcbind and mountd."""
    name = "nfsd"

    def __init__(self, _=None):
        self.daemons = []

    def start(self):
        self.daemon(["rpcbind", "-w", "-f"])
        wait_until(lambda: answers(PORTMAP_PORT), "rpcbind does not answer")
        call("exportfs", "-i", "-o", "rw,no_root_squash,no_subtree_check,insecure,fsid=1", f"*:{EXPORT}")
        self.daemon(["rpc.mountd", "--foreground", "--no-nfs-version", "4"])
        self.serve()
        wait_until(self.has_mountd, "mountd is not registered")

    @staticmethod
    def is_there():
        return True

    def serve(self):
        # It would choose by the machine's memory, which is small.
        with open("/proc/fs/nfsd/max_block_size", "w") as size:
            size.write("1048576\n")
        call("rpc.nfsd", "--no-nfs-version", "4", "4")
        with open("/proc/fs/nfsd/portlist", "w") as ports:
            ports.write(f"rdma {RDMA_PORT}\n")

    @staticmethod
    def has_mountd():
        return "mountd" in subprocess.run(["rpcinfo", "-p", "127.0.0.1"], capture_output=True, text=True, check=False).stdout

    def daemon(self, words):
        with open(LOG, "ab") as log:
            self.daemons.append(subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def restart(self):
        call("rpc.nfsd", "0")
        self.serve()

    def stop(self):
        call("rpc.nfsd", "0")
        call("exportfs", "-ua")
        for process in self.daemons:
            process.terminate()
            process.wait(PATIENCE_S)
        self.daemons = []
