"""The server is killed and started again while clients write. They come back by themselves, and nothing that was
acknowledged is lost.
"""
import os

from checking import at_once, equal, noise, opened, read
from servers import wait_until

BLOCK = 50_001
BEFORE, BEHIND = 4, 4  # writes that were acknowledged
RESTARTED = "/run/restarted"


def progress(number):
    return f"/run/acknowledged-{number}"


def acknowledged(number):
    return os.path.getsize(progress(number)) if os.path.exists(progress(number)) else 0


def restart(server, clients):
    """In the process that has the server, while the others write."""
    wait_until(lambda: all(acknowledged(number) >= BEFORE for number in range(clients)), "clients do not write")
    server.restart()
    with open(RESTARTED, "w"):
        pass


def write_and_compare(places):
    for path in (RESTARTED, *(progress(number) for number in range(len(places)))):
        if os.path.exists(path):
            os.unlink(path)
    at_once(len(places), lambda number: write_until_restarted(places[number], number))


def write_until_restarted(place, number):
    """Some writes are stable when they return, others by fsync, whose COMMIT tells of the restart."""
    name, count, behind = f"restart-{number}", 0, 0
    with open(progress(number), "ab", buffering=0) as record, \
            opened(f"{place.there}/{name}", os.O_WRONLY | os.O_CREAT) as lazy, \
            opened(f"{place.there}/{name}", os.O_WRONLY | os.O_DSYNC) as stable:
        while behind < BEHIND:
            was_restarted = os.path.exists(RESTARTED)
            os.pwrite(lazy if count % 2 else stable, noise(BLOCK, seed=count), count * BLOCK)
            if count % 2:
                os.fsync(lazy)
            record.write(b"+")
            count += 1
            behind += was_restarted
    wanted = b"".join(noise(BLOCK, seed=index) for index in range(count))
    equal(read(f"{place.here}/{name}") == wanted, True, f"all {count} blocks are in the export")
    equal(read(f"{place.there}/{name}") == wanted, True, f"all {count} blocks come back")
