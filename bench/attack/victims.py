"""The victims of bench/attack: Linux's NFS client in a guest, `helio load nfs`, and one connection that never stops asking.

Latencies are kept with the time at which the call began: one that took the whole attack belongs to the attack.
"""
import json
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / folder) for folder in ("attack", "linux_client")] + [str(ROOT / "tests")]
import lab as kernel_lab  # noqa: E402
import wire  # noqa: E402
from victim import Victim  # noqa: E402

# So many calls each second leave most of a core idle.
LOAD = ("mixed", "--rate", "300", "--connections", "4", "--depth", "4", "--files", "50", "--data-files", "4", "--data-size",
        "256k", "--entries", "50", "--warmup", "200ms", "--timeout", "30s", "--json")
LOAD_PATIENCE_S = 45  # beyond what it should take
PAUSE_S = 0.005
RECONNECT_PAUSE_S = 0.05
LINUX_OPTIONS = "noac,lookupcache=none"  # every stat asks the server
LINUX_TIMEOUT_S = 3600
GUEST_NETWORK = "10.213.0.0/30"  # of kernel_lab.HOST and GUEST
STOP_TIMEOUT_S = 90
ERRORS_KEPT = 5


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


class Series:
    """(when a call began, milliseconds) in the order in which the calls ended."""

    def __init__(self):
        self.calls, self.errors = [], []
        self.begun = None  # the call that is under way

    def add(self, began, ms):
        self.calls.append((began, ms))

    def fail(self, error):
        if len(self.errors) < ERRORS_KEPT:
            self.errors.append(str(error))

    def between(self, begin, end):
        found = [ms for began, ms in list(self.calls) if begin <= began < end]
        # A call without an answer has taken this long so far.
        if self.begun is not None and begin <= self.begun < end:
            found.append((time.monotonic() - self.begun) * 1000)
        return found

    def figures(self, begin, end):
        found = self.between(begin, end)
        return {"calls": len(found), "p50_ms": percentile(found, 0.5), "p99_ms": percentile(found, 0.99),
                "max_ms": max(found, default=None)}


class Probe(Series):
    """One connection in a thread. If it is closed, that is an error, and it connects again."""

    def __init__(self, server):
        super().__init__()
        self.server, self.over = server, False
        self.thread = threading.Thread(target=self.work, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join(STOP_TIMEOUT_S)

    def work(self):
        while not self.over:
            try:
                with Victim("127.0.0.1", self.server.port, LOAD_PATIENCE_S, self.server.path,
                            self.server.mount_port) as victim:
                    self.ask(victim)
            except (OSError, wire.Unexpected) as error:
                self.begun = None
                self.fail(f"{type(error).__name__}: {error}")
                time.sleep(RECONNECT_PAUSE_S)

    def ask(self, victim):
        while not self.over:
            for _, operation in victim.operations():
                self.begun = time.monotonic()
                operation()
                self.add(self.begun, (time.monotonic() - self.begun) * 1000)
                self.begun = None
                time.sleep(PAUSE_S)
            victim.rounds += 1


def hurry_to(lab):
    """Retransmissions after 5 ms instead of 200, on both sides. user-mode-linux sometimes sleeps on when a packet comes, until
    the next one does; and floods on loopback share the queue of packets with the guest's."""
    def words(device, source):
        return ("route", "replace", GUEST_NETWORK, "dev", device, "proto", "kernel", "scope", "link", "src", source, "rto_min",
                "5ms")

    kernel_lab.ip(*words(kernel_lab.TAP, kernel_lab.HOST))
    status, _, why = lab.run(["ip", *words("vec0", kernel_lab.GUEST)])
    if status != 0:
        raise kernel_lab.Failed(f"ip route, in the guest: {why}")


class Linux(Series):
    """Linux's NFS client: linux_victim.py in a mount of the guest."""

    def __init__(self, lab, server, name):
        super().__init__()
        self.lab, self.connects, self.process, self.rest = lab, None, None, ""
        self.there = lab.mount(server.port, name=name, export=server.path,
                               options=f"mountport={server.mount_port},{LINUX_OPTIONS}")
        self.thread = threading.Thread(target=self.work, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        if self.process:
            self.lab.run(["kill", self.process])
        self.thread.join(STOP_TIMEOUT_S)
        self.lab.unmount_all(lazy=self.thread.is_alive())

    def work(self):
        script = Path(__file__).resolve().parent / "linux_victim.py"
        try:
            status, _, said = self.lab.run([sys.executable, script], self.there, LINUX_TIMEOUT_S, self.hear)
            if status != 0:
                self.fail(said.strip().splitlines()[-1] if said.strip() else f"ended with {status}")
        except (OSError, kernel_lab.Failed) as error:
            self.fail(error)

    def hear(self, stream, text):
        if stream != "stdout":
            return
        *lines, self.rest = (self.rest + text).split("\n")
        now = time.monotonic()
        for line in lines:
            first, *more = line.split()
            if not more:
                self.process = first
            elif first == "connects":
                self.connects = int(more[0])
            elif first == "error":
                self.fail(line)
            else:
                self.add(now - float(more[0]) / 1000, float(more[0]))
        self.begun = now if self.process else None


def load(program, server, seconds):
    """`helio load nfs`: {"p50_ms", "p99_ms", "errors"}."""
    command = [str(program), "load", "nfs", f"127.0.0.1:{server.port}:{server.path}", *LOAD, "--mount-port",
               str(server.mount_port), "--duration", f"{seconds}s"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, said = process.communicate(timeout=seconds + LOAD_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return {"p50_ms": None, "p99_ms": None, "errors": [f"no end after {seconds + LOAD_PATIENCE_S:.0f} s"]}
    try:
        one = json.loads(out)["operations"][0]["servers"][0]["rounds"][0]
    except (ValueError, KeyError, IndexError):
        return {"p50_ms": None, "p99_ms": None, "errors": [said.strip() or f"ended with {process.returncode}"]}
    errors = [f"{error['count']} × {error['name']}" for error in one["load"]["errors"]]
    if one["first_wrong"]:
        errors.append(one["first_wrong"])
    latency = one["load"]["latency_us"]
    return {"p50_ms": latency["p50"] / 1000, "p99_ms": latency["p99"] / 1000, "errors": errors}


def recovery_s(probe, ended, normal_ms, window_s, factor):
    """Seconds from `ended` until the median of a window is back; None: not yet."""
    now = time.monotonic()
    begin = ended
    while begin + window_s <= now:
        found = probe.between(begin, begin + window_s)
        if len(found) >= 3 and statistics.median(found) < factor * normal_ms:
            return begin - ended
        begin += window_s / 4
    return None
