#!/usr/bin/env python3
"""cut_capture.py IN OUT FROM-TO [FROM-TO ...]: packets of a pcap file, by number from 1, into a smaller one."""
import struct
import sys


def main() -> None:
    source, target, *ranges = sys.argv[1:]
    wanted = [tuple(map(int, part.split("-"))) for part in ranges]
    with open(source, "rb") as file:
        data = file.read()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    out, at, number = data[:24], 24, 0
    while at + 16 <= len(data):
        size = 16 + struct.unpack(order + "I", data[at + 8 : at + 12])[0]
        number += 1
        if any(first <= number <= last for first, last in wanted):
            out += data[at : at + size]
        at += size
    with open(target, "wb") as file:
        file.write(out)


main()
