"""The servers of bench/nfs: how each is started on one core, and how it is stopped.

A server is started for each round and stopped behind it. One that cannot start raises Skipped with the reason in a
sentence; the table shows it. `servers` of bench/rpc knows how NFS-Ganesha is started and what it needs.
"""

import contextlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rpc"))
import servers as rpc  # noqa: E402
from servers import Skipped  # noqa: E402

START_TIMEOUT_S = 20
# Ganesha's MEM back end keeps so much of each file and answers zeroes behind it: 2 MiB is the most it takes.
MEM_FILE_BYTES = 2 << 20

# What its manual offers to make calls cheaper on one core, besides a cache that holds what is asked for.
TUNED_CORE = """
    Enable_NLM = false;
    Enable_RQUOTA = false;
    Enable_UDP = false;
    DRC_Disabled = true;
    RPC_Ioq_ThrdMax = 4;
"""
TUNED_CACHE = "MDCACHE { Entries_HWMark = 2000000; }"
TUNED_EXPORT = "Attr_Expiration_Time = 600;"
# Without a grace period, in which it would refuse to open files.
GANESHA_V4 = "NFSV4 { Graceless = true; Minor_Versions = 1, 2; Only_Numeric_Owners = true; }"


class Running:
    """`target` is as `helio load nfs` wants it; `folder` is what is exported, where that is a folder."""

    def __init__(self, pid, port, path, folder=None):
        self.pid, self.port, self.target, self.folder = pid, port, f"127.0.0.1:{port}:{path}", folder


@contextlib.contextmanager
def limit_server(program, folder, *words, core=None):
    with rpc.program_server([str(program), "--directory", str(folder), *words], core) as server:
        yield Running(server.pid, server.port, "/")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_until_it_answers(process, port, errors):
    end = time.monotonic() + START_TIMEOUT_S
    while process.poll() is None and time.monotonic() < end:
        with contextlib.suppress(OSError):
            with rpc.connect(port) as connection:
                if rpc.null_call(connection, rpc.NFS3_PROGRAM):
                    return
        time.sleep(0.005)
    errors.seek(0)
    lines = errors.read().decode(errors="replace").strip().splitlines()
    raise Skipped(f"helio serve did not start: {lines[0] if lines else 'it does not say why'}")


@contextlib.contextmanager
def helio_server(program, folder, threads=1, core=None, under=()):
    """`folder` None: the memory back end. `under`: a command that runs the program, such as valgrind."""
    if not Path(program).exists():
        raise Skipped(f"{program} is not built")
    port = free_port()
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryDirectory(prefix="helio-state-") as state:
        what = ["memory:"] if folder is None else ["--state", state, str(folder)]
        command = [*under, str(program), "serve", "--listen", f"127.0.0.1:{port}", "--rw", "--squash", "none", "--threads",
                   str(threads), "--versions", "4.2,4.1,3,2", *what]
        process = subprocess.Popen(rpc.pinned(command, core), stdout=subprocess.DEVNULL, stderr=errors)
        try:
            wait_until_it_answers(process, port, errors)
            yield Running(process.pid, port, "/", folder)
        finally:
            rpc.stop(process, START_TIMEOUT_S)


@contextlib.contextmanager
def ganesha_server(kind, folder, tuned, isolated, core=None, version=3):
    path = "/bench" if folder is None else folder
    protocols = "3" if version == 3 else "3, 4"  # version 3 too: it shows that the server is there
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        file.write(f"""
NFS_CORE_PARAM {{ Bind_addr = 127.0.0.1; NFS_Port = {rpc.NFS_PORT}; Protocols = {protocols}; {TUNED_CORE if tuned else ""} }}
{TUNED_CACHE if tuned else ""}
{GANESHA_V4 if version == 4 else ""}
{f"MEM {{ Inode_Size = {MEM_FILE_BYTES}; }}" if kind == "MEM" else ""}
EXPORT {{
    Export_Id = 1; Path = {path}; Pseudo = /bench; Access_Type = RW; Squash = None; SecType = sys;
    {TUNED_EXPORT if tuned else ""}
    FSAL {{ Name = {kind}; }}
}}
""")
        file.flush()
        library = Path(f"/usr/lib/x86_64-linux-gnu/ganesha/libfsal{kind.lower()}.so")
        if shutil.which("ganesha.nfsd") and not library.exists():
            raise Skipped(f"nfs-ganesha-{kind.lower()} is not installed")
        with rpc.ganesha_server(file.name, isolated, core) as server:
            # Version 4 has the export at its Pseudo path.
            yield Running(server.pid, server.port, path if version == 3 else "/bench", folder)


def contenders(programs, folder, memory_folder, isolated):
    """Name → what starts it, given a core. `folder` is on the machine's file system, `memory_folder` on tmpfs."""
    helio, limit = programs / "helio", programs / "nfs_limit_server"
    return {
        "limit": lambda core: limit_server(limit, folder, core=core),
        "limit, copy": lambda core: limit_server(limit, folder, "--copy", core=core),
        "limit, tmpfs": lambda core: limit_server(limit, memory_folder, core=core),
        "helio posix": lambda core: helio_server(helio, folder, core=core),
        "helio tmpfs": lambda core: helio_server(helio, memory_folder, core=core),
        "helio memory": lambda core: helio_server(helio, None, core=core),
        "Ganesha VFS": lambda core: ganesha_server("VFS", folder, False, isolated, core),
        "Ganesha VFS tuned": lambda core: ganesha_server("VFS", folder, True, isolated, core),
        "Ganesha tmpfs tuned": lambda core: ganesha_server("VFS", memory_folder, True, isolated, core),
        "Ganesha MEM tuned": lambda core: ganesha_server("MEM", None, True, isolated, core),
    }
