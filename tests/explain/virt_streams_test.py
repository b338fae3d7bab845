#!/usr/bin/env python3
"""Conversations of libvirt's protocol, recorded here: bit for bit through every reader, and explained.

Usage: virt_streams_test.py PATH_TO_HELIO. Clients are Debian's virsh and helio's own; daemons are Debian's libvirtd with its test
driver and `helio virt serve`. What is not installed is left out. A recorder stands between them and keeps the bytes of each
direction, as NAME.c2s.bin and NAME.s2c.bin; recordings in the libvirt/ of the folder that HELIO_CAPTURES names are taken too.
"""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import packets
from explain_command import explain, run

sys.path.append(str(pathlib.Path(__file__).parents[1] / "virt_peers"))
from virt_daemons import WAIT_S, Daemon, domain_xml, libvirtd  # noqa: E402

HELIO = ""
CALL, REPLY, EVENT, STREAM, CALL_WITH_FDS, REPLY_WITH_FDS, STREAM_HOLE = range(7)
OK, ERROR, CONTINUE = range(3)
KINDS = {"remote": 0x20008086, "qemu": 0x20008087, "keepalive": 0x6b656570}

HOST = """
[[network]]
name = "default"
[[pool]]
name = "images"
path = "/images"
[[pool.volume]]
name = "sparse"
capacity_mib = 4
[[domain]]
name = "test"
state = "running"
memory_mib = 512
vcpus = 2
"""
# Names, and virsh's commands in one session; {folder} is the test's own. Refusals are included.
EVERYWHERE = {
    "look": "list --all; dominfo test; dumpxml test; domstats; nodeinfo; capabilities; net-list; pool-list; vcpuinfo test",
    "life": "define {folder}/new.xml; start new; suspend new; resume new; destroy new; undefine new",
    "refused": "dominfo nobody; start test; net-info nobody; vol-list nobody",
}
SERVED = {"volume": "vol-upload sparse {folder}/content --pool images --sparse; vol-download sparse {folder}/down --pool images;"
                    "vol-download sparse {folder}/down --pool images --sparse"}
REAL = {"screenshot": "screenshot test {folder}/shot"}


class Recorder:
    """A socket that leads to another one. `pieces` are (time, direction, bytes) of the conversations since begin()."""

    def __init__(self, path, target):
        self.target, self.pieces, self.ends = target, [], []
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            daemon = socket.socket(socket.AF_UNIX)
            daemon.connect(self.target)
            self.ends += [client, daemon]
            for direction, (one, other) in enumerate(((client, daemon), (daemon, client))):
                threading.Thread(target=self.carry, args=(direction, one, other), daemon=True).start()

    def carry(self, direction, one, other):
        try:
            while data := one.recv(1 << 20):
                with self.lock:
                    self.pieces.append((time.time_ns(), direction, data))
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        for one in (self.listener, *self.ends):
            one.close()

    def begin(self):
        with self.lock:
            self.pieces = []

    def stream(self, direction):
        with self.lock:
            return b"".join(data for _, which, data in self.pieces if which == direction)


def messages(data):
    """(header's words from program on, message without its length) of each."""
    at = 0
    while at < len(data):
        size, *header = (int.from_bytes(data[at + 4 * i:at + 4 * i + 4], "big") for i in range(7))
        message = data[at + 4:at + size]
        assert len(message) == size - 4, "cut off"
        yield header, message
        at += size
        if header[3] in (CALL_WITH_FDS, REPLY_WITH_FDS) and header[5] != ERROR:
            at += int.from_bytes(message[24:28], "big")


class Streams(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="helio-streams-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "libvirt").mkdir()
        (cls.folder / "new.xml").write_text(domain_xml("new"))
        (cls.folder / "host.toml").write_text(HOST)
        with open(cls.folder / "content", "wb") as file:  # data, a hole, data
            file.write(os.urandom(300_000))
            file.seek(2 << 20)
            file.write(b"end")
            file.truncate(4 << 20)
        cls.pieces = {}
        cls.record_served()
        cls.record_real()

    @classmethod
    def record_served(cls):
        served = Daemon([HELIO, "virt", "serve", "--socket", f"{cls.folder}/served", "--host", f"{cls.folder}/host.toml"], cls.folder / "served")
        recorder = Recorder(f"{cls.folder}/to-served", f"{cls.folder}/served")
        try:
            cls.record("served", recorder, "to-served", {**EVERYWHERE, **SERVED})
        finally:
            served.stop()
            recorder.close()

    @classmethod
    def record_real(cls):
        if shutil.which("libvirtd") is None:
            print("virt_streams_test: no libvirtd: nothing of it is recorded", file=sys.stderr)
            return
        daemon = libvirtd(cls.folder)
        recorder = Recorder(f"{cls.folder}/to-real", f"{cls.folder}/libvirt-sock")
        try:
            cls.record("real", recorder, "to-real", {**EVERYWHERE, **REAL})
        finally:
            daemon.stop()
            recorder.close()

    @classmethod
    def record(cls, who, recorder, path, conversations):
        uri = f"test+unix:///default?socket={cls.folder}/{path}"
        if shutil.which("virsh"):
            for name, words in conversations.items():
                recorder.begin()
                subprocess.run(["virsh", "-c", uri, words.format(folder=cls.folder)], capture_output=True, timeout=WAIT_S, check=False)
                cls.keep(f"{who}_{name}", recorder)
        # Ours, while it listens to another client's changes, which follow in the same recording.
        recorder.begin()
        listener = subprocess.Popen([HELIO, "virt", "-c", uri, "event", "--count", "2", "--for", "20s"], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)
        assert listener.stderr.readline() == "helio: listening\n"
        direct = uri.replace(path, {"to-served": "served", "to-real": "libvirt-sock"}[path])
        for verb in ("suspend", "resume"):
            subprocess.run([HELIO, "virt", "-c", direct, verb, "test"], capture_output=True, timeout=WAIT_S, check=True)
        listener.communicate(timeout=WAIT_S)
        cls.keep(f"{who}_event", recorder)

    @classmethod
    def keep(cls, name, recorder):
        cls.pieces[name] = list(recorder.pieces)
        for direction, end in enumerate(("c2s", "s2c")):
            (cls.folder / "libvirt" / f"{name}.{end}.bin").write_bytes(recorder.stream(direction))

    def streams(self):
        """Of every recording: its name, and the file of either direction."""
        captures = os.environ.get("HELIO_CAPTURES")
        for folder in [self.folder] + ([pathlib.Path(captures)] if captures else []):
            for path in sorted((folder / "libvirt").glob("*.c2s.bin")):
                yield path.name[:-8], path, path.with_name(path.name[:-8] + ".s2c.bin")

    def test_recordings_hold_what_they_should(self):
        kinds = {(header[3], header[5]) for _, *paths in self.streams() for path in paths
                 for header, _ in messages(path.read_bytes())}
        wanted = {(CALL, OK), (REPLY, OK), (EVENT, OK)}
        if shutil.which("virsh"):
            wanted |= {(REPLY, ERROR), (STREAM, CONTINUE), (STREAM, OK), (STREAM_HOLE, CONTINUE)}
        self.assertLessEqual(wanted, kinds)

    def test_typed_and_reflective_codecs(self):
        """Both readers of every type, by the test that has the generated code."""
        program = pathlib.Path(HELIO).resolve().parents[1] / "tests/decoders_agree/virt_streams_test"
        if not program.exists():
            self.skipTest(f"{program} is not built")
        done = subprocess.run([program], capture_output=True, text=True, timeout=WAIT_S, check=False,
                              env={**os.environ, "HELIO_CAPTURES": str(self.folder)})
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        self.assertNotIn("SKIPPED", done.stdout)

    def test_by_json_and_back(self):
        """As a user does it: bytes → JSON → bytes. One message of each procedure and side."""
        seen = set()
        for _, *paths in self.streams():
            for path in paths:
                for (program, _, procedure, kind, _, status), message in messages(path.read_bytes()):
                    if kind > EVENT or program != KINDS["remote"] or (procedure, kind, status) in seen:
                        continue
                    seen.add((procedure, kind, status))
        pick = sorted(seen)[::max(1, len(seen) // 12)]
        names = self.procedures()
        for procedure, kind, status in pick:
            message = next(message for _, *paths in self.streams() for path in paths
                           for header, message in messages(path.read_bytes())
                           if (header[0], header[2], header[3], header[5]) == (KINDS["remote"], procedure, kind, status))
            schema, type_name = ("virnet", "virNetMessageError") if status == ERROR else (
                "remote", f"{names[procedure]}.{'result' if kind == REPLY else 'args'}")
            with self.subTest(type_name):
                payload = message[24:]
                common = ["--schema", schema, "--type", type_name]
                decoded = subprocess.run([HELIO, "xdr", "decode", *common, "--json"], input=payload, capture_output=True,
                                         timeout=WAIT_S, check=False)
                self.assertEqual(decoded.returncode, 0, decoded.stderr)
                encoded = subprocess.run([HELIO, "xdr", "encode", *common], input=decoded.stdout, capture_output=True,
                                         timeout=WAIT_S, check=False)
                self.assertEqual((encoded.returncode, encoded.stdout), (0, payload), decoded.stdout[:300])

    @staticmethod
    def procedures():
        schema = pathlib.Path(__file__).resolve().parents[2] / "schema/remote.x"
        return {int(number): name for name, number in
                re.findall(r"\bREMOTE_PROC_(\w+)\s*\([^)]*\)\s*=\s*(\d+)", schema.read_text())}

    # ---- helio explain ----

    def test_every_word_has_a_name(self):
        """Whatever the message, its bytes are all there, in their order, under the name of something."""
        for name, *paths in self.streams():
            for path in paths:
                with self.subTest(path.name):
                    expected = list(messages(path.read_bytes()))
                    done = run(HELIO, "--words", "--json", str(path))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    for one in map(json.loads, done.stdout.splitlines()):
                        if "parts" in one:
                            self.check_words(one, expected)
                    self.assertEqual(expected, [])

    def check_words(self, one, expected):
        """It is one of these, which is taken out: what wants no reply is told before what waits for one."""
        self.assertTrue(one["ok"], one["what"])
        words = [word for part in one["parts"] for word in part["words"]]
        for place, (header, message) in enumerate(expected):
            if self.covers(words, message):
                del expected[place]
                break
        else:
            self.fail(f"no message is like what is told of {one['what']}")
        for part in one["parts"]:
            self.assertNotEqual(part["title"], "not read", one["what"])
            self.assertEqual(part["title"] == "bytes of the stream", header[3] == STREAM and part is not one["parts"][0])
            for word in part["words"]:
                self.assertTrue(header[3] == STREAM or word.get("field") or word.get("value") or "folded" in word,
                                (one["what"], word))

    @staticmethod
    def covers(words, message):
        """From the first byte to the last; of long data the middle is folded."""
        at = 0
        for word in words:
            data = bytes.fromhex(word.get("bytes", ""))
            if word["offset"] != at or message[at:at + len(data)] != data:
                return False
            at += word.get("folded", len(data))
        return at == len(message)

    def test_calls_and_replies_are_paired(self):
        for name, to_daemon, to_client in self.streams():
            with self.subTest(name):
                expected = [header for path in (to_daemon, to_client) for header, _ in messages(path.read_bytes())]
                done = run(HELIO, "--calls", "--json", str(to_daemon), str(to_client))
                self.assertEqual(done.returncode, 0, done.stderr)
                *told, ledger = map(json.loads, done.stdout.splitlines())
                ledger = ledger["ledger"]
                calls = sum(header[3] in (CALL, CALL_WITH_FDS) for header in expected)
                one_way = sum(header[3] in (EVENT, STREAM, STREAM_HOLE) for header in expected)
                self.assertEqual((ledger["calls"], ledger["paired"], ledger["one_way"]), (calls, calls, one_way))
                self.assertEqual((ledger["unread"], ledger["without_schema"]), ({}, []))
                self.assertEqual(sum("error" in one for one in told), sum(header[5] == ERROR for header in expected))
                # Without packets there are no times.
                self.assertFalse([one for one in told if "time" in one or "latency_ns" in one])

    def test_lines_say_what_happened(self):
        files = [str(self.folder / "libvirt" / f"served_event.{end}.bin") for end in ("c2s", "s2c")]
        text = run(HELIO, "--calls", *files).stdout.decode()
        self.assertIn('remote.CONNECT_OPEN       name="test:///default" flags=0  SUCCESS\n', text)
        self.assertRegex(text, r'remote.DOMAIN_EVENT_CALLBACK_LIFECYCLE  callbackID=\d+ name="test" id=1 event=3 detail=0  event\n')
        if shutil.which("virsh") is None:
            return
        files = [str(self.folder / "libvirt" / f"served_volume.{end}.bin") for end in ("c2s", "s2c")]
        text = run(HELIO, "--calls", *files).stdout.decode()
        for words in ("stream, 262120 bytes", "stream, a hole of ", "stream, end of data", "stream, done"):
            self.assertIn("remote.STORAGE_VOL_DOWNLOAD  " + words, text)
        files = [str(self.folder / "libvirt" / f"served_refused.{end}.bin") for end in ("c2s", "s2c")]
        self.assertIn('remote.NETWORK_LOOKUP_BY_NAME  name="nobody"  ERROR 43 "Network not found: no network with matching name',
                      run(HELIO, "--calls", *files).stdout.decode())

    def test_filters_and_the_same_call_again(self):
        files = [str(self.folder / "libvirt" / f"served_event.{end}.bin") for end in ("c2s", "s2c")]
        done = run(HELIO, "--calls", "--filter", 'args.name ~ "^test:" && verdict == SUCCESS', *files)
        self.assertEqual(done.stdout.decode().splitlines()[0], 'remote.CONNECT_OPEN  name="test:///default" flags=0  SUCCESS')
        text = run(HELIO, "--test", "3", *files).stdout.decode()  # our client counts from 1
        self.assertIn("""helio virt call remote.CONNECT_OPEN '{"name": "test:///default", "flags": 0}'""", text)
        if shutil.which("virsh"):
            files = [str(self.folder / "libvirt" / f"served_refused.{end}.bin") for end in ("c2s", "s2c")]
            lines = run(HELIO, "--calls", "--filter", "verdict == ERROR", *files).stdout.decode().splitlines()
            self.assertGreater(len(lines), 3)
            self.assertTrue(all("  ERROR " in line for line in lines[:lines.index("")]), lines)

    def test_in_packets_with_their_times(self):
        """The same over TCP, as tcpdump would have seen it: found by content, with the times of both."""
        packets.SERVER_PORT = 16509
        for name, pieces in self.pieces.items():
            with self.subTest(name):
                sent, seen = [0, 0], []
                for time_ns, direction, data in pieces:
                    for at in range(0, len(data), packets.SEGMENT_SIZE):
                        piece = data[at:at + packets.SEGMENT_SIZE]
                        seen.append(packets.Packet(time_ns, 0, direction, piece, sequence=1 + sent[direction],
                                                   acknowledged=1 + sent[1 - direction]))
                        sent[direction] += len(piece)
                answer = explain(HELIO, "--calls", data=packets.pcap(*packets.frames(seen), nanoseconds=True))
                self.assertEqual(answer.status, 0, answer.errors)
                expected = [header for direction in (0, 1) for header, _ in
                            messages(b"".join(data for _, which, data in pieces if which == direction))]
                calls = sum(header[3] == CALL for header in expected)
                self.assertEqual((answer.ledger["calls"], answer.ledger["paired"]), (calls, calls))
                self.assertEqual(answer.ledger["unread"], {})
                first, last = (pieces[i][0] for i in (0, -1))
                for one in answer.exchanges:
                    self.assertTrue(one["server"].endswith(":16509") or one.get("one_way"), one)
                    if "latency_ns" in one:
                        self.assertTrue(0 < one["latency_ns"] <= last - first, one)

    def test_as_text(self):
        """A dump that somebody pastes: lengths, headers and payloads of all messages are found."""
        data = (self.folder / "libvirt/served_event.c2s.bin").read_bytes()
        lines = [f"{at:08x}  {data[at:at + 16].hex(' ')}" for at in range(0, len(data), 16)]
        done = run(HELIO, data="\n".join(lines).encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        text = done.stdout.decode()
        names = self.procedures()
        for header, _ in messages(data):
            if header[0] == KINDS["remote"]:
                self.assertIn(f"call of remote.{names[header[2]]}, serial", text)
        self.assertIn("length of the message", text)
        self.assertIn('"test:///default"', text)

    def test_every_beginning(self):
        """Wherever a recording ends, what is there is explained, and nothing falls over."""
        data = (self.folder / "libvirt/served_event.s2c.bin").read_bytes()
        for size in range(0, len(data), 41):
            with tempfile.NamedTemporaryFile(suffix=".bin") as file:
                file.write(data[:size])
                file.flush()
                self.assertIn(run(HELIO, "--words", file.name).returncode, (0, 1, 2), size)


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main()
