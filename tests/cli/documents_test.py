#!/usr/bin/env python3
"""What documents show beside text: the picture of a terminal can be drawn again, and result files of benchmarks are complete.

Usage: documents_test.py PATH_TO_HELIO. To draw needs root, for a network of the picture's own; without, that part is skipped.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from patience import PATIENCE_S  # noqa: E402

HELIO = ""
ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
TERMINAL_BYTES_MAX, PAGE_BYTES_MAX = 100_000, 150_000  # a README has to load quickly
REQUIRED = ("command", "date", "commit", "machine", "compiler", "flags", "peers")


def lines_of(svg):
    """The lines of the terminal, in the order in which they appear."""
    return [text.text for text in xml.etree.ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def commands_of(svg):
    return [line for line in lines_of(svg) if line.startswith("$ ")]


class Pictures(unittest.TestCase):
    def test_the_terminal_can_be_drawn_again(self):
        if os.geteuid() != 0 or subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode != 0:
            self.skipTest("no network of our own")
        with tempfile.TemporaryDirectory() as folder:
            words = [ROOT / "tools/draw_pictures", HELIO, "--only", "terminal", "--output", folder]
            done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S)
            self.assertEqual(done.returncode, 0, done.stderr)
            drawn = (pathlib.Path(folder) / "terminal.svg").read_text()
        self.assertEqual(commands_of(drawn), commands_of((PICTURES / "terminal.svg").read_text()),
                         "docs/pictures/terminal.svg is old: run tools/draw_pictures HELIO")
        self.assertLess(len(drawn.encode()), TERMINAL_BYTES_MAX)
        said = "\n".join(lines_of(drawn))
        for words in ("mount -t nfs", "nfs3", "MNT3_OK", "body.cbody.prog"):
            self.assertIn(words, said)

    def test_pictures_are_small_and_shown(self):
        shown = "".join(path.read_text() for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")))
        for path in PICTURES.iterdir():
            self.assertLess(path.stat().st_size, TERMINAL_BYTES_MAX if path.suffix == ".svg" else PAGE_BYTES_MAX, path.name)
            self.assertIn(f"pictures/{path.name})", shown)


class Results(unittest.TestCase):
    def test_results_say_how_they_came_to_be(self):
        for path in sorted((ROOT / "bench/results").glob("*.json")):
            result = json.loads(path.read_text())
            self.assertEqual([key for key in REQUIRED if not result.get(key)], [], path.name)
            self.assertTrue((ROOT / result["command"].split()[0]).is_file(), f"{path.name}: {result['command']}")
            self.assertNotIn("dirty", result["commit"], path.name)

    def test_the_document_links_each_with_its_command(self):
        text = (ROOT / "docs/performance.md").read_text()
        linked = set(re.findall(r"\(\.\./bench/results/([\w-]+\.json)\)", text))
        self.assertEqual(linked, {path.name for path in (ROOT / "bench/results").glob("*.json")})
        for name in linked:
            self.assertIn(f"`{json.loads((ROOT / 'bench/results' / name).read_text())['command']}`", text, name)


if __name__ == "__main__":
    HELIO = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
