"""Reads the pages of the API reference, for tests. Not a test itself."""
import html
import pathlib
import re


def header_pages(folder):
    """The page of each header, by the header's path."""
    pages = {}
    for page in pathlib.Path(folder).glob("*_8h.html"):
        content = page.read_text("utf-8")
        folders = re.findall(r'<li class="navelem"><a [^>]*>([^<]*)</a>', content)
        name, = re.findall(r'<div class="title">(\S+) File Reference', content)
        pages["/".join([*folders, name])] = page
    return pages


def text_of(page):
    """What a reader sees."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", pathlib.Path(page).read_text("utf-8"))).split())
