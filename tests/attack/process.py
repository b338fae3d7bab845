"""An attacker as a process of its own, so that it shares no interpreter with those who measure. Not a test itself."""
import json
import pathlib
import re
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).resolve().parent / "attackers.py"


class Attacker:
    """`with Attacker("drippers", port) as attacker: attacker.go(); …; report = attacker.drain()`."""

    def __init__(self, name, port, host="127.0.0.1", export="/", second="/", mount_port=None, rate=0, seed=1, niceness=0):
        self.name = name
        self.command = ["nice", "-n", str(niceness), sys.executable, str(PROGRAM), name, "--host", host, "--port", str(port),
                        "--export", export, "--second", second, "--rate", str(rate), "--seed", str(seed),
                        *(["--mount-port", str(mount_port)] if mount_port else [])]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            self.__exit__()
            raise RuntimeError(f"{self.name} could not begin")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def go(self):
        self.say("go")

    def drain(self):
        """It sends no more calls and waits for the answers to all that it has sent."""
        return self.end("drain")

    def quit(self):
        """It closes everything at once."""
        return self.end("quit")

    def end(self, word):
        self.say(word)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended without a report")
        return json.loads(line)

    def say(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()


def resident_bytes(pid, field="VmRSS"):
    """`VmHWM` is the highest so far."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"^{field}:\s+(\d+) kB", text, re.M)[1]) * 1024


def descriptors(pid):
    return len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))
