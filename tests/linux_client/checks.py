#!/usr/bin/env python3
"""Checks of an NFS mount by Linux's own client; runs as root in the guest, in the mount.

    checks.py --vers 3 [--squash none|root|all] [--unprivileged --server-uid N] [--second DIR] [--stable]
              [--read-only] [--only WORD]…

prints `ok NAME`, `FAIL NAME: reason` or `skip NAME: reason` for each, then `N passed, N failed, N skipped`. The exit
status is 1 when something failed. --second is another mount of the same export, with `nosharecache,noac,lookupcache=none`
(and `nordirplus` for version 3, so that READDIR is called too). --only takes those whose module or name contains WORD.

Every check for version 3 passes on the NFS server of Linux 6.1 with ext4, and on NFS-Ganesha 4.3 with its VFS.
"""
import argparse
import os
import sys
import time
import traceback

import check_data  # noqa: F401  (the order here is the order of the checks)
import check_directories  # noqa: F401
import check_identity  # noqa: F401
import check_names  # noqa: F401
import check_nodes  # noqa: F401
import check_read_only  # noqa: F401
import check_sharing  # noqa: F401
import check_squash  # noqa: F401
import check_times  # noqa: F401
import check_procedures  # noqa: F401  (last: it counts the others' calls)
from checking import CHECKS, Setting, Skip, unsuited


def run(function, s):
    """(word, reason) of one check."""
    why_not = unsuited(function, s)
    if why_not:
        return "skip", why_not
    s.enter(function.__name__)
    try:
        function(s)
        s.leave()
        return "ok", None
    except Skip as why:
        s.leave()
        return "skip", str(why)
    except Exception as why:  # whatever it is, the next check runs
        line = traceback.extract_tb(why.__traceback__)
        place = next((frame for frame in reversed(line) if "/check_" in frame.filename), line[-1])
        return "FAIL", f"{type(why).__name__}: {why} (line {place.lineno}: {place.line})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--vers", type=float, choices=(2, 3, 4.1, 4.2), required=True)
    parser.add_argument("--squash", choices=("none", "root", "all"), default="none")
    parser.add_argument("--unprivileged", dest="privileged", action="store_false")
    parser.add_argument("--server-uid", type=int, default=0, help="whose files they are when the server has no privileges")
    parser.add_argument("--second", help="another mount of the same export")
    parser.add_argument("--stable", action="store_true", help="every WRITE is answered as stable: nothing to COMMIT")
    parser.add_argument("--read-only", action="store_true", help="the export is, and holds check_read_only.PREPARED")
    parser.add_argument("--only", action="append", help="those whose module or name contains this")
    parser.add_argument("--times", action="store_true", help="say how long each took")
    given = parser.parse_args()
    os.umask(0o022)
    s = Setting(given)
    count = {"ok": 0, "FAIL": 0, "skip": 0}
    for function in CHECKS:
        full_name = f"{function.__module__}.{function.__name__}"
        if given.only and not any(word in full_name for word in given.only):
            continue
        began = time.monotonic()
        word, reason = run(function, s)
        count[word] += 1
        taken = f" {time.monotonic() - began:.2f} s" if given.times else ""
        print(f"{word} {function.__name__}{taken}" + (f": {reason}" if reason else ""), flush=True)
    print(f"{count['ok']} passed, {count['FAIL']} failed, {count['skip']} skipped")
    return 1 if count["FAIL"] or not count["ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
