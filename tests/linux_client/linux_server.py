#!/usr/bin/env python3
"""The checks of this folder against Linux's own NFS server, to see that a check asks for what is right.

    linux_server.py [--vers 3|4.1|4.2] [--squash none|root|all] [--read-only] [--tools DIR] [WORD…]

Not part of ./test. Client and server are in one guest; the server exports an ext4 of its own. Needs rpcbind and Debian's
nfs-kernel-server; DIR is where the package was unpacked (`dpkg-deb --extract`) if it is not installed. WORD… goes to checks.py;
`work` runs work.py instead. `locks` runs two_guests/lock_checks.py between two more guests and programs beside the server, and `frozen`
two_guests/frozen.py.
"""
import argparse
import os
import sys

import check_read_only
import lab as kernel_lab
from linux_client_test import HERE, LEASE_S, SHARES_NOTHING, SOURCES  # finds two_guests, too
import frozen
import lock_checks
from machines import Machines

EXPORT = "/run/disk/export"
OPTIONS = {"none": "no_root_squash", "root": "root_squash", "all": "all_squash"}

LOAD_MODULES = f"""
import sys; sys.path.insert(0, {str(HERE)!r})
import guest
guest.load_modules({kernel_lab.MODULES!r}, ["loop", "nfsd"], present=["nfs", "nfsv2", "nfsv3", "nfsv4"])
"""

# An empty nfs.conf, because Debian's has mountd look up groups on the server's side.
START = """
set -eu
export PATH=$1/usr/sbin:$PATH
mkdir -p /run/disk /run/rpcbind /run/lock
mount -t tmpfs -o size=1G tmpfs /run/disk
mount -t tmpfs tmpfs /var/lib/nfs
truncate -s 900M /run/disk/image
mkfs.ext4 -q -F -I 256 /run/disk/image
mkdir /run/disk/export
mount -o loop /run/disk/image /run/disk/export
rmdir /run/disk/export/lost+found
chmod 777 /run/disk/export
touch /run/nfs.conf /var/lib/nfs/etab /var/lib/nfs/rmtab
mount --bind /run/nfs.conf /etc/nfs.conf
mount -t nfsd nfsd /proc/fs/nfsd
rpcbind -w
exportfs -i -o "$2,insecure,no_subtree_check,fsid=0,sync" '*:/run/disk/export'
rpc.mountd 2>/dev/null
mkdir -p /var/lib/nfs/v4recovery
echo $3 >/proc/fs/nfsd/nfsv4leasetime
echo $3 >/proc/fs/nfsd/nfsv4gracetime
rpc.nfsd --nfs-version 3 --nfs-version 4 4
"""


def must(lab, *argv):
    status, out, err = lab.run(argv)
    if status != 0:
        raise kernel_lab.Failed(f"{argv[0]}: {out}{err}")


def start_server(lab, given):
    must(lab, sys.executable, "-c", LOAD_MODULES)
    must(lab, "sh", "-c", START, "start", given.tools, f"{'ro' if given.read_only else 'rw'},{OPTIONS[given.squash]}", str(LEASE_S))
    for name, content in check_read_only.PREPARED.items() if given.read_only else ():
        must(lab, "sh", "-c", f"mkdir -p $(dirname {EXPORT}/{name}); printf %s '{content.decode()}' >{EXPORT}/{name}")


def mount(lab, server, vers, name, options=""):
    """Mounts the export of the server at this address; where it is in the guest."""
    target = f"{kernel_lab.MOUNTS}/{name}"
    data = f"vers={vers},proto=tcp,addr={server},sec=sys,"
    data += f"clientaddr={lab.guest}" if vers > 3 else f"nolock,mountaddr={server},mountproto=tcp,mountvers=3"
    lab.mount_any(f"{server}:{'/' if vers > 3 else EXPORT}", target, "nfs", data + options)
    return target


def run_checks(lab, given, words):
    vers = given.vers
    first, second = (mount(lab, "127.0.0.1", vers, *more) for more in (("first",), ("second", f",{SHARES_NOTHING[vers]}")))
    if words == ["work"]:
        command = [HERE / "work.py", "--vers", vers, "--sources", *SOURCES]
    else:
        command = [HERE / "checks.py", "--vers", vers, "--squash", given.squash, "--second", second, *words]
        command += ["--read-only"] if given.read_only else []
    return lab.run([sys.executable, *command], first, live=lambda _, text: print(text, end="", flush=True))[0]


def run_with_two_guests(server, vers, what, only):
    with kernel_lab.Lab(number=1) as first, kernel_lab.Lab(number=2) as second:
        folders = {name: mount(lab, server.guest, vers, "nfs") for name, lab in (("first", first), ("second", second))}
        with Machines({"first": first, "second": second, "server": server}, {**folders, "server": EXPORT}) as machines:
            if what == "locks":
                status, said, wrong = lock_checks.run_all(machines, only)
            else:
                status, said, wrong = frozen.past_the_lease(machines, LEASE_S)
    print(said + wrong, end="")
    return status


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--vers", type=float, choices=(3, 4.1, 4.2), default=3)
    parser.add_argument("--squash", choices=OPTIONS, default="none")
    parser.add_argument("--read-only", action="store_true")
    parser.add_argument("--tools", default="")
    given, words = parser.parse_known_args()
    if not os.environ.get(kernel_lab.MARK) and (why := kernel_lab.missing()):
        print(f"linux_server: {why}", file=sys.stderr)
        return 125
    kernel_lab.isolate()
    given.vers = 3 if given.vers == 3 else given.vers
    with kernel_lab.Lab(memory="1500M") as lab:
        start_server(lab, given)
        if words[:1] in (["locks"], ["frozen"]):
            return run_with_two_guests(lab, given.vers, words[0], words[1:])
        return run_checks(lab, given, words)


if __name__ == "__main__":
    sys.exit(main())
