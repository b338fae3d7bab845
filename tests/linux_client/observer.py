"""An observer of NFS 4: every status that the server answers is one that RFC 8881 §15.2 allows for the operation.

    with Observer(helio, port) as observer:
        …
        observer.check()

`helio explain --live` reads what passes through this network, and nothing is kept. It may lose packets on a busy machine: calls
without a reply are left out, and only the status of an operation that was decoded can be wrong.

The table is testing/nfs/allowed_statuses.h, which the tests in C++ use.
"""
import collections
import itertools
import json
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from patience import PATIENCE_S  # noqa: E402

TABLE = ROOT / "testing" / "nfs" / "allowed_statuses.h"
WITHOUT_A_ROW = "default"
# READs and WRITEs that succeeded would be most of the output. Every operation may answer NFS4_OK.
FILTER = "port == {port} && nfs4.COMPOUND && (!(nfs4.READ || nfs4.WRITE) || status != NFS4_OK) || nfs4.NULL"
CALL, REPLY, RPC_VERSION, NFS_PROGRAM, NFS_VERSION = 0, 1, 2, 100003, 4
MARK_AGAIN_S = 1  # a mark that is not seen was perhaps lost
mark_numbers = itertools.count(1)


class Names(dict):
    """Names in the table's expressions. Statuses and operations stand for themselves."""

    def __missing__(self, name):
        if re.fullmatch(r"NFS4_OK|NFS4ERR_\w+|OP_\w+", name):
            return name
        raise KeyError(name)


def statuses_of(expression, names, operation=None):
    """The set that an expression in C++ describes, such as `file || any_of({NFS4ERR_IO}) || status == NFS4ERR_NOENT`."""
    expression = re.sub(r"any_of\( ?(\{[^}]*\}) ?\)", r"\1", expression)
    expression = re.sub(r"status == (\w+)", r"{\1}", expression)
    expression = re.sub(r"operation == (\w+) \? (\w+) : (\w+)", r"(\2 if operation == \1 else \3)", expression)
    names["operation"] = operation
    return frozenset(eval(expression.replace("||", "|"), {}, names))  # of our own source


def allowed_statuses(text):
    """{"OP_ACCESS": {"NFS4_OK", …}, …} of the header's text. Anything in it that is not understood raises."""
    text = re.sub(r"\s+", " ", re.sub(r"//.*", "", text))
    common, rows = re.search(r"(const bool always = .*?) switch \(operation\) \{ (.*?;) \} \}", text).groups()
    names = Names()
    for name, expression in re.findall(r"const bool (\w+) = (.*?);", common):
        names[name] = statuses_of(expression, names)
    table = {}
    for row in re.findall(r".*?;", rows):
        cases, expression = re.fullmatch(r" ?((?:case OP_\w+: |default: )+)return (.*);", row).groups()
        for operation in re.findall(r"OP_\w+|default", cases):
            table[operation] = statuses_of(expression, names, operation)
    return table


def status_of(result):
    """The status of an operation: the first member of its only arm."""
    arm = next(value for key, value in result.items() if key != "resop")
    return next(iter(arm.values()))


class Observer:
    def __init__(self, helio, port):
        self.allowed = allowed_statuses(TABLE.read_text())
        self.seen = collections.Counter()  # (operation, status)
        self.wrong = {}  # what, and the xid of the first
        self.said, self.marks, self.ended = [], set(), False
        self.changed = threading.Condition()
        self.process = subprocess.Popen([helio, "explain", "--live", "any", "--json", "--filter", FILTER.format(port=port)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.thread = threading.Thread(target=self.listen)

    def __enter__(self):
        self.thread.start()
        try:
            self.wait_for(lambda: any("capturing" in line for line in self.said), "began", PATIENCE_S)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.thread.join()
        self.process.stdout.close()

    def listen(self):
        for line in self.process.stdout:
            with self.changed:
                if line.startswith(b"{"):
                    self.take(json.loads(line))
                else:
                    self.said.append(line.decode(errors="replace"))
                self.changed.notify_all()
        self.process.wait()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def take(self, exchange):
        if exchange.get("operation") == "nfs4.NULL":
            self.marks.add(exchange["xid"])
        elif "result" in exchange and "result_error" not in exchange:
            self.take_results(exchange["xid"], exchange["result"])

    def take_results(self, xid, compound):
        results = compound["resarray"]
        for number, result in enumerate(results):
            operation, status = result["resop"], status_of(result)
            self.seen[operation, status] += 1
            if status not in self.allowed.get(operation, self.allowed[WITHOUT_A_ROW]):
                self.wrong.setdefault(f"{operation} may not answer {status} (RFC 8881 §15.2)", xid)
            expected = compound["status"] if number + 1 == len(results) else "NFS4_OK"
            if status != expected:
                self.wrong.setdefault(f"{operation} answered {status}, but what follows it says {expected}", xid)

    def wait_for(self, condition, what, timeout):
        """Whether it came true in time."""
        with self.changed:
            self.changed.wait_for(lambda: self.ended or condition(), timeout)
            if self.ended:
                raise AssertionError(f"helio explain ended before it {what}: {self.process.returncode}\n{''.join(self.said)}")
            return condition()

    def catch_up(self):
        """Waits until all packets up to now have been read: a call and a reply of our own, on the loopback device, come after them."""
        xid = next(mark_numbers)
        call = struct.pack(">10I", xid, CALL, RPC_VERSION, NFS_PROGRAM, NFS_VERSION, 0, 0, 0, 0, 0)
        reply = struct.pack(">6I", xid, REPLY, 0, 0, 0, 0)
        deadline = time.monotonic() + PATIENCE_S
        with socket.socket(type=socket.SOCK_DGRAM) as one, socket.socket(type=socket.SOCK_DGRAM) as other:
            one.bind(("127.0.0.1", 0))
            other.bind(("127.0.0.1", 0))
            while True:
                one.sendto(call, other.getsockname())
                other.sendto(reply, one.getsockname())
                if self.wait_for(lambda: f"0x{xid:08x}" in self.marks, "saw a mark", MARK_AGAIN_S):
                    return
                if time.monotonic() > deadline:
                    raise AssertionError(f"helio explain sees nothing:\n{''.join(self.said)}")

    def check(self):
        """Raises if a status was wrong, or nothing was seen; what was seen, in words."""
        self.catch_up()
        with self.changed:
            if self.wrong:
                raise AssertionError("\n".join(f"xid {xid}: {what}" for what, xid in self.wrong.items()))
            if not self.seen:
                raise AssertionError("no operation of NFS 4 was observed")
            errors = sorted(f"{operation.removeprefix('OP_')} {status}" for operation, status in self.seen if status != "NFS4_OK")
            return f"{self.seen.total()} operations observed" + (f", also with {', '.join(errors)}" if errors else "")
