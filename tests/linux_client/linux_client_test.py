#!/usr/bin/env python3
"""helio serve, mounted by Linux's own NFS client: versions 3 and 2, both back ends, all ways to squash, and restarts.

Usage: linux_client_test.py PATH_TO_HELIO [PART OF A TEST'S NAME]…

The client runs in user-mode-linux (lab.py), which needs root and /dev/net/tun; without them this says so and passes.
What is checked is in checks.py, work.py and restart.py. Takes about three minutes on two cores.

A guest has one processor and often waits for the disk, so LABS of them work side by side: this program starts itself so many
times, each in namespaces of its own, and each takes the next test when it has done one.
"""
import io
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import lab as kernel_lab  # noqa: E402
import reclaim  # noqa: E402
import restart  # noqa: E402
from check_read_only import PREPARED  # noqa: E402

ROOT = HERE.parents[1]
SOURCES = [ROOT / "schema", ROOT / "docs"]
LABS = 2
UNPRIVILEGED_UID = 65533  # unused, and not the 65534 of squashing
RESTARTS = {False: 50, True: 20}  # without privileges and with: the index is the harder way back to a file
SHARES_NOTHING = {4.2: "nosharecache,noac,lookupcache=none", 4.1: "nosharecache,noac,lookupcache=none",
                  3: "nosharecache,noac,lookupcache=none,nordirplus", 2: "nosharecache,noac,lookupcache=none"}

LONGEST = ("work_in_a_directory", "of_a_directory", "checks_without", "again_without", "in_memory")  # begin with these
WORKER = "--take-tests-from"  # how the program starts itself: then a pipe's descriptor, then the tests to choose from

HELIO = ""
running_lab = None


def guest():
    """The lab of all tests. A test that broke it has ended it, and the next gets a new one."""
    global running_lab
    if running_lab is None:
        running_lab = kernel_lab.Lab()
        running_lab.__enter__()
    return running_lab


def end_guest():
    global running_lab
    if running_lab is not None:
        running_lab.__exit__()
        running_lab = None


class Serving:
    """helio serve with a directory of its own, and what is mounted from it."""
    next_port = 2049

    def __init__(self, backend="posix", squash="none", privileged=True, read_only=False):
        self.backend, self.squash, self.privileged, self.read_only = backend, squash, privileged, read_only

    def __enter__(self):
        self.lab = guest()
        self.began = time.monotonic()
        self.folder = tempfile.TemporaryDirectory(prefix="kernel-test-")
        folder = pathlib.Path(self.folder.name)
        folder.chmod(0o755)
        export, state, program = folder / "export", folder / "state", folder / "helio"
        for path in (export, state):
            path.mkdir()
        shutil.copy(HELIO, program)  # where a user without rights can read it
        export.chmod(0o777)
        for name, content in (PREPARED.items() if self.read_only else ()):
            (export / name).parent.mkdir(exist_ok=True)
            (export / name).write_bytes(content)
        command = []
        if not self.privileged:
            for path in (export, state):
                os.chown(path, UNPRIVILEGED_UID, UNPRIVILEGED_UID)
            command = ["setpriv", f"--reuid={UNPRIVILEGED_UID}", f"--regid={UNPRIVILEGED_UID}", "--clear-groups",
                       "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
        port = Serving.next_port
        Serving.next_port += 1
        command += [program, "serve", "--listen", f"{self.lab.address}:{port}", "--ro" if self.read_only else "--rw",
                    "--allow", f"{kernel_lab.GUEST}/32", "--state", state, "--versions", "4.2,4.1,3,2"]
        if self.privileged:
            command += ["--squash", self.squash]
        command.append("memory:" if self.backend == "memory" else export)
        self.server = kernel_lab.Server(command, self.lab.address, port)
        try:
            self.server.start()
        except BaseException:
            self.folder.cleanup()
            raise
        return self

    def __exit__(self, kind, why, _):
        try:
            self.lab.unmount_all()
        except (OSError, kernel_lab.Failed):
            end_guest()
            if kind is None:
                raise
        finally:
            self.server.__exit__()
            self.folder.cleanup()

    def mount(self, vers):
        return self.lab.mount(self.server.port, vers, name=f"v{vers}")

    def mount_second(self, vers):
        return self.lab.mount(self.server.port, vers, name=f"v{vers}-second", options=SHARES_NOTHING[vers])


class Kernel(unittest.TestCase):
    def accept(self, what, serving, result):
        """Prints the lines that matter; fails with all that may explain it."""
        status, out, err = result
        lines = (out + err).splitlines()
        bad = [line for line in lines if line.startswith("FAIL ")]
        taken = time.monotonic() - serving.began
        print(f"{self._testMethodName}, {taken:.0f} s: {what}: {lines[-1] if lines else 'nothing was said'}", flush=True)
        if serving.server.process.poll() is not None:
            self.fail(f"the server is gone: {serving.server.process.returncode}\n{serving.server.said()}")
        if status != 0:
            self.fail("\n".join(bad or lines[-30:]) + f"\nThe server said:\n{serving.server.said()}")

    def run_checks(self, serving, vers, *words, second=True):
        words = [sys.executable, HERE / "checks.py", "--vers", vers, "--times", *words]
        there = serving.mount(vers)
        if second:
            words += ["--second", serving.mount_second(vers)]
        self.accept(f"checks, version {vers}", serving, serving.lab.run(words, there))

    def run_work(self, serving, vers):
        words = [sys.executable, HERE / "work.py", "--vers", vers, "--sources", *SOURCES]
        there = serving.mount(vers)
        self.accept(f"work, version {vers}", serving, serving.lab.run(words, there))

    def check_directory(self, vers):
        with Serving() as serving:
            self.run_checks(serving, vers)

    def check_memory(self, vers):
        with Serving("memory") as serving:
            self.run_checks(serving, vers, "--stable")

    def check_without_privileges(self, vers):
        with Serving(privileged=False) as serving:
            self.run_checks(serving, vers, "--unprivileged", "--server-uid", UNPRIVILEGED_UID, "--squash", "all")

    def work_in(self, backend, vers):
        with Serving(backend) as serving:
            self.run_work(serving, vers)

    # The long ones are a test for each version, so that they can be shared out.

    def test_checks_of_a_directory_version_4_2(self):
        self.check_directory(4.2)

    def test_checks_of_a_directory_version_4_1(self):
        self.check_directory(4.1)

    def test_checks_in_memory_version_4_1(self):
        self.check_memory(4.1)

    def test_checks_without_privileges_version_4_2(self):
        self.check_without_privileges(4.2)

    def test_work_in_a_directory_version_4_2(self):
        self.work_in("posix", 4.2)

    def test_checks_of_a_directory_version_3(self):
        self.check_directory(3)

    def test_checks_of_a_directory_version_2(self):
        self.check_directory(2)

    def test_checks_in_memory_version_3(self):
        self.check_memory(3)

    def test_checks_in_memory_version_2(self):
        self.check_memory(2)

    def test_checks_without_privileges_version_3(self):
        self.check_without_privileges(3)

    def test_checks_without_privileges_version_2(self):
        self.check_without_privileges(2)

    def test_work_in_a_directory_version_3(self):
        self.work_in("posix", 3)

    def test_work_in_a_directory_version_2(self):
        self.work_in("posix", 2)

    def test_work_in_memory_version_3(self):
        self.work_in("memory", 3)

    def test_squashing(self):
        for backend in ("posix", "memory"):
            for squash in ("root", "all"):
                for vers in (3, 2):
                    with self.subTest(backend=backend, squash=squash, vers=vers), Serving(backend, squash) as serving:
                        self.run_checks(serving, vers, "--squash", squash, "--only", "check_squash", second=False)

    def test_read_only(self):
        for vers in (3, 2):
            with self.subTest(vers=vers), Serving(read_only=True) as serving:
                self.run_checks(serving, vers, "--read-only", second=False)

    def kill_often(self, vers, privileged):
        with Serving(privileged=privileged) as serving:
            there = serving.mount(vers)
            result = restart.kill_often(serving.lab, serving.server, there, RESTARTS[privileged])
            for line in result[1].splitlines():
                print(f"{self._testMethodName}: {line}", flush=True)
            self.accept("restarts", serving, result)

    def test_a_lock_is_reclaimed_version_4_1(self):
        with Serving() as serving:
            file = pathlib.Path(serving.folder.name) / "export" / "held"
            file.write_text("before")
            there = serving.mount(4.1)
            locked, result = reclaim.hold_over_a_restart(serving.lab, serving.server, there, file)
            self.accept("reclaim", serving, result)
            self.assertEqual(locked, [True, True, False], "locked for others: held, after the restart, unlocked")
            self.assertEqual(file.read_text(), "aftere")

    def test_killed_again_and_again_version_4_2(self):
        self.kill_often(4.2, privileged=True)

    def test_killed_again_and_again(self):
        self.kill_often(3, privileged=True)

    def test_killed_again_and_again_without_privileges(self):
        self.kill_often(3, privileged=False)


class Queue(unittest.TestSuite):
    """Tests of a list that several processes share: whoever reads a byte from the pipe has the test of that number."""

    def __init__(self, pipe, names):
        super().__init__()
        self.pipe, self.names, self._cleanup = pipe, names, False

    def __iter__(self):
        while number := os.read(self.pipe, 1):
            yield Kernel(self.names[number[0]])


def run_worker(pipe, names):
    """In namespaces of its own: tests until there are no more. What unittest says comes in one piece at the end."""
    kernel_lab.isolate()
    said = io.StringIO()
    try:
        result = unittest.TextTestRunner(said, verbosity=0).run(Queue(pipe, names))
    finally:
        end_guest()
        print(said.getvalue(), end="", file=sys.stderr, flush=True)
    return 0 if result.wasSuccessful() else 1


def chosen(words):
    """The tests whose names contain one of the words, all when there are none; the longest first."""
    names = unittest.defaultTestLoader.getTestCaseNames(Kernel)
    rank = {name: number for number, name in enumerate(name for long in LONGEST for name in names if long in name)}
    return sorted((name for name in names if not words or any(word in name for word in words)),
                  key=lambda name: rank.get(name, len(names)))


def share_out(names):
    """Runs the tests; the status."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    reading, writing = os.pipe()
    os.write(writing, bytes(range(len(names))))
    os.close(writing)
    command = [sys.executable, __file__, HELIO, WORKER, str(reading), *names]
    workers = [subprocess.Popen(command, pass_fds=[reading]) for _ in range(min(LABS, len(names)))]
    try:
        statuses = [worker.wait() for worker in workers]
        return 0 if statuses == [0] * len(workers) else 1
    finally:
        for worker in workers:
            worker.kill()  # unshare(1) takes all that is in the namespaces with it


def main():
    global HELIO
    HELIO, *words = sys.argv[1:]
    if words[:1] == [WORKER]:
        return run_worker(int(words[1]), words[2:])
    if why := kernel_lab.missing():
        print(f"skipped: {why}", file=sys.stderr)
        return 0
    began = time.monotonic()
    names = chosen(words)
    if not names:
        print(f"no test is called {' or '.join(words)}", file=sys.stderr)
        return 2
    status = share_out(names)
    print(f"{time.monotonic() - began:.0f} s")
    return status


if __name__ == "__main__":
    sys.exit(main())
