"""One attack on one server: victims before, during and after it; memory; what it comes to."""
import contextlib
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "attack"), str(ROOT / "tests")]
import export  # noqa: E402
import frozen  # noqa: E402
import targets  # noqa: E402
import victims  # noqa: E402
from process import Attacker, resident_bytes  # noqa: E402

MIB = 1 << 20
# The limits that a row is judged by.
P99_FACTOR_MAX, P99_MS_MAX = 10, 100
RECOVERY_S_MAX = 5
NORMAL_FACTOR = 1.5  # a median below so many times that of before is normal again

NAMES, COLD_BYTES = 20_000, 256 * MIB
DESCRIPTORS = 1024
SETTLE_S = 1.0  # from the start of an attack until it is measured, and of the victims before
RECOVERY_PATIENCE_S = 20
WINDOW_S = 0.5
# Victims and attackers are other machines. Here they share the processors with the server: victims come first, so that they wait
# for the server and not for a processor, and attackers have what is left.
VICTIM_NICENESS, ATTACKER_NICENESS = -10, 15
COLD = ("non_readers", "cold_reads")
NOT_OF_GANESHA = {"portmap_flood": "rpcbind is the port mapper there"}


def put_victims_first():
    """This process and all that it starts, but for servers and attackers. Only root may."""
    if os.geteuid() == 0:
        os.setpriority(os.PRIO_PROCESS, 0, VICTIM_NICENESS)


def attacker_niceness():
    return ATTACKER_NICENESS - os.getpriority(os.PRIO_PROCESS, 0)


def second_file_system(attack, stack):
    if attack != "frozen_export":
        return None
    try:
        return stack.enter_context(frozen.FileSystem())
    except frozen.NoFrozenFileSystem as why:
        raise targets.Skipped(str(why)) from None


def endure(attacker, second, folder, stack, work):
    """`work` during the attack; when the attack ended, and the attacker's report."""
    if second:
        second.freeze()
        stack.callback(lambda: second.frozen and second.thaw())  # nothing else ends a server that waits for it
    if attacker.name in COLD:
        stack.enter_context(export.KeptCold(folder))
    began = time.monotonic()
    attacker.go()
    time.sleep(SETTLE_S)
    during = work()
    ended = time.monotonic()
    if second:
        second.thaw()
    return began, ended, during, attacker.quit()


def wait_for_recovery(probe, ended, normal_ms):
    while time.monotonic() < ended + RECOVERY_PATIENCE_S:
        time.sleep(WINDOW_S)
        found = victims.recovery_s(probe, ended, normal_ms, WINDOW_S, NORMAL_FACTOR)
        if found is not None:
            return found
    return None


def measure(start, name, attack, options, folder, lab):
    """The figures of one row."""
    with contextlib.ExitStack() as stack:
        second = second_file_system(attack, stack)
        more = {"descriptors": DESCRIPTORS} if attack == "connection_flood" else {}
        server = stack.enter_context(start(folder, second=second and second.folder, **more))
        probe = stack.enter_context(victims.Probe(server))
        linux = stack.enter_context(victims.Linux(lab, server, f"{name}-{attack}".lower())) if lab else None
        time.sleep(SETTLE_S)
        begin = time.monotonic()
        before = victims.load(options.helio, server, options.seconds)
        memory_before = resident_bytes(server.pid)
        quiet_until = time.monotonic()
        attacker = stack.enter_context(Attacker(attack, server.port, export=server.path, second=server.second or "/",
                                                mount_port=server.mount_port, seed=options.seed,
                                                niceness=attacker_niceness()))
        with contextlib.ExitStack() as inner:
            began, ended, during, report = endure(attacker, second, folder, inner, lambda: victims.load(
                options.helio, server, options.seconds))
        normal_ms = probe.figures(begin, quiet_until)["p50_ms"]
        row = {"recovery_s": wait_for_recovery(probe, ended, normal_ms)}
        row.update(memory_before=memory_before, memory_peak=resident_bytes(server.pid, "VmHWM"),
                   attack_s=ended - began, sent_bytes=report["sent_bytes"], report=report, load={"before": before, "during": during})
        for victim, series in (("probe", probe), ("linux", linux)):
            if series:
                row[victim] = {"before": series.figures(begin, quiet_until), "during": series.figures(began, ended),
                               "errors": series.errors}
    if linux:
        row["linux"]["connects"] = linux.connects
    return row


def misses(row, name):
    """What a row does not meet, in words."""
    found = []
    for victim in ("load", "linux"):
        if victim not in row:
            continue
        before, during = row[victim]["before"]["p99_ms"], row[victim]["during"]["p99_ms"]
        if during is None or before is None:
            found.append(f"{victim}: no answers")
        elif during > P99_MS_MAX or during > P99_FACTOR_MAX * before:
            found.append(f"{victim} p99")
    if name == targets.HELIO and row["memory_peak"] - row["memory_before"] > targets.MEMORY_MIB * MIB:
        found.append("memory")
    if row["recovery_s"] is None or row["recovery_s"] > RECOVERY_S_MAX:
        found.append("recovery")
    if errors_of(row):
        found.append("errors")
    return found


def errors_of(row):
    """What victims were told, or that they lost their connection."""
    found = [f"load: {error}" for error in row["load"]["before"]["errors"] + row["load"]["during"]["errors"]]
    for victim in ("probe", "linux"):
        found += [f"{victim}: {error}" for error in row.get(victim, {}).get("errors", ())]
    if row.get("linux", {}).get("connects"):
        found.append(f"linux: lost its connection {row['linux']['connects']} times")
    return found
