"""A lock that outlives the server: held by a client of NFS 4, seen by programs on the server, and reclaimed after a SIGKILL.

In the guest, in the mount: `reclaim.py guest` locks the first bytes of the file `held`, and says what it has done after each step;
it goes on when the files WRITE and UNLOCK exist. hold_over_a_restart() is the other side, on the host.
"""
import fcntl
import os
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from patience import PATIENCE_S  # noqa: E402

WRITE, UNLOCK = "/run/reclaim-write", "/run/reclaim-unlock"
BYTES = 10


def wait_for(path):
    deadline = time.monotonic() + PATIENCE_S
    while not os.path.exists(path):
        if time.monotonic() > deadline:
            sys.exit(f"{path} never came")
        time.sleep(0.05)


def in_guest():
    with open("held", "r+") as file:
        fcntl.lockf(file, fcntl.LOCK_EX, BYTES)
        print("locked", flush=True)
        wait_for(WRITE)
        file.write("after")
        file.flush()
        os.fsync(file.fileno())
        print("written", flush=True)
        wait_for(UNLOCK)
        fcntl.lockf(file, fcntl.LOCK_UN, BYTES)
        print("unlocked", flush=True)


def is_locked(path):
    """Whether a program on the server is kept from locking these bytes."""
    with open(path, "r+") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, BYTES)
        except OSError:
            return True
        return False


def hold_over_a_restart(lab, server, there, file):
    """On the host: ([is it locked, after each step], what the guest's program ended with)."""
    said = {word: threading.Event() for word in ("locked", "written", "unlocked")}
    done, heard = [], []

    def hear(_, text):
        heard.append(text)
        for word, event in said.items():
            if word in "".join(heard).split():
                event.set()

    def run():
        try:
            done.append(lab.run([sys.executable, __file__, "guest"], there, live=hear))
        except Exception as why:
            done.append((125, "", str(why)))
        for event in said.values():
            event.set()

    thread = threading.Thread(target=run)
    thread.start()
    seen = []
    said["locked"].wait()
    seen.append(is_locked(file))
    server.restart(quietly=True)
    lab.run(["touch", WRITE])
    said["written"].wait()
    seen.append(is_locked(file))
    lab.run(["touch", UNLOCK])
    said["unlocked"].wait()
    seen.append(is_locked(file))
    thread.join()
    return seen, done[0]


if __name__ == "__main__":
    in_guest()
