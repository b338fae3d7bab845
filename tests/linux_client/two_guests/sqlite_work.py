#!/usr/bin/env python3
"""One SQLite database that two guests and a program beside the server use at once, with a rollback journal.

In a guest, in the mount: `sqlite_work.py NAME TURNS` moves money between accounts, one transaction each turn.
On the host, as a module: `use_at_once(machines, turns)`.
"""
import pathlib
import random
import sqlite3
import sys
import threading

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
from patience import PATIENCE_S  # noqa: E402

DATABASE = "accounts.db"
ACCOUNTS, EACH = 20, 1000


def connect(folder="."):
    return sqlite3.connect(f"{folder}/{DATABASE}", timeout=PATIENCE_S, isolation_level=None)


def create(folder):
    database = connect(folder)
    database.execute("PRAGMA journal_mode=DELETE")
    database.execute("CREATE TABLE accounts (number INTEGER PRIMARY KEY, balance INTEGER NOT NULL)")
    database.execute("CREATE TABLE transfers (who TEXT NOT NULL, turn INTEGER NOT NULL, note TEXT, UNIQUE (who, turn))")
    database.executemany("INSERT INTO accounts VALUES (?, ?)", [(number, EACH) for number in range(ACCOUNTS)])
    database.close()


def transfer(who, turns, folder="."):
    chance, database = random.Random(who), connect(folder)
    for turn in range(turns):
        one, two = chance.sample(range(ACCOUNTS), 2)
        # A lost or repeated read shows in the sum: the new balances are computed here, not by SQL.
        database.execute("BEGIN IMMEDIATE")
        balances = dict(database.execute("SELECT number, balance FROM accounts"))
        if sum(balances.values()) != ACCOUNTS * EACH:
            raise AssertionError(f"{who}, turn {turn}: the balances are {balances}")
        for number, change in ((one, -7), (two, 7)):
            database.execute("UPDATE accounts SET balance = ? WHERE number = ?", (balances[number] + change, number))
        database.execute("INSERT INTO transfers VALUES (?, ?, ?)", (who, turn, "x" * chance.randrange(2000)))
        database.execute("COMMIT")
    database.close()


def audit(folder, names, turns):
    """What is wrong, or an empty list."""
    database = connect(folder)
    checks = {
        "integrity": ("PRAGMA integrity_check", [("ok",)]),
        "sum": ("SELECT SUM(balance) FROM accounts", [(ACCOUNTS * EACH,)]),
        "transfers": ("SELECT who, COUNT(*) FROM transfers GROUP BY who ORDER BY who", [(name, turns) for name in sorted(names)]),
    }
    found = {name: database.execute(query).fetchall() for name, (query, _) in checks.items()}
    database.close()
    return [f"FAIL {name}: {found[name]}, wanted {wanted}" for name, (_, wanted) in checks.items() if found[name] != wanted]


def use_at_once(machines, turns):
    """On the host: (status, stdout, stderr)."""
    folder = machines.folders["server"]
    create(folder)
    failed = []

    def run(name):
        lab = machines.labs[name]
        try:
            if lab is None:
                transfer(name, turns, folder)
            else:
                status, out, err = lab.run([sys.executable, __file__, name, turns], machines.folders[name])
                failed.extend([f"FAIL {name}: {out}{err}"] if status else [])
        except Exception as why:
            failed.append(f"FAIL {name}: {why!r}")

    threads = [threading.Thread(target=run, args=(name,)) for name in machines.labs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    failed += audit(folder, machines.labs, turns)
    left = [path.name for path in pathlib.Path(folder).iterdir() if path.name != DATABASE]
    failed += [f"FAIL left: {left}"] if left else []
    return (1 if failed else 0), f"{turns} transactions each by {', '.join(machines.labs)}\n", "\n".join(failed)


if __name__ == "__main__":
    transfer(sys.argv[1], int(sys.argv[2]))
