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


def not_understood(answer):
    """Exchanges with bytes that are not decoded: their xids and why."""
    found = [(one["xid"], one[error]) for one in answer.exchanges for error in ("args_error", "result_error") if error in one]
    # Attributes of NFS 4 are an object, or all of their bytes if one of them is not understood.
    found += [(json.loads(line)["xid"], "attributes") for line in answer.lines if b'"attr_vals":"' in line]
    return found


def unnamed(helio, capture):
    """Bytes of a capture that have no name in --words: a list of reasons, empty if all have one."""
    reasons = []
    for line in run(helio, "--words", "--json", str(capture)).stdout.splitlines():
        message = json.loads(line)
        if "ledger" in message:
            reasons += [f"{why}: {count}" for why, count in message["ledger"]["unread"].items()]
            continue
        end = 0
        for part in message["parts"]:
            for word in part["words"]:
                where = f"{message['what']}, byte {word['offset']}"
                if word["offset"] != end:
                    reasons.append(f"{where}: the word before ends at {end}")
                end = word["offset"] + (word["folded"] if "folded" in word else len(word["bytes"]) // 2)
                # Bytes that are none of the attributes have the field of all of them.
                if "field" not in word or (word["field"].endswith("attr_vals") and not word.get("value", "").startswith("length")):
                    reasons.append(f"{where}: {word}")
        if not message["ok"] or any("problem" in part for part in message["parts"]):
            reasons.append(f"{message['what']} is broken: {message}")
    return reasons
