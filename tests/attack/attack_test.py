#!/usr/bin/env python3
"""helio serve under attack: memory stays within its budget, and other clients get right answers all the time.

Usage: attack_test.py PATH_TO_HELIO

Each test starts a server, a well-behaved client (victim.py), and one attacker (attackers.py) for two seconds. Nothing is said
about latencies; bench/attack measures those.
"""
import os
import pathlib
import signal
import struct
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import frozen  # noqa: E402
import wire  # noqa: E402
import wire4  # noqa: E402
from attacked import BUDGET_MIB, MIB, Attacked  # noqa: E402
from patience import PATIENCE_S  # noqa: E402
from process import descriptors, resident_bytes  # noqa: E402

HELIO = ""
SECONDS = 2
NAMES = 5000
COLD_BYTES = 64 * MIB  # of each file
# What many connections may add before the first ones are closed: each has a little in hand, whatever the budget.
OVERSHOOT_MIB = 32
MALLOC_MIB = 64  # freed, and not given back to the system
SLACK_MIB = OVERSHOOT_MIB + MALLOC_MIB
DESCRIPTORS = 1024
INTRODUCTIONS = 100_000
VERSIONS = ("--versions", "4.2,4.1,3,2")


class Attack(unittest.TestCase):
    def endure(self, attacked, attacker, happened=lambda: True):
        """The attack, while the victim works on: at least one round of it, and until what is to be tested has happened."""
        attacker.go()
        begin = time.monotonic()
        while True:
            attacked.victim.round()
            self.assertLessEqual(attacked.metric("helio_client_memory_bytes"), (BUDGET_MIB + OVERSHOOT_MIB) * MIB)
            if time.monotonic() > begin + SECONDS and happened():
                break
            self.assertLess(time.monotonic(), begin + PATIENCE_S, "the attack came to nothing")
        attacked.victim.write_much()

    def accept(self, attacked, report, answers):
        """`answers`: pattern of what the attacker may be answered. The server must be as good as new."""
        process = attacked.server.process
        grown = resident_bytes(process.pid, "VmHWM") - attacked.memory_before
        print(f"{self._testMethodName}: {report['calls']} calls, {report['sent_bytes'] / MIB:.1f} MiB sent, "
              f"{report['replies']} replies, {report['connections']} connections, {report['closed']} closed, memory grew by "
              f"{grown / MIB:.0f} MiB, {attacked.victim.rounds} rounds of the victim", flush=True)
        self.assertEqual(report["malformed"], [])
        self.assertEqual(report["unanswered"], 0, "calls without an answer on open connections")
        for status in report["statuses"]:
            self.assertRegex(status, answers)
        self.assertLess(grown, (BUDGET_MIB + SLACK_MIB) * MIB, "the server holds more than its budget")
        attacked.victim.round()
        with attacked.client() as another:
            another.round()
        self.assertIsNone(process.poll(), attacked.server.log())
        self.assertEqual(attacked.server.stop(), 0, attacked.server.log())

    def attack(self, name, answers, *words, **furnished):
        with Attacked(HELIO, *words, **furnished) as attacked:
            attacker = attacked.attacker(name)
            self.endure(attacked, attacker)
            report = attacker.drain()
            self.assertGreater(report["calls"] + report["connections"], 0)
            self.accept(attacked, report, answers)
        return report

    def test_replies_that_nobody_reads(self):
        self.attack("non_readers", rf"100003 6 (0|{wire.JUKEBOX})$", cold_bytes=COLD_BYTES)

    def test_calls_that_come_a_byte_at_a_time(self):
        self.attack("drippers", rf"100003 7 (0|{wire.JUKEBOX})$")

    def test_reads_of_cold_files(self):
        self.attack("cold_reads", rf"100003 6 (0|{wire.JUKEBOX})$", cold_bytes=COLD_BYTES)

    def test_listings_of_a_large_directory(self):
        self.attack("listing_storm", rf"100003 17 (0|{wire.JUKEBOX})$", names=NAMES)

    def test_more_connections_than_descriptors(self):
        """Without a reserve for files, the victim's LOOKUP and CREATE are the first to fail."""
        with Attacked(HELIO, before=("prlimit", f"--nofile={DESCRIPTORS}:{DESCRIPTORS}")) as attacked:
            attacker = attacked.attacker("connection_flood")
            self.endure(attacked, attacker, lambda: attacked.metric("helio_connections_evicted_total") > 0)
            self.newcomer(attacked)
            self.assertLess(descriptors(attacked.server.process.pid), DESCRIPTORS)
            report = attacker.drain()
            self.accept(attacked, report, r"100003 0 void")

    def newcomer(self, attacked):
        """New clients come in too. One that is closed before it could say anything tries again, as clients do."""
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                with attacked.client() as client:
                    return client.round()
            except ConnectionError:
                self.assertLess(time.monotonic(), end, "no new client is served")

    def test_datagrams(self):
        self.attack("udp_flood", "", "--udp")

    def test_guessed_handles(self):
        self.attack("handle_guessing", rf"100003 1 (({wire.BADHANDLE}|{wire.STALE})$|accept_stat 4)")

    def attack_with_state(self, name, answers, happened=lambda _: True, **furnished):
        """A well-behaved client of NFS 4.1 keeps its session and its open file, and a new one comes in."""
        with Attacked(HELIO, *VERSIONS, **furnished) as attacked, self.connection(attacked) as mine, self.connection(attacked) as new:
            root = mine.mount("/a")
            client = wire4.Client(mine, b"well-behaved")
            client.must(wire4.put(root), wire4.open_new(b"mine"))
            attacker = attacked.attacker(name)
            self.endure(attacked, attacker, lambda: happened(attacked))
            client.must(wire4.put(root), wire4.get_all_attributes())
            wire4.Client(new, b"another").must(wire4.put(root), wire4.get_all_attributes())
            report = attacker.drain()
            client.must(wire4.put(root), wire4.open_new(b"mine"))
            self.accept(attacked, report, answers)

    def connection(self, attacked):
        return wire.Connection("127.0.0.1", attacked.server.port, PATIENCE_S)

    def test_introductions_of_ever_new_clients(self):
        def calls(attacked):
            return attacked.metric(r'helio_rpc_calls_total\{[^}]*version="4",procedure="COMPOUND",outcome="success"\}')

        self.attack_with_state("introductions", rf"100003 1 ({wire4.OK}|{wire4.DELAY})$", lambda attacked: calls(attacked) > INTRODUCTIONS)

    def test_sessions_of_absurd_size(self):
        self.attack_with_state("sessions", rf"100003 1 ({wire4.OK}|{wire4.DELAY}|{wire4.BADSLOT})$")

    def test_more_open_files_than_descriptors(self):
        self.attack_with_state("opens", rf"100003 1 ({wire4.OK}|{wire4.DELAY})$", before=("prlimit", f"--nofile={DESCRIPTORS}:{DESCRIPTORS}"))

    def test_calls_to_the_port_mapper(self):
        with Attacked(HELIO) as attacked:
            attacker = attacked.attacker("portmap_flood")
            self.endure(attacked, attacker)
            report = attacker.drain()
            nfs = struct.pack(">4I", wire.NFS, 3, 6, 0)
            with wire.Connection("127.0.0.1", attacked.server.port, PATIENCE_S) as polite:
                self.assertEqual(polite.call(wire.PORTMAP, 3, nfs).word(), attacked.server.port)
            self.accept(attacked, report, r"100000 [1-5] (\d+$|accept_stat 3)")

    def test_a_file_system_that_does_not_answer(self):
        try:
            second = self.enterContext(frozen.FileSystem())
        except frozen.NoFrozenFileSystem as why:
            self.skipTest(str(why))
        with Attacked(HELIO, second=second.folder) as attacked:
            attacker = attacked.attacker("frozen_export")
            second.freeze()
            try:
                self.endure(attacked, attacker)
            finally:
                second.thaw()  # nothing else ends a server that waits for it
            report = attacker.drain()
            answers = f"{wire.OK}|{wire.NOENT}|{wire.EXIST}|{wire.JUKEBOX}"
            self.accept(attacked, report, rf"100003 \d+ ({answers})$")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: attack_test.py PATH_TO_HELIO")
    frozen.own_mounts()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a frozen file system must thaw whatever happens
    HELIO = os.path.abspath(sys.argv.pop(1))
    unittest.main()
