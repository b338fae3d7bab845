#!/usr/bin/env python3
"""Makes documentation of the plain comments in a header: Doxygen reads each header through it (FILTER_PATTERNS in Doxyfile.in).

Usage: comments.py HEADER. Prints the header with `// text` turned into `/// text` or `///< text`, and nothing else changed. Comments
count as documentation if they are

- at the beginning of the header: they describe the file and, if they begin "Name: …", also the class of that name;
- directly above a declaration;
- behind a member, an enumerator or a variable, and on the lines below as long as they are aligned.

Comments in function bodies, in parameter lists, and before an empty line stay as they are. Text is escaped, so nothing in a comment is
taken for a command of Doxygen or for HTML. Indented lines are code, and `quoted names` are too.
"""
import re
import sys

TOKEN = re.compile(r"""
      (?P<directive>(?m:^)[ \t]*\#(?:\\\n|[^\n])*)
    | (?P<comment>//[^\n]*)
    | (?P<block>/\*.*?\*/)
    | (?P<raw>R"(?P<delimiter>[^(\s]*)\(.*?\)(?P=delimiter)")
    | (?P<text>"(?:\\.|[^"\\])*")
    | (?P<number>\d[\w'.]*)
    | (?P<name>\w+)
    | (?P<character>'(?:\\.|[^'\\])*')
    | (?P<other>\s|.)
""", re.X | re.S)

ESCAPED = re.compile(r"---|--|(?<!\w)::|[\\@<>&#%$]")
CODE_INDENT = 4


# The first word of a comment is a verb or an article more often than the name of a class: "Changes with every start".
FIRST_WORD = re.compile(r"[A-Z][a-z]+\b(?!:)")


def escape(text):
    text = ESCAPED.sub(lambda found: "\\" + found[0], text)
    return re.sub(r"`([^`]+)`", r"<tt>\1</tt>", text)


def documentation(lines):
    """Lines of Doxygen's own language for lines of a comment."""
    out, prose, code = [], [], []

    def end_of_prose():
        if prose:
            out.extend(escape("\n".join(prose)).split("\n"))
            prose.clear()

    def end_of_code():
        while code and not code[-1]:
            code.pop()
        if code:
            out.extend(["@code{.unparsed}", *code, "@endcode"])
            code.clear()

    for line in lines:
        if line.startswith(" " * CODE_INDENT) and (code or not prose or not prose[-1]):
            end_of_prose()
            code.append(line[CODE_INDENT:])
        elif code and not line:
            code.append("")
        else:
            end_of_code()
            prose.append(line)
    end_of_prose()
    end_of_code()
    if out and FIRST_WORD.match(out[0]):
        out[0] = "%" + out[0]
    return out


def text_of(comment):
    return re.sub(r"^// ?", "", comment).rstrip()


def opens(statement):
    """What a brace after these words begins: "body", "enum" or "scope"."""
    words = re.sub(r"\[\[.*?\]\]|\balignas\s*\([^)]*\)", " ", statement).strip()
    while words.startswith("template"):
        depth = 0
        for at, one in enumerate(words):
            depth += {"<": 1, ">": -1}.get(one, 0)
            if one == ">" and depth == 0:
                words = words[at + 1:].strip()
                break
        else:
            return "body"
    words = re.sub(r"^requires\b.*?(?=\b(?:class|struct|union)\b)", "", words)
    if re.match(r"enum\b", words):
        return "enum"
    if re.match(r'(inline\s+)?namespace\b|(class|struct|union)\b[^(]*$|extern\s*"', words):
        return "scope"
    return "body"


# What a comment behind it does not describe.
NOT_DESCRIBED = re.compile(r"(template\s*<.*>\s*)?(class|struct|union|enum(\s+class)?)\s+[\w:]+(\s*:\s*[\w:]+)?$|friend\b|static_assert\b|using namespace\b|"
                           r"(public|protected|private)$", re.S)


class Filter:
    def __init__(self, source):
        self.tokens = [(found.lastgroup if found.lastgroup != "delimiter" else "raw", found[0]) for found in TOKEN.finditer(source)]
        self.at = 0
        self.out = []
        self.line = ""       # of the source, as far as it was read
        self.scopes = []     # what the open braces began
        self.parentheses = 0
        self.statement = ""  # since the last one ended
        self.ended = ""      # that one, if it ended on this line
        self.about = []      # lines of the comment at the beginning

    def run(self):
        self.opening()
        while self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            if kind == "comment":
                self.comment()
                continue
            self.at += 1
            self.out.append(text)
            if text == "\n":
                self.line, self.ended = "", ""
                self.statement += " "
                continue
            self.line += text
            if kind not in ("directive", "block"):
                self.code(text)
        return self.with_main_class("".join(self.out))

    def with_main_class(self, made):
        """The header's own class has the header's comment, if it has none by itself."""
        name = re.match(r"(\w+)(<.*?>)?: ", self.about[0] if self.about else "")
        if not name:
            return made
        definition = rf"^(?:template\b[^;{{}}]*\n)?(?:class|struct|enum class) (?:\[\[\w+\]\] |alignas\(\w+\) )*{name[1]}\b[^;{{}}()]*\{{"
        found = re.search(definition, made, re.M)
        if not found or re.search(r"^///[^\n]*\n\Z", made[:found.start()], re.M):
            return made
        return made[:found.start()] + self.lines(self.about, "", "///", []) + "\n" + made[found.start():]

    def code(self, text):
        declarations = all(one != "body" for one in self.scopes)
        if text in "([":
            self.parentheses += 1
        elif text in ")]":
            self.parentheses -= 1
        elif text == "{":
            self.scopes.append(opens(self.statement) if declarations and self.parentheses == 0 else "body")
            if self.scopes[-1] != "body":
                self.statement, self.ended = "", ""
                return
        elif text == "}" and self.scopes:
            closed = self.scopes.pop()
            # The body of a function ends it; braces of an initialiser and of a type are followed by a semicolon.
            if closed == "body" and all(one != "body" for one in self.scopes) and self.parentheses == 0 and \
                    re.search(r"\)[^=]*\{[^{]*$", self.statement, re.S) and self.next_code() != ";":
                self.end_statement()
                return
            if closed != "body":
                self.statement = "type" if self.next_code() == ";" else ""
                return
        elif text == ";" and declarations and self.parentheses == 0:
            self.end_statement()
            return
        elif text == "," and self.scopes and self.scopes[-1] == "enum" and self.parentheses == 0:
            self.end_statement()
            return
        elif text == ":" and re.fullmatch(r"\s*(public|protected|private)\s*", self.statement):
            self.end_statement()
            return
        self.statement += text

    def end_statement(self):
        self.ended, self.statement = self.statement.strip(), ""

    def next_code(self):
        return next((text for kind, text in self.tokens[self.at:] if not text.isspace() and kind != "comment"), "")

    def opening(self):
        """The comment at the beginning of the file."""
        lines = []
        while self.at + 1 < len(self.tokens) and self.tokens[self.at][0] == "comment":
            lines.append(self.tokens[self.at][1])
            self.at += 2  # and the end of the line
        self.about = [text_of(line) for line in lines]
        self.out.append(self.lines(self.about, "", "///", ["@file"]))
        self.out.append("\n" if lines else "")

    def comment(self):
        column = len(self.line)
        alone = not self.line.strip()
        lines = [self.tokens[self.at][1]]
        self.at += 1
        # Lines below at the same column belong to it.
        while (below := self.same_column(column)) is not None:
            lines.append(below)
        declarations = self.parentheses == 0 and all(one != "body" for one in self.scopes)
        mark = "//"
        if alone and declarations and not self.statement.strip() and self.describes_next():
            mark = "///"
        elif not alone and declarations and self.describes_last():
            mark = "///<"
        if mark == "//":
            self.out.append(("\n" + " " * column).join(lines))
        else:
            self.out.append(self.lines([text_of(line) for line in lines], " " * column, mark, []))

    def same_column(self, column):
        """The comment on the next line if it is alone there, in the same column; then it is taken."""
        following = self.tokens[self.at:self.at + column + 2]
        if len(following) == column + 2 and following[0][1] == "\n" and following[-1][0] == "comment" and \
                all(text in " \t" for _, text in following[1:-1]):
            self.at += column + 2
            return following[-1][1]
        return None

    def describes_next(self):
        rest = "".join(text for _, text in self.tokens[self.at:self.at + 200])
        return re.match(r"\n[ \t]*(?![\s}#]|$|(public|protected|private):|friend\b|static_assert\b|using namespace\b)", rest)

    def describes_last(self):
        if self.scopes and self.scopes[-1] == "enum" and self.statement.strip():
            return True
        return self.ended and not self.statement.strip() and not NOT_DESCRIBED.match(self.ended)

    @staticmethod
    def lines(texts, indent, mark, first):
        return ("\n" + indent).join((mark + " " + text).rstrip() for text in first + documentation(texts))


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as header:
        sys.stdout.write(Filter(header.read()).run())
