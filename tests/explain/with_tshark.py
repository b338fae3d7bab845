"""What tshark says about a capture, for comparison with `helio explain`."""
import collections
import functools
import pathlib
import re
import subprocess
import xml.etree.ElementTree

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "schema"
VERDICTS = ("SUCCESS", "PROG_UNAVAIL", "PROG_MISMATCH", "PROC_UNAVAIL", "GARBAGE_ARGS", "SYSTEM_ERR")
STATUS_FIELDS = ("nfs.status3", "nfs.status2", "nfs.nfsstat4", "mount.status")
OPERATION_FIELDS = ("nfs.opcode", "nfs.cb.operation")


def forced(port=2049):
    """tshark decides by port, and clients' ports below 1024 belong to other protocols; it gives up a connection at the first
    cut segment, unless configured to look for the next record."""
    return ("-d", f"tcp.port=={port},rpc", "-d", f"udp.port=={port},rpc", "-o", "rpc.dissect_unknown_programs:TRUE",
            "-o", "rpc.find_fragment_start:TRUE", "-o", "tcp.reassemble_out_of_order:TRUE")


@functools.cache
def wire_number(status):
    """Of a name in a schema: "NFS3ERR_NOENT" is 2. Where the schema has no names it is a number."""
    if isinstance(status, int):
        return status
    for schema in SCHEMAS.glob("*.x"):
        found = re.search(rf"^\s*{re.escape(status)}\s*=\s*(\d+)", schema.read_text(), re.M)
        if found:
            return int(found[1])
    return None


def operation_numbers():
    """{"LOOKUP": 15, …}, of both directions: the names differ but for ILLEGAL, whose number is the same."""
    found = {}
    for name, prefix in (("nfs4.x", "OP_"), ("nfs4_cb.x", "OP_CB_")):
        for operation, number in re.findall(rf"^\s*{prefix}(\w+) = (\d+)", (SCHEMAS / name).read_text(), re.M):
            found.setdefault(operation, int(number))
    return found


class Messages:
    """The messages in a capture, as far as tshark shows them. Keys are (xid, is a call)."""

    def __init__(self, path, port=2049):
        self.fields = {}  # {program, version, procedure, verdict, status}, as far as tshark says
        self.count = collections.Counter()
        self.operations = {}  # numbers of the operations of NFS 4, in order
        text = subprocess.run(["tshark", "-r", path, *forced(port), "-Y", "rpc", "-T", "pdml"], capture_output=True, check=True).stdout
        # Names of files may have bytes that XML does not allow, and tshark writes them as they are.
        text = re.sub(r"[^\t\n\r -\ufffd]", "?", text.decode(errors="replace"))
        for packet in xml.etree.ElementTree.fromstring(text).iter("packet"):
            key = None
            for protocol in packet.iter("proto"):
                fields, operations = {}, []
                for field in protocol.iter("field"):
                    fields.setdefault(field.get("name"), field.get("show"))
                    if field.get("name") in OPERATION_FIELDS:
                        operations.append(int(field.get("show")))
                if protocol.get("name") == "rpc":
                    key = self.take_header(fields)
                elif key is not None:
                    self.take_body(key, fields, operations)

    def take_header(self, fields):
        if "rpc.xid" not in fields or "rpc.msgtyp" not in fields:
            return None
        key = fields["rpc.xid"], fields["rpc.msgtyp"] == "0"
        self.count[key] += 1
        message = self.fields.setdefault(key, {})
        for name, field in (("program", "rpc.program"), ("version", "rpc.programversion"), ("procedure", "rpc.procedure")):
            if field in fields:
                message[name] = int(fields[field])
        if not key[1] and "rpc.state_accept" in fields:
            message["verdict"] = VERDICTS[int(fields["rpc.state_accept"])]
        return key

    def take_body(self, key, fields, operations):
        status = next((fields[name] for name in STATUS_FIELDS if name in fields), None)
        if status is not None:
            self.fields[key].setdefault("status", int(status))
        if operations:
            self.operations.setdefault(key, operations)

    def total(self, call):
        """Of the calls, or of the replies, with those that were sent again."""
        return sum(count for key, count in self.count.items() if key[1] == call)


def operations_of(exchange, numbers):
    """{is a call: numbers of the operations} of what --json says about a COMPOUND or a callback."""
    found = {}
    for call, side, array, tag in ((True, "args", "argarray", "argop"), (False, "result", "resarray", "resop")):
        names = [operation[tag] for operation in exchange.get(side, {}).get(array, ())]
        found[call] = [numbers[name.removeprefix("OP_").removeprefix("CB_")] for name in names]
    return found


class SameAsTshark:
    """Part of a unittest.TestCase."""

    def assert_same_operations(self, theirs, answer):
        """The operations of all COMPOUNDs and callbacks, and of their results, are those that tshark lists."""
        numbers = operation_numbers()
        ours = {}
        for one in answer.exchanges:
            if "operations" in one:
                ours |= {(one["xid"], call): operations for call, operations in operations_of(one, numbers).items() if operations}
        self.assertEqual(ours, theirs.operations)

    def assert_same_messages(self, theirs, answer):
        """All messages that tshark sees are there, with the same values. The keys of those that only helio sees."""
        ours = collections.defaultdict(list)  # an xid may be used again
        for one in answer.exchanges:
            for call in (True, False):
                if one.get("missing") != ("call" if call else "reply"):
                    ours[one["xid"], call].append(one)
        missed = sorted(key for key in theirs.fields if key not in ours)
        self.assertEqual(missed, [], "(xid, is a call) that tshark sees")
        for key, expected in theirs.fields.items():
            self.assert_same(key, expected, ours[key])
        return ours.keys() - theirs.fields.keys()

    def assert_same(self, key, expected, found):
        """One of those with this xid says the same."""
        reasons = []
        for one in found:
            said = {name: one.get(name) for name in expected}
            if one.get("missing") == "call":  # an orphan's procedure is unknown; tshark guesses
                said, wanted = {"verdict": one.get("verdict")}, {"verdict": expected.get("verdict")}
            else:
                wanted = dict(expected)
            if key[1]:
                said.pop("status", None)
                wanted.pop("status", None)
            elif "status" in said:
                said["status"] = None if said["status"] is None else wire_number(said["status"])
            if said == wanted:
                return
            reasons.append(f"{said} where tshark says {wanted}")
        self.fail(f"{key}: {'; '.join(reasons)}")
