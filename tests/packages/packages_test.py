#!/usr/bin/env python3
"""The packages of packaging/build: built, judged by lintian, and used in a fresh Debian 12 that has nothing else.

Usage: packages_test.py. The Debian system is made once by debootstrap and kept in build/packages/debian-12; each run works on a copy. So
are the packages of Debian that ours need, in build/packages/downloaded.
Parts that this machine cannot run (debootstrap needs root and a network, the container podman) are skipped, aloud.
"""
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parent)]
from patience import PATIENCE_S  # noqa: E402
from reference_pages import header_pages  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "build/packages"
BASE = OUT / "debian-12"
DOWNLOADED = OUT / "downloaded"
PACKAGES = {"heliograph", "libheliograph0.1", "libheliograph-dev", "heliograph-doc"}


def run(*command, **more):
    return subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=PATIENCE_S, check=False, **more)


def debs():
    return sorted(OUT.glob("*.deb"))


def deb(name):
    return next(file for file in debs() if file.name.startswith(name + "_"))


def files_of(name):
    listed = run("dpkg-deb", "--contents", deb(name)).stdout
    return [line.split()[5].removeprefix(".") for line in listed.splitlines()]


def setUpModule():
    done = run(ROOT / "packaging/build")
    if done.returncode != 0:
        raise RuntimeError(done.stdout)


class Packages(unittest.TestCase):
    def test_there_are_four(self):
        self.assertEqual({file.name.split("_")[0] for file in debs()}, PACKAGES)

    def test_lintian_has_nothing_to_say(self):
        done = run("lintian", "--allow-root", "--fail-on", "error,warning", "--suppress-tags", "initial-upload-closes-no-bugs", *debs())
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_files_are_where_debian_has_them(self):
        self.assertIn("/usr/bin/helio", files_of("heliograph"))
        for file in ("man/man1/helio-serve.1.gz", "bash-completion/completions/helio", "zsh/vendor-completions/_helio",
                     "fish/vendor_completions.d/helio.fish"):
            self.assertIn("/usr/share/" + file, files_of("heliograph"))
        multiarch = run("dpkg-architecture", "-qDEB_HOST_MULTIARCH").stdout.strip()
        development = files_of("libheliograph-dev")
        for file in ("libhelio_xdr.a", "libheliograph.so", "cmake/heliograph/heliographConfig.cmake", "pkgconfig/heliograph-codec.pc"):
            self.assertIn(f"/usr/lib/{multiarch}/{file}", development)
        self.assertIn(f"/usr/lib/{multiarch}/libheliograph.so.0.1", files_of("libheliograph0.1"))
        self.assertEqual([file for file in development if file.endswith("_internal.h")], [])

    def test_every_installed_header_has_a_page(self):
        include = "/usr/include/heliograph/"
        headers = {file.removeprefix(include) for file in files_of("libheliograph-dev")
                   if re.match(include + r"(helio|schema/builtin).*\.h$", file)}
        with tempfile.TemporaryDirectory() as folder:
            run("dpkg-deb", "--extract", deb("heliograph-doc"), folder)
            self.assertEqual(set(header_pages(folder + "/usr/share/doc/heliograph/reference")), headers)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_systemd_accepts_the_units(self):
        with tempfile.TemporaryDirectory() as folder:
            run("dpkg-deb", "--extract", deb("heliograph"), folder)
            for kind, unit in (("system", "helio.service"), ("system", "helio.socket"), ("user", "helio.service")):
                path = next(pathlib.Path(folder).glob(f"**/systemd/{kind}/{unit}"))
                # The program is not installed on this machine: name the one in the folder.
                path.write_text(path.read_text("utf-8").replace("=/usr/bin/helio", f"={folder}/usr/bin/helio"), "utf-8")
                mode = ["--user"] if kind == "user" else []
                done = run("systemd-analyze", *mode, "verify", "--man=no", path, env={**os.environ, "XDG_RUNTIME_DIR": folder})
                ours = [line for line in done.stdout.splitlines() if "helio" in line]
                self.assertEqual((done.returncode, ours), (0, []), done.stdout)


def make_base():
    """An error text, or None: the Debian system is there."""
    if (BASE / "etc/debian_version").exists():
        return None
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        return "debootstrap needs root"
    made = BASE.with_suffix(".new")
    shutil.rmtree(made, ignore_errors=True)
    done = run("debootstrap", "--variant=minbase", "bookworm", made)
    if done.returncode != 0:
        return "debootstrap failed: " + done.stdout[-500:]
    made.rename(BASE)
    return None


class FreshDebian(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if problem := make_base():
            raise unittest.SkipTest(problem)
        cls.tree = OUT / "tree"
        cls.remove_tree()
        subprocess.run(["cp", "-a", BASE, cls.tree], check=True)
        shutil.copy("/etc/resolv.conf", cls.tree / "etc/resolv.conf")
        cls.mounts = []
        for name in ("proc", "dev"):
            if run("mount", "--bind", f"/{name}", cls.tree / name).returncode == 0:
                cls.mounts.append(cls.tree / name)

    @classmethod
    def tearDownClass(cls):
        for one in reversed(cls.mounts):
            run("umount", one)
        cls.remove_tree()

    @classmethod
    def remove_tree(cls):
        # Never through a mount that is left: rm stays on one file system.
        subprocess.run(["rm", "-rf", "--one-file-system", str(cls.tree)], check=False)

    def inside(self, *command, user="root"):
        identity = ["--userspec", user] if user != "root" else []
        return run("chroot", *identity, self.tree, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/tmp", "LC_ALL=C.UTF-8", *command)

    def serve(self, *helio):
        """Runs `helio serve memory:` as nobody, and asks it for its programs."""
        server = subprocess.Popen(["chroot", "--userspec", "65534:65534", str(self.tree), "env", "-i", "HOME=/tmp", *helio, "serve",
                                   "--listen", "127.0.0.1:0", "--metrics", "off", "memory:"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            said = []
            while not (where := re.search(r"127\.0\.0\.1:(\d+)", "".join(said))):
                line = server.stdout.readline()
                self.assertNotEqual(line, "", "".join(said))
                said.append(line)
            done = self.inside(*helio, "call", f"127.0.0.1:{where[1]}", "mount.EXPORT")
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("ex_dir", done.stdout)
            server.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(timeout=PATIENCE_S), 0)
        finally:
            server.kill()
            server.wait()
            server.stdout.close()

    def test_1_the_tarball_runs_alone(self):
        archive = next(OUT.glob(f"heliograph-*-linux-{platform.machine()}.tar.xz"))
        run("tar", "--extract", "--file", archive, "--directory", self.tree / "opt")
        helio = "/opt/" + archive.name.removesuffix(".tar.xz") + "/bin/helio"
        linked = self.inside("ldd", helio)
        self.assertNotIn("not found", linked.stdout)
        self.assertIn("/lib/heliograph/libstdc++", linked.stdout)
        self.serve(helio)

    def install(self, *packages):
        """By apt, with packages of ours (paths below /root) and of Debian. What was downloaded is kept for the next run."""
        archives = self.tree / "var/cache/apt/archives"
        DOWNLOADED.mkdir(exist_ok=True)
        for file in DOWNLOADED.glob("*.deb"):
            shutil.copy(file, archives)
        done = self.inside("sh", "-c", "DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes --no-install-recommends "
                           "-o APT::Keep-Downloaded-Packages=true -o Dpkg::Options::=--force-unsafe-io install " + " ".join(packages))
        for file in archives.glob("*.deb"):
            if not (DOWNLOADED / file.name).exists():
                shutil.copy(file, DOWNLOADED)
            file.unlink()
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])

    def as_user(self, script):
        """What a shell of an ordinary user says in the new system."""
        done = self.inside("sh", "-ec", script, user="65534:65534")
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        return done.stdout

    def test_2_the_packages_install_and_serve(self):
        for file in debs():
            shutil.copy(file, self.tree / "root")
        (self.tree / "etc/apt/sources.list").write_text("deb http://deb.debian.org/debian bookworm main\n", "utf-8")
        updated = self.inside("apt-get", "--quiet", "update")
        if updated.returncode != 0:
            self.skipTest("no network in the chroot: " + updated.stdout[-300:])
        self.install("/root/heliograph_*.deb", "/root/libheliograph0.1_*.deb", "man-db")
        self.serve("/usr/bin/helio")
        for path in ("bash-completion/completions/helio", "zsh/vendor-completions/_helio", "fish/vendor_completions.d/helio.fish"):
            self.assertTrue((self.tree / "usr/share" / path).exists(), path)
        self.assertIn("complete ", self.as_user("cat /usr/share/bash-completion/completions/helio"))
        for page in ("helio", "helio-serve"):
            self.assertIn("NAME\n       " + page, self.as_user(f"man {page} | head"))
        # Every library that the shared one needs came with it.
        linked = self.inside("sh", "-c", "ldd /usr/lib/*/libheliograph.so.0.1")
        self.assertEqual(linked.returncode, 0, linked.stdout)
        self.assertNotIn("not found", linked.stdout)

    def test_3_another_project_builds_with_the_packages(self):
        if not (self.tree / "usr/bin/helio").exists():
            self.skipTest("the packages were not installed")
        self.install("/root/libheliograph-dev_*.deb", "cmake", "g++", "make", "pkg-config")
        shutil.copytree(ROOT / "tests/outside_project", self.tree / "srv/clock")
        self.as_user("cmake -S /srv/clock -B /tmp/by-cmake -DCMAKE_BUILD_TYPE=Release && cmake --build /tmp/by-cmake --parallel")
        by_cmake = self.as_user("/tmp/by-cmake/clock_user")
        self.assertIn("Europe/Vienna", by_cmake)
        self.as_user("helio-xdrc gen /srv/clock/clock.x --quiet --out /tmp/by-hand --namespace acme; cd /tmp/by-hand; "
                     "g++ -std=c++20 -I. -o clock_user /srv/clock/main.cc *.cc $(pkg-config --cflags --libs heliograph-codec)")
        self.assertEqual(self.as_user("/tmp/by-hand/clock_user"), by_cmake)
        self.as_user("cmake -S /srv/clock -B /tmp/shared -DBUILD_SHARED_LIBS=ON && cmake --build /tmp/shared --parallel")
        self.assertEqual(self.as_user("/tmp/shared/clock_user"), by_cmake)


class Container(unittest.TestCase):
    """packaging/Containerfile, with images of its own in build/packages/podman."""

    IMAGE = "docker.io/library/debian:12-slim"  # as the Containerfile names it
    # Not the defaults, which only somebody who may raise limits can set.
    LIMITS = ("--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096")

    def setUp(self):
        if not shutil.which("podman"):
            self.skipTest("no podman: apt install podman")
        self.storage = OUT / "podman"
        self.addCleanup(self.remove_storage)
        places = self.podman = ("podman", "--root", self.storage / "root", "--runroot", self.storage / "run")
        said = []
        # overlay needs a file system that can carry it, crun cgroups of one version only.
        for choice in ((), ("--runtime", "runc"), ("--storage-driver", "vfs", "--runtime", "runc")):
            self.podman = (*places, *choice)
            if problem := self.load_image():
                self.skipTest(problem)
            done = run(*self.podman, "run", "--rm", "--network", "none", *self.LIMITS, self.IMAGE, "true")
            if done.returncode == 0:
                return
            said.append(done.stdout.strip())
            self.remove_storage()
        self.skipTest("podman runs nothing here: " + "; ".join(said))

    def remove_storage(self):
        # Not by `podman system reset`, which also removes what belongs to others.
        run(*self.podman, "rmi", "--all", "--force")
        run("umount", self.storage / "root/overlay")
        subprocess.run(["rm", "-rf", "--one-file-system", str(self.storage)], check=False)

    def load_image(self):
        """An error text, or None: the image is there, from a registry or else from our own Debian system."""
        if run(*self.podman, "pull", "--quiet", self.IMAGE).returncode == 0:
            return None
        if problem := make_base():
            return "no registry, and " + problem
        packed = subprocess.Popen(["tar", "--create", "--directory", str(BASE), "."], stdout=subprocess.PIPE)
        done = run(*self.podman, "import", "-", self.IMAGE, stdin=packed.stdout)
        packed.stdout.close()
        return None if packed.wait() == 0 and done.returncode == 0 else "podman import: " + done.stdout

    def test_it_serves(self):
        done = run(*self.podman, "build", "--network", "host", "--isolation", "chroot", "-t", "heliograph-test",
                   "-f", ROOT / "packaging/Containerfile", OUT)
        if done.returncode != 0 and re.search("Temporary failure resolving|Could not resolve", done.stdout):
            self.skipTest("no network in the container")
        self.assertEqual(done.returncode, 0, done.stdout)
        started = run(*self.podman, "run", "--detach", "--rm", "--network", "none", *self.LIMITS, "heliograph-test")
        self.assertEqual(started.returncode, 0, started.stdout)
        container = started.stdout.strip().splitlines()[-1]
        try:
            until = time.monotonic() + PATIENCE_S
            while (answer := run(*self.podman, "exec", container, "helio", "call", "127.0.0.1:2049", "mount.EXPORT")).returncode != 0:
                self.assertLess(time.monotonic(), until, answer.stdout)
                time.sleep(0.2)
            self.assertIn('"ex_dir": "/"', answer.stdout)
        finally:
            run(*self.podman, "kill", container)


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=2)
    for test, reason in program.result.skipped:
        print(f"SKIPPED: {test}: {reason}")
    sys.exit(not program.result.wasSuccessful())
