"""COMPOUNDs of NFS 4.1 as bytes, written from RFC 8881 and RFC 5662, and a client with a session. Not a test itself."""
import struct

import wire
from wire import opaque

COMPOUND, VERSION = 1, 4
GETATTR, LOCK, OPEN, PUTFH, EXCHANGE_ID, CREATE_SESSION, SEQUENCE = 9, 12, 18, 22, 42, 43, 53
OK, DELAY, BADSLOT = 0, 10008, 10053
WORD_MAX = 0xFFFFFFFF
NAME_SIZE = 1024  # the longest that a client may have
RESULT_AT = wire.HEADER_SIZE + 12  # of the first operation, if the tag is empty: behind status, tag and count
ID_AT = RESULT_AT + 8  # what EXCHANGE_ID and CREATE_SESSION made


def compound(*operations):
    return opaque(b"") + struct.pack(">2I", 1, len(operations)) + b"".join(operations)


def exchange_id(name):
    return struct.pack(">IQ", EXCHANGE_ID, 1) + opaque(name) + struct.pack(">3I", 0, 0, 0)


def create_session(client, sequence, size=1 << 20, slots=64):
    channel = struct.pack(">7I", 0, size, size, size, size, slots, 0)
    return struct.pack(">IQ2I", CREATE_SESSION, client, sequence, 0) + channel * 2 + struct.pack(">3I", 0, 1, 0)


def sequence(session, number, slot=0, cached=True):
    return struct.pack(">I", SEQUENCE) + session + struct.pack(">4I", number, slot, slot, cached)


def put(handle):
    return struct.pack(">I", PUTFH) + opaque(handle)


def get_all_attributes():
    return struct.pack(">4I", GETATTR, 2, 0x00FFFFFE, 0x00BEFFFF)  # without the two that can only be set


def open_new(name):
    """For reading and writing; made if it is not there."""
    head = struct.pack(">4IQ", OPEN, 0, 3, 0, 0)
    return head + opaque(b"owner") + struct.pack(">5I", 1, 0, 0, 0, 0) + opaque(name)


class Client:
    """One session and one slot, over a wire.Connection."""

    def __init__(self, connection, name):
        self.connection, self.number = connection, 0
        answer = self.call(exchange_id(name), begin=EXCHANGE_ID)
        client, number = answer.long(), answer.word()
        answer = self.call(create_session(client, number), begin=CREATE_SESSION)
        self.session = b"".join(struct.pack(">I", answer.word()) for _ in range(4))

    def call(self, *operations, begin):
        """The results behind the status of the first operation."""
        answer = self.connection.call(wire.NFS, COMPOUND, compound(*operations), VERSION)
        status = answer.word()
        if status != OK:
            raise wire.Unexpected(f"COMPOUND that begins with {begin}: {status}")
        answer.opaque()
        for wanted in (None, begin, OK):
            got = answer.word()
            if wanted not in (None, got):
                raise wire.Unexpected(f"{got} instead of {wanted}")
        return answer

    def must(self, *operations):
        """In the session; all of them succeed."""
        self.number += 1
        return self.call(sequence(self.session, self.number), *operations, begin=SEQUENCE)
