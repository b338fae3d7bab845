"""Daemons that speak libvirt's protocol, for the tests of helio virt and of what it says on the wire.

Not a test itself. A daemon's files are in a folder of the test's own, and go away with it.
"""
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from patience import PATIENCE_S  # noqa: E402

WAIT_S = PATIENCE_S


def run(*words, timeout=WAIT_S, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=timeout, check=False, **options)
    return done.returncode, done.stdout, done.stderr


def stop(process):
    """Its exit code."""
    process.send_signal(signal.SIGTERM)
    try:
        return process.wait(WAIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def thread_states(process):
    """Of each thread: whether new privileges are impossible, whether its system calls are filtered, its capabilities."""
    states = []
    for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
        fields = dict(line.split(":", 1) for line in (task / "status").read_text().splitlines() if ":" in line)
        states.append((fields["NoNewPrivs"].strip() == "1", fields["Seccomp"].strip() == "2", int(fields["CapPrm"], 16)))
    return states


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def domain_xml(name):
    return f"<domain type='test'><name>{name}</name><memory>65536</memory><os><type>hvm</type></os></domain>"


class Daemon:
    """A program that is ready once its socket is there."""

    def __init__(self, words, socket_path, **options):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(words, stdout=self.log, stderr=self.log, **options)
        end = time.monotonic() + WAIT_S
        while not os.path.exists(socket_path):
            if self.process.poll() is not None or time.monotonic() > end:
                self.log.seek(0)
                said = self.log.read().decode()[-500:]
                self.stop()
                raise RuntimeError(f"{words[0]} does not start: {said}")
            time.sleep(0.02)

    def stop(self):
        stop(self.process)
        self.log.close()


class VirtServe:
    """helio virt serve, ready, with the sockets sock and sock-ro in a folder of its own. `host` is the text of its --host file."""

    def __init__(self, helio, *words, host=None):
        self.folder = tempfile.TemporaryDirectory(prefix="helio-virt-")
        self.path = pathlib.Path(self.folder.name)
        if host is not None:
            (self.path / "host.toml").write_text(host)
            words = ("--host", self.path / "host.toml", *words)
        self.process = subprocess.Popen(
            [helio, "virt", "serve", "--socket", self.path / "sock", "--socket-ro", self.path / "sock-ro", *words],
            stdout=subprocess.PIPE, text=True)
        self.said = []
        for line in self.process.stdout:
            self.said.append(line.strip())
            if line == "ready\n":
                return
        self.stop()
        raise RuntimeError("helio virt serve does not start")

    def uri(self, name="sock"):
        return f"test+unix:///default?socket={self.path / name}"

    def stop(self):
        """Its exit code."""
        code = stop(self.process)
        self.process.stdout.close()
        self.folder.cleanup()
        return code


def libvirtd(folder, configuration='auth_unix_rw = "none"\n', *words, **environment):
    """Debian's, with its test driver. Its socket is libvirt-sock in the folder, where it looks for SASL's files as well."""
    (folder / "no-drivers").mkdir()  # leaves only the test driver, which is built in
    (folder / "libvirtd.conf").write_text(f'unix_sock_dir = "{folder}"\n{configuration}')
    environment = {**os.environ, "LIBVIRT_DRIVER_DIR": f"{folder}/no-drivers", "SASL_CONF_PATH": str(folder), **environment}
    return Daemon(["libvirtd", *words, "-f", f"{folder}/libvirtd.conf", "-p", f"{folder}/pid"], folder / "libvirt-sock",
                  env=environment)


def add_sasl_user(folder):
    """ada@here, whose password is secret, for a libvirtd of this folder."""
    (folder / "libvirt.conf").write_text(f"mech_list: scram-sha-256 digest-md5\nsasldb_path: {folder}/db\n")
    subprocess.run(["/usr/sbin/saslpasswd2", "-p", "-c", "-f", f"{folder}/db", "-a", "libvirt", "-u", "here", "ada"],
                   input=b"secret", check=True)
