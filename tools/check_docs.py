#!/usr/bin/env python3
"""check_docs.py HELIO [--update]: documents that lie fail the build.

README.md, docs/tour.md, docs/explain.md  each ```console block: its `$` lines are run with HELIO in the path, in an empty folder beside
               schema/ and tests/, and must print what the block shows. A line that is only … stands for
               any lines. --update writes what they print instead (and drops the …).
               A block fenced as ```cpp PATH or ```c PATH is a piece of that file, word by word.
ARCHITECTURE.md, docs/rdma.md  in each table row that names a file, the names after it occur in that file.
docs/limits.md   the same, and every limit (a constant k…Max of a public header) has a row with its value.
               --update writes the values.
all documents  a link to a file leads to one.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = (ROOT / "README.md", ROOT / "docs" / "tour.md", ROOT / "docs" / "explain.md")
LIMITS = ROOT / "docs" / "limits.md"
COMMAND_TIMEOUT_S = 60

EXCERPT = re.compile(r"^```c(?:pp)? (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
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
    for document in EXAMPLES:
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


def run(command, helio, folder):
    environment = dict(os.environ, PATH=f"{helio.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=COMMAND_TIMEOUT_S)
    return done.stdout.rstrip("\n").split("\n") if done.stdout.strip() else []


def matches(shown, printed):
    pattern = "\n".join(r"(?:.*\n)*?.*" if line.strip() == "…" else re.escape(line.rstrip()) for line in shown)
    return re.fullmatch(pattern, "\n".join(line.rstrip() for line in printed)) is not None


def check_examples(document, helio, update):
    text = document.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for shown_folder in ("schema", "tests"):
            (Path(folder) / shown_folder).symlink_to(ROOT / shown_folder)

        def replace(block):
            parts = []
            for command, shown in commands_of(block[1]):
                printed = run(command, helio, folder)
                if not update and not matches(shown, printed):
                    faults.append(f"{document.name}: $ {command}\nsays:\n" + "\n".join(printed) +
                                  "\nthe document shows:\n" + "\n".join(shown))
                parts += [f"$ {command}", *printed]
            return "```console\n" + "\n".join(parts) + "\n```"

        faults = []
        rewritten = CONSOLE.sub(replace, text)
    if update:
        document.write_text(rewritten, "utf-8")
    return faults


def main():
    helio = Path(sys.argv[1]).resolve()
    update = "--update" in sys.argv
    tables = (ROOT / "ARCHITECTURE.md", ROOT / "docs" / "rdma.md", LIMITS)
    faults = [*check_links(), *(fault for document in tables for fault in check_tables(document)),
              *check_limits(update), *check_excerpts(),
              *(fault for document in EXAMPLES for fault in check_examples(document, helio, update))]
    print("\n".join(faults) or "documents agree with the tree")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
