"""What our own client must find over RDMA: `helio call` and `helio load nfs`. Each function is a check: it gets a Client and
raises when something is wrong.

`helio call` knows nothing of a procedure's long parts: calls that are too long for one message go as a read chunk at
position zero, and answers may come in a reply chunk. `helio load nfs` moves data in chunks of its own, and compares it.
"""
import json
import os
import subprocess

from checking import equal, noise, read
from kernel_client import NAMES, TARGET, fixture
from patience import LONGER_DURATIONS, PATIENCE_S
from servers import RDMA_PORT, call

CALL_TIMEOUT = "120s"
WRITTEN = noise(60_001, seed=7)
LOAD = ("getattr", "lookup", "read:4k", "read:1M", "write:64k", "write:1M", "create", "readdirplus")


class Client:
    """One device's way to the server."""

    def __init__(self, helio, device, here):
        self.helio, self.address, self.name, self.here = helio, device.address, device.name, here

    def run(self, host, procedure, arguments, *flags):
        """The result. Arguments go through a file, because they may be long."""
        path = f"/run/arguments-{self.name}"
        with open(path, "w") as file:
            json.dump(arguments, file)
        words = [self.helio, "call", *flags, "--timeout", CALL_TIMEOUT, "--compact", host, procedure, f"@{path}"]
        return json.loads(call(*words))

    def call(self, procedure, arguments):
        result = self.run(f"{self.address}:{RDMA_PORT}", f"nfs3.{procedure}", arguments, "--rdma")
        equal(result["status"], "NFS3_OK", procedure)
        return result["resok"]

    def handle(self, name):
        """As look_up has found it, in another process."""
        with open(f"/run/handles-{self.name}") as file:
            return {"data": json.load(file)[name]}


def look_up(client):
    """MOUNT is asked over TCP, where port 111 says; all else over RDMA."""
    root = client.run(client.address, "mount.MNT", "/export")["mountinfo"]["fhandle"]
    listing = client.call("READDIRPLUS", {"dir": {"data": root}, "cookie": 0, "cookieverf": "00" * 8,
                                          "dircount": 30_000, "maxcount": 60_000})
    handles = {entry["name"]: entry["name_handle"]["data"] for entry in listing["reply"]["entries"] if entry.get("name_handle")}
    with open(f"/run/handles-{client.name}", "w") as file:
        json.dump({**handles, "": root}, file)


def getattr_of_the_root(client):
    attributes = client.call("GETATTR", {"object": client.handle("")})["obj_attributes"]
    equal((attributes["type"], attributes["fileid"]), ("NF3DIR", os.stat(client.here).st_ino))


def reads(client):
    """Short enough for one message, and not."""
    for name in ("small", "odd"):
        result = client.call("READ", {"file": client.handle(name), "offset": 0, "count": 30_000})
        equal((result["data"], result["count"], result["eof"]), (fixture(name).hex(), len(fixture(name)), True), name)


def readlink_of_4000_bytes(client):
    equal(client.call("READLINK", {"symlink": client.handle("long-link")})["data"], TARGET)


def readdir_of_400_names(client):
    """About 30 kB in one answer, or as many as the server likes."""
    names, cookie, verifier = [], 0, "00" * 8
    while True:
        result = client.call("READDIR", {"dir": client.handle("names"), "cookie": cookie, "cookieverf": verifier,
                                         "count": 60_000})
        entries = result["reply"]["entries"]
        names += [entry["name"] for entry in entries]
        if result["reply"]["eof"] or not entries:
            break
        cookie, verifier = entries[-1]["cookie"], result["cookieverf"]
    equal(sorted(names), sorted([".", "..", *NAMES]))


def long_write(client):
    """A call of 60 kB."""
    path = f"{client.here}/called-{client.name}"
    with open(path, "w"):
        os.chmod(path, 0o666)
    arguments = {"what": {"dir": client.handle(""), "name": os.path.basename(path)}}
    file = client.call("LOOKUP", arguments)["object"]
    result = client.call("WRITE", {"file": file, "offset": 3, "count": len(WRITTEN), "stable": "FILE_SYNC",
                                   "data": WRITTEN.hex()})
    equal((result["count"], result["committed"]), (len(WRITTEN), "FILE_SYNC"))
    equal(read(path) == bytes(3) + WRITTEN, True, "the file is what was written")


def long_symlink(client):
    """A call of 4 kB."""
    name = f"called-link-{client.name}"
    if os.path.lexists(f"{client.here}/{name}"):
        os.unlink(f"{client.here}/{name}")  # of an earlier try
    client.call("SYMLINK", {"where": {"dir": client.handle(""), "name": name},
                            "symlink": {"symlink_attributes": UNSET, "symlink_data": TARGET}})
    equal(os.readlink(f"{client.here}/{name}"), TARGET)


UNSET = {"mode": None, "uid": None, "gid": None, "size": None,
         "atime": {"set_it": "DONT_CHANGE"}, "mtime": {"set_it": "DONT_CHANGE"}}

CHECKS = (look_up, getattr_of_the_root, reads, readlink_of_4000_bytes, readdir_of_400_names, long_write, long_symlink)


def load(client):
    """Every answer is compared by `helio load nfs` itself, and none may fail. How many there are depends on the machine; a run in
    which an operation had none proves nothing about it, and is repeated for longer."""
    for duration in LONGER_DURATIONS:
        words = ["--files", "8", "--data-files", "1", "--data-size", "2M", "--entries", "120", "--connections", "2", "--depth", "4",
                 "--duration", duration, "--warmup", "0", "--timeout", CALL_TIMEOUT, "--json"]
        command = [client.helio, "load", "nfs", "--rdma", *words, f"{client.address}:/export", *LOAD]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        operations = json.loads(done.stdout)["operations"] if done.returncode in (0, 1) else []
        rounds = [(operation["name"], each) for operation in operations for each in operation["servers"][0]["rounds"]]
        for name, each in rounds:
            run = each["load"]
            faults = {"wrong": each["wrong"], "first": each["first_wrong"], "failed": run["failed"], "errors": run["errors"],
                      "ended early": run["ended_early"]}
            equal({what: fault for what, fault in faults.items() if fault}, {}, name)
        equal(len(operations), len(LOAD), f"operations; status {done.returncode}, it said {done.stderr[-500:]}")
        silent = [name for name, each in rounds if each["load"]["answered"] == 0]
        if not silent:
            break
    equal((silent, done.returncode), ([], 0), "operations without an answer, and the status")
