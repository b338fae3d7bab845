#!/usr/bin/env python3
"""Programs that people use, on an NFS mount; runs as root in the guest, in the mount.

    work.py --vers 3 --sources DIR…

builds a small C project, clones and checks a git repository, and unpacks and synchronizes a tree which is then compared
bit for bit with its source. The tree is made of DIR… and of odd files. Prints `ok NAME` or `FAIL NAME: reason`
for each, then `N passed, N failed`.
"""
import argparse
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import traceback

PROJECT = pathlib.Path(__file__).resolve().parent / "project"
GIT = ["git", "-c", "safe.directory=*", "-c", "user.name=lab", "-c", "user.email=lab@example.org", "-c", "gc.auto=0"]


def run(*words, cwd=None, stdin=""):
    done = subprocess.run([str(word) for word in words], cwd=cwd, input=stdin, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: status {done.returncode}: {(done.stdout + done.stderr)[-600:]}")
    return done.stdout


def forget():
    os.sync()
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")


def equal(got, wanted, what):
    if got != wanted:
        raise AssertionError(f"{what}: got {got!r}, wanted {wanted!r}")


def make_tree(at, sources):
    """The sources, and what they do not have: odd names, links, holes, modes, times."""
    for source in sources:
        shutil.copytree(source, at / pathlib.Path(source).name, symlinks=True)
    odd = at / "odd"
    odd.mkdir()
    (odd / "empty directory").mkdir()
    (odd / "empty file").touch()
    (odd / "two\nlines").write_text("name with a newline")
    (odd / "\u00e9\U0001f600").write_text("name in UTF-8")
    pathlib.Path(os.fsdecode(bytes(odd) + b"/\xff\xfe")).write_text("name in no encoding")
    (odd / ("n" * 255)).write_text("long name")
    (odd / "link").symlink_to("empty file")
    (odd / "dangling").symlink_to("no/where")
    (odd / "one").write_bytes(bytes(range(256)) * 500)
    os.link(odd / "one", odd / "another")
    os.mkfifo(odd / "fifo")
    with open(odd / "sparse", "wb") as file:
        file.seek(30_000_000)
        file.write(b"end")
    for number, mode in enumerate((0o600, 0o444, 0o755, 0o4711, 0o000)):
        path = odd / f"mode-{mode:o}"
        path.write_text("mode")
        path.chmod(mode)
        os.utime(path, ns=(1_000_000_000, (1_000_000_000 + number) * 1_000_000_000 + 123_456_789))
    return at


def described(at, vers):
    """Every path below with all that a copy must keep."""
    found, first_name = {}, {}
    for folder, directories, files in os.walk(os.fsencode(at)):
        for name in sorted(directories + files):
            path = os.path.join(folder, name)
            node = os.lstat(path)
            kind = stat.S_IFMT(node.st_mode)
            if kind == stat.S_IFREG:
                with open(path, "rb") as file:
                    content = file.read()
            else:
                content = os.readlink(path) if kind == stat.S_IFLNK else b""
            # A symlink has its own time; version 2 cannot set it, and keeps microseconds only.
            modified = None if kind == stat.S_IFLNK else node.st_mtime_ns // (1 if vers >= 3 else 1000)
            short = os.path.relpath(path, os.fsencode(at))
            # Identify a linked file by its first name, not by its inode number.
            same = first_name.setdefault(node.st_ino, short) if node.st_nlink > 1 and kind != stat.S_IFDIR else short
            found[short] = (node.st_mode, node.st_uid, node.st_gid, modified, content, same)
    return found


def compare(copy, original, vers):
    forget()
    one, two = described(copy, vers), described(original, vers)
    differing = sorted(path for path in one.keys() | two.keys() if one.get(path) != two.get(path))
    if differing:
        path = differing[0]
        sides = [side and side[:4] + (len(side[4]), side[5]) for side in (one.get(path), two.get(path))]
        raise AssertionError(f"{len(differing)} of {len(two)} paths differ, such as {path}: {sides[0]} and {sides[1]}")


class Work:
    def __init__(self, vers, here, tree):
        self.vers, self.here, self.tree = vers, here, tree

    def build_a_project(self):
        project = self.here / "project"
        shutil.copytree(PROJECT, project)
        run("make", "--jobs=2", cwd=project)
        forget()
        text = "The cat saw the other cat; the end."
        equal(run("./words", cwd=project, stdin=text), "8 words, 5 different, most often 'the'\n", "words")
        equal(run("./words", "--version", cwd=project), "1.0\n", "version")

    def build_again_what_changed(self):
        project = self.here / "project"
        equal(run("make", cwd=project), "make: 'words' is up to date.\n", "make without a change")
        (project / "text.h").touch()
        lines = run("make", "--dry-run", cwd=project).splitlines()
        compiled = sorted(line.split()[-1] for line in lines if " -c " in line)
        equal(compiled, ["reader.c", "text.c"], "compiled again")
        run("make", "clean", cwd=project)
        equal(sorted(path.name for path in project.iterdir()), sorted(path.name for path in PROJECT.iterdir()), "cleaned")

    def clone_and_check(self):
        origin, clone = self.tree.parent / "origin", self.here / "clone"
        shutil.copytree(self.tree, origin, symlinks=True, ignore=shutil.ignore_patterns("fifo", "sparse", "mode-0"))
        run(*GIT, "init", "--quiet", "--initial-branch=main", cwd=origin)
        run(*GIT, "add", "--all", cwd=origin)
        run(*GIT, "commit", "--quiet", "--message=first", cwd=origin)
        run(*GIT, "clone", "--quiet", "--no-local", origin, clone)
        forget()
        run(*GIT, "fsck", "--full", "--strict", cwd=clone)
        equal(run(*GIT, "status", "--porcelain", cwd=clone), "", "status of the clone")

    def commit_and_pack(self):
        clone = self.here / "clone"
        (clone / "odd/one").write_text("changed")
        run(*GIT, "checkout", "--quiet", "-b", "side", cwd=clone)
        run(*GIT, "commit", "--quiet", "--all", "--message=second", cwd=clone)
        run(*GIT, "repack", "-a", "-d", "--quiet", cwd=clone)
        run(*GIT, "checkout", "--quiet", "main", cwd=clone)
        forget()
        run(*GIT, "fsck", "--full", cwd=clone)
        equal(run(*GIT, "log", "--format=%s", "side", cwd=clone), "second\nfirst\n", "log")
        equal(run(*GIT, "status", "--porcelain", cwd=clone), "", "status")

    def unpack_with_tar(self):
        archive, target = self.tree.parent / "tree.tar", self.here / "untarred"
        target.mkdir()
        run("tar", "--create", "--format=posix", "--sparse", "--file", archive, "--directory", self.tree, ".")
        run("tar", "--extract", "--preserve-permissions", "--file", archive, "--directory", target)
        compare(target, self.tree, self.vers)

    def pack_with_tar(self):
        archive, back = self.here / "back.tar", self.tree.parent / "back"
        back.mkdir()
        run("tar", "--create", "--format=posix", "--file", archive, "--directory", self.here / "untarred", ".")
        forget()
        run("tar", "--extract", "--preserve-permissions", "--file", archive, "--directory", back)
        compare(back, self.here / "untarred", self.vers)

    def synchronize(self):
        rsync = ["rsync", "--archive", "--hard-links", "--sparse", "--itemize-changes", "--modify-window=-1"]
        if self.vers == 2:
            rsync[-1] = "--modify-window=1"  # it compares nanoseconds otherwise
        source, target = f"{self.tree}/", f"{self.here}/synchronized/"
        run(*rsync, source, target)
        compare(target, self.tree, self.vers)
        forget()
        equal(run(*rsync, "--checksum", source, target), "", "changes of the second run")

    def remove_it_all(self):
        for name in ("project", "clone", "untarred", "synchronized"):
            shutil.rmtree(self.here / name)
        (self.here / "back.tar").unlink()
        equal(list(self.here.iterdir()), [], "left")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--vers", type=float, choices=(2, 3, 4.1, 4.2), required=True)
    parser.add_argument("--sources", nargs="+", required=True)
    given = parser.parse_args()
    failed = 0
    here = pathlib.Path.cwd() / "work"
    here.mkdir()
    with tempfile.TemporaryDirectory() as local:
        work = Work(given.vers, here, make_tree(pathlib.Path(local) / "tree", given.sources))
        steps = [work.build_a_project, work.build_again_what_changed, work.clone_and_check, work.commit_and_pack,
                 work.unpack_with_tar, work.pack_with_tar, work.synchronize, work.remove_it_all]
        for step in steps:
            began = time.monotonic()
            try:
                step()
                print(f"ok {step.__name__} {time.monotonic() - began:.1f} s", flush=True)
            except Exception as why:  # the next may work
                failed += 1
                place = traceback.extract_tb(why.__traceback__)[-1].lineno
                print(f"FAIL {step.__name__}: {type(why).__name__}: {why} (line {place})", flush=True)
    print(f"{len(steps) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
