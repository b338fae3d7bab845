"""What attackers and victims find in an export. Not a test itself."""
import os

import threading

COLD_FILES = 4
LISTING = "listing"
TARGET = "target"  # what attackers write to
DROP_INTERVAL_S = 0.05


def cold(number):
    return f"cold-{number}"


def furnish(folder, names, cold_bytes=1 << 20):
    """Files of so many bytes each, a directory of so many names, and a file that may be written."""
    block = os.urandom(1 << 20)
    for number in range(COLD_FILES):
        # Real bytes: to read a hole takes no disk, so no file system ever makes its reader wait for it.
        with open(folder / cold(number), "wb") as file:
            for _ in range(cold_bytes // len(block)):
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
    (folder / TARGET).write_bytes(bytes(4096))
    listing = folder / LISTING
    listing.mkdir()
    for number in range(names):
        os.close(os.open(listing / f"a-name-of-usual-length-{number:06}", os.O_CREAT | os.O_WRONLY, 0o644))


class KeptCold:
    """Drops the files from the page cache again and again, as if they were larger than memory."""

    def __init__(self, folder):
        self.files = [open(folder / cold(number), "rb") for number in range(COLD_FILES)]
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.drop)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        for file in self.files:
            file.close()

    def drop(self):
        while True:
            for file in self.files:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            if self.over.wait(DROP_INTERVAL_S):
                return
