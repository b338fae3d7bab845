#!/usr/bin/env python3
"""follow.py PREFIX DOCUMENT EXPECTED…: runs the commands of a document, in an empty folder outside the repository.

Commands are the indented lines that begin with a program. /usr/local in them becomes PREFIX, where Heliograph is installed. They are run
by one shell, in a network of their own where that is possible, so that the ports they name are free. Fails when a command fails, or
when the output lacks one of the EXPECTED texts.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from patience import PATIENCE_S  # noqa: E402

COMMAND = re.compile(r"^    ((?:cp|cmake|helio|nfs-ls|nfs-cat) .*|build/\S+.*)$", re.MULTILINE)
OWN_NETWORK = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
# A server that was started in the background is ready when its port answers; the reader takes longer to type.
READY = "for try in $(seq 600); do (exec 3<>/dev/tcp/127.0.0.1/{0}) 2>/dev/null && break; sleep 0.1; done"


def script_of(document, prefix):
    lines = ["set -e", f"export PATH={prefix}/bin:$PATH", "trap 'kill %1' EXIT"]
    for command in COMMAND.findall(document.read_text("utf-8")):
        lines += [f"echo '$' {command.replace('&', '').split()[0]}", command.replace("/usr/local", prefix)]
        if background := re.search(r" (\d+) &$", command):
            lines.append(READY.format(background[1]))
    return "\n".join(lines)


def main():
    prefix, document, expected = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    script = script_of(document, prefix)
    alone = subprocess.run([*OWN_NETWORK, "true"], capture_output=True, check=False).returncode == 0
    if not alone:
        print("no network of its own: the ports of the document have to be free", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*(OWN_NETWORK if alone else []), "bash", "-c", script], cwd=folder, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE_S)
    print(done.stdout)
    missing = [text for text in expected if text not in done.stdout]
    if done.returncode != 0 or missing:
        print(f"{document.name}: exit status {done.returncode}, missing {missing}; the script was:\n{script}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
