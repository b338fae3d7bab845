"""A `helio serve` that is going to be attacked, and its victim. Not a test itself."""
import contextlib
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "cli")]
import export  # noqa: E402
from patience import PATIENCE_S  # noqa: E402
from process import Attacker, resident_bytes  # noqa: E402
from serve_server import Server  # noqa: E402
from victim import Victim  # noqa: E402

MIB = 1 << 20
BUDGET_MIB = 64  # the smallest that --memory takes
THREADS = 2


class Attacked:
    """A server with a furnished export, a victim, and what the server's memory was before the attack."""

    def __init__(self, helio, *words, before=(), second=None, names=1, cold_bytes=MIB):
        self.helio, self.words, self.before, self.second = helio, words, before, second
        self.names, self.cold_bytes = names, cold_bytes

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="helio-attack-", dir="/var/tmp")))
            folder.chmod(0o777)
            export.furnish(folder, self.names, self.cold_bytes)
            if self.cold_bytes > MIB:
                stack.enter_context(export.KeptCold(folder))
            exports = [f"a={folder}"] + ([f"b={self.second}"] if self.second else [])
            words = ["--memory", f"{BUDGET_MIB}M", "--threads", str(THREADS), *self.words]
            if os.geteuid() == 0:
                words += ["--squash", "none"]
            self.server = stack.enter_context(Server(self.helio, *words, *exports, before=self.before))
            self.victim = stack.enter_context(self.client())
            self.victim.round()
            self.memory_before = resident_bytes(self.server.process.pid)
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def client(self):
        return Victim("127.0.0.1", self.server.port, PATIENCE_S, "/a")

    def attacker(self, name, **options):
        return self.stack.enter_context(Attacker(name, self.server.port, export="/a", second="/b", **options))

    def metric(self, name):
        return float(re.search(rf"^{name} (\S+)$", self.server.get("/metrics")[1], re.M)[1])
