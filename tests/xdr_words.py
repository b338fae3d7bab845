"""XDR in Python for tests that write or read messages byte by byte. Not a test itself."""
import struct


def opaque(data):
    return struct.pack(">I", len(data)) + data + b"\0" * (-len(data) % 4)


class Words:
    """Reads the words of a message from the front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def word(self):
        self.at += 4
        return struct.unpack_from(">I", self.data, self.at - 4)[0]

    def long(self):
        return self.word() << 32 | self.word()

    def opaque(self):
        size = self.word()
        begin, self.at = self.at, self.at + size + -size % 4
        return self.data[begin:begin + size]
