"""A network and /run of the test's own, so that rpcbind and NFS-Ganesha find their ports free. Not a test itself.

`isolate()` starts the test again in new namespaces; where that is not permitted it says so and ends the test
as passed, since nothing was found wrong.
"""
import os
import pathlib
import subprocess
import sys

MARK = "HELIO_TEST_ISOLATED"


def skip(why):
    print(f"skipped: {why}", file=sys.stderr)
    sys.exit(0)


def isolate():
    if os.environ.get(MARK):
        # Ganesha resolves its address with AI_ADDRCONFIG, which does not count loopback.
        for words in (["link", "set", "lo", "up"], ["address", "add", "192.0.2.1/32", "dev", "lo"]):
            done = subprocess.run(["ip", *words], capture_output=True, text=True)
            if done.returncode != 0:
                skip(f"ip {' '.join(words)}, in a network of our own: {done.stderr.strip()}")
        return
    command = ["unshare", "--net", "--mount", "--propagation", "private"]
    try:
        probe = subprocess.run([*command, "ip", "link"], capture_output=True, text=True)
    except FileNotFoundError as missing:
        skip(str(missing))
    if probe.returncode != 0:
        skip(f"no network of our own: {probe.stderr.strip()}")
    os.environ[MARK] = "1"
    sys.stdout.flush()
    os.execvp(command[0], [*command, sys.executable, *sys.argv])


def servers():
    """bench/rpc/servers.py, which knows how rpcbind and NFS-Ganesha are started."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench/rpc"))
    import servers as module
    return module
