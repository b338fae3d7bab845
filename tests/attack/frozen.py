"""A file system that can be made to stop answering: ext4 in a file, mounted, and fsfreeze. Not a test itself."""
import os
import pathlib
import subprocess
import sys
import tempfile

import export

IMAGE_SIZE = 64 << 20
MARK = "HELIO_ATTACK_MOUNTS"


def own_mounts():
    """Starts the program again where its mounts are its own; returns in there, or where that is not permitted."""
    command = ["unshare", "--mount", "--propagation", "private"]
    if os.environ.get(MARK) or os.geteuid() != 0 or subprocess.run([*command, "true"], capture_output=True).returncode != 0:
        return
    os.environ[MARK] = "1"
    sys.stdout.flush()
    os.execvp(command[0], [*command, sys.executable, *sys.argv])


class NoFrozenFileSystem(Exception):
    """It cannot be made here, and why."""


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise NoFrozenFileSystem(f"{words[0]}: {done.stderr.strip()}")


class FileSystem:
    """`folder` is its root, which has what attackers write to. It answers until `freeze` and again from `thaw`."""

    def __init__(self, where="/var/tmp"):
        self.where, self.frozen, self.mounted = where, False, False

    def __enter__(self):
        if os.geteuid() != 0:
            raise NoFrozenFileSystem("mounts need root")
        self.temporary = tempfile.TemporaryDirectory(prefix="helio-frozen-", dir=self.where)
        base = pathlib.Path(self.temporary.name)
        self.folder = base / "root"
        try:
            self.folder.mkdir()
            with open(base / "image", "wb") as image:
                image.truncate(IMAGE_SIZE)
            run("mkfs.ext4", "-q", "-F", base / "image")
            run("mount", "-o", "loop", base / "image", self.folder)
            self.mounted = True
        except BaseException:
            self.__exit__()
            raise
        self.folder.chmod(0o777)
        (self.folder / export.TARGET).write_bytes(bytes(4096))
        (self.folder / export.TARGET).chmod(0o666)
        return self

    def __exit__(self, *_):
        if self.frozen:
            self.thaw()
        if self.mounted:
            run("umount", self.folder)
        self.temporary.cleanup()

    def freeze(self):
        run("fsfreeze", "--freeze", self.folder)
        self.frozen = True

    def thaw(self):
        run("fsfreeze", "--unfreeze", self.folder)
        self.frozen = False
