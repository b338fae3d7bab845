"""What the benchmarks share: how programs are built, a network of their own, result files.

Network and mounts are a namespace of our own where that is permitted, with reno or cubic: bbr, the default of some
machines, paces even loopback.
"""

import argparse
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONGESTION = ("cubic", "reno")  # in a namespace only those the machine's administrator allows can be set
MEASURED = ("CMakeLists.txt", "CMakePresets.json", "cmake", "cli", "helio", "schema")
# Debian packages of the programs that are measured beside ours, and of what counts for us.
PEERS = ("libnfs13", "libtirpc3", "libvirt-daemon", "nfs-ganesha", "nfstrace", "strace", "tcpdump", "tshark", "valgrind")
BUSY_LOAD = 0.5  # others at work before we begin: on two cores the same server then varies by a factor of two


def output(*command, **options):
    return subprocess.run(command, check=True, text=True, capture_output=True, **options).stdout


def build(directory, *targets):
    """The bench preset at -O2, and what it takes."""
    flags = [f"-DCMAKE_{language}_FLAGS_RELEASE=-O2 -DNDEBUG" for language in ("C", "CXX")]
    for command in (
        [str(ROOT / "tools" / "setup"), "build", "bench"],
        ["cmake", "--preset", "bench", "-B", str(directory), *flags],
        ["cmake", "--build", str(directory), "--target", *targets],
    ):
        done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def enter_namespace():
    """Starts this program again in namespaces of its own; comes back only where that is not permitted."""
    command = ["unshare", "--net", "--mount", "--propagation", "private"]
    if os.geteuid() != 0:
        command += ["--map-root-user"]
    done = subprocess.run([*command, "true"], text=True, capture_output=True)
    if done.returncode == 0:
        os.execvp(command[0], [*command, sys.executable, *sys.argv, "--no-build", "--isolated"])
    print(f"no namespace of our own ({done.stderr.strip()}): the machine's own loopback it is")


def prepare_network(isolated):
    """The congestion control that is measured with."""
    setting = Path("/proc/sys/net/ipv4/tcp_congestion_control")
    if isolated:
        output("ip", "link", "set", "lo", "up")
        # Ganesha resolves its address with AI_ADDRCONFIG, for which loopback alone is no address.
        output("ip", "address", "add", "192.0.2.1/32", "dev", "lo")
        for name in CONGESTION:
            try:
                setting.write_text(name)
                break
            except OSError:
                continue
    now = setting.read_text().strip()
    if now not in CONGESTION:
        print(f"congestion control stays {now}; none of {', '.join(CONGESTION)} may be set here")
    return now


def progress(text):
    if sys.stderr.isatty():
        print(text.ljust(60), end="\r", file=sys.stderr, flush=True)


def resident_bytes(pid):
    # smaps_rollup counts; the figure in status is an estimate that lags by some pages per core.
    return int(re.search(r"^Rss:\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)[1]) * 1024


def aligned(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows)


def command_line():
    """What to type for this measurement again. Where its result goes, and whether it is built, make no difference."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for option in ("--json", "--build-dir", "--program"):
        parser.add_argument(option)
    for option in ("--no-build", "--isolated"):
        parser.add_argument(option, action="store_true")
    script = os.path.relpath(os.path.abspath(sys.argv[0]), ROOT)
    return shlex.join([script, *parser.parse_known_args(sys.argv[1:])[1]])


def commit():
    """The last commit that changed what is measured; documents and tests change more often."""
    def git(*words):
        return output("git", "-c", f"safe.directory={ROOT}", *words, "--", *MEASURED, cwd=ROOT).strip()

    return git("log", "-1", "--format=%h", "--abbrev=12") + ("-dirty" if git("status", "--porcelain") else "")


def installed(packages):
    """The versions of those Debian packages that are installed."""
    found = {}
    for package in packages:
        asked = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", package], text=True, capture_output=True)
        if asked.returncode == 0 and asked.stdout:
            found[package] = asked.stdout
    return found


def surroundings(directory, cores=(None, None), congestion=None):
    """What has to be said beside figures: begin every result with it."""
    cache = (directory / "CMakeCache.txt").read_text()
    compiler = re.search(r"CMAKE_CXX_COMPILER:\w+=(.*)", cache)[1]
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return {
        "command": command_line(),
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": commit(),
        "machine": {"cpu": cpu[1] if cpu else platform.machine(), "cores": os.cpu_count(),
                    "kernel": platform.release(), "system": platform.freedesktop_os_release()["PRETTY_NAME"]},
        "pinned": {"server": cores[0], "client": cores[1]},
        "congestion_control": congestion,
        "load_before": os.getloadavg()[0],
        "compiler": output(compiler, "--version").split("\n")[0],
        "flags": re.search(r"CMAKE_CXX_FLAGS_RELEASE:\w+=(.*)", cache)[1],
        "peers": installed(PEERS),
    }


def add_json_option(parser):
    parser.add_argument("--json", type=Path, metavar="FILE",
                        help="write the result there as well; results that documents quote are in bench/results")


def write_result(file, result):
    """`result` is what surroundings() returned, with the figures. None: nobody asked for a file."""
    if file is None:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
