#!/usr/bin/env python3
"""Puts the tables of `myriad bench SUITE --json` into the repository, one CSV file each, with machine, date and commit:

    build/myriad bench direct --json > direct.json
    tools/bench_csv.py direct.json docs/papers/data --command "myriad bench direct" [--machine "one NVIDIA H200"] [--table NAME]

The pages of docs/papers show these files; the first lines begin with # and name where the figures come from.
"""
import argparse
import csv
import datetime
import json
import subprocess
import sys
from pathlib import Path


def processor():
    lines = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return f"{len(lines)} cores of {lines[0].split(':', 1)[1].strip()}" if lines else "unknown"


def shown(value):
    """Three digits: more would not be measured."""
    if value is None:
        return ""
    if isinstance(value, float):
        return str(int(value)) if value == int(value) and abs(value) < 1e7 else f"{value:.3g}"
    return str(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--command", required=True, help="what was run")
    parser.add_argument("--machine", help="where; default: the processor of this machine and the instruction set used")
    parser.add_argument("--table", action="append", help="only this table")
    parser.add_argument("--columns", help="only these columns, by commas")
    options = parser.parse_args()
    bench = json.loads(options.json.read_text())
    commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True).stdout.strip()
    machine = options.machine or f"{bench['threads']} of {processor()}, {bench['isa']}"
    written = 0
    for table in bench["tables"]:
        if not table["rows"] or options.table and table["name"] not in options.table:
            continue
        with (options.folder / (table["name"] + ".csv")).open("w", newline="") as file:
            for key, value in (("machine", machine), ("date", datetime.date.today()), ("commit", commit),
                               ("command", options.command)):
                print(f"# {key}: {value}", file=file)
            names = options.columns.split(",") if options.columns else list(table["rows"][0])
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(names)
            writer.writerows([shown(row.get(name)) for name in names] for row in table["rows"])
        written += 1
    if not written:
        sys.exit(f"{options.json}: no table with rows" + (f" of {options.table}" if options.table else ""))


main()
