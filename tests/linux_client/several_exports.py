"""Several exports of one server, mounted as one: `mount HOST:/` with NFS 4.

In the guest, in the mount: `several_exports.py guest` checks what is there, `several_exports.py guest NAME` waits until NAME is
listed and reads the file `marked` in it. configure() and serve() are the other side, on the host.
"""
import errno
import fcntl
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from patience import PATIENCE_S  # noqa: E402

# Two directories on one file system, so that only the exports tell them apart; one that is read-only, and one for somebody else.
EXPORTS = {"a": "", "b/deep": "", "fixed": "read-only = true\n", "secret": 'allow = ["192.0.2.1"]\n'}
LATE = "late"
TEXT = "from the server\n"


def configure(folder, names):
    """Writes the configuration with these exports, whose directories are in `folder`; its path."""
    text = 'versions = "4.2,4.1,3,2"\nsquash = "none"\nmetrics = "off"\n'
    for name in names:
        path = folder / "exports" / name.replace("/", "-")
        path.mkdir(parents=True, exist_ok=True)
        (path / "marked").write_text(TEXT)
        text += f'\n[[export]]\nname = "{name}"\npath = "{path}"\n{EXPORTS.get(name, "")}'
    (folder / "helio.toml").write_text(text)
    return folder / "helio.toml"


class Checks:
    def __init__(self):
        self.passed, self.failed = 0, 0

    def equal(self, what, got, expected):
        if got == expected:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {what}: {got!r}, not {expected!r}")

    def fails(self, what, error, function, *arguments):
        try:
            function(*arguments)
            self.equal(what, "it succeeded", errno.errorcode[error])
        except OSError as why:
            self.equal(what, errno.errorcode.get(why.errno), errno.errorcode[error])


def create(path):
    with open(path, "x") as file:
        file.write("new")


def locks_from_another_process(path):
    """Whether another process could lock the file."""
    program = "import fcntl,sys; fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    return subprocess.run([sys.executable, "-c", program, path], stderr=subprocess.DEVNULL).returncode == 0


def in_guest():
    checks = Checks()
    top = os.getcwd()
    checks.equal("names", sorted(os.listdir(".")), ["a", "b", "fixed"])
    checks.equal("names below", os.listdir("b"), ["deep"])
    roots = ["a", "b/deep", "fixed"]
    for root in roots:
        checks.equal(f"names in {root}", os.listdir(root), ["marked"])
        checks.equal(f"file in {root}", pathlib.Path(root, "marked").read_text(), TEXT)
    checks.equal("file systems", len({os.stat(path).st_dev for path in [".", *roots]}), 4)
    checks.equal("b is no file system", os.stat("b").st_dev, os.stat(".").st_dev)
    checks.equal("numbers", 0 in [os.stat(path).st_ino for path in [".", "b", *roots]], False)
    checks.equal("space above", os.statvfs(".").f_blocks, 0)
    checks.equal("space in an export", os.statvfs("a").f_blocks > 0, True)
    with open("/proc/mounts") as mounts:
        targets = [line.split()[1] for line in mounts]
    checks.equal("mounts", sorted(target for target in targets if target.startswith(top + "/")),
                 sorted(f"{top}/{root}" for root in roots))

    above = os.stat("b")
    os.chdir("b/deep")
    os.chdir("..")
    checks.equal("cd ..", (os.getcwd(), os.stat(".").st_ino), (f"{top}/b", above.st_ino))
    os.chdir("..")
    checks.equal("cd .. again", sorted(os.listdir(".")), ["a", "b", "fixed"])

    create("a/file")
    checks.fails("rename to another export", errno.EXDEV, os.rename, "a/file", "b/deep/file")
    checks.fails("link to another export", errno.EXDEV, os.link, "a/file", "b/deep/file")
    checks.fails("create in a read-only export", errno.EROFS, create, "fixed/file")
    checks.fails("create above the exports", errno.EROFS, create, "file")
    checks.fails("mkdir above the exports", errno.EROFS, os.mkdir, "b/directory")
    checks.fails("an export of others", errno.ENOENT, os.stat, "secret")
    create("b/deep/locked")
    with open("b/deep/locked", "r+") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        checks.equal("locked", locks_from_another_process("b/deep/locked"), False)
    checks.equal("unlocked", locks_from_another_process("b/deep/locked"), True)
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


def wait_for(name):
    deadline = time.monotonic() + PATIENCE_S
    while name not in os.listdir("."):
        if time.monotonic() > deadline:
            print(f"FAIL {name} never came: {os.listdir('.')}")
            return 1
        time.sleep(0.1)
    checks = Checks()
    checks.equal("file in the new export", pathlib.Path(name, "marked").read_text(), TEXT)
    checks.equal("file in an old one", pathlib.Path("a/file").read_text(), "new")
    checks.fails("file in one that is gone", errno.ENOENT, os.stat, "fixed")
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(wait_for(sys.argv[2]) if len(sys.argv) > 2 else in_guest())
