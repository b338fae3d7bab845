#!/usr/bin/env python3
"""helio man and helio completion: pages and scripts that know every verb and flag of --help, and that their readers accept.

Usage: manual_test.py PATH_TO_HELIO. Needs bash; the parts for zsh, fish and man are skipped, aloud, where those are missing.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from patience import PATIENCE_S  # noqa: E402

HELIO = ""


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, **more)


def helio(*arguments):
    done = run(HELIO, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def verbs():
    return re.findall(r"^  ([a-z]+)  +\S", helio("--help"), re.MULTILINE)


def flags_of(*words):
    return set(re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)", helio(*words, "--help"), re.MULTILINE))


def needs(program):
    return unittest.skipUnless(shutil.which(program), f"{program} is not installed")


class Completion(unittest.TestCase):
    def bash(self, *words):
        """What bash would offer after these words; the last one is being typed."""
        script = helio("completion", "bash") + '\nCOMP_WORDS=("$@") COMP_CWORD=$(($# - 1))\n_helio\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
        done = run("bash", "-uc", script, "bash", *words)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_offers_verbs(self):
        self.assertIn("serve", self.bash("helio", ""))
        self.assertEqual(self.bash("helio", "expl"), ["explain"])
        self.assertEqual(set(verbs()) - set(self.bash("helio", "")), set())

    def test_bash_offers_the_flags_of_each_verb(self):
        for verb in verbs():
            self.assertEqual(flags_of(verb) - set(self.bash("helio", verb, "--")), set(), verb)

    def test_bash_offers_subcommands_and_values(self):
        self.assertIn("decode", self.bash("helio", "xdr", "d"))
        self.assertEqual(self.bash("helio", "completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.bash("helio", "explain", "--color", "a"), ["auto", "always"])

    def test_bash_leaves_files_to_bash(self):
        self.assertEqual(self.bash("helio", "lint", ""), [])
        self.assertEqual(self.bash("helio", "serve", "--config", ""), [])

    @needs("zsh")
    def test_zsh_accepts_its_script(self):
        done = run("zsh", "-fc", "autoload -U compinit && compinit -D -u && eval \"$1\" && print $_comps[helio]", "zsh",
                   helio("completion", "zsh"))
        self.assertEqual((done.returncode, done.stdout.strip(), done.stderr), (0, "_helio", ""))

    @needs("fish")
    def test_fish_offers_verbs_and_flags(self):
        with tempfile.TemporaryDirectory() as home:
            script = pathlib.Path(home, "helio.fish")
            script.write_text(helio("completion", "fish"), "utf-8")

            def offers(line):
                done = run("fish", "--no-config", "-c", f"source {script}; complete -C '{line}'", env={"HOME": home, "PATH": "/usr/bin:/bin"})
                return [one.split("\t")[0] for one in done.stdout.splitlines()]

            self.assertEqual(offers("helio expl"), ["explain"])
            self.assertEqual(flags_of("xdr", "decode") - set(offers("helio xdr decode --")), set())


class Manual(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        helio("man", "--out", self.folder.name)

    def test_every_verb_has_a_page(self):
        pages = {page.name for page in pathlib.Path(self.folder.name).iterdir()}
        self.assertEqual(pages, {"helio.1"} | {f"helio-{verb}.1" for verb in verbs()})

    def test_pages_have_every_flag(self):
        for verb in verbs():
            page = pathlib.Path(self.folder.name, f"helio-{verb}.1").read_text("utf-8").replace("\\-", "-")
            self.assertEqual([flag for flag in flags_of(verb) if flag not in page], [], verb)

    @needs("man")
    def test_man_shows_them_without_a_warning(self):
        for page in sorted(pathlib.Path(self.folder.name).iterdir()):
            done = run("man", "--warnings=w", "-l", str(page), env={"LC_ALL": "C.UTF-8", "MANWIDTH": "100", "PATH": "/usr/bin:/bin"})
            self.assertEqual(done.stderr, "", page.name)
            self.assertIn("SYNOPSIS", done.stdout)

    def test_an_unknown_verb_is_an_error(self):
        done = run(HELIO, "man", "nonsense")
        self.assertEqual(done.returncode, 2)
        self.assertIn("helio has no verb 'nonsense'", done.stderr)


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main()
