#!/usr/bin/env python3
"""check_docs.py HELIO [--update]: documents that lie fail the build.

all documents  a link to a file leads to one; every block that is opened is closed.
               Each ```console block: its `$` lines are run with HELIO in the path, in a scratch folder of the document beside
               schema/, tests/ and testdata/, and must print what the block shows. A line that is only … stands for
               any lines. --update writes what they print instead (and drops the …).
                   ```console              is run as it is
                   ```console serve        … while `helio serve memory:` listens on 127.0.0.1:2049
                   ```console virt         … while `helio virt serve` has its own host, and is $LIBVIRT_DEFAULT_URI
                   ```console skip: WHY    is not run; WHY is printed
               The servers need a network of their own, so that their ports are free; where that is not permitted, their blocks
               are skipped, aloud.
               A block fenced as ```cpp PATH or ```c PATH is a piece of that file, word by word.
ARCHITECTURE.md, docs/rdma.md  in each table row that names a file, the names after it occur in that file.
docs/limits.md   the same, and every limit (a constant k…Max of a public header) has a row with its value.
               --update writes the values.
"""

import contextlib
import os
import re
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMITS = ROOT / "docs" / "limits.md"
COMMAND_TIMEOUT_S = 600
OWN_NETWORK = "HELIO_CHECK_DOCS_NETWORK"  # set in the copy of this script that has one

EXCERPT = re.compile(r"^```c(?:pp)? (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([^`]+)`")
NAME = re.compile(r"^[A-Za-z_][\w:]*(\(\))?$")
CONSTANT = re.compile(r"constexpr [\w:]+ (k\w+) = ((?:std::uint64_t\{1\}|[\d'uUlLzZ <*+()-])+);")
FILE = re.compile(r"^[\w./-]+\.(cc|h|x|py|cmake)$")


def documents():
    skip = {"build", ".git"}
    return [p for p in sorted(ROOT.rglob("*.md")) if not skip & set(p.relative_to(ROOT).parts)]


def check_links():
    for document in documents():
        for target in LINK.findall(document.read_text("utf-8")):
            if "://" not in target and not target.startswith("mailto:"):
                if not (document.parent / target).exists():
                    yield f"{document.relative_to(ROOT)}: the link to {target} leads nowhere"


def check_fences():
    for document in documents():
        opened = None
        for number, line in enumerate(document.read_text("utf-8").splitlines(), 1):
            where = f"{document.relative_to(ROOT)}:{number}"
            if not line.startswith("```"):
                if opened and not opened[1].startswith("```console") and line.startswith("$ "):
                    yield f"{where}: a block with commands is fenced as ```console, so that they are run"
                    opened = (opened[0], "```console")
            elif opened is None:
                opened = (number, line)
            elif line != "```":
                yield f"{where}: {line} within the block of line {opened[0]}"
            else:
                opened = None
        if opened:
            yield f"{document.relative_to(ROOT)}:{opened[0]}: the block is never closed"


def check_tables(document):
    for number, line in enumerate(document.read_text("utf-8").splitlines(), 1):
        words = CODE.findall(line) if line.startswith("|") else []
        file = next((word for word in words if FILE.match(word)), None)
        if file is None:
            continue
        if not (ROOT / file).is_file():
            yield f"{document.name}:{number}: there is no {file}"
            continue
        text = (ROOT / file).read_text("utf-8")
        for word in words[words.index(file) + 1:]:
            name = re.split(r"::", word.removesuffix("()"))[-1]
            if NAME.match(word) and not re.search(rf"\b{re.escape(name)}\b", text):
                yield f"{document.name}:{number}: {file} has no '{word}'"


def shown(expression):
    """256u << 20 as a reader wants it: 256 Mi."""
    expression = expression.replace("std::uint64_t{1}", "1")
    value = eval(re.sub(r"(?<=\d)(?:'(?=\d)|[uUlLzZ]+)", "", expression), {"__builtins__": {}})
    for unit, size in (("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)):
        if value >= size and value % size == 0:
            return f"{value // size} {unit}"
    return f"{value:,}"


def check_limits(update):
    """Every limit of a public header has a row, and the row has its value."""
    document = LIMITS
    text = document.read_text("utf-8")
    for header in sorted((ROOT / "helio").rglob("*.h")):
        path = header.relative_to(ROOT).as_posix()
        if path.endswith(("_internal.h", "_for_test.h")):
            continue
        for name, expression in CONSTANT.findall(header.read_text("utf-8")):
            row = re.search(rf"^(\|.*`{path}` \| `{name}` \|) (.*) \|$", text, re.MULTILINE)
            if row is None:
                if name.endswith("Max"):
                    yield f"{path}: {name} is a limit and has no row in docs/limits.md"
            elif row[2] != shown(expression):
                if update:
                    text = text.replace(row[0], f"{row[1]} {shown(expression)} |")
                else:
                    yield f"{document.name}: {name} is {row[2]} there, {shown(expression)} in {path}"
    if update:
        document.write_text(text, "utf-8")


def check_excerpts():
    for document in documents():
        for path, text in EXCERPT.findall(document.read_text("utf-8")):
            for piece in text.split("…\n"):
                if piece not in (ROOT / path).read_text("utf-8"):
                    yield f"{document.name}: not in {path}:\n{piece}"


def commands_of(block):
    """[(command, output)] of a console block; a command goes on in the next line after a backslash."""
    commands = []
    lines = iter(block.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command += "\n" + next(lines)
            commands.append((command, []))
        elif commands:
            commands[-1][1].append(line)
    return commands


def own_network():
    """Starts this script again in a network of its own; returns where that is not permitted, or has been done."""
    if OWN_NETWORK not in os.environ:
        command = ["unshare", "--net", *(["--map-root-user"] if os.geteuid() != 0 else [])]
        ready = subprocess.run([*command, "ip", "link", "set", "lo", "up"], stderr=subprocess.PIPE, text=True, check=False)
        os.environ[OWN_NETWORK] = "" if ready.returncode != 0 else "yes"
        if ready.returncode == 0:
            sys.stdout.flush()
            os.execvp(command[0], [*command, sys.executable, *sys.argv])
        print(f"skipped: examples that need a server: no network of our own: {ready.stderr.strip()}")
    if os.environ[OWN_NETWORK]:
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


@contextlib.contextmanager
def server(kind, helio, folder, environment):
    """The server that a block wants, and the environment of its commands."""
    if not kind:
        yield environment
        return
    with tempfile.TemporaryDirectory() as state:
        socket = f"{state}/libvirt-sock"
        words, sign = ((["serve", "memory:", "--state", state], "127.0.0.1:2049") if kind == "serve" else
                       (["virt", "serve", "--socket", socket], "ready"))
        with subprocess.Popen([helio, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            try:
                said, deadline = "", time.monotonic() + COMMAND_TIMEOUT_S
                while sign not in said:
                    ready = select.select([process.stdout], [], [], deadline - time.monotonic())[0]
                    more = os.read(process.stdout.fileno(), 4096) if ready else b""
                    if not more:
                        raise RuntimeError(f"helio {' '.join(words)} did not start: {said}")
                    said += more.decode()
                yield dict(environment, LIBVIRT_DEFAULT_URI=f"test+unix:///default?socket={socket}")
            finally:
                process.terminate()
                process.communicate()


def run(command, folder, environment):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=COMMAND_TIMEOUT_S, check=False)
    return done.stdout.rstrip("\n").split("\n") if done.stdout.strip() else []


def matches(shown, printed):
    pattern = "\n".join(r"(?:.*\n)*?.*" if line.strip() == "…" else re.escape(line.rstrip()) for line in shown)
    return re.fullmatch(pattern, "\n".join(line.rstrip() for line in printed)) is not None


def check_examples(document, helio, update):
    text = document.read_text("utf-8")
    name = document.relative_to(ROOT).as_posix()
    environment = dict(os.environ, PATH=f"{helio.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for shown_folder in ("schema", "tests", "testdata"):
            (Path(folder) / shown_folder).symlink_to(ROOT / shown_folder)

        def replace(block):
            mark, why = block[1].strip().partition(":")[::2]
            commands = commands_of(block[2])
            if mark == "skip" and why.strip():
                print(f"skipped: {name}: $ {commands[0][0] if commands else ''}:{why}")
                return block[0]
            if mark not in ("", "serve", "virt") or why:
                faults.append(f"{name}: ```console {mark}: a block is marked serve, virt, or skip: and a reason")
                return block[0]
            if mark and not os.environ[OWN_NETWORK]:
                return block[0]
            parts = []
            with server(mark, helio, folder, environment) as of_commands:
                for command, shown in commands:
                    printed = run(command, folder, of_commands)
                    if not update and not matches(shown, printed):
                        faults.append(f"{name}: $ {command}\nsays:\n" + "\n".join(printed) +
                                      "\nthe document shows:\n" + "\n".join(shown))
                    parts += [f"$ {command}", *printed]
            return f"```console{block[1]}\n" + "\n".join(parts) + "\n```"

        rewritten = CONSOLE.sub(replace, text)
    if update and rewritten != text:
        document.write_text(rewritten, "utf-8")
    return faults


def main():
    own_network()
    helio = Path(sys.argv[1]).resolve()
    update = "--update" in sys.argv
    tables = (ROOT / "ARCHITECTURE.md", ROOT / "docs" / "rdma.md", LIMITS)
    faults = [*check_links(), *check_fences(), *(fault for document in tables for fault in check_tables(document)),
              *check_limits(update), *check_excerpts(),
              *(fault for document in documents() for fault in check_examples(document, helio, update))]
    print("\n".join(faults) or "documents agree with the tree")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
