#!/usr/bin/env python3
"""helio serve as a user runs it: what it says, its file, reload, metrics, signals, systemd, no privileges.

Usage: serve_test.py PATH_TO_HELIO
"""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from peer_server import run  # noqa: E402
from serve_server import PATIENCE_S, Server  # noqa: E402

HELIO = ""
NOBODY = 65534


class Folder:
    """A temporary directory that everybody may use, with a file in it."""

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.temporary.name)
        self.path.chmod(0o777)
        self.data = self.path / "data"
        self.data.mkdir()
        self.data.chmod(0o777)
        (self.data / "hello").write_text("hello\n")
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def config(self, text, name="helio.toml"):
        file = self.path / name
        draft = self.path / (name + ".new")
        draft.write_text(text)
        draft.replace(file)  # as editors do
        return str(file)


class Stream:
    """One TCP connection with NULL calls of NFS 3 on it: does it stay?"""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self.xid = 0

    def null(self, program=100003):
        self.xid += 1
        call = struct.pack(">10I", self.xid, 0, 2, program, 3, 0, 0, 0, 0, 0)
        self.socket.sendall(struct.pack(">I", 0x80000000 | len(call)) + call)
        reply = b""
        while len(reply) < 28:
            block = self.socket.recv(28 - len(reply))
            if not block:
                return False
            reply += block
        return struct.unpack(">7I", reply)[1:3] == (self.xid, 1)

    def close(self):
        self.socket.close()


class Start(unittest.TestCase):
    def test_says_what_is_served_and_how_to_mount_it(self):
        with Folder() as folder, Server(HELIO, f"d={folder.data}", "m=memory:", "--ro", "--allow", "127.0.0.0/8",
                                        "--anon-uid", "1234") as server:
            text = server.text
            self.assertIn(f"NFS versions 4.2, 4.1, 3 and 2 at 127.0.0.1:{server.port}, TCP and UDP", text)
            self.assertIn(f"/d  {folder.data}, read-only", text)
            self.assertIn("/m  files in memory, read-only", text)
            self.assertIn("for 127.0.0.0/8", text)
            self.assertIn("Files in memory are lost when the server stops", text)
            self.assertIn("Sandbox: no new privileges", text)
            port = server.port
            self.assertIn(f"To mount all exports:\n  Linux    sudo mount -t nfs -o port={port} 127.0.0.1:/ /mnt\n", text)
            self.assertIn(f"To mount /d:\n  Linux    sudo mount -t nfs -o port={port} 127.0.0.1:/d /mnt\n", text)
            self.assertIn(f"sudo mount -t nfs -o vers=3,proto=tcp,port={port},mountport={port},mountproto=tcp,nolock "
                          "127.0.0.1:/d /mnt", text)
            self.assertIn(f"macOS    sudo mount -t nfs -o vers=3,tcp,port={port},mountport={port},locallocks", text)
            self.assertIn("Windows and QEMU ask port 111 for the ports", text)
            if os.geteuid() == 0:
                self.assertIn("root is mapped to uid 1234", text)
            exports = server.call("mount.EXPORT")
            self.assertEqual([one["ex_dir"] for one in exports], ["/d", "/m"])
            self.assertEqual(server.stop(), 0)
            self.assertIn("stopped", server.log())

    def test_one_directory_is_the_root(self):
        with Folder() as folder, Server(HELIO, str(folder.data)) as server:
            root = server.mount("/")
            found = server.lookup(root, "hello")
            self.assertEqual(found["status"], "NFS3_OK")
            self.assertEqual(found["resok"]["obj_attributes"]["size"], 6)

    def test_ipv6(self):
        if not socket.has_ipv6:
            self.skipTest("no IPv6")
        with Server(HELIO, "memory:", listen="[::1]:0") as server:
            self.assertIn("proto=tcp6", server.text)
            self.assertEqual(server.call("nfs3.NULL", host="[::1]"), None)

    def test_a_busy_port_is_named_with_a_way_out(self):
        with socket.socket() as busy, Folder() as folder:
            busy.bind(("127.0.0.1", 0))
            busy.listen()
            where = "127.0.0.1:%d" % busy.getsockname()[1]
            state = str(folder.path / "state")
            code, _, err = run(HELIO, "serve", "memory:", "--listen", where, "--state", state, "--metrics", "off")
            self.assertEqual(code, 2)
            self.assertIn(where, err)
            self.assertIn("Address already in use; --listen 127.0.0.1:0 picks a free port", err)

    def test_misuse(self):
        for words, said in (
            ([], "nothing to export"),
            (["/nonexistent"], "/nonexistent: No such file or directory"),
            (["/etc/passwd"], "Not a directory"),
            (["a=/tmp", "a=memory:"], "'memory:' would be exported as /a, like '/tmp'"),
            (["memory:", "--squash", "most"], "--squash: 'most' is not root, all or none"),
            (["memory:", "--allow", "10.0.0.0/40"], "--allow: "),
            (["memory:", "--listen", "127.0.0.1:99999"], "--listen: "),
            (["memory:", "--rw", "--ro"], "--rw"),
            (["--config", "/nonexistent.toml"], "/nonexistent.toml: No such file"),
        ):
            code, _, err = run(HELIO, "serve", *words)
            self.assertIn(code, (1, 2), words)
            self.assertIn(said, err, words)

    def test_json_log_has_no_plain_line(self):
        import json
        with Server(HELIO, "memory:", "--log", "json") as server:
            server.wait_for_log('"message": "metrics"')
            records = [json.loads(line) for line in server.log().splitlines()]
            self.assertTrue(all({"time", "level", "area", "message"} <= record.keys() for record in records))
            self.assertTrue(any(record.get("export") == "/" for record in records))


class HostileState(unittest.TestCase):
    """A state directory that somebody else prepared."""

    def refused(self, folder, *said):
        state = str(folder.path / "state")
        code, _, err = run(HELIO, "serve", str(folder.data), "--listen", "127.0.0.1:0", "--state", state,
                           "--metrics", "off")
        self.assertEqual(code, 2, err)
        for one in said:
            self.assertIn(one, err)

    def test_a_fifo_as_key_does_not_hang_the_start(self):
        with Folder() as folder:
            (folder.path / "state").mkdir(mode=0o700)
            os.mkfifo(folder.path / "state" / "handle-key", 0o600)
            self.refused(folder, "handle-key is a FIFO, expected a regular file; refused")

    def test_a_directory_that_others_can_write(self):
        with Folder() as folder:
            (folder.path / "state").mkdir()
            (folder.path / "state").chmod(0o777)
            self.refused(folder, "can be written by others (mode 0777)", "chmod go-w")

    def test_a_link_as_index_is_not_followed(self):
        with Folder() as folder:
            state = folder.path / "state"
            with Server(HELIO, str(folder.data), state=str(state)) as server:
                self.assertEqual(server.stop(), 0)
            indexes = [one for one in state.iterdir() if one.name.startswith("index-") and one.suffix == ""]
            if not indexes:
                self.skipTest("files are found by the kernel's handles, without an index")
            victim = folder.path / "victim"
            victim.write_text("precious")
            indexes[0].unlink()
            indexes[0].symlink_to(victim)
            self.refused(folder, "is a symbolic link, expected a regular file; refused")
            self.assertEqual(victim.read_text(), "precious")


class Config(unittest.TestCase):
    def check(self, text):
        with Folder() as folder:
            file = folder.config(text.replace("DATA", str(folder.data)))
            code, out, err = run(HELIO, "serve", "--config", file, "--check")
            return code, out.replace(str(folder.data), "DATA"), err.replace(file, "FILE")

    def test_check_shows_the_plan(self):
        code, out, err = self.check('[[export]]\npath = "DATA"\nname = "d"\nread-only = true\nallow = "10.0.0.0/8"\n')
        self.assertEqual((code, err), (0, ""))
        self.assertIn("/d  DATA, read-only\n      for 10.0.0.0/8\n", out)

    def test_wrong_files(self):
        for text, said in (
            ('[[export]]\npath = "DATA"\nsquish = "all"\n',
             "FILE:3:1: unknown key 'squish' in an export; did you mean 'squash'?"),
            ('theads = 2\n[[export]]\npath = "DATA"\n', "FILE:1:1: unknown key 'theads'"),
            ('threads = "2"\n', "FILE:1:11: 'threads' must be a number, not a string"),
            ('[[export]]\npath = "DATA"\nallow = ["10.0.0.0/40"]\n', "FILE:3:10: 'allow': "),
            ('[[export]]\npath = "data"\n', "FILE:2:8: 'path' is neither an absolute path nor 'memory:'"),
            ('[[export]]\nname = "x"\n', "FILE:1:1: this export has no 'path'"),
            ('[[export]]\npath = "DATA/none"\n', "No such file or directory"),
            ('[[export]\npath = "DATA"\n', "FILE:1:"),
            ("", "nothing to export"),
        ):
            code, out, err = self.check(text)
            self.assertEqual((code, out), (1, ""), text)
            self.assertIn(said, err, text)

    def test_all_problems_at_once(self):
        _, _, err = self.check('threads = 0\nsquash = "x"\nlog = 3\n')
        self.assertEqual(len(err.splitlines()), 3, err)


class Reload(unittest.TestCase):
    def test_exports_change_and_connections_stay(self):
        with Folder() as folder:
            one = f'metrics = "127.0.0.1:0"\n[[export]]\nname = "d"\npath = "{folder.data}"\n'
            file = folder.config(one)
            with Server(HELIO, "--config", file) as server, contextlib.closing(Stream(server.port)) as stream:
                self.assertTrue(stream.null())
                old = server.mount("/d")
                self.assertIn("NOENT", server.mount("/m"))

                folder.config(one + 'read-only = true\n[[export]]\nname = "m"\npath = "memory:"\n')
                server.reload("reloaded exports=2")
                self.assertTrue(stream.null(), "the connection stays")
                self.assertNotIn("can change the files", server.log())
                memory = server.mount("/m")
                made = server.call("nfs3.MKDIR", mkdir(memory, "kept"))
                self.assertEqual(made["status"], "NFS3_OK")
                self.assertEqual(server.getattr(old)["status"], "NFS3_OK", "handles stay good")
                self.assertEqual(server.call("nfs3.MKDIR", mkdir(old, "x"))["status"], "NFS3ERR_ROFS")
                self.assertRegex(server.log(), r"warning nfs: .*NFS3 MKDIR: /d is read-only")

                folder.config(one + "squish = 1\n")
                server.reload("reload refused")
                self.assertIn(f"{file}:5:1: unknown key 'squish' in an export; did you mean 'squash'?", server.log())
                self.assertTrue(stream.null())
                self.assertEqual(server.getattr(memory)["status"], "NFS3_OK", "the old exports stay")

                # An unchanged export keeps its file system, including files in memory.
                folder.config('threads = 7\nlease = 30\nmetrics = "127.0.0.1:0"\n[[export]]\nname = "m"\npath = "memory:"\n')
                server.reload("reloaded exports=1")
                self.assertIn("'threads' has changed; restart the server to apply it", server.log())
                self.assertIn("'lease' has changed; restart the server to apply it", server.log())
                self.assertEqual(server.lookup(memory, "kept")["status"], "NFS3_OK")
                self.assertEqual(server.getattr(old)["status"], "NFS3ERR_STALE", "its export is gone")
                self.assertTrue(stream.null())
                _, text = server.get("/metrics")
                self.assertIn('helio_reloads_total{result="done"} 2', text)
                self.assertIn('helio_reloads_total{result="refused"} 1', text)


def mkdir(handle, name):
    unset = {"mode": None, "uid": None, "gid": None, "size": None,
             "atime": {"set_it": "DONT_CHANGE"}, "mtime": {"set_it": "DONT_CHANGE"}}
    return {"where": {"dir": {"data": handle}, "name": name}, "attributes": unset}


class Operations(unittest.TestCase):
    def test_metrics_and_health(self):
        with Folder() as folder, Server(HELIO, f"d={folder.data}") as server:
            handle = server.mount("/d")
            for _ in range(3):
                server.getattr(handle)
            self.assertEqual(server.lookup(handle, "nothing")["status"], "NFS3ERR_NOENT")
            code, text = server.get("/metrics")
            self.assertEqual(code, 200)
            labels = 'program="NFS_PROGRAM",version="3",procedure="GETATTR"'
            self.assertIn(f'helio_rpc_calls_total{{{labels},outcome="success"}} 3\n', text)
            self.assertIn(f"helio_rpc_duration_seconds_count{{{labels}}} 3\n", text)
            self.assertIn('helio_nfs_calls_total{export="/d",version="3",procedure="GETATTR"} 3\n', text)
            self.assertIn('helio_nfs_errors_total{export="/d",version="3",procedure="LOOKUP"} 1\n', text)
            self.assertRegex(text, r'helio_client_calls_total\{client="127.0.0.1"\} 4\n')
            for name in ("helio_connections", "helio_duplicates_lookups_total", "process_cpu_seconds_total"):
                self.assertRegex(text, rf"(?m)^{name} [0-9.]+$")
            self.assertGreater(int(re.search(r"(?m)^process_resident_memory_bytes (\d+)$", text)[1]), 1 << 20)
            self.assertGreater(int(re.search(r"(?m)^process_open_fds (\d+)$", text)[1]), 5)
            for line in text.splitlines():  # the exposition format, version 0.0.4
                self.assertRegex(line, r'^(# (HELP|TYPE) \S+ .+|[a-z_][a-z0-9_]*(\{([a-z]+="([^"\\]|\\.)*",?)+\})? [-+.e0-9]+)$')
            code, text = server.get("/health")
            self.assertEqual(code, 200, text)
            self.assertIn('"check": "export /d", "ok": true', text)
            self.assertEqual(server.get("/else")[0], 404)

    def test_health_fails_with_the_directory(self):
        with Folder() as folder, Server(HELIO, f"d={folder.data}") as server:
            shutil.rmtree(folder.data)
            deadline = time.monotonic() + PATIENCE_S
            while server.get("/health")[0] == 200 and time.monotonic() < deadline:
                time.sleep(0.1)
            code, text = server.get("/health")
            self.assertEqual(code, 503, text)
            self.assertIn("NFS3ERR_STALE", text)

    def test_denials_say_why(self):
        with Server(HELIO, "memory:", "--allow", "192.0.2.0/24") as server:
            self.assertEqual(server.mount("/"), "MNT3ERR_ACCES")
            self.assertRegex(server.log(), r"warning nfs: 127\.0\.0\.1:\d+ .*MNT: / is not for 127\.0\.0\.1")

    def test_probes_are_no_warnings(self):
        for level, logged in (("info", False), ("debug", True)):
            with Server(HELIO, "memory:", "--log-level", level) as server, \
                    contextlib.closing(Stream(server.port)) as stream:
                stream.null(100227)  # NFSACL: Linux asks at every mount
                stream.null(100228)
                server.wait_for_log("program 100228 version 3 procedure 0: it is not served here")
                self.assertEqual(re.findall(r"(\w+) rpc: .*program 100227 ", server.log()), ["debug"] * logged)

    def test_sigterm_lets_go_and_ends(self):
        with Server(HELIO, "memory:") as server, contextlib.closing(Stream(server.port)) as stream:
            self.assertTrue(stream.null())
            self.assertEqual(server.stop(), 0)
            self.assertEqual(stream.socket.recv(1), b"", "closed, not reset")

    def test_restart_keeps_handles(self):
        with Folder() as folder:
            state = str(folder.path / "state")
            with Server(HELIO, f"d={folder.data}", state=state) as server:
                root = server.mount("/d")
                file = server.lookup(root, "hello")["resok"]["object"]["data"]
                self.assertIn(f"their key is in {state}", server.text)
                server.process.kill()
            (folder.data / "hello").rename(folder.data / "renamed")
            with Server(HELIO, f"d={folder.data}", state=state) as server:
                self.assertEqual(server.getattr(root)["status"], "NFS3_OK")
                answer = server.getattr(file)
                self.assertEqual((answer["status"], answer["resok"]["obj_attributes"]["size"]), ("NFS3_OK", 6))
            with Server(HELIO, f"d={folder.data}") as server:  # another key
                self.assertEqual(server.getattr(file)["status"], "NFS3ERR_BADHANDLE")

    def test_two_servers_do_not_share_an_index(self):
        with Folder() as folder:
            state = str(folder.path / "state")
            with Server(HELIO, f"d={folder.data}", state=state) as first:
                self.assertNotIn("another server", first.log())
                with Server(HELIO, f"d={folder.data}", state=state) as second:
                    second.wait_for_log("another server uses the index")
                    self.assertEqual(second.getattr(first.mount("/d"))["status"], "NFS3_OK")

    def test_without_a_place_for_state_it_says_so(self):
        with Folder() as folder:
            (folder.path / "file").write_text("")
            with Server(HELIO, "memory:", state=str(folder.path / "file/state")) as server:
                self.assertIn("File handles become invalid when the server stops", server.text)


class Systemd(unittest.TestCase):
    def test_notify(self):
        with Folder() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            where = str(folder.path / "notify")
            manager.bind(where)
            os.chmod(where, 0o777)
            manager.settimeout(PATIENCE_S)
            env = os.environ | {"NOTIFY_SOCKET": where, "WATCHDOG_USEC": "200000"}
            with Server(HELIO, "memory:", env=env) as server:
                heard = []

                def hear(words):
                    while not heard or words not in heard[-1]:
                        heard.append(manager.recv(4096).decode())

                hear("READY=1")
                hear("WATCHDOG=1")
                server.process.send_signal(signal.SIGHUP)
                hear("RELOADING=1\nMONOTONIC_USEC=")
                hear("READY=1\nSTATUS=reloaded")
                server.process.send_signal(signal.SIGTERM)
                hear("STOPPING=1")
                self.assertEqual(server.process.wait(PATIENCE_S), 0)

    def test_sockets_that_were_opened_for_us(self):
        with socket.socket() as stream, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
            stream.bind(("127.0.0.1", 0))
            stream.listen()
            datagrams.bind(stream.getsockname())
            # LISTEN_PID is the process's own pid, which a shell knows before it execs the server.
            shell = 'exec 3<&"$0" 4<&"$1"; shift; LISTEN_PID=$$ LISTEN_FDS=2 exec "$@"'
            before = ["bash", "-c", shell, str(stream.fileno()), str(datagrams.fileno())]
            with Server(HELIO, "memory:", listen=None, before=before,
                        pass_fds=(stream.fileno(), datagrams.fileno())) as server:
                self.assertEqual(server.port, stream.getsockname()[1])
                self.assertIsNone(server.call("nfs3.NULL"))
                code, _, err = run(HELIO, "call", f"127.0.0.1:{server.port}", "nfs3.NULL", "--udp")
                self.assertEqual(code, 0, err)


def as_nobody():
    return ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", "--no-new-privs",
            "--bounding-set", "-all", "--inh-caps", "-all"]


def can(*command):
    try:
        return subprocess.run([*command, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


class WithoutPrivileges(unittest.TestCase):
    def use(self, server, folder):
        root = server.mount("/d")
        self.assertEqual(server.call("nfs3.MKDIR", mkdir(root, "made"), auth="sys:1000:1000")["status"], "NFS3_OK")
        self.assertEqual((folder.data / "made").stat().st_uid, NOBODY, "files are the server's user's")
        found = server.lookup(root, "hello")["resok"]["object"]["data"]
        data = server.call("nfs3.READ", {"file": {"data": found}, "offset": 0, "count": 100})
        self.assertEqual(bytes.fromhex(data["resok"]["data"]), b"hello\n")
        self.assertEqual(server.get("/health")[0], 200)
        return found

    def test_a_user_with_nothing(self):
        if not can(*as_nobody()):
            self.skipTest("setpriv is not permitted here")
        with Folder() as folder:
            state = str(folder.path / "state")
            with Server(HELIO, f"d={folder.data}", before=as_nobody(), state=state) as server:
                self.assertIn(f"all access is as uid {NOBODY}", server.text)
                self.assertIn("no capabilities", server.text)
                file = self.use(server, folder)
                status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
                self.assertRegex(status, r"NoNewPrivs:\s+1")
                self.assertRegex(status, r"CapPrm:\s+0+\n")
            with Server(HELIO, f"d={folder.data}", before=as_nobody(), state=state) as server:
                self.assertEqual(server.getattr(file)["status"], "NFS3_OK", "handles outlive it all the same")

    def test_landlock_needs_a_restart_for_a_new_directory(self):
        if not can(*as_nobody()):
            self.skipTest("setpriv is not permitted here")
        with Folder() as folder:
            one = f'metrics = "127.0.0.1:0"\n[[export]]\nname = "d"\npath = "{folder.data}"\n'
            (folder.path / "more").mkdir(mode=0o777)
            file = folder.config(one)
            with Server(HELIO, "--config", file, before=as_nobody()) as server:
                if "Landlock (ABI" not in server.text:
                    self.skipTest("this kernel has no Landlock")
                folder.config(one + f'[[export]]\npath = "{folder.path}/more"\n')
                server.reload("reload refused")
                self.assertIn("more: Landlock keeps this process from writing to it; restart the server", server.log())
            with Server(HELIO, "--config", file, "--no-sandbox", before=as_nobody()) as server:
                self.assertIn("Sandbox: none", server.text)

    def test_landlock_lets_a_reload_look_up_users(self):
        if not can(*as_nobody()):
            self.skipTest("setpriv is not permitted here")
        with Folder() as folder:
            file = folder.config('metrics = "off"\n[[export]]\npath = "memory:"\nanon-uid = "root"\n')
            with Server(HELIO, "--config", file, before=as_nobody()) as server:
                self.assertIn("root is mapped to uid 0 gid 65534", server.text)
                server.reload("reloaded exports=1")

    def test_a_container_with_a_root_that_is_read_only(self):
        alone = ["unshare", "--mount", "--propagation", "private"]
        if not can(*alone):
            self.skipTest("no namespace of our own")
        with Folder() as folder:
            # The export stays writable, the rest of the machine does not; there is no home and no
            # state.
            script = (f'mount --bind "{folder.data}" "{folder.data}" && mount -o remount,bind,ro / && '
                      'mount -t proc proc /proc 2>/dev/null; exec "$@"')
            before = [*alone, "sh", "-c", script, "sh", *as_nobody()]
            with Server(HELIO, f"d={folder.data}", before=before, state="/var/lib/helio-none") as server:
                self.assertIn("File handles become invalid when the server stops", server.text)
                self.use(server, folder)


class Peers(unittest.TestCase):
    def test_libnfs(self):
        if shutil.which("nfs-ls") is None:
            self.skipTest("libnfs-utils is not installed")
        with Folder() as folder, Server(HELIO, f"d={folder.data}") as server:
            ports = f"?nfsport={server.port}&mountport={server.port}"

            def nfs(tool, *words):
                return subprocess.run([tool, *words], capture_output=True, text=True, timeout=PATIENCE_S)

            listed = nfs("nfs-ls", f"nfs://127.0.0.1/d{ports}")
            self.assertRegex(listed.stdout, r"6 hello\n", listed.stderr)
            self.assertEqual(nfs("nfs-cat", f"nfs://127.0.0.1/d/hello{ports}").stdout, "hello\n")
            large = folder.path / "large"
            large.write_bytes(os.urandom(3_000_001))
            copied = nfs("nfs-cp", str(large), f"nfs://127.0.0.1/d/large{ports}")
            self.assertEqual(copied.returncode, 0, copied.stderr)
            self.assertEqual((folder.data / "large").read_bytes(), large.read_bytes())


if __name__ == "__main__":
    HELIO = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
