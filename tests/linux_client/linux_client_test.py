#!/usr/bin/env python3
"""helio serve, mounted by Linux's own NFS client: all versions, both back ends, all ways to squash, restarts, and two clients.

Usage: linux_client_test.py PATH_TO_HELIO [PART OF A TEST'S NAME]…

The client runs in user-mode-linux (lab.py), which needs root and /dev/net/tun; without them this says so and passes.
What is checked is in checks.py, work.py, restart.py, several_exports.py and two_guests. In all tests of version 4, observer.py
checks the status of each operation, too. Takes about six minutes on two cores.

A guest has one processor and often waits for the disk, so LABS of them work side by side: this program starts itself so many
times, each in namespaces of its own, and each takes the next test when it has done one.
"""
import grp
import io
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "two_guests"), str(HERE.parent / "explain")]
import exclusion  # noqa: E402
import frozen  # noqa: E402
import lab as kernel_lab  # noqa: E402
import lock_checks  # noqa: E402
import observer  # noqa: E402
import reclaim  # noqa: E402
import restart  # noqa: E402
import several_exports  # noqa: E402
import sqlite_work  # noqa: E402
from check_read_only import PREPARED  # noqa: E402
from explain_command import explain, not_understood, unnamed  # noqa: E402
from machines import Machines  # noqa: E402
from nfs4_filters_test import Filters  # noqa: E402
from patience import PATIENCE_S  # noqa: E402
from with_tshark import Messages, SameAsTshark  # noqa: E402

ROOT = HERE.parents[1]
SOURCES = [ROOT / "schema", ROOT / "docs"]
LABS = 2
GUESTS = 2  # in one lab, at most
UNPRIVILEGED_UID = 65533  # unused, and not the 65534 of squashing
RESTARTS = {False: 50, True: 20}  # without privileges and with: the index is the harder way back to a file
TRANSACTIONS = 200  # of each guest, and of a program on the server
RESTARTS_WITH_LOCKS = 100
LEASE_S = 10  # the shortest
# Checks for a capture: a few hundred calls, with most operations, and names of all bytes.
CAPTURED_CHECKS = ("errors_of", "odd_names_keep", "a_symlink_holds", "o_excl_creates", "chmod_sets", "special_files", "statfs", "extended")
LOCK = "import fcntl; file = open('locked', 'w'); fcntl.lockf(file, fcntl.LOCK_EX); fcntl.lockf(file, fcntl.LOCK_UN)"
SHARES_NOTHING = {4.2: "nosharecache,noac,lookupcache=none", 4.1: "nosharecache,noac,lookupcache=none",
                  3: "nosharecache,noac,lookupcache=none,nordirplus", 2: "nosharecache,noac,lookupcache=none"}

LONGEST = ("hold_locks", "work_in_a_directory", "of_a_directory", "checks_without", "again_without", "in_memory")  # begin with these
WORKER = "--take-tests-from"  # how the program starts itself: then a pipe's descriptor, then the tests to choose from

HELIO = ""
running_labs = {}


def guest(number=0):
    """The lab of all tests. A test that broke it has ended it, and the next gets a new one."""
    if number not in running_labs:
        lab = kernel_lab.Lab(number=number)
        lab.__enter__()
        running_labs[number] = lab
    return running_labs[number]


def end_guests():
    while running_labs:
        running_labs.popitem()[1].__exit__()


class Serving:
    """helio serve with a directory of its own, and what is mounted from it."""
    next_port = 2049

    def __init__(self, backend="posix", squash="none", privileged=True, read_only=False, flags=()):
        self.backend, self.squash, self.privileged, self.read_only = backend, squash, privileged, read_only
        self.flags = flags
        self.observer = None

    def __enter__(self):
        self.lab = guest()
        self.began = time.monotonic()
        self.folder = tempfile.TemporaryDirectory(prefix="kernel-test-")
        folder = pathlib.Path(self.folder.name)
        folder.chmod(0o755)
        port = Serving.next_port
        Serving.next_port += 1
        self.server = kernel_lab.Server(self.command(folder, f"{self.lab.address}:{port}"), self.lab.address, port)
        try:
            self.server.start()
        except BaseException:
            self.folder.cleanup()
            raise
        return self

    def command(self, folder, where):
        """Prepares the folder; the command that serves it."""
        export, state, program = folder / "export", folder / "state", folder / "helio"
        self.export = export
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
        command += [program, "serve", "--listen", where, "--ro" if self.read_only else "--rw",
                    "--state", state, *self.flags]
        for number in range(GUESTS):
            command += ["--allow", f"{kernel_lab.addresses(number)[1]}/32"]
        if self.privileged:
            command += ["--squash", self.squash]
        return [*command, "memory:" if self.backend == "memory" else export]

    def __exit__(self, kind, why, _):
        try:
            for lab in running_labs.values():
                lab.unmount_all()
            if kind is None:
                self.observed()
        except (OSError, kernel_lab.Failed):
            end_guests()
            if kind is None:
                raise
        finally:
            if self.observer:
                self.observer.__exit__()
            self.server.__exit__()
            self.folder.cleanup()

    def observe(self):
        """Before the first mount of version 4."""
        if not self.observer:
            self.observer = observer.Observer(HELIO, self.server.port).__enter__()

    def observed(self):
        """Fails if a status was wrong up to now; what was seen, in words."""
        return self.observer.check() if self.observer else ""

    def mount(self, vers, name="", options=""):
        if vers >= 4:
            self.observe()
        return self.lab.mount(self.server.port, vers, name=name or f"v{vers}", options=options)

    def mount_with(self, command):
        """With a command that does not choose version 2 or 3."""
        self.observe()
        return self.lab.mount_with(command, "as-told")

    def command_for(self, client):
        """The mount command for a client, "Linux" or "NFS 3", in the start text."""
        deadline = time.monotonic() + kernel_lab.PATIENCE_S
        while "\nReady." not in self.server.said() and time.monotonic() < deadline:
            time.sleep(0.01)  # it answers a little earlier than it says so
        return re.search(rf"^ +{client} +sudo (mount .*)$", self.server.said(), re.MULTILINE)[1]

    def mount_with_options(self, options):
        """Like the command for Linux, with more options."""
        self.observe()
        command = f"mount -t nfs -o port={self.server.port},{options} {self.lab.address}:/ /mnt"
        return self.lab.mount_with(command, "with-options")

    def machines(self, vers):
        """Two guests with the export mounted, and this side. The second guest is started if there is none yet."""
        other = guest(1)
        return Machines({"first": self.lab, "second": other, "server": None},
                        {"first": self.mount(vers), "second": other.mount(self.server.port, vers, name=f"v{vers}"),
                         "server": self.export}, self.callbacks_answered)

    def metric(self, name):
        where = re.search(r"Metrics: (http://\S+)", self.server.said())[1]
        with urllib.request.urlopen(where, timeout=PATIENCE_S) as page:
            return int(re.search(rf"^{name} (\d+)$", page.read().decode(), re.M)[1])

    def callbacks_answered(self):
        """By the clients, since the server was started."""
        return self.metric("helio_nfs4_callbacks_answered_total")

    def mount_second(self, vers):
        return self.mount(vers, f"v{vers}-second", SHARES_NOTHING[vers])


class ServingSeveral(Serving):
    """helio serve with the exports of several_exports.py."""

    def command(self, folder, where):
        config = several_exports.configure(folder, several_exports.EXPORTS)
        return [HELIO, "serve", "--listen", where, "--state", folder / "state", "--no-sandbox", "--config", config]

    def __exit__(self, *why):
        try:
            self.lab.unmount_all(lazy=True)  # with the exports, which the kernel has mounted in there
        finally:
            super().__exit__(*why)

    def replace(self, gone, new):
        """Another configuration, and SIGHUP."""
        names = [name for name in several_exports.EXPORTS if name != gone]
        several_exports.configure(pathlib.Path(self.folder.name), [*names, new])
        self.server.process.send_signal(signal.SIGHUP)


class Kernel(SameAsTshark, Filters, unittest.TestCase):
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
        if observed := serving.observed():
            print(f"{self._testMethodName}: {observed}", flush=True)

    def run_checks(self, serving, vers, *words, second=True):
        words = [sys.executable, HERE / "checks.py", "--vers", vers, "--times", *words]
        there = serving.mount(vers)
        if second:
            words += ["--second", serving.mount_second(vers)]
        self.accept(f"checks, version {vers}", serving, serving.lab.run(words, there))
        return there

    def test_checks_of_a_directory_with_no_version_option(self):
        with Serving() as serving:
            self.assertNotIn("vers", serving.command_for("Linux"))
            there = serving.mount_with(serving.command_for("Linux"))
            second = serving.mount_with_options(SHARES_NOTHING[4.2])
            for target in (there, second):
                self.assertEqual(serving.lab.options_of(target)["vers"], "4.2", "the client begins with 4.2, and stays with it")
            words = [sys.executable, HERE / "checks.py", "--vers", 4.2, "--times", "--second", second]
            self.accept("checks, no version option", serving, serving.lab.run(words, there))

    def test_mount_chooses_a_version(self):
        with Serving() as serving:
            there = serving.lab.mount_with(serving.command_for("NFS 3"), "as-told")
            self.assertEqual(serving.lab.options_of(there)["vers"], "3")
            serving.lab.unmount_all()
            self.assertEqual(serving.lab.options_of(serving.mount_with_options("vers=4"))["vers"], "4.2")
            serving.lab.unmount_all()
            with self.assertRaisesRegex(kernel_lab.Failed, "(?i)protocol not supported|incorrect mount option"):
                serving.mount_with_options("vers=4.0")
            self.accept("versions", serving, (0, "each as it should be", ""))

    def test_owners_by_name(self):
        # Without an idmapd.conf, nfsidmap(8) in the guest has this domain.
        with Serving(flags=["--domain", "localdomain"]) as serving:
            there = self.run_checks(serving, 4.2, "--only", "check_identity")
            for name, uid, gid in (("known", pwd.getpwnam("daemon").pw_uid, grp.getgrnam("mail").gr_gid),
                                   ("unknown", UNPRIVILEGED_UID, UNPRIVILEGED_UID)):
                (serving.export / name).touch()
                os.chown(serving.export / name, uid, gid)
                listed = serving.lab.run(["stat", "-c", "%u:%g", f"{there}/{name}"])
                self.assertEqual(listed, (0, f"{uid}:{gid}\n", ""), name)

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

    def test_several_exports_below_one_mount(self):
        for vers in (4.2, 4.1):
            with self.subTest(vers=vers), ServingSeveral() as serving:
                there = serving.mount(vers, options="actimeo=1")
                words = [sys.executable, HERE / "several_exports.py", "guest"]
                self.accept(f"several exports, version {vers}", serving, serving.lab.run(words, there))
                if vers == 4.1:  # once is enough
                    continue
                serving.replace("fixed", several_exports.LATE)
                self.accept("a reload", serving, serving.lab.run([*words, several_exports.LATE], there))

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

    def test_several_connections_version_4_1(self):
        """The client finds out that all of them lead to one server, and uses one session over all."""
        with Serving() as serving:
            there = serving.mount(4.1, "trunked", "nconnect=4,trunkdiscovery")
            words = [sys.executable, HERE / "checks.py", "--vers", 4.1, "--times", "--only", "check_data"]
            self.accept("checks with nconnect=4", serving, serving.lab.run(words, there))
            self.assertEqual(serving.metric("helio_connections"), 4)

    def test_a_capture_is_read_as_by_tshark_version_4_2(self):
        """The same calls, replies and operations, and no byte without a name. Filters find what they should."""
        for program in ("tshark", "dumpcap"):
            if not shutil.which(program):
                self.skipTest(f"{program} is not installed")
        with Serving() as serving:
            capture = pathlib.Path(serving.folder.name) / "capture"
            answer = self.capture(serving, 4.2, capture)
            theirs = Messages(capture, serving.server.port)
            self.assertEqual(self.assert_same_messages(theirs, answer), set(), "messages that tshark does not see")
            self.assertEqual((answer.ledger["calls"], answer.ledger["replies"]), (theirs.total(True), theirs.total(False)))
            self.assert_same_operations(theirs, answer)
            self.assertEqual((not_understood(answer), unnamed(HELIO, capture)), ([], []))
            filters = self.check_filters(HELIO, capture, ["args"])  # results: tests/explain/nfs4_filters_test.py
            count = sum(len(operations) for (_, call), operations in theirs.operations.items() if call)
            self.accept("a capture", serving, (0, f"{theirs.total(True)} calls with {count} operations, {filters} filters", ""))

    def capture(self, serving, vers, path):
        """From the mount to the end of the session; what `helio explain` says about it."""
        with kernel_lab.Capture(serving.lab, serving.server.port, path):
            there = serving.mount(vers)
            words = [sys.executable, HERE / "checks.py", "--vers", vers]
            for name in CAPTURED_CHECKS:
                words += ["--only", name]
            self.accept("checks to capture", serving, serving.lab.run(words, there))
            self.assertEqual(serving.lab.run([sys.executable, "-c", LOCK], there), (0, "", ""))
            serving.lab.unmount_all()
            deadline = time.monotonic() + kernel_lab.PATIENCE_S
            while True:
                answer = explain(HELIO, str(path))
                if any("DESTROY_CLIENTID" in one.get("operations", ()) and "missing" not in one for one in answer.exchanges):
                    break
                self.assertLess(time.monotonic(), deadline, "the end of the session is never written to the capture")
                time.sleep(0.1)
        return explain(HELIO, str(path))

    def test_locks_of_two_guests_version_4_2(self):
        with Serving() as serving, serving.machines(4.2) as machines:
            self.accept("locks", serving, lock_checks.run_all(machines))

    def test_two_guests_use_a_database_version_4_2(self):
        with Serving() as serving, serving.machines(4.2) as machines:
            self.accept("SQLite", serving, sqlite_work.use_at_once(machines, TRANSACTIONS))

    def test_a_killed_process_leaves_no_hidden_file_version_4_2(self):
        with Serving() as serving, serving.machines(4.2) as machines:
            one = machines.start("first")
            one("open", "unlinked")
            one("write", "content")
            machines.start("second")("unlink", "unlinked")
            self.assertEqual(one("read"), "content")
            self.assertEqual(os.listdir(serving.export), [])
            one.kill()
            self.assertEqual(os.listdir(serving.export), [])
            self.accept("unlinked", serving, (0, "nothing is left", ""))

    def test_a_guest_of_two_freezes_past_its_lease_version_4_2(self):
        with Serving(flags=["--lease", LEASE_S]) as serving, serving.machines(4.2) as machines:
            self.accept("frozen", serving, frozen.past_the_lease(machines, LEASE_S))

    def test_killed_while_two_guests_hold_locks_version_4_2(self):
        with Serving() as serving, serving.machines(4.2) as machines:
            result = exclusion.kill_often(serving.server, machines, RESTARTS_WITH_LOCKS)
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
        end_guests()
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
