#!/usr/bin/env python3
"""The checks of this folder against Linux's own NFS server, to see that a check asks for what is right.

    linux_server.py [--squash none|root|all] [--read-only] [--tools DIR] [WORD…]

Not part of ./test. Client and server are in one guest; the server exports an ext4 of its own. Debian's kernel for
user-mode-linux serves version 3 only. Needs rpcbind and Debian's nfs-kernel-server; DIR is where the package was unpacked
(`dpkg-deb --extract`) if it is not installed. WORD… goes to checks.py; `work` runs work.py instead.
"""
import argparse
import os
import sys

import check_read_only
import lab as kernel_lab
from linux_client_test import HERE, SHARES_NOTHING, SOURCES

EXPORT = "/run/disk/export"
OPTIONS = {"none": "no_root_squash", "root": "root_squash", "all": "all_squash"}

LOAD_MODULES = f"""
import sys; sys.path.insert(0, {str(HERE)!r})
import guest
guest.load_modules({kernel_lab.MODULES!r}, ["loop", "nfsd"], present=["nfs", "nfsv3"])
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
exportfs -i -o "$2,insecure,no_subtree_check,fsid=1,sync" '*:/run/disk/export'
rpc.mountd --nfs-version 3 2>/dev/null
rpc.nfsd --nfs-version 3 4
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--squash", choices=OPTIONS, default="none")
    parser.add_argument("--read-only", action="store_true")
    parser.add_argument("--tools", default="")
    given, words = parser.parse_known_args()
    if not os.environ.get(kernel_lab.MARK) and (why := kernel_lab.missing()):
        print(f"linux_server: {why}", file=sys.stderr)
        return 125
    kernel_lab.isolate()
    with kernel_lab.Lab(memory="1500M") as lab:
        def must(*argv):
            status, out, err = lab.run(argv)
            if status != 0:
                raise kernel_lab.Failed(f"{argv[0]}: {out}{err}")

        must(sys.executable, "-c", LOAD_MODULES)
        must("sh", "-c", START, "start", given.tools, f"{'ro' if given.read_only else 'rw'},{OPTIONS[given.squash]}")
        for name, content in check_read_only.PREPARED.items() if given.read_only else ():
            must("sh", "-c", f"mkdir -p $(dirname {EXPORT}/{name}); printf %s '{content.decode()}' >{EXPORT}/{name}")
        data = "vers=3,proto=tcp,addr=127.0.0.1,nolock,mountaddr=127.0.0.1,mountproto=tcp,mountvers=3"
        first, second = f"{kernel_lab.MOUNTS}/first", f"{kernel_lab.MOUNTS}/second"
        lab.mount_any(f"127.0.0.1:{EXPORT}", first, "nfs", data)
        lab.mount_any(f"127.0.0.1:{EXPORT}", second, "nfs", f"{data},{SHARES_NOTHING[3]}")
        if words == ["work"]:
            command = [HERE / "work.py", "--vers", "3", "--sources", *SOURCES]
        else:
            command = [HERE / "checks.py", "--vers", "3", "--squash", given.squash, "--second", second, *words]
            command += ["--read-only"] if given.read_only else []
        return lab.run([sys.executable, *command], first, live=lambda _, text: print(text, end="", flush=True))[0]


if __name__ == "__main__":
    sys.exit(main())
