#!/usr/bin/env python3
"""The tree is the map: who knows the protocols finds the code by guessing a path.

Each guess is made from names alone: a path, and something that must be defined there. When a move breaks a guess, ask whether
the new place would be guessed; correct this table only if it would. Folders must stay small enough to be read, too.
"""
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]

NFS3_PROCEDURES = ("getattr", "setattr", "lookup", "access", "readlink", "read", "write", "create", "mkdir", "symlink", "mknod",
                   "remove", "rmdir", "rename", "link", "readdir", "readdirplus", "fsstat", "fsinfo", "pathconf", "commit")

# What to look for: where, and a pattern that only the right file has.
GUESSES = {
    **{f"NFS version 3 {name.upper()}": (f"helio/nfs/v3/{name}.cc", rf"\b{name}\(") for name in NFS3_PROCEDURES},
    "what RENAME means in any version": ("helio/nfs/ops/rename.cc", r"\brename\("),
    "what LINK means in any version": ("helio/nfs/ops/link.cc", r"\blink\("),
    "what READ means in any version": ("helio/nfs/ops/read.cc", r"\bread\("),
    "what GETATTR means in any version": ("helio/nfs/ops/getattr.h", r"\bgetattr\("),
    "NFS version 2": ("helio/nfs/v2/service.cc", r"namespace helio::nfs::v2"),
    "NFS file handles": ("helio/nfs/wire/handle.h", r"Handle"),
    "NFS status numbers": ("helio/nfs/wire/status.cc", r"to_nfs3"),
    "the MOUNT protocol": ("helio/nfs/mount/services.cc", r"MNT"),
    "exports": ("helio/nfs/server/exports.h", r"class Exports"),
    "root squash": ("helio/nfs/server/exports.h", r"enum class Squash"),
    "the duplicate request cache": ("helio/rpc/server/duplicate_cache.h", r"class DuplicateCache"),
    "the RPC server": ("helio/rpc/server/server.h", r"class Server"),
    "RPC statistics": ("helio/rpc/server/statistics.h", r"Statistics"),
    "AUTH_SYS": ("helio/rpc/onc/auth.h", r"(?i)auth_sys|sys"),
    "record marking": ("helio/frame/record_mark.h", r"class RecordMark"),
    "RPC-over-RDMA headers": ("helio/frame/rdma_header.h", r"read_rdma_header"),
    "the XDR reader": ("helio/xdr/reader.h", r"class Reader"),
    "the XDR writer": ("helio/xdr/writer.h", r"class Writer"),
    "the XDR language's parser": ("helio/idl/parse.h", r"\bparse_file\("),
    "helio fmt": ("helio/idl/format/format.h", r"\bformat"),
    "helio lint": ("helio/idl/lint/lint.h", r"\blint"),
    "helio breaking": ("helio/idl/breaking/breaking.h", r"[Bb]reaking"),
    "XDR to JSON": ("helio/reflect/json/json.h", r"json"),
    "the event loop": ("helio/transport/loop/event_loop.h", r"class EventLoop"),
    "epoll": ("helio/transport/loop/poller_epoll.cc", r"epoll_wait|epoll_pwait"),
    "the RPC client": ("helio/transport/client/client.h", r"class Client"),
    "a stream socket": ("helio/transport/stream/stream.h", r"class Stream"),
    "RDMA verbs": ("helio/transport/rdma/verbs/verbs_link.cc", r"ibv_"),
    "the portmapper": ("helio/portmap/portmapper.h", r"class Portmapper"),
    "rpcbind versions 3 and 4": ("helio/portmap/rpcbind.cc", r"RPCB"),
    "universal addresses": ("helio/portmap/universal_address.h", r"universal_address|UniversalAddress"),
    "the file system interface": ("helio/vfs/file_system.h", r"class FileSystem"),
    "the in-memory back end": ("helio/backend/memory/memory_fs.h", r"memory_fs"),
    "the memory back end's RENAME": ("helio/backend/memory/rename.cc", r"::rename"),
    "the pcapng reader": ("helio/inspect/capture/pcapng.cc", r"pcapng|Pcapng"),
    "TCP reassembly": ("helio/inspect/flow/tcp_stream.h", r"class TcpStream"),
    "RoCE packets": ("helio/inspect/flow/rdma/roce_packet.h", r"[Rr]oce"),
    "which reply belongs to which call": ("helio/inspect/pairing.h", r"class Pairing"),
    "explain --filter": ("helio/inspect/view/filter/filter.h", r"class Filter"),
    "explain as a pipeline": ("helio/inspect/pipeline/pipeline.h", r"explain"),
    "a libvirt stream, as a client": ("helio/virt/client/stream.h", r"Stream"),
    "a libvirt stream, as a server": ("helio/virt/server/stream.h", r"Stream"),
    "libvirt's message header": ("helio/virt/wire/envelope.h", r"class \w*Envelope"),
    "libvirt's errors": ("helio/virt/wire/error.h", r"VIR_ERR"),
    "libvirt URIs": ("helio/virt/client/connect/uri.h", r"[Uu]ri"),
    "the libvirt relay's policy": ("helio/virt/relay/policy.h", r"class Policy|struct Policy"),
    "the server's configuration file": ("helio/serve/config/config_file.h", r"[Cc]onfig"),
    "which back ends helio serve knows": ("helio/serve/config/backends.cc", r"memory"),
    "the sandbox": ("helio/base/system/sandbox.h", r"[Ss]andbox"),
    "metrics for Prometheus": ("helio/serve/monitor/metrics.h", r"[Mm]etrics"),
    "helio load nfs": ("helio/load/nfs/workload.h", r"class"),
    "the verb `helio call`": ("cli/call.cc", r"add_call"),
    "the verb `helio serve`": ("cli/serve.cc", r"add_serve"),
    "the schema of NFS version 3": ("schema/nfs3.x", r"program NFS_PROGRAM"),
    "a fake clock for tests": ("helio/base/clock.h", r"class FakeClock"),
    "tests of XDR against rpcgen": ("tests/xdr_peers/rpcgen_test.cc", r"TEST"),
    "tests of RPC against libtirpc": ("tests/rpc_peers/helio_tirpc_test.cc", r"TEST"),
    "tests with Linux's NFS client": ("tests/linux_client/linux_client_test.py", r"class Kernel"),
    "what every file system must do with names": ("tests/vfs_conformance/names_test.cc", r"TEST_P"),
}

# Files in one folder, without those in folders below it.
FILES_MAX = 25
FULL_FOLDERS = {
    "helio/nfs/v3": "one file for each of 21 procedures",
    "helio/xdr": "what generated code includes, each part with its test",
}


def tracked():
    """Files that git knows, or, in an unpacked archive, those that are there."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return [pathlib.PurePath(line) for line in listed.stdout.splitlines()]
    return [path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file() and "build" not in path.parts]


class Paths(unittest.TestCase):
    def test_guesses(self):
        for what, (path, definition) in GUESSES.items():
            with self.subTest(what):
                self.assertTrue((ROOT / path).is_file(), f"{what}: there is no {path}")
                self.assertRegex((ROOT / path).read_text(), definition, f"{what} is not in {path}")

    def test_folders_are_small(self):
        folders = {}
        for path in tracked():
            if path.parts[0] in ("helio", "cli", "tests", "testing"):
                folders.setdefault(str(path.parent), []).append(path.name)
        for folder, names in sorted(folders.items()):
            with self.subTest(folder):
                if folder not in FULL_FOLDERS:
                    self.assertLessEqual(len(names), FILES_MAX, f"{folder} has {len(names)} files: split it, or say why not")


if __name__ == "__main__":
    unittest.main()
