"""A `helio serve` for tests. Not a test itself.

`with Server(HELIO, "memory:") as server:` gives server.port, server.text (what it said at its start),
server.metrics ("http://…", no path) and server.log().
"""
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from patience import PATIENCE_S  # noqa: E402

# A loaded machine is slow, not wrong.


class Server:
    def __init__(self, helio, *words, before=(), listen="127.0.0.1:0", state=None, env=None, pass_fds=()):
        self.helio, self.words, self.before = helio, list(words), list(before)
        self.listen, self.state, self.env, self.pass_fds = listen, state, env, pass_fds

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o777)
        state = self.state or self.folder.name + "/state"
        words = [*self.before, self.helio, "serve", "--state", state, *self.words]
        if self.listen:
            words += ["--listen", self.listen]
        if "--metrics" not in self.words and "--config" not in self.words:
            words += ["--metrics", "127.0.0.1:0"]
        self.log_path = pathlib.Path(self.folder.name) / "log"
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, env=self.env,
                                            pass_fds=self.pass_fds)
        self.text = ""
        if "json" not in self.words:
            self.text = self.read_until("Ready. Ctrl-C stops the server.\n")
            self.port = int(re.search(r"NFS versions [0-9., and]+ at \S*:(\d+)[,\s]", self.text)[1])
            found = re.search(r"Metrics: (http://\S+)/metrics", self.text)
            self.metrics = found and found[1]
        return self

    def read_until(self, *ends):
        os.set_blocking(self.process.stdout.fileno(), False)
        text, deadline = "", time.monotonic() + PATIENCE_S
        while not text.endswith(ends):
            if not select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"it only said: {text}\n{self.log()}")
            block = self.process.stdout.read()
            if block == b"":
                raise RuntimeError(f"it ended: {text}\n{self.log()}")
            text += (block or b"").decode()
        return text

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()

    def log(self):
        return self.log_path.read_text()

    def wait_for_log(self, words, count=1):
        deadline = time.monotonic() + PATIENCE_S
        while self.log().count(words) < count:
            if time.monotonic() > deadline:
                raise TimeoutError(f"'{words}' is not in the log:\n{self.log()}")
            time.sleep(0.01)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)

    def reload(self, words, count=1):
        self.process.send_signal(signal.SIGHUP)
        self.wait_for_log(words, count)

    def get(self, path):
        try:
            with urllib.request.urlopen(self.metrics + path, timeout=PATIENCE_S) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def call(self, procedure, arguments=None, auth="sys:0:0", host="127.0.0.1"):
        words = [self.helio, "call", f"{host}:{self.port}", procedure, "--auth", auth]
        if arguments is not None:
            words.append(json.dumps(arguments))
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return json.loads(done.stdout) if done.stdout.strip() else None

    def mount(self, path):
        answer = self.call("mount.MNT", path)
        return answer["mountinfo"]["fhandle"] if answer["fhs_status"] == "MNT3_OK" else answer["fhs_status"]

    def getattr(self, handle):
        return self.call("nfs3.GETATTR", {"object": {"data": handle}})

    def lookup(self, handle, name):
        return self.call("nfs3.LOOKUP", {"what": {"dir": {"data": handle}, "name": name}})
