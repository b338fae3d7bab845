#!/usr/bin/env python3
"""count_tests.py CTEST_JUNIT GTEST_FOLDER: how many test cases one run of ctest had.

CTest knows programs, GoogleTest knows cases. A program NAME that left NAME_test.xml counts as its
cases; one that left none (a script, or a program that died before it could write) counts as one. A
program that failed with no failed case of its own, by crash, leak or timeout, is one failure more.

Prints "PASSED FAILED SKIPPED", then a line for each failure and each skipped case.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def cases_of(report):
    """(passed, failed names, skipped names) of one GoogleTest report."""
    passed, failed, skipped = 0, [], []
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        if case.find("failure") is not None:
            failed.append(name)
        elif case.find("skipped") is not None or case.get("result") == "skipped":
            skipped.append(name)
        elif case.get("status") == "run":  # the others are DISABLED_
            passed += 1
    return passed, failed, skipped


def count(junit, folder):
    passed, failures, skips = 0, [], []
    for program in ElementTree.parse(junit).iter("testcase"):
        name, status = program.get("name"), program.get("status")
        report = Path(folder) / f"{name}_test.xml"
        if status == "disabled":
            continue
        if status == "notrun":  # not built, or a requirement failed: never silence
            failures.append(f"{name}: did not run")
            continue
        try:
            own_passed, failed, skipped = cases_of(report)
        except (OSError, ElementTree.ParseError):
            own_passed, failed, skipped = (1 if status == "run" else 0), [], []
        passed += own_passed
        skips += [f"{name}: {case}" for case in skipped]
        if status == "fail" and not failed:
            failed = ["(the program itself: crash, leak, timeout or exit status)"]
        failures += [f"{name}: {case}" for case in failed]
    return passed, failures, skips


def main():
    passed, failures, skips = count(sys.argv[1], sys.argv[2])
    print(passed, len(failures), len(skips))
    for line in failures:
        print("FAIL", line)
    for line in skips:
        print("skip", line)


if __name__ == "__main__":
    main()
