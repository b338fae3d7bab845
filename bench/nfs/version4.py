"""NFS 4.1 beside our own version 3, tuned NFS-Ganesha at 4.1, and the limit.

The limit speaks version 3: a server that does only what the wire demands has little more to do at 4.1. OPEN, READ
and CLOSE are three calls, LOCK and LOCKU two, as a client makes them; the figures are of all of them together.
"""

import contextlib
import resource
import statistics
from pathlib import Path

import clients
import contenders as nfs
from machine import aligned, progress, resident_bytes

GETATTR, READ_BIG, WRITE, OPEN_READ, LOCK = ("getattr", "read:1M:sequential", "write:64k:sequential", "open-read", "lock")
LOCKS = 100_000
# Title, and how many calls make one.
ROWS = {GETATTR: ("GETATTR", 1), READ_BIG: ("READ 1 MiB", 1), WRITE: ("WRITE 64 KiB unstable", 1),
        OPEN_READ: ("OPEN + READ 4 KiB + CLOSE", 3), LOCK: (f"LOCK + LOCKU, {LOCKS:,} locks held", 2)}
WITHOUT_STATE = (GETATTR, READ_BIG, WRITE)
LIMIT, V3, V4, GANESHA = "limit (v3)", "helio v3", "helio 4.1", "Ganesha 4.1 tuned"

# (operation, of, per, at most, at least): ratios of server CPU in the same round.
RATIOS = (
    (GETATTR, V4, V3, 1.35, None),
    (GETATTR, GANESHA, V4, None, 7),
    (READ_BIG, V4, V3, 1.05, None),
    (WRITE, V4, V3, 1.05, None),
    (OPEN_READ, GANESHA, V4, None, 5),
    (LOCK, GANESHA, V4, None, 5),
)
MICROSECONDS_MAX = {OPEN_READ: 12, LOCK: 8}
CLIENTS = 10_000
CLIENTS_MB_MAX = 40
CLIENT_CONNECTIONS = 8
# systemd's limit for services. Where it cannot be raised to that, clients share files: helio has at most one file open for 18
# descriptors.
DESCRIPTORS = 524_288
DESCRIPTORS_PER_FILE = 20


def servers(programs, folder, isolated):
    helio, limit = programs / "helio", programs / "nfs_limit_server"
    return {
        LIMIT: ("3", WITHOUT_STATE, lambda core: nfs.limit_server(limit, folder, core=core)),
        V3: ("3", WITHOUT_STATE, lambda core: nfs.helio_server(helio, folder, core=core)),
        V4: ("4.1", tuple(ROWS), lambda core: nfs.helio_server(helio, folder, core=core)),
        GANESHA: ("4.1", tuple(ROWS), lambda core: nfs.ganesha_server("VFS", folder, True, isolated, core, version=4)),
    }


def measure(options, folder, load, shape):
    """`load` and `shape` are how bench/nfs/run calls `helio load nfs`."""
    starts = servers(options.programs, folder, options.isolated)
    rounds, skipped = {}, {}
    for number in range(options.rounds):
        for name, (version, operations, start) in starts.items():
            if name in skipped:
                continue
            progress(f"4.1, round {number + 1} of {options.rounds}: {name}")
            try:
                with start(options.cores[0]) as server:
                    for word in operations:
                        more = ["--locks", str(LOCKS)] if word == LOCK else []
                        found = load(options, server, [word], "--version", version, *shape, *more)
                        found = found["operations"][0]["servers"][0]
                        if not found["server_us_per_call"]:
                            skipped[f"{name}, {word}"] = "no call was answered in time"
                            continue
                        calls = ROWS[word][1]
                        rounds.setdefault(name, {}).setdefault(word, []).append(
                            {"us": found["server_us_per_call"] * calls, "rate": found["rate"] / calls})
            except nfs.Skipped as reason:
                skipped[name] = str(reason)
    progress("")
    return {"rounds": rounds, "skipped": skipped, "clients": measure_clients(starts, Path(folder))}


def descriptors():
    """As many as are permitted. Servers inherit the limit."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[1]


def measure_clients(starts, folder):
    files = min(CLIENTS, descriptors() // DESCRIPTORS_PER_FILE)
    place = folder / "clients"
    place.mkdir(exist_ok=True)
    for number in range(files):
        (place / f"f{number}").touch()
    result = {}
    for name, path in ((V4, "clients"), (GANESHA, "bench/clients")):
        progress(f"4.1: {CLIENTS:,} clients: {name}")
        try:
            with starts[name][2](None) as server, contextlib.ExitStack() as held:
                connections = [held.enter_context(nfs.rpc.connect(server.port)) for _ in range(CLIENT_CONNECTIONS)]
                for connection in connections:
                    nfs.rpc.null_call(connection, nfs.rpc.NFS3_PROGRAM)
                alone = resident_bytes(server.pid)
                clients.open_all(connections, CLIENTS, path, files)
                result[name] = {"mb": resident_bytes(server.pid) / 1e6, "mb_alone": alone / 1e6, "files": files}
        except (nfs.Skipped, clients.Refused, OSError) as reason:
            result[name] = {"skipped": str(reason)}
    progress("")
    return result


def median(found, name, operation):
    values = [one["us"] for one in found["rounds"].get(name, {}).get(operation, ())]
    return statistics.median(values) if values else None


def ratio(found, operation, of, per):
    pairs = zip(found["rounds"].get(of, {}).get(operation, ()), found["rounds"].get(per, {}).get(operation, ()))
    ratios = [a["us"] / b["us"] for a, b in pairs]
    return statistics.median(ratios) if ratios else None


def shown(value):
    return "-" if value is None else f"{value:,.2f}"


def show(found):
    names = (LIMIT, V3, V4, GANESHA)
    rows = [("NFS 4.1: µs of server CPU", *names, "4.1 / v3", "Ganesha / 4.1")]
    for operation, (title, _) in ROWS.items():
        rows.append((title, *(shown(median(found, name, operation)) for name in names),
                     shown(ratio(found, operation, V4, V3)), shown(ratio(found, operation, GANESHA, V4))))
    print(aligned(rows) + "\n")
    for name, one in found["clients"].items():
        print(f"{name}: {CLIENTS:,} clients with a session and an open file each: " + (
            f"skipped: {one['skipped']}" if "skipped" in one else
            f"{one['mb']:.1f} MB resident, {one['mb_alone']:.1f} with none; {one['files']:,} different files"))
    for name, reason in found["skipped"].items():
        print(f"skipped: {name}: {reason}")


def judge(found):
    """Every target: (what, figure, allowed, met or None)."""
    for operation, of, per, at_most, at_least in RATIOS:
        title, value = f"{ROWS[operation][0]}: {of} / {per}", ratio(found, operation, of, per)
        if value is None:
            yield title, None, "not measured", None
        elif at_least is None:
            yield title, value, f"≤ {at_most}", value <= at_most
        else:
            yield title, value, f"≥ {at_least}", value >= at_least
    for operation, at_most in MICROSECONDS_MAX.items():
        value = median(found, V4, operation)
        if value is not None:
            yield f"{ROWS[operation][0]}: µs of {V4}", value, f"≤ {at_most}", value <= at_most
    if "mb" in found["clients"].get(V4, {}):
        value = found["clients"][V4]["mb"]
        yield f"MB resident with {CLIENTS:,} clients at 4.1", value, f"≤ {CLIENTS_MB_MAX}", value <= CLIENTS_MB_MAX
