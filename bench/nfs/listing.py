"""A directory of a million names, listed by READDIRPLUS and by a local find(1).

Both from the disk and from memory, one behind the other in the same run, so that what else the machine does hits all of
them. Servers are not pinned to a core here: find is not, and one that reads ahead may use another.
"""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import contenders as nfs
from machine import progress, resident_bytes

FIND = "find"
COLD_AT_MOST, WARM_AT_MOST = 1.0, 1.3  # times find
TIMES_FASTER = 3  # than Ganesha, cold
MB_MAX = 64


def make_names(folder, count):
    folder.mkdir()
    for i in range(count):
        os.close(os.open(folder / f"file{i:07}", os.O_CREAT | os.O_WRONLY, 0o644))
        if i % 20_000 == 0:
            progress(f"making {count:,} files: {i:,}")
    os.sync()


def drop_caches():
    """Whether what is read next comes from the disk."""
    try:
        Path("/proc/sys/vm/drop_caches").write_text("3\n")
        return True
    except OSError:
        return False


def peak_bytes(pid):
    return int(re.search(r"^VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.M)[1]) * 1024


def find(folder):
    """Seconds that find takes to say the size of every file."""
    begin = time.monotonic()
    subprocess.run(["find", str(folder), "-printf", "%s"], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def serve(start, options, load):
    """One server: a listing from the disk, and one from memory."""
    with start(None) as server:
        result = {"mb_before": resident_bytes(server.pid) / 1e6, "cold": drop_caches()}
        for state in ("cold", "warm"):
            found = load(options, server, ["list"], "--path", "big", "--reply-size", "64k", "--timeout", "300s")
            if found["names"] - options.names not in (0, 2):
                raise nfs.Skipped(f"{found['names']:,} names of {options.names:,} were listed")
            result[f"{state}_s"], result[f"{state}_cpu_s"] = found["seconds"], found["server_cpu_s"]
            result["names"], result["replies"] = found["names"], found["replies"]
        result["mb"] = peak_bytes(server.pid) / 1e6
        return result


def measure(starts, folder, options, load):
    """Name of a server, or find → what it took; `load` runs `helio load nfs`."""
    result = {}
    if not starts:
        return result
    big = folder / "big"
    make_names(big, options.names)
    try:
        progress(f"{options.names:,} names: {FIND}")
        result[FIND] = {"names": options.names, "cold": drop_caches(), "cold_s": find(big), "warm_s": find(big)}
        for name, start in starts.items():
            progress(f"{options.names:,} names: {name}")
            try:
                result[name] = serve(start, options, load)
            except nfs.Skipped as reason:
                result[name] = {"skipped": str(reason)}
    finally:
        progress("removing them")
        shutil.rmtree(big)
        progress("")
    return result


def judge(big, ours, others):
    """Every target: (what, figure, allowed, met or None)."""
    mine = big.get(ours, {})
    if "cold_s" not in mine:
        return
    names = f"{big[FIND]['names']:,} names"
    for state, at_most in (("cold", COLD_AT_MOST), ("warm", WARM_AT_MOST)):
        title = f"{names} {state}: {ours} / {FIND}"
        if state == "cold" and not mine["cold"]:
            yield title, None, "not measured: caches cannot be dropped", None
            continue
        value = mine[f"{state}_s"] / big[FIND][f"{state}_s"]
        yield title, value, f"≤ {at_most}", value <= at_most
    theirs = [big[name]["cold_s"] for name in others if "cold_s" in big.get(name, {})]
    if theirs:
        value = min(theirs) / mine["cold_s"]
        yield f"{names} cold: best Ganesha / {ours}", value, f"≥ {TIMES_FASTER}", value >= TIMES_FASTER
    yield f"{ours}: MB resident meanwhile, at most", mine["mb"], f"≤ {MB_MAX}", mine["mb"] <= MB_MAX


def show(big):
    for name, found in big.items():
        if "skipped" in found:
            print(f"skipped: listing by {name}: {found['skipped']}")
            continue
        print(f"{name}: {found['names']:,} names {'cold' if found['cold'] else 'not quite cold'} in {found['cold_s']:.2f} s, "
              f"warm in {found['warm_s']:.2f} s" + (
                  f"; server CPU {found['cold_cpu_s']:.2f} and {found['warm_cpu_s']:.2f} s; {found['replies']:,} replies; "
                  f"resident at most {found['mb']:.0f} MB, {found['mb_before']:.0f} before" if "replies" in found else ""))
