"""`helio explain` as a test runs it, and what it says about a capture in sets that can be compared."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from patience import PATIENCE_S  # noqa: E402


class Answer:
    """What `--json` said: an object for each exchange, and the ledger."""

    def __init__(self, done):
        self.status, self.errors = done.returncode, done.stderr.decode(errors="replace")
        self.lines = done.stdout.splitlines()
        objects = [json.loads(line) for line in self.lines]
        self.exchanges = [one for one in objects if "ledger" not in one]
        self.ledger = next((one["ledger"] for one in objects if "ledger" in one), None)
        self.calls = [one for one in self.exchanges if one.get("missing") != "call"]
        self.replies = [one for one in self.exchanges if one.get("missing") != "reply"]


def limit_memory(bytes_max):
    """For Popen's preexec_fn."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes_max, bytes_max))


def run(helio, *words, data=None, memory_max=None):
    return subprocess.run([helio, "explain", *words], input=data, stdin=None if data is not None else subprocess.DEVNULL,
                          capture_output=True, timeout=PATIENCE_S, preexec_fn=limit_memory(memory_max) if memory_max else None)


def explain(helio, *words, data=None):
    """Of a file that is named, or of bytes that become one."""
    if data is None:
        return Answer(run(helio, "--json", *words))
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "capture")
        with open(file, "wb") as out:
            out.write(data)
        return Answer(run(helio, "--json", file, *words))
