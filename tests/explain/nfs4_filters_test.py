#!/usr/bin/env python3
"""`helio explain --filter` on NFS 4: every operation, and every field that --json shows, finds the calls that have it.

Usage: nfs4_filters_test.py PATH_TO_HELIO. Reads a capture in testdata, and one in the folder that HELIO_CAPTURES names, if it is there.
tests/linux_client does the same with a capture that it makes.
"""
import os
import pathlib
import sys
import unittest

from explain_command import explain

HELIO = ""
CAPTURES = [pathlib.Path(__file__).resolve().parents[2] / "testdata" / "explain" / "rdma-rxe-small.pcap",
            pathlib.Path(os.environ.get("HELIO_CAPTURES") or "/nonexistent") / "sample-captures__nfsv4.1_pnfs.cap"]
COMPOUNDS = ("nfs4.COMPOUND", "nfs4_cb.COMPOUND")
LONGEST = 400  # of a value, as Python writes it: data may be longer than a filter or a pattern can be
VALUES = 8  # to look for, of each kind
# Sides of a call: the key in --json, its array of operations, and the member of an operation that names it.
SIDES = (("args", "argarray", "argop"), ("result", "resarray", "resop"))


def leaves(value, path=()):
    """(path, value) of each number, text and truth value in an object. Filters cannot name elements of lists."""
    if isinstance(value, dict) and value.keys() == {"hex"}:  # a text that is not UTF-8
        value = bytes.fromhex(value["hex"])
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif value is not None and not isinstance(value, list) and len(repr(value)) <= LONGEST:
        yield ".".join(path), value


def fields_of(exchange):
    """{(side, operation or "COMPOUND", path, value)} of a COMPOUND, as a filter names them."""
    found = set()
    for side, array, tag in SIDES:
        compound = exchange.get(side, {})
        found |= {(side, "COMPOUND", *leaf) for leaf in leaves(compound)}
        for operation in compound.get(array, ()):
            name = operation[tag].removeprefix("OP_").removeprefix("CB_")
            for arm, value in operation.items():
                if arm != tag:
                    found |= {(side, name, *leaf) for leaf in leaves(value)}
    return found


def equals(value):
    """The end of a test in a filter. Only a pattern can name bytes that are no text."""
    if isinstance(value, bytes):
        return '~ "^' + "".join(f"\\x{byte:02x}" for byte in value) + '$"'
    if isinstance(value, bool):
        return "== true" if value else "== false"
    return f"== {value}" if isinstance(value, int) else '== "' + value.replace('"', '\\"') + '"'


def number_of(exchange):
    """Tells the exchanges of a capture apart."""
    return exchange.get("packet"), exchange.get("reply_packet"), exchange["xid"]


class Filters:
    """Part of a unittest.TestCase. `compounds` are those of a capture, each with its fields: [(exchange, fields)]."""

    def assert_found(self, helio, capture, text, expected):
        """The filter finds these exchanges, at least one."""
        with self.subTest(filter=text):
            answer = explain(helio, str(capture), "--filter", text)
            self.assertIsNotNone(answer.ledger, answer.errors)
            self.assertEqual([number_of(one) for one in answer.exchanges], [number_of(one) for one in expected])
            self.assertEqual(answer.ledger["matched"], len(expected))
            self.assertTrue(expected)

    def check_filters(self, helio, capture, sides=("args", "result")):
        """With the fields of these sides; how many filters were tried."""
        everything = explain(helio, str(capture)).exchanges
        compounds = [(one, fields_of(one)) for one in everything if one.get("operation") in COMPOUNDS]
        return (self.check_operations(helio, capture, everything) + self.check_fields(helio, capture, compounds, sides) +
                self.check_several(helio, capture, compounds))

    def check_operations(self, helio, capture, everything):
        names = {(one["operation"].split(".")[0], name) for one in everything for name in one.get("operations", ())}
        for program, name in sorted(names):
            expected = [one for one in everything
                        if name in one.get("operations", ()) and one["operation"].startswith(f"{program}.")]
            self.assert_found(helio, capture, f"{program}.{name}", expected)
        return len(names)

    def check_fields(self, helio, capture, compounds, sides):
        """Each field of each operation, with one of its values. Other operations of the call may have the same field."""
        examples = {}
        for one, fields in compounds:
            for side, operation, path, value in sorted(fields, key=repr):
                if side in sides:
                    examples.setdefault((one["operation"].split(".")[0], operation, side, path), value)
        for (program, operation, side, path), value in sorted(examples.items()):
            expected = [one for one, fields in compounds
                        if one["operation"].startswith(f"{program}.") and (operation in ("COMPOUND", *one["operations"])) and
                        any(field[0] == side and field[2:] == (path, value) for field in fields)]
            self.assert_found(helio, capture, f"{program}.{operation} && {side}.{path} {equals(value)}", expected)
        return len(examples)

    def check_several(self, helio, capture, compounds):
        """What somebody looks for: all calls of a session, all that use a stateid, an OPEN by its name and its claim."""
        def values(*paths):
            """Some of the arguments' fields that are called so."""
            found = {value for _, fields in compounds for side, _, path, value in fields if side == "args" and path in paths}
            return sorted(found, key=repr)[:VALUES]

        def having(*wanted):
            """The compounds that have a field of each of these pairs: paths, value."""
            return [one for one, fields in compounds
                    if all(any(field[0] == "args" and field[2] in paths and field[3] == value for field in fields)
                           for paths, value in wanted)]

        session, stateids, name, claim = ("sa_sessionid",), ("stateid.other", "open_stateid.other"), ("claim.file",), ("claim.claim",)
        filters = [("nfs4.OPEN && status != NFS4_OK || nfs4.CLOSE",
                    [one for one, _ in compounds if "CLOSE" in one["operations"] or
                     "OPEN" in one["operations"] and one["status"] != "NFS4_OK"]),
                   ("nfs4.COMPOUND && !nfs4.SEQUENCE",
                    [one for one, _ in compounds if one["operation"] == "nfs4.COMPOUND" and "SEQUENCE" not in one["operations"]])]
        for value in values(*session):
            filters.append((f'args.sa_sessionid == "{value}"', having((session, value))))
        for value in values(*stateids):
            filters.append((" || ".join(f'args.{path} == "{value}"' for path in stateids), having((stateids, value))))
        for value in values(*name):
            filters.append((f"args.claim.claim == CLAIM_NULL && args.claim.file {equals(value)}",
                            having((claim, "CLAIM_NULL"), (name, value))))
        for text, expected in filters:
            self.assert_found(helio, capture, text, expected)
        for paths in (session, stateids, name):
            self.assertTrue(values(*paths), f"no call has {paths}")
        return len(filters)


class Nfs4Filters(Filters, unittest.TestCase):
    def test_captures(self):
        for capture in CAPTURES:
            if capture.exists():
                with self.subTest(capture.name):
                    self.assertGreater(self.check_filters(HELIO, capture), 100)


if __name__ == "__main__":
    HELIO = sys.argv.pop(1)
    unittest.main()
