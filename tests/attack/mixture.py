#!/usr/bin/env python3
"""Attackers in random mixtures on one server, for builds with sanitizers.

Usage: mixture.py PATH_TO_HELIO [--seconds N] [--seed S]

Every few seconds up to four attackers begin, at a random rate, and end in one of two ways. A victim checks its answers all the
time. At the end the server must stop as asked, and its log must have no report of a sanitizer. The same seed gives the same
mixtures, not the same schedule.
"""
import argparse
import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import frozen  # noqa: E402
import wire  # noqa: E402
from attacked import MIB, Attacked  # noqa: E402
from attackers import ATTACKS  # noqa: E402

FREEZES = "frozen_export"
REPORT = re.compile(r"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:|assert", re.I)
RATES = (100, 1000, 10000, 0)


def without_aslr():
    """Sanitizers of Clang 14 and GCC 12 die at random where addresses are too random (tools/common.sh)."""
    command = ["setarch", "--addr-no-randomize"]
    works = shutil.which(command[0]) and subprocess.run([*command, "true"], capture_output=True).returncode == 0
    return command if works else []


class Watched:
    """The victim at work in a thread of its own."""

    def __init__(self, victim):
        self.victim, self.over, self.problem = victim, False, None
        self.thread = threading.Thread(target=self.work)

    def work(self):
        try:
            while not self.over:
                self.victim.round()
        except (OSError, wire.Unexpected) as problem:
            self.problem = problem

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join()


def mix(attacked, second, rng, names):
    """One mixture: some seconds of it, and how it went."""
    chosen = rng.sample(names, rng.randint(1, min(4, len(names))))
    seconds = rng.uniform(1, 4)
    attackers = [attacked.attacker(name, rate=rng.choice(RATES), seed=rng.getrandbits(31)) for name in chosen]
    freezes = FREEZES in chosen
    print(f"{seconds:.1f} s of {', '.join(chosen)}", flush=True)
    if freezes:
        second.freeze()
    try:
        for attacker in attackers:
            attacker.go()
        time.sleep(seconds)
    finally:
        if freezes:
            second.thaw()
    for attacker in attackers:
        report = attacker.drain() if rng.random() < 0.3 else attacker.quit()
        attacker.__exit__()
        if report["malformed"] or report["unanswered"]:
            return f"{attacker.name}: {report['malformed']}, {report['unanswered']} calls without an answer"
    return None


def run(given):
    rng = random.Random(given.seed)
    with contextlib.ExitStack() as stack:
        second, names = None, [name for name in ATTACKS if name != FREEZES]
        try:
            second = stack.enter_context(frozen.FileSystem())
            names.append(FREEZES)
        except frozen.NoFrozenFileSystem as why:
            print(f"without {FREEZES}: {why}")
        # Confined, it could not look for leaks when it ends.
        attacked = stack.enter_context(Attacked(given.helio, "--udp", "--no-sandbox", before=without_aslr(), names=2000,
                                                cold_bytes=16 * MIB, second=second and second.folder))
        problem, end = None, time.monotonic() + given.seconds
        with Watched(attacked.victim) as watched:
            while time.monotonic() < end and not (problem or watched.problem):
                problem = mix(attacked, second, rng, names)
        problem = problem or watched.problem
        status = attacked.server.stop()
        log = attacked.server.log()
        print(f"{attacked.victim.rounds} rounds of the victim; the server ended with {status}")
        if problem or status != 0 or REPORT.search(log):
            print(f"{problem or ''}\nseed {given.seed}; the server's log ends with:\n{log[-20000:]}")
            return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("helio", type=os.path.abspath)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(f"seed {given.seed}")
    return run(given)


if __name__ == "__main__":
    frozen.own_mounts()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a frozen file system must thaw whatever happens
    sys.exit(main())
