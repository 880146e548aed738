#!/usr/bin/env python3
"""tools/scaling.py on measurements that a known model has made: the fit finds its constants again, and the prediction is
what they say. usage: scaling.py TOOL"""
import argparse
import contextlib
import importlib.util
import io
import json
import math
import os
import sys
import tempfile

spec = importlib.util.spec_from_file_location("scaling", sys.argv[1])
scaling = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(scaling)

KB = {2: (0, 0, 90), 4: (0, 80, 95), 8: (70, 80, 95), 16: (70, 85, 110)}  # each way, along each axis
WORK = {2: 8.0, 4: 8.1, 8: 8.4, 16: 8.6}  # ms


def write(folder, a, b, c, lag):
    """Runs of 62500 particles per rank: a ms, b ms per MB, c ms per doubling; lag(p) of the work is waited for."""
    for p, kb in KB.items():
        work = WORK[p]
        row = {"ranks": p, "threads": 1, "n": 62500 * p, "arithmetic": "double", "force_ms": 0.8 * work,
               "list_ms": 0.15 * work, "rest_ms": 0.05 * work, "idle_ms": lag(p) * work,
               "communication_ms": a + b * 2 * sum(kb) / 1e3 + c * math.log2(p), "t_diff": 0.1, "t_diff_most": 0.2,
               "kb_x": kb[0], "kb_y": kb[1], "kb_z": kb[2]}
        row["step_ms"] = row["fastest_ms"] = work + row["idle_ms"] + row["communication_ms"]
        with open(os.path.join(folder, "weak_%d_1_1.json" % p), "w", encoding="utf-8") as file:
            json.dump({"tables": [{"name": "003_ranks", "title": "", "rows": [row]}]}, file)


def run(a, b, c, lag, latency=None, bandwidth=None):
    """The constants found, and the rows of the prediction: {(particles, law, ranks): [ms, efficiency, ...]}."""
    options = argparse.Namespace(latency=latency, bandwidth=bandwidth)
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(said):
        write(folder, a, b, c, lag)
        runs = scaling.rows_of(folder, "weak", "double")
        model = scaling.fit(runs)
        scaling.predict(runs, model, options)
        scaling.paper_check()
    rows = {}
    for line in said.getvalue().splitlines():
        word = line.replace("ln P", "ln").replace("sqrt P", "sqrt").split()
        if len(word) == 7 and word[1] in ("ln", "sqrt"):
            rows[int(word[0]), word[1], int(word[2])] = [float(x) for x in word[3:]]
    assert "PREDICTION, not measured beyond 16 ranks" in said.getvalue()
    return model, rows, said.getvalue()


def near(x, y, bar=1e-6):
    assert abs(x - y) <= bar * max(1, abs(y)), (x, y)


# what made the runs is found: lags that grow like ln P, then like sqrt P
for name, law in scaling.LAWS.items():
    (a, b, c, g), rows, text = run(0.3, 0.9, 0.05, lambda p, law=law: 0.02 * law(p))
    near(a, 0.3)
    near(b, 0.9)
    near(c, 0.05)
    near(g[name], 0.02)
    # and goes on to 8192 ranks: three digits are printed
    for n in (62500, 500000):
        work = WORK[16] * n / 62500
        step = {p: work + 0.3 + 0.9 * scaling.halo_bytes(n) / 1e6 + 0.05 * math.log2(p) + 0.02 * work * law(p)
                for p in (4, 128, 8192)}
        ms, efficiency, against_128, against_4 = rows[n, name.split()[0], 8192]
        near(ms, step[8192], 1e-3)
        near(efficiency, work / step[8192], 1e-3)
        near(against_128, step[128] / step[8192], 1e-3)
        near(against_4, step[4] / step[8192], 1e-3)

# a part that costs nothing costs nothing, and none becomes negative
(a, b, c, g), _, _ = run(0.0, 1.5, 0.0, lambda p: 0)
near(a, 0)
near(b, 1.5)
near(c, 0)
assert all(x == 0 for x in g.values()), g
(a, b, c, g), _, _ = run(0.4, -0.5, 0.1, lambda p: 0.01)
assert min(a, b, c) >= 0, (a, b, c)

# a network in place of this machine's memory: 2 us and 1 GB/s
_, rows, _ = run(0.3, 0.9, 0.05, lambda p: 0, latency=2e-6, bandwidth=1e9)
work, kb = WORK[16], scaling.halo_bytes(62500) / 1e3
near(rows[62500, "ln", 8192][0], work + 6 * 2e-3 + kb / 1e3 + 2 * 2e-3 * 13, 1e-3)

# bytes of the paper's system (336, 355, 375 KB each way), and the laws fitted to the paper's own runs (docs/ranks.md)
near(scaling.halo_bytes(500000) / 2e3, 336 + 355 + 375, 5e-3)
for line in ("NIFS, ln P:  predicted efficiency 0.89, measured 0.73", "NIFS, sqrt P: predicted efficiency 0.79, measured 0.73",
             "ISSP, ln P:  predicted efficiency 0.79, measured 0.67", "ISSP, sqrt P: predicted efficiency 0.56, measured 0.67"):
    assert line in text, (line, text)
# methods whose particles are on every rank: 30 ns of every particle, 2500 ns of a share, 0.2 ms per doubling
whole, share, doubling = 30.0, 2500.0, 0.2
with tempfile.TemporaryDirectory() as folder:
    for kind, sizes in (("weak", {p: 62500 * p for p in (1, 2, 4, 8, 16)}), ("strong", {p: 250000 for p in (1, 2, 4, 8, 16)})):
        for p, n in sizes.items():
            ms = whole * n / 1e6 + share * n / p / 1e6 + doubling * math.log2(p)
            row = {"method": "fmm", "ranks": p, "threads": 1, "n": n, "step_ms": ms, "fastest_ms": ms, "exchange_ms": 0.004 * n / 1e3,
                   "memory_mb": 100}
            with open(os.path.join(folder, "%s_%d_1_1.json" % (kind, p)), "w", encoding="utf-8") as file:
                json.dump({"tables": [{"name": "shared_ranks", "title": "", "rows": [row]}]}, file)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        scaling.shared_all(folder)
    points = [(p, rows[0]["n"], rows[0]["step_ms"]) for kind in ("weak", "strong")
              for (p, threads), rows in scaling.shared_rows(folder, kind, "fmm").items()]
    for found, given in zip(scaling.shared_fit(points), (whole, share, doubling)):
        near(found, given, 1e-4)
text = said.getvalue()
assert "off by +0 %" in text and "PREDICTION, not measured beyond 16 ranks" in text, text
last = [line.split() for line in text.splitlines() if line.split()[:1] == ["4096"]][0]
alone = (whole + share) * 0.0625
near(float(last[2]), alone / (whole * 0.0625 * 4096 + share * 0.0625 + 12 * doubling), 1e-2)
layer = 6 * 4 * 62500 ** (2 / 3) + 8 * 12 * 64 # particles that a divided tree would receive
near(float(last[4]), alone / (alone + 4.0 * layer / 1e6 + 12 * doubling), 1e-2)

print("constants are found again; predictions are what they say")
