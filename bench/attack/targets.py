"""The servers that bench/attack attacks: `helio serve` and NFS-Ganesha, each with two exports, at every address of the namespace."""
import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rpc"))
import servers as rpc  # noqa: E402
from servers import Skipped  # noqa: E402

HELIO, GANESHA = "helio", "Ganesha"
PORT = rpc.NFS_PORT
GANESHA_MOUNT_PORT = 20048
MEMORY_MIB = 256


class Target:
    """`path` is what victims and attackers mount, `second` the export that can be frozen (None: there is none)."""

    def __init__(self, pid, path, second, mount_port=PORT):
        self.pid, self.port, self.mount_port, self.path, self.second = pid, PORT, mount_port, path, second
        for thread in os.listdir(f"/proc/{pid}/task"):
            os.setpriority(os.PRIO_PROCESS, int(thread), 0)  # it began with that of the victims


def limited(command, descriptors):
    return command if descriptors is None else ["prlimit", f"--nofile={descriptors}:{descriptors}", *command]


@contextlib.contextmanager
def helio(program, folder, second=None, descriptors=None):
    with tempfile.TemporaryDirectory(prefix="helio-state-") as state, tempfile.TemporaryFile() as log:
        exports = [f"a={folder}"] + ([f"b={second}"] if second else [])
        command = [str(program), "serve", "--listen", f"0.0.0.0:{PORT}", "--rw", "--squash", "none", "--udp", "--metrics", "off",
                   "--memory", f"{MEMORY_MIB}M", "--state", state, *exports]
        process = subprocess.Popen(limited(command, descriptors), stdout=log, stderr=log)
        try:
            rpc.wait_for_null(process, PORT, rpc.NFS3_PROGRAM, Path(f"/proc/self/fd/{log.fileno()}"))
            yield Target(process.pid, "/a", second and "/b")
        finally:
            rpc.stop(process)


def ganesha_export(number, path):
    return (f"EXPORT {{ Export_Id = {number}; Path = {path}; Pseudo = /{number}; Access_Type = RW; Squash = None; SecType = sys; "
            "FSAL { Name = VFS; } }\n")


@contextlib.contextmanager
def ganesha(folder, second=None, descriptors=None):
    """With its defaults: limits are what is compared."""
    library = Path("/usr/lib/x86_64-linux-gnu/ganesha/libfsalvfs.so")
    if not library.exists():
        raise Skipped("nfs-ganesha-vfs is not installed")
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(f"NFS_CORE_PARAM {{ NFS_Port = {PORT}; MNT_Port = {GANESHA_MOUNT_PORT}; Protocols = 3; }}\n" + ganesha_export(1, folder))
        if second:
            file.write(ganesha_export(2, second))
        file.flush()
        with rpc.ganesha_server(file.name, isolated=True) as server:
            if descriptors is not None:
                subprocess.run(["prlimit", f"--pid={server.pid}", f"--nofile={descriptors}:{descriptors}"], check=True)
            yield Target(server.pid, str(folder), second and str(second), GANESHA_MOUNT_PORT)


def starts(program, peers):
    """Name → what starts it, given the folder and perhaps `second` and `descriptors`."""
    if not os.path.exists(program):
        raise SystemExit(f"{program} is not built")
    found = {HELIO: lambda *words, **more: helio(program, *words, **more)}
    if peers:
        found[GANESHA] = ganesha
    return found
