"""Processes on several machines, told from here what to do: agent.py is what runs there.

    with Machines({"first": lab, "second": other_lab}, {"first": there, "second": there}) as machines:
        process = machines.start("first")
        process("open", path="file")
        waiting = process.begin("lock", type="write", wait=True)
        …
        waiting.result()

A machine is a guest, or None for this side, where the server is. Calls that fail there raise the OSError here.
"""
import errno
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading

from patience import PATIENCE_S

AGENT = pathlib.Path(__file__).resolve().parent / "agent.py"
# How long to watch something that must not happen, such as a lock granted too early. Too short a time finds less, but fails nothing.
WATCH_S = 0.3


class Pending:
    """A command whose answer has perhaps not come yet."""

    def __init__(self, what):
        self.what, self.came, self.fields = what, threading.Event(), None

    def has_ended(self):
        return self.came.is_set()

    def stays_pending(self):
        return not self.came.wait(WATCH_S)

    def result(self):
        if not self.came.wait(PATIENCE_S):
            raise AssertionError(f"no answer to {self.what}")
        if "result" in self.fields:
            return self.fields["result"]
        if "errno" in self.fields:
            raise OSError(self.fields["errno"], f"{os.strerror(self.fields['errno'])} in answer to {self.what}")
        raise AssertionError(f"{self.what}: {self.fields}")


class Process:
    """One agent. Calling it does something there and waits for the answer."""

    def __init__(self, machine, lab, cwd):
        self.machine, self.lab, self.pending, self.next, self.local = machine, lab, {}, 1, None
        if lab is None:
            ours, theirs = socket.socketpair()
            self.local = subprocess.Popen([sys.executable, AGENT], cwd=cwd, stdin=theirs, stdout=theirs)
            theirs.close()
        else:
            ours = lab.talk([sys.executable, AGENT], cwd)
        ours.settimeout(None)
        self.connection, self.lines = ours, ours.makefile("r")
        self.pid = json.loads(self.lines.readline())["pid"]
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()

    def listen(self):
        try:
            for line in self.lines:
                fields = json.loads(line)
                self.settle(fields.pop("id"), fields)
        except OSError:
            pass
        for number in list(self.pending):
            self.settle(number, {"wrong": "the process has ended"})

    def settle(self, number, fields):
        pending = self.pending.pop(number)
        pending.fields = fields
        pending.came.set()

    def begin(self, do, *args, **words):
        pending = self.pending[self.next] = Pending(f"{do} {args or ''} {words} by {self.machine}")
        line = json.dumps({"id": self.next, "do": do, "args": args, **words})
        self.next += 1
        self.connection.sendall(line.encode() + b"\n")
        return pending

    def __call__(self, do, *args, **words):
        return self.begin(do, *args, **words).result()

    def denied(self, do, *args, **words):
        """Whether this fails because of somebody's lock."""
        try:
            self(do, *args, **words)
            return False
        except OSError as why:
            if why.errno not in (errno.EAGAIN, errno.EACCES):
                raise
            return True

    def kill(self):
        if self.local:
            self.local.kill()
            self.local.wait()
        else:
            self.lab.kill_process(self.pid)
        self.listener.join(PATIENCE_S)

    def end(self):
        try:
            self.connection.shutdown(socket.SHUT_WR)
        except OSError:  # it was killed
            pass
        self.listener.join(PATIENCE_S)
        self.connection.close()
        if self.local:
            self.local.wait()


class Machines:
    """Starting a process is slow in a guest, so those that are no longer used are kept for the next who wants one."""

    def __init__(self, labs, folders, callbacks_answered=None):
        """`callbacks_answered` counts the server's callbacks; None if the server does not tell."""
        self.labs, self.folders, self.used, self.idle = labs, folders, [], []
        self.callbacks_answered = callbacks_answered

    def start(self, machine):
        process = next((one for one in self.idle if one.machine == machine), None)
        if process:
            self.idle.remove(process)
        else:
            process = Process(machine, self.labs[machine], self.folders[machine])
        self.used.append(process)
        return process

    def give_back(self):
        """All processes that were started: they close their files, and with them go their locks."""
        while self.used:
            process = self.used.pop()
            if process.listener.is_alive() and not process.pending:
                process("close_all")
                self.idle.append(process)
            else:
                process.end()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.used + self.idle:
            process.end()
