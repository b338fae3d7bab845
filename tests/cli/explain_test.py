#!/usr/bin/env python3
"""helio explain, as a user runs it: pasted text, captures, streams, and what cannot be explained.

Usage: explain_test.py PATH_TO_HELIO
"""
import base64
import gzip
import hashlib
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from patience import PATIENCE_S  # noqa: E402

HELIO = ""
DATA = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "explain"
CAPTURE = str(DATA / "rdma-siw-small.pcap")
NULL_CALL = "12345678 00000000 00000002 000186a3 00000003 00000000 00000000 00000000 00000000 00000000\n"


def explain(*words, text=None):
    """Exit code, standard output, standard error."""
    done = subprocess.run([HELIO, "explain", *words], input=text.encode() if isinstance(text, str) else text or b"",
                          capture_output=True, timeout=PATIENCE_S, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def objects(out):
    return [json.loads(line) for line in out.splitlines()]


class Text(unittest.TestCase):
    def test_the_trace_of_a_read_call(self):
        code, out, err = explain(str(DATA / "read_call.trace"))
        self.assertEqual((code, err), (0, ""))
        for words in (r"0xffff88810c1e080c  00 01 86 a3  prog +100003 +NFS_PROGRAM",
                      r"0xffff88810c1e0814  00 00 00 06  proc +6 +nfs3.READ",
                      r"0xffff88810c1e0818  00 00 00 01  flavor +AUTH_SYS",
                      r"0xffff88810c1e0824  00 00 00 15  who.machinename +length: 21 bytes",
                      r"0xffff88810c1e088c  00 00 10 00  args.count +4096 +4 KiB"):
            self.assertRegex(out, words)
        slip, = [line for line in out.splitlines() if "!!" in line]  # the trace itself has one
        self.assertIn("appears twice", slip)

    def test_the_same_with_its_notes_has_three_slips(self):
        _, out, _ = explain(str(DATA / "read_call_annotated.trace"))
        slips = [line.strip() for line in out.splitlines() if "!!" in line]
        self.assertEqual(len(slips), 3, slips)
        self.assertIn("10003", slips[0])
        self.assertIn("appears twice", slips[1])
        self.assertIn("512", slips[2])

    def test_the_same_words_in_many_notations(self):
        words = NULL_CALL.split()
        pairs = [word[i:i + 2] for word in words for i in range(0, 8, 2)]
        raw = bytes.fromhex("".join(words))
        dump = "".join(f"{at:08x}: " + " ".join(raw[at + i:at + i + 2].hex() for i in range(0, 16, 2) if at + i < len(raw)) +
                       "  ................\n" for at in range(0, len(raw), 16))
        notations = {
            "words": NULL_CALL, "bytes": " ".join(pairs), "colons": ":".join(pairs), "one run": "".join(words),
            "C bytes": "{ " + ", ".join("0x" + pair for pair in pairs) + " }",
            "C words": "uint32_t m[] = { " + ", ".join("0x" + word for word in words) + " };",
            "escaped": '"' + "".join("\\x" + pair for pair in pairs) + '"', "xxd": dump,
            "record mark": "80000028 " + NULL_CALL,
        }
        for name, text in notations.items():
            with self.subTest(name):
                code, out, err = explain(text=text)
                self.assertEqual((code, err), (0, ""), out)
                self.assertIn("call of nfs3.NULL, xid 0x12345678", out)

    def test_texts_with_a_second_reading(self):
        raw = bytes.fromhex("".join(NULL_CALL.split()))
        words = struct.unpack(">10I", raw)

        def rows(size, shown):
            return "".join(f"{at:07o} " + " ".join(shown(raw[at + i:at + i + size]) for i in range(0, 16, size) if at + i < len(raw)) +
                           "\n" for at in range(0, len(raw), 16)) + f"{len(raw):07o}\n"
        notations = {
            "base64": base64.encodebytes(raw).decode(), "base64 for URLs": base64.urlsafe_b64encode(raw).decode(),
            "od": rows(2, lambda two: f"{int.from_bytes(two, 'little'):06o}"), "od -b": rows(1, lambda one: f"{one[0]:03o}"),
            "od -t u1": rows(1, lambda one: f"{one[0]:3}"), "a list": str(list(raw)),
            "od -t x4 --endian=big": rows(4, lambda four: four.hex()), "od -t x2 --endian=big": rows(2, lambda two: two.hex()),
            "xxd -e": "".join(f"{4 * i:08x}: " + " ".join(f"{int.from_bytes(struct.pack('>I', word), 'little'):08x}"
                                                          for word in words[i:i + 4]) + "  ................\n"
                              for i in range(0, len(words), 4)),
        }
        for name, text in notations.items():
            with self.subTest(name):
                code, out, err = explain(text=text)
                self.assertEqual((code, err), (0, ""), out)
                self.assertIn("call of nfs3.NULL, xid 0x12345678", out)
                self.assertRegex(out, r"  36  00 00 00 00  body.cbody.verf.body")

    def test_packets_without_payload_are_left_out(self):
        def packet(flags, payload=b""):
            tcp = struct.pack(">HHIIBBHHH", 801, 2049, 1, 1, 0x50, flags, 512, 0, 0)
            return struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(tcp) + len(payload), 1, 0, 64, 6, 0, 0x7f000001, 0x7f000001) + tcp + payload

        def shown(data):
            return "".join(f"\t0x{at:04x}:  " + " ".join(data[at + i:at + i + 2].hex() for i in range(0, 16, 2) if at + i < len(data)) +
                           "\n" for at in range(0, len(data), 16))
        call = bytes.fromhex("80000028" + "".join(NULL_CALL.split()))
        packets = (packet(2), packet(0x18, call), packet(0x10))
        text = "".join(f"12:00:0{i} IP 127.0.0.1.801 > 127.0.0.1.2049: tcp\n" + shown(one) for i, one in enumerate(packets))
        code, out, err = explain(text=text)
        self.assertEqual((code, err), (0, ""), out)
        self.assertNotIn("without a recognised message", out)
        self.assertIn("call of nfs3.NULL", out)
        self.assertIn("1 message in the text; 2 packets without payload are left out", out)
        *_, last = objects(explain("--json", text=text)[1])
        self.assertEqual(last, {"ledger": {"messages": 1, "empty_packets": 2}})

    def test_json_and_html(self):
        code, out, _ = explain("--json", text=NULL_CALL)
        self.assertEqual(code, 0)
        message, = objects(out)
        words = [word for part in message["parts"] for word in part["words"]]
        self.assertEqual(len(words), 10)
        self.assertEqual(words[3]["bytes"], "000186a3")
        code, out, _ = explain("--html", text=NULL_CALL)
        self.assertEqual(code, 0)
        self.assertTrue(out.startswith("<!DOCTYPE html>") or out.startswith("<!doctype html>"), out[:40])
        self.assertNotRegex(out, r"(src|href)=.https?:")

    def test_a_reply_needs_its_call_or_a_word(self):
        reply = "12345678 00000001 00000000 00000000 00000000 00000000 00000002\n"
        self.assertNotIn("NFS3ERR_NOENT", explain(text=reply)[1])
        self.assertIn("NFS3ERR_NOENT", explain("--as", "nfs3.GETATTR", text=reply)[1])
        call = "12345678 00000000 00000002 000186a3 00000003 00000001 00000000 00000000 00000000 00000000 00000004 01020304\n"
        self.assertIn("NFS3ERR_NOENT", explain(text=call + "\n" + reply)[1])

    def test_a_broken_message_says_where(self):
        broken = NULL_CALL.replace("00000000 00000000 00000000 00000000\n", "00000001 ffffffff 00000000 00000000\n")
        code, out, _ = explain(text=broken)
        self.assertEqual(code, 1)
        self.assertRegex(out, r"28  ff ff ff ff")
        self.assertIn("400", out)  # what would have been allowed

    def test_nothing_speaks_to_the_terminal(self):
        name = b"\x1b]0;title\x07\x1b[31m"
        args = struct.pack(">II", 4, 0x01020304) + struct.pack(">I", len(name)) + name + b"\0" * (-len(name) % 4)
        call = struct.pack(">10I", 1, 0, 2, 100003, 3, 3, 0, 0, 0, 0) + args
        _, out, err = explain("--color", "never", text=call.hex())
        self.assertIn("LOOKUP", out)
        self.assertNotIn("\x1b", out + err)
        self.assertIn("\x1b", explain("--color", "always", text=call.hex())[1])

    def test_what_cannot_be_explained(self):
        code, out, err = explain(text="hello, is there anybody?\n")
        self.assertEqual((code, out), (1, ""))
        self.assertTrue(err.startswith("helio: "))
        # Digits in prose are no bytes, but among bytes they are a mistake.
        self.assertIn("the text contains no message", explain(text="An integer has\n 4 bytes, [0,4294967295]\n")[2])
        self.assertIn("line 1: 1 digit is not whole bytes: 3", explain(text="00 00 3\n")[2])
        code, _, err = explain("--stats", text=NULL_CALL)
        self.assertEqual(code, 2)
        self.assertIn("captures", err)
        code, _, err = explain("/no/such/file")
        self.assertEqual(code, 2)
        self.assertIn("No such file", err)
        code, _, err = explain("--as", "nfs3.REED", text=NULL_CALL)
        self.assertEqual(code, 2)


class Captures(unittest.TestCase):
    def test_a_line_for_each_call_and_the_ledger(self):
        code, out, err = explain(CAPTURE)
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"10\.0\.1\.1:45583 → 10\.0\.1\.1:20049 +nfs3\.READ +\S+/small offset=0 count=512 +NFS3_OK")
        self.assertIn("41 calls, 41 replies", out)

    def test_json_agrees_with_the_lines(self):
        code, out, _ = explain("--json", CAPTURE)
        self.assertEqual(code, 0)
        *calls, last = objects(out)
        self.assertEqual(len(calls), 41)
        self.assertEqual(last["ledger"]["paired"], 41)
        self.assertEqual({call["carrier"] for call in calls}, {"iwarp"})
        for call in calls:
            self.assertNotIn("args_error", call)
            self.assertNotIn("result_error", call)

    def test_filters_hold_for_every_view(self):
        _, out, _ = explain("--json", "--filter", "nfs3.READ && args.count > 4K", CAPTURE)
        reads = objects(out)[:-1]
        self.assertTrue(reads)
        self.assertTrue(all(call["args"]["count"] > 4096 for call in reads))
        _, out, _ = explain("--stats", "--json", "--filter", "nfs3.READ && args.count > 4K", CAPTURE)
        stats, = objects(out)
        self.assertEqual(stats["all"]["calls"], len(reads))
        self.assertEqual([row["name"] for row in stats["operations"]], ["nfs3.READ"])
        code, _, err = explain("--filter", "nfs3.REED", CAPTURE)
        self.assertEqual(code, 2)
        self.assertIn("nfs3.READ", err)

    def test_statistics(self):
        code, out, err = explain("--stats", CAPTURE)
        self.assertEqual((code, err), (0, ""))
        for word in ("operation", "client", "file", "p99", "latency of all calls", "nfs3.READ"):
            self.assertIn(word, out)
        _, out, _ = explain("--stats", "--by", "client", CAPTURE)
        self.assertNotIn("operation", out)

    def test_pages(self):
        code, words, _ = explain("--html", CAPTURE)
        self.assertEqual(code, 0)
        self.assertRegex(words, r"<summary>#8 2026-11-16 08:18:22\.007839000 10\.0\.1\.1:45583 -&gt; 10\.0\.1\.1:20049 "
                                r"iwarp +call of nfs3\.NULL, xid 0x8e56a2df</summary>")
        self.assertIn("Contents: 82 messages", words)
        self.assertIn("41 calls, 41 replies", words)
        _, calls, _ = explain("--calls", "--html", CAPTURE)
        self.assertEqual(calls.count("NFS3ERR_NOENT</span>"), 3)
        self.assertIn("41 calls, 41 replies", calls)
        _, statistics, _ = explain("--stats", "--html", CAPTURE)
        self.assertIn("p99", statistics)
        for page in (words, calls, statistics):
            # Nothing runs but the page's own script, and nothing is loaded.
            script, = re.findall(r"<script>(.*?)</script>", page, re.S)
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            self.assertIn(f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'", page)
            self.assertNotIn("\x1b", page)
        code, _, err = explain("--test", "0x8e56a2df", "--html", CAPTURE)
        self.assertEqual((code, err), (2, "helio: --test has no HTML page\n"))

    def test_one_call_followed_and_made_a_test(self):
        calls = objects(explain("--json", "--filter", "nfs3.LOOKUP", CAPTURE)[1])[:-1]
        xid = calls[0]["xid"]
        code, out, _ = explain("--follow", xid, CAPTURE)
        self.assertEqual(code, 0)
        self.assertIn("arguments of nfs3.LOOKUP", out)
        self.assertIn("results of nfs3.LOOKUP", out.replace("result of", "results of"))
        code, out, _ = explain("--test", xid, CAPTURE)
        self.assertEqual(code, 0)
        self.assertRegex(out, r"helio call .* nfs3\.LOOKUP '\{")
        # The decode commands work as they are pasted.
        commands = re.search(r"^helio xdr decode.*?(?=\n\n|\n# )", out, re.M | re.S).group(0)
        done = subprocess.run(["bash", "-ec", f'helio() {{ "{HELIO}" "$@"; }}\n{commands}\n'], capture_output=True,
                              check=False, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(calls[0]["args"]["what"]["name"].encode(), done.stdout)
        code, _, err = explain("--follow", "0x1", CAPTURE)
        self.assertEqual(code, 1)
        self.assertIn("0x00000001", err)

    def test_a_schema_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            schema = pathlib.Path(folder) / "greet.x"
            schema.write_text("struct who { string name<32>; };\n"
                              "program GREET { version GREET_V1 { int HELLO(who) = 1; } = 1; } = 0x20000123;\n")
            call = struct.pack(">10I", 9, 0, 2, 0x20000123, 1, 1, 0, 0, 0, 0) + struct.pack(">I", 3) + b"Ada\0"
            _, out, _ = explain("--schema", str(schema), text=call.hex())
            self.assertIn("greet.HELLO", out)
            self.assertIn('"Ada"', out)

    def test_both_directions_of_a_connection_without_packets(self):
        call, reply = bytes.fromhex("".join(NULL_CALL.split())), struct.pack(">6I", 0x12345678, 1, 0, 0, 0, 0)
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for name, message in (("out", call), ("back", reply)):
                file = pathlib.Path(folder) / name
                file.write_bytes(struct.pack(">I", 0x80000000 | len(message)) + message)
                files.append(str(file))
            code, out, _ = explain("--json", "--calls", *files)
            self.assertEqual(code, 0)
            one, last = objects(out)
            self.assertEqual((one["operation"], one["verdict"]), ("nfs3.NULL", "SUCCESS"))
            self.assertEqual(last["ledger"]["paired"], 1)

    def test_files_packed_by_gzip(self):
        packed = gzip.compress(pathlib.Path(CAPTURE).read_bytes())
        self.assertEqual(explain(text=packed)[:2], explain(CAPTURE)[:2])
        self.assertIn("call of nfs3.NULL", explain(text=gzip.compress(NULL_CALL.encode()))[1])
        code, out, err = explain(text=packed[:len(packed) // 2])
        self.assertEqual(code, 1)
        self.assertIn("truncated", err)
        self.assertIn("nfs3.FSINFO", out)  # what came before is explained
        code, _, err = explain(text=gzip.compress(packed))
        self.assertEqual(code, 2)
        self.assertIn("zcat", err)

    def test_files_packed_otherwise_are_named(self):
        code, _, err = explain(text=b"\xfd7zXZ\x00" + bytes(60))
        self.assertEqual(code, 2)
        self.assertIn("xzcat", err)

    def test_a_datagram_without_packet(self):
        call = bytes.fromhex("".join(NULL_CALL.split()))
        code, out, err = explain(text=call)
        self.assertEqual(code, 0, err)
        self.assertIn("without a record mark", err)
        self.assertRegex(out, r"12  00 01 86 a3  (body.cbody.)?prog +100003")
        self.assertIn("1 call, 0 replies", explain("--calls", text=call)[1])
        self.assertEqual(explain(text=b"\0" + call[:-5])[0], 1)

    def test_the_ledger_counts_what_the_filter_matches(self):
        self.assertIn("\n  3 match the filter\n", explain("--filter", "nfs3.READ", CAPTURE)[1])
        self.assertIn("\n  1 matches the filter\n", explain("--filter", "nfs3.PATHCONF", CAPTURE)[1])
        self.assertNotIn("the filter", explain(CAPTURE)[1])
        *_, last = objects(explain("--json", "--filter", "nfs3.READ", CAPTURE)[1])
        self.assertEqual(last["ledger"]["matched"], 3)

    def test_help_for_filters(self):
        code, out, _ = explain("--filter", "help")
        self.assertEqual(code, 0)
        for field in ("args.X", "latency", "status", "missing"):
            self.assertRegex(out, rf"(?m)^  {field} +\w")
        for wrong in ("status = NFS3_OK", "nfs3.READ = 3"):
            code, _, err = explain("--filter", wrong, CAPTURE)
            self.assertEqual(code, 2)
            self.assertIn("use == to compare", err)

    def test_the_status_is_a_member_of_the_call(self):
        calls = objects(explain("--json", "--filter", "status == NFS3ERR_NOENT", CAPTURE)[1])[:-1]
        self.assertEqual({call["status"] for call in calls}, {"NFS3ERR_NOENT"})

    def test_limit(self):
        _, out, _ = explain("--json", "--limit", "3", CAPTURE)
        self.assertEqual(len(objects(out)), 4)


if __name__ == "__main__":
    HELIO = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
