"""The part of bench/rdma/run that runs in the guest: in_guest.py HELIO SECONDS ROUNDS. Prints JSON, one figure a line.

Both servers are up at the same time, and take turns; both export the same tmpfs.
"""
import json
import mmap
import os
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/rdma_peers"), str(ROOT / "tests/linux_client"), str(ROOT / "tests")]
import guest  # noqa: E402
import servers  # noqa: E402
from checking import MIB, noise, opened  # noqa: E402

DEVICES = {"rxe": "10.0.2.2", "siw": "10.0.1.1"}
OUR_NFS, OUR_RDMA = 2050, 20050
FILE_SIZE = 16 * MIB
THERE = "/run/there"


def say(device, client, operation, ours, nfsd):
    print(json.dumps({"device": device, "client": client, "operation": operation, "helio": ours, "nfsd": nfsd}), flush=True)


def by_helio(helio, device, seconds, rounds):
    """`helio load nfs`, four calls at a time, which compares what it reads."""
    address = DEVICES[device]
    words = [helio, "load", "nfs", "--rdma", "--connections", "1", "--depth", "4", "--data-files", "2", "--data-size", "8M",
             "--files", "10", "--entries", "10", "--duration", f"{seconds}s", "--warmup", "300ms", "--timeout", "60s",
             "--rounds", rounds, "--json", f"{address}:{OUR_RDMA}:/export", "--mount-port", OUR_NFS,
             "--against", f"{address}:/export", "read:1M:sequential", "write:1M:sequential"]
    for operation in json.loads(servers.call(*words, timeout=300))["operations"]:
        ours, nfsd = (server["rate"] for server in operation["servers"])
        say(device, "helio", operation["name"], ours, nfsd)


def mount(address, rdma_port, mount_options):
    data = f"vers=3,proto=rdma,port={rdma_port},nolock,addr={address},mountaddr={address},mountproto=tcp,mountvers=3"
    guest.mount(f"{address}:/export", THERE, "nfs", data + mount_options)


def calls_a_second(work, seconds):
    """Of 1 MiB each, one at a time, past the client's cache."""
    count, began = 0, time.monotonic()
    while time.monotonic() - began < seconds:
        work((count * MIB) % FILE_SIZE)
        count += 1
    return count / (time.monotonic() - began)


def by_linux(device, seconds, rounds, mountd_port):
    """Linux's client, with O_DIRECT."""
    rates = {"READ": ([], []), "WRITE": ([], [])}
    page = mmap.mmap(-1, MIB)
    page.write(noise(MIB))
    ways = ((OUR_RDMA, f",mountport={OUR_NFS}"), (servers.RDMA_PORT, f",mountport={mountd_port}"))
    for _ in range(int(rounds)):
        for index, way in enumerate(ways):
            mount(DEVICES[device], *way)
            with opened(f"{THERE}/direct", os.O_RDWR | os.O_DIRECT) as file:
                rates["READ"][index].append(calls_a_second(lambda at: os.preadv(file, [page], at), float(seconds)))
                rates["WRITE"][index].append(calls_a_second(lambda at: os.pwritev(file, [page], at), float(seconds)))
            guest.unmount(THERE)
    for operation, (ours, nfsd) in rates.items():
        say(device, "Linux", operation, statistics.median(ours), statistics.median(nfsd))


def mountd_port():
    for line in servers.call("rpcinfo", "-p", "127.0.0.1").splitlines():
        words = line.split()
        if words[:3] == ["100005", "3", "tcp"]:
            return words[3]
    raise servers.Failed("mountd is not registered")


def main():
    helio, seconds, rounds = sys.argv[1:]
    servers.make_export()
    with open(f"{servers.EXPORT}/direct", "wb") as file:
        file.write(noise(FILE_SIZE))
    nfsd, ours = servers.KernelServer(), servers.HelioServer(helio, OUR_NFS, OUR_RDMA)
    try:
        nfsd.start()
        ours.start()
        for device in DEVICES:
            by_helio(helio, device, seconds, rounds)
            by_linux(device, seconds, rounds, mountd_port())
        ours.stop()
        nfsd.stop()
    except servers.Failed as why:
        print(why, servers.call("tail", "-n", "20", servers.LOG), "\n".join(servers.call("dmesg").splitlines()[-20:]), sep="\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
