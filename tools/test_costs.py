#!/usr/bin/env python3
"""Processor time of every test, user and system, of the processes that it starts too: what `make test` costs on a
machine that other work shares, where the clock tells nothing.

usage: tools/test_costs.py BUILD TABLE [REGEX [SECONDS]]
Runs the tests of BUILD whose names match, one after the other, and adds a line to TABLE for each: processor seconds,
seconds on the clock, exit code, name. Tests that have a line are left out, and none is begun after SECONDS, so that the
same command goes on where it was. Prints the sum and the most expensive ones."""
import json
import os
import re
import subprocess
import sys
import time


def listed(build):
    shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True, capture_output=True, text=True)
    return json.loads(shown.stdout)["tests"]


def properties(test):
    return {p["name"]: p["value"] for p in test.get("properties", [])}


def measured(table):
    if not os.path.exists(table):
        return {}
    with open(table, encoding="utf-8") as lines:
        rows = [line.split() for line in lines]
    return {row[3]: (float(row[0]), float(row[1]), int(row[2])) for row in rows}


def run(test):
    """Processor seconds, seconds and exit code; the output is kept beside the table where a test fails."""
    told = properties(test)
    words = dict(e.split("=", 1) for e in told.get("ENVIRONMENT", []))
    began, before = time.monotonic(), os.times()
    try:
        ended = subprocess.run(test["command"], cwd=told["WORKING_DIRECTORY"], env={**os.environ, **words},
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               timeout=told.get("TIMEOUT"), check=False)
        code, output = ended.returncode, ended.stdout
    except subprocess.TimeoutExpired as late:
        code, output = 124, late.stdout or b""
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used, time.monotonic() - began, code, output


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, table = sys.argv[1], sys.argv[2]
    wanted = re.compile(sys.argv[3] if len(sys.argv) > 3 else "")
    end = time.monotonic() + float(sys.argv[4] if len(sys.argv) > 4 else "inf")
    known, left = measured(table), 0
    for test in listed(build):
        name = test["name"]
        if name in known or not wanted.search(name) or properties(test).get("DISABLED"):
            continue
        if time.monotonic() > end:
            left += 1
            continue
        used, seconds, code, output = run(test)
        with open(table, "a", encoding="utf-8") as lines:
            lines.write(f"{used:.2f} {seconds:.2f} {code} {name}\n")
        if code not in (0, 77):
            with open(f"{table}.{name}.txt", "wb") as file:
                file.write(output)
    known = {name: row for name, row in measured(table).items() if wanted.search(name)}
    for name, row in sorted(known.items(), key=lambda item: -item[1][0])[:30]:
        print(f"{row[0]:8.2f} s of processor time, {row[1]:8.2f} s, exit code {row[2]}  {name}")
    failed = [name for name, row in known.items() if row[2] not in (0, 77)]
    print(f"{len(known)} tests, {sum(row[0] for row in known.values()):.1f} s of processor time; {left} are left")
    print(f"failed: {' '.join(failed) or 'none'}")


if __name__ == "__main__":
    main()
