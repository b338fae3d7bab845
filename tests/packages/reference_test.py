#!/usr/bin/env python3
"""The API reference: made from the comments of the public headers, complete, without scripts, and the same each time.

Usage: reference_test.py. Builds the target `reference` in build/release; Doxygen ends with an error if it has a warning.
"""
import filecmp
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parent)]
from patience import PATIENCE_S  # noqa: E402
from reference_pages import header_pages, text_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging/reference"))
sys.dont_write_bytecode = True
from comments import Filter  # noqa: E402

BUILD = ROOT / "build/release"
PAGES = BUILD / "reference"

# A header: its comments, and what becomes of them.
FILTERED = ((
    "// What it is.\n//\n//     code <here>\n#pragma once\n",
    "/// @file\n/// %What it is.\n///\n/// @code{.unparsed}\n/// code <here>\n/// @endcode\n#pragma once\n"
), (
    "// A: it.\n#pragma once\n\nclass A;\n\nclass A final : public B {\n};\n",
    "/// @file\n/// A: it.\n#pragma once\n\nclass A;\n\n/// A: it.\nclass A final : public B {\n};\n"
), (
    "// A: it.\n#pragma once\n\n// It.\nstruct A {\n};\n",
    "/// @file\n/// A: it.\n#pragma once\n\n/// %It.\nstruct A {\n};\n"
), (
    "// first\n\nint a;  // of `a`\n        // and more\n",
    "/// @file\n/// first\n\nint a;  ///< of <tt>a</tt>\n        ///< and more\n"
), (
    "\n// Not about b.\n\nint b;\nclass C;  // c.h\n",
    "\n// Not about b.\n\nint b;\nclass C;  // c.h\n"
), (
    "\n// f --x <y> @z\ninline int f(int a /* b */) {  // g\n    // h\n    return 1'000;  // i\n}\n",
    "\n/// f \\--x \\<y\\> \\@z\ninline int f(int a /* b */) {  // g\n    // h\n    return 1'000;  // i\n}\n"
), (
    '\nnamespace n {\n// S.\ntemplate <class T>\nstruct S {\n    // m\n    int m = f("// {", \'"\');\n};\n}  // namespace n\n',
    '\nnamespace n {\n/// S.\ntemplate <class T>\nstruct S {\n    /// m\n    int m = f("// {", \'"\');\n};\n}  // namespace n\n'
), (
    "\nenum class E {\n    a,  // one\n    // two\n    b = 1,\n    c  // three\n};\n",
    "\nenum class E {\n    a,  ///< one\n    /// two\n    b = 1,\n    c  ///< three\n};\n"
), (
    "\nvoid g(int x,  // not a member\n       int y);  // g\n",
    "\nvoid g(int x,  // not a member\n       int y);  ///< g\n"
))

# A page, and sentences from the comments of a header that must be on it.
SENTENCES = {
    "namespacehelio_1_1nfs.html": ("serve", "Serves until SIGTERM or SIGINT"),
    "classhelio_1_1vfs_1_1FileSystem.html": ("read", "At most count bytes of a file from offset on."),
    "structhelio_1_1vfs_1_1Entry.html": ("cookie", "continues after this entry"),
    "classhelio_1_1Payload.html": ("the bulk data of a message", "copy_to", "A file that has become shorter"),
}


class Comments(unittest.TestCase):
    def test_become_documentation(self):
        for source, expected in FILTERED:
            self.assertEqual(Filter(source).run(), expected if expected.startswith("/// @file") else "/// @file" + expected)

    def test_code_is_never_changed(self):
        def code(text):
            return re.sub(r"///?<?[^\n]*", "", re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)).split()
        for header in public_headers():
            source = header.read_text("utf-8")
            self.assertEqual(code(Filter(source).run()), code(source), header)


def public_headers():
    settings = (BUILD / "Doxyfile").read_text("utf-8")
    return [pathlib.Path(line) for line in re.findall(r"^ +(/\S+\.h)\b", settings, re.M)]


class Reference(unittest.TestCase):
    def test_every_public_header_has_a_page(self):
        headers = {str(header.relative_to(ROOT)) for header in public_headers()}
        self.assertGreater(len(headers), 150)
        self.assertIn("helio/vfs/file_system.h", headers)
        self.assertEqual(set(header_pages(PAGES)), headers)

    def test_comments_are_there(self):
        for page, sentences in SENTENCES.items():
            text = text_of(PAGES / page)
            for one in sentences:
                self.assertIn(one, text, page)

    def test_internal_things_are_not(self):
        for file in PAGES.iterdir():
            self.assertNotRegex(file.name, r"detail|__internal")

    def test_pages_stand_alone(self):
        """No scripts, nothing from elsewhere, no dead links."""
        files = {file.name for file in PAGES.iterdir()}
        self.assertEqual([name for name in files if name.endswith(".js")], [])
        for page in PAGES.glob("*.html"):
            content = page.read_text("utf-8")
            self.assertNotIn("<script", content, page.name)
            for link in re.findall(r'(?:src|href)="([^"]*)"', content):
                target = html.unescape(link).split("#")[0]
                if target and not target.startswith("javascript:"):
                    self.assertIn(target, files, page.name)

    def test_made_elsewhere_it_is_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "copy")
            for file in (*public_headers(), *(ROOT / "packaging/reference").iterdir()):
                to = copy / file.relative_to(ROOT)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, to)
            settings = (BUILD / "Doxyfile").read_text("utf-8").replace(str(BUILD), folder).replace(str(ROOT), str(copy))
            pathlib.Path(folder, "Doxyfile").write_text(settings, "utf-8")
            subprocess.run(["doxygen", folder + "/Doxyfile"], check=True, timeout=PATIENCE_S,
                           env={**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C"})
            names = [file.name for file in PAGES.iterdir()]
            _, different, missing = filecmp.cmpfiles(PAGES, folder + "/reference", names, shallow=False)
            self.assertEqual((different, missing), ([], []))


if __name__ == "__main__":
    subprocess.run([ROOT / "tools/build", "release", "reference"], check=True)
    unittest.main()
