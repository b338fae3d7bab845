"""The rpcgen + libtirpc server of tests/rpc_peers, for the tests of verbs that call somebody.

Not a test itself: `with PeerServer(HELIO) as peer:` gives peer.tcp and peer.udp, both "127.0.0.1:PORT".
"""
import pathlib
import re
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from patience import PATIENCE_S  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = str(ROOT / "tests/rpc_peers/peer.x")


class PeerServer:
    def __init__(self, helio):
        # build/release/bin/helio → build/release/tests/rpc_peers/tirpc_peer_server
        self.program = pathlib.Path(helio).resolve().parents[1] / "tests/rpc_peers/tirpc_peer_server"

    def __enter__(self):
        if not self.program.exists():
            raise FileNotFoundError(f"{self.program} is not built: this test needs its server")
        self.process = subprocess.Popen([self.program], stdout=subprocess.PIPE, text=True)
        tcp, udp = re.fullmatch(r"listening tcp (\d+) udp (\d+)\n", self.process.stdout.readline()).groups()
        self.tcp, self.udp = f"127.0.0.1:{tcp}", f"127.0.0.1:{udp}"
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def closed_port():
    """A port where nobody listens: held, so that nobody else gets it, and never listened on."""
    held = socket.socket()
    held.bind(("127.0.0.1", 0))
    return held, f"127.0.0.1:{held.getsockname()[1]}"


def run(helio, *words, stdin=b""):
    done = subprocess.run([helio, *words], input=stdin, capture_output=True, timeout=PATIENCE_S)
    return done.returncode, done.stdout.decode(), done.stderr.decode()
