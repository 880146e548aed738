#!/usr/bin/env python3
"""Counts the vector instructions of the lane functions (single arithmetic, AVX-512) in compiled loops, and compares
them with backend/lane/functions.def. Loads, stores, copies and constants are not counted; masked moves are blends.

    tools/lane_issue.py [compiler]      from the top of the source tree; gcc unless told
"""
import os
import re
import subprocess
import sys
import tempfile

FLAGS = ('-O2 -std=gnu11 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma -mprefer-vector-width=512 -ffp-contract=off '
         '-fno-math-errno -fno-trapping-math -fno-tree-slp-vectorize -Isrc -Itests -DMYR_ARITH=0 -DMYR_LANE_BYTES=64 '
         '-DLANE_MATH_UNIT=unit').split()


def disassembly(compiler):
    with tempfile.TemporaryDirectory() as folder:
        unit = os.path.join(folder, 'unit.o')
        unrolled = ['-fno-unroll-loops'] if 'clang' in compiler else []
        subprocess.run([compiler, *FLAGS, *unrolled, '-c', 'tests/unit/lane_math_unit.c', '-o', unit], check=True)
        return subprocess.run(['objdump', '-d', '--no-show-raw-insn', unit], check=True, text=True,
                              stdout=subprocess.PIPE).stdout


def loops(text):
    """function -> instructions of its loop"""
    found, name, code = {}, None, []
    for line in text.splitlines():
        start = re.match(r'[0-9a-f]+ <run_(\w+)>:', line)
        step = re.match(r'\s*([0-9a-f]+):\s+(\S+)\s*(\S*)(.*)', line)
        if start:
            name, code = start.group(1), []
        elif step and name:
            code.append(step.groups())
            target = [i for i, c in enumerate(code) if c[0] == step.group(3)]
            if step.group(2).startswith('j') and target:
                found[name] = code[target[0]:]
    return found


def counts(instruction):
    _, name, operands, _ = instruction
    if re.match(r'vmov|vbroadcast|vpbroadcast|kmov', name):
        return name.startswith('vmov') and '{%k' in operands
    return name.startswith(('v', 'k'))


def main():
    found = loops(disassembly(sys.argv[1] if len(sys.argv) > 1 else 'gcc'))
    wrong = 0
    with open('src/backend/lane/functions.def') as listed:
        for name, stated in re.findall(r'^LANE_FUNCTION\((\w+), (\d+)', listed.read(), re.M):
            n = sum(map(counts, found[name]))
            print('%-10s %3d%s' % (name, n, '' if n == int(stated) else '   stated %s' % stated))
            wrong += n != int(stated)
    return 1 if wrong else 0


sys.exit(main())
