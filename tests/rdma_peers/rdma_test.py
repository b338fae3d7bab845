#!/usr/bin/env python3
"""NFS over RDMA, on soft-RoCE and soft-iWARP, in a guest: Linux's client on our server, our client on Linux's and on ours.

Usage: rdma_test.py PATH_TO_HELIO [WORD FOR in_guest.py]…

tools/rdma_guest makes the guest (once) and boots it; where it cannot, this says why and passes. What is checked
in it is in in_guest.py. Here, behind it, `helio explain` reads the captures that were made there: every call has its
reply, every message is understood, and data that RDMA moved apart from its message is what was read and written.
Takes about two minutes on two cores; making the guest takes another half on a good line.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "linux_client"), str(HERE.parent)]
from helio_client import WRITTEN  # noqa: E402
from kernel_client import FIXTURES, NAMES, TARGET, fixture  # noqa: E402
from patience import PATIENCE_S  # noqa: E402

GUEST = ROOT / "tools/rdma_guest"
PYTHON = "/usr/bin/python3"  # the guest has no other; a user's own lives in a home that the guest does not have
CANNOT = 3
GUEST_TIMEOUT_S = 3 * PATIENCE_S


class Wrong(Exception):
    """What `helio explain` said of a capture is not what happened."""


def explain(helio, *words):
    """The objects it prints."""
    done = subprocess.run([helio, "explain", *words, "--json"], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=PATIENCE_S, check=False)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        raise Wrong(f"explain: status {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}")
    return [json.loads(line) for line in lines]


def need(condition, what):
    if not condition:
        raise Wrong(what)


def check_ledger(calls, ledger, may_be_late):
    again = ledger["retransmitted"]
    need(again == 0 or may_be_late, f"the client asked again: {ledger}")
    need(ledger["calls"] - again == ledger["paired"] == len(calls) > 0, f"not every call has its reply: {ledger}")
    need(ledger["replies"] - ledger["repeated_replies"] == ledger["paired"], f"not every reply has its call: {ledger}")
    need(ledger["unanswered"] == ledger["orphans"] == 0, f"not every reply has its call: {ledger}")
    for each in calls:
        need(each.get("verdict") in ("SUCCESS", "PROG_UNAVAIL"), f"{each.get('operation')}: {each.get('verdict')}")
        need("malformed" not in json.dumps(list(each)), f"a broken message: {json.dumps(each)[:300]}")


def results(calls, operation):
    """(path, arguments, result) of those that went well."""
    return [(each.get("path", ""), each["args"], each["result"]["resok"]) for each in calls
            if each["operation"] == f"nfs3.{operation}" and each.get("status") == "NFS3_OK"]


def check_reads(calls):
    """Every READ of a fixture brought that part of it; together they brought all."""
    seen = collections.defaultdict(set)
    for path, arguments, result in results(calls, "READ"):
        name = path.rsplit("/", 1)[-1]
        if name in FIXTURES:
            begin, count = arguments["offset"], result["count"]
            need(result["data"] == fixture(name)[begin:begin + count].hex(), f"READ of {name} at {begin} is not what is there")
            seen[name].update(range(begin, begin + count))
    return {name for name in seen if len(seen[name]) == FIXTURES[name]}


def check_linux(calls):
    need(check_reads(calls) == set(FIXTURES), "not all of each file was read")
    written = {}
    for path, arguments, _ in results(calls, "WRITE"):
        need(len(arguments["data"]) == 2 * arguments["count"], f"WRITE of {path}: {arguments['count']} bytes are not there")
        written[path] = written.get(path, 0) + arguments["count"]
    need(any(size == 4_000_037 for size in written.values()), f"not all that was written is there: {written}")
    need(any(arguments["symlink"]["symlink_data"] == TARGET for _, arguments, _ in results(calls, "SYMLINK")), "no long SYMLINK")
    need(any(result["data"] == TARGET for _, _, result in results(calls, "READLINK")), "no long READLINK")
    listed = [entry["name"] for kind in ("READDIR", "READDIRPLUS") for _, _, result in results(calls, kind)
              for entry in result["reply"]["entries"]]
    need(set(NAMES) <= set(listed), f"of {len(NAMES)} names {len(set(listed) & set(NAMES))} were listed")


def check_helio(calls):
    need({"small", "odd"} <= check_reads(calls), "not all of each file was read")
    need(any(arguments["data"] == WRITTEN.hex() for _, arguments, _ in results(calls, "WRITE")), "no long WRITE")
    need(any(arguments["symlink"]["symlink_data"] == TARGET for _, arguments, _ in results(calls, "SYMLINK")), "no long SYMLINK")
    need(any(result["data"] == TARGET for _, _, result in results(calls, "READLINK")), "no long READLINK")


def check_capture(helio, path):
    """A failure, or None."""
    try:
        *calls, last = explain(helio, path)
        ledger = last["ledger"]
        # In a guest that gets little time, soft-RoCE loses packets for so long that Linux sends a call again.
        check_ledger(calls, ledger, may_be_late="rxe" in path.name)
        counted = explain(helio, path, "--stats")[0]["all"]
        need((counted["calls"], counted["unanswered"]) == (len(calls), 0), f"--stats counts otherwise: {counted}")
        (check_linux if path.name.startswith("linux") else check_helio)(calls)
        print(f"ok explain {path.name}: {ledger['calls']} calls in {ledger['packets']} packets", flush=True)
        return None
    except Wrong as why:
        return f"FAIL explain {path.name}: {why}"


def run_guest(helio, words):
    """Its exit status, and what is wrong with the captures that it made."""
    with tempfile.TemporaryDirectory(prefix="rdma-test-") as share:
        command = [GUEST, "run", "--share", share, "--timeout", str(GUEST_TIMEOUT_S), "--",
                   PYTHON, HERE / "in_guest.py", helio, share, *words]
        status = subprocess.run(command, check=False).returncode
        return status, [why for path in sorted(pathlib.Path(share).glob("*.pcap")) if (why := check_capture(helio, path))]


def main():
    helio, *words = sys.argv[1:]
    helio = pathlib.Path(helio).resolve()
    began = time.monotonic()
    made = subprocess.run([GUEST, "build"], stderr=subprocess.PIPE, text=True, check=False)
    if made.returncode != 0:
        print(f"{'skipped: ' if made.returncode == CANNOT else ''}no guest with RDMA devices: {made.stderr}", file=sys.stderr)
        return 0 if made.returncode == CANNOT else 1
    print(f"waited {time.monotonic() - began:.0f} s for the guest", flush=True)
    status, failures = run_guest(helio, words)
    print(*failures, sep="\n" if failures else "")
    print(f"{time.monotonic() - began:.0f} s")
    return 1 if status != 0 or failures else 0


if __name__ == "__main__":
    sys.exit(main())
