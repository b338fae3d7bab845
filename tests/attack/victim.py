"""A well-behaved client that knows the right answer to each of its calls. Not a test itself."""
import os
import time

import wire

CONTENT = bytes(range(256)) * 16
LARGE = 1 << 20


class Victim:
    """One connection, in a directory of its own, which it never gives up: an error or a disconnection is an exception."""

    def __init__(self, host, port, timeout, export="/", mount_port=None):
        self.connection = wire.Connection(host, port, timeout)
        self.rounds, self.number = 0, os.urandom(4).hex()
        try:
            self.root = self.connection.mount(export, mount_port)
            self.file = self.connection.create(self.root, f"victim-{self.number}")
            self.connection.write(self.file, 0, CONTENT, stable=2)
        except BaseException:
            self.connection.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def expect(self, what, found, right):
        if found != right:
            raise wire.Unexpected(f"{what}: {found!r:.200}, expected {right!r:.200}")

    def operations(self):
        """(name, function) of each call of a round."""
        connection = self.connection
        changed = self.rounds.to_bytes(8, "big")
        name = f"made-{self.number}-{self.rounds}"

        def make():
            made = connection.create(self.root, name)
            connection.write(made, 0, changed)
            self.expect("READ of a new file", connection.read(made, 0, 100), changed)

        return (
            ("NULL", lambda: connection.call(wire.NFS, wire.NULL)),
            ("GETATTR", lambda: self.expect("size", connection.size_of(self.file), len(CONTENT))),
            ("LOOKUP", lambda: self.expect("handle", connection.lookup(self.root, f"victim-{self.number}"), self.file)),
            ("READ", lambda: self.expect("READ", connection.read(self.file, 8, 4000),
                                         CONTENT[8:4008])),
            ("WRITE", lambda: connection.write(self.file, 0, changed)),
            ("READ back", lambda: self.expect("READ back", connection.read(self.file, 0, 8), changed)),
            ("CREATE", make),
            ("REMOVE", lambda: connection.remove(self.root, name)),
        )

    def write_much(self):
        """A WRITE of the largest size, which takes more of the server than all calls of a round."""
        name, content = f"large-{self.number}", self.rounds.to_bytes(8, "big") * (LARGE // 8)
        made = self.connection.create(self.root, name)
        self.connection.write(made, 0, content)
        self.expect("READ of a large file", self.connection.read(made, LARGE - 16, 16), content[:16])
        self.connection.remove(self.root, name)

    def round(self):
        """Every call once; [(name, when it began, seconds)]."""
        taken = []
        for name, operation in self.operations():
            began = time.monotonic()
            operation()
            taken.append((name, began, time.monotonic() - began))
        self.rounds += 1
        return taken
