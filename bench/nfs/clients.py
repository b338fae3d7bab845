"""Many NFS 4.1 clients at one server, for its memory: each with a client id, a session and an open file.

The clients share a few connections: what connections cost is measured elsewhere. Each asks for a session as Linux's
client does, and opens a file of its own for reading.
"""

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from xdr_words import Words, opaque  # noqa: E402

NFS4 = (100003, 4)
COMPOUND = 1
EXCHANGE_ID, CREATE_SESSION, SEQUENCE, RECLAIM_COMPLETE = 42, 43, 53, 58
PUTROOTFH, LOOKUP, OPEN = 24, 15, 18
READ_ONLY_NO_DELEGATION = 0x401
# What Linux asks for: request, response, cached response, operations, slots.
FORE = (0, 1049620, 1049480, 7584, 8, 64, 0)
BACK = (0, 4096, 4096, 0, 2, 16, 0)


class Refused(RuntimeError):
    pass


def words(*values):
    return struct.pack(f">{len(values)}I", *values)


def call(connection, *operations):
    """A COMPOUND with AUTH_SYS of root; the words of its result from the first operation's number on."""
    credential = words(0) + opaque(b"helio") + words(0, 0, 0)
    message = (words(1, 0, 2, *NFS4, COMPOUND, 1) + opaque(credential) + words(0, 0)
               + opaque(b"") + words(1, len(operations)) + b"".join(operations))
    connection.sendall(words(0x80000000 | len(message)) + message)
    reply = receive(connection)
    found = Words(reply)
    found.at = 24  # xid, REPLY, accepted, verifier, SUCCESS
    status = found.word()
    found.opaque()
    if status != 0 or found.word() != len(operations):
        raise Refused(f"status {status} of a COMPOUND")
    return found


def receive(connection):
    def take(size):
        out = b""
        while len(out) < size:
            piece = connection.recv(size - len(out))
            if not piece:
                raise Refused("the server closed the connection")
            out += piece
        return out

    reply, last = b"", False
    while not last:
        mark, = struct.unpack(">I", take(4))
        last = mark >= 0x80000000
        reply += take(mark & 0x7fffffff)
    return reply


def begin(connection, number, path, name):
    """One more client: EXCHANGE_ID, CREATE_SESSION, RECLAIM_COMPLETE, OPEN."""
    made = call(connection, words(EXCHANGE_ID) + b"verifier" + opaque(b"client %d" % number) + words(0, 0, 0))
    made.at += 8  # number and status of the operation
    client, sequence = made.long(), made.word()
    made = call(connection, words(CREATE_SESSION) + struct.pack(">Q", client)
                + words(sequence, 0, *FORE, *BACK, 0x40000000, 1, 0))
    made.at += 8
    session = made.data[made.at:made.at + 16]
    call(connection, sequence_of(session, 1), words(RECLAIM_COMPLETE, 0))
    where = [words(LOOKUP) + opaque(part.encode()) for part in path.split("/") if part]
    call(connection, sequence_of(session, 2), words(PUTROOTFH), *where,
         words(OPEN, 0, READ_ONLY_NO_DELEGATION, 0, 0, 0) + opaque(b"process") + words(0, 0) + opaque(name.encode()))


def sequence_of(session, number):
    return words(SEQUENCE) + session + words(number, 0, 0, 1)


def open_all(connections, count, path, files):
    """`count` clients, each with one of the `files` f0, f1 … of the directory `path` open."""
    for number in range(count):
        begin(connections[number % len(connections)], number, path, f"f{number % files}")
