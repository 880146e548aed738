#!/usr/bin/env python3
"""Tables of what tools/bench_ranks.sh has measured, and a model of the cost of a step that is fitted to them.

    tools/scaling.py FOLDER [--latency S] [--bandwidth B] [--arithmetic double|single]

The model: T(P) = work + a + b bytes + c log2 P + g work law(P), where
    work      forces, lists and motion of a rank while all cores are busy, measured;
    a, b, c   messages, what they carry and the reductions, fitted to the times of communication;
    g         the slowest rank's lag, fitted to the times of waiting. How it grows with the number of ranks a small machine
              cannot tell: if lags have an exponential tail, the largest of P of them grows like ln P; the elapsed times
              of the paper's runs grow about like sqrt P. Both are given.
For methods whose particles are on every rank (SUITE=fmm tools/bench_ranks.sh): T(P) = whole N + share N / P + c log2 P, where
    whole     what every rank does with all particles: tree, multipoles, motion, the results that are collected;
    share     the field at its own targets.
Beside it stands the law of sets that are divided at all times: share and whole both of the rank's own particles, and
messages of what lies near its surface.

What it says beyond the measured numbers of ranks is a PREDICTION. --latency and --bandwidth put a network's in place of
those of this machine's memory.
"""
import argparse
import glob
import json
import math
import os
import statistics

# Paper 003, Tables II and III: processes, elapsed seconds of 1000 steps with 500000 particles per process.
PAPER = {
    "NIFS": [(128, 302.623), (256, 305.469), (512, 309.688), (1024, 325.744), (2048, 333.140), (4096, 385.765),
             (8192, 412.717)],
    "ISSP": [(4, 183.13), (16, 186.296), (32, 187.751), (64, 190.325), (128, 194.932), (256, 203.838), (512, 224.028),
             (1024, 228.485), (8192, 272.478)],
}


def tables_of(folder, name):
    """The tables of all runs of one kind, those that were cut short left out."""
    tables = []
    for path in sorted(glob.glob(os.path.join(folder, name + "_*.json"))):
        try:
            with open(path, encoding="utf-8") as file:
                tables.append(json.load(file)["tables"])
        except (ValueError, KeyError):
            print("left out: %s is not whole" % path)
    return tables


def rows_of(folder, name, arithmetic):
    """The rows of all rounds of one kind of run: {(ranks, threads): [row]}."""
    found = {}
    for tables in tables_of(folder, name):
        for table in tables:
            for row in table["rows"] if table["name"] == "003_ranks" else []:
                if row["arithmetic"] == arithmetic:
                    found.setdefault((row["ranks"], row["threads"]), []).append(row)
    return found


def middle(rows, key):
    values = [row[key] for row in rows if row[key] is not None]
    return statistics.median(values) if values else float("nan")


def scaling_table(title, runs):
    """Efficiency, in particles per second and core, against the run with the fewest cores."""
    if not runs:
        return
    print("\n" + title)
    print("ranks threads         N    MUPS  ms/step fastest  efficiency  (fastest)   force    list   comm.    idle    rest"
          "  t_diff largest     KB x    KB y    KB z")
    first = min(runs, key=lambda run: run[0] * run[1])
    base = middle(runs[first], "step_ms") / runs[first][0]["n"] * first[0] * first[1]
    best = min(row["fastest_ms"] for row in runs[first]) / runs[first][0]["n"] * first[0] * first[1]
    for run in sorted(runs, key=lambda run: (run[0] * run[1], run[1])):
        rows, each = runs[run], runs[run][0]["n"] / (run[0] * run[1])
        step, fastest = middle(rows, "step_ms"), min(row["fastest_ms"] for row in rows)
        print("%5d %7d %9d %7.2f %8.3f %7.3f %11.3f %10.3f" %
              (run[0], run[1], rows[0]["n"], rows[0]["n"] / step / 1e3, step, fastest, base * each / step,
               best * each / fastest), end="")
        for key in ("force_ms", "list_ms", "communication_ms", "idle_ms", "rest_ms"):
            print(" %7.3f" % middle(rows, key), end="")
        print(" %7.3f %7.2f" % (middle(rows, "t_diff"), middle(rows, "t_diff_most")), end="")
        print("".join(" %7.1f" % middle(rows, "kb_" + axis) for axis in "xyz"))


def copies_table(folder, arithmetic, weak):
    copies = rows_of(folder, "copy", arithmetic).get((1, 1), [])
    if not copies or (1, 1) not in weak:
        return
    alone = middle(weak[(1, 1)], "step_ms")
    busy = statistics.mean(row["step_ms"] for row in copies)
    slowest = max(row["step_ms"] for row in copies)
    print("\nCopies of the program, one on each core, that know nothing of each other: %.3f ms per step on average, at most "
          "%.3f,\nwhere one alone takes %.3f: the machine itself has an efficiency of %.3f when all cores are busy, and of "
          "%.3f if all\nwaited for the slowest." % (busy, slowest, alone, alone / busy, alone / slowest))


def exchange_table(folder):
    for tables in tables_of(folder, "exchange"):
        for table in tables:
            if table["name"] in ("003_fig_17", "003_fig_19"):
                print("\n" + table["title"])
                for row in table["rows"]:
                    print("  " + "  ".join("%s %s" % (key, value if isinstance(value, str) else "%.4g" % value)
                                           for key, value in row.items()))


def solve(matrix, right):
    """Least squares by normal equations with pivots; columns are scaled by the caller."""
    n = len(matrix[0])
    a = [[sum(row[i] * row[j] for row in matrix) for j in range(n)] + [sum(row[i] * r for row, r in zip(matrix, right))]
         for i in range(n)]
    for i in range(n):
        a[i][i] += 1e-12
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(a[k][i]))
        a[i], a[pivot] = a[pivot], a[i]
        for k in range(n):
            if k != i:
                factor = a[k][i] / a[i][i]
                a[k] = [x - factor * y for x, y in zip(a[k], a[i])]
    return [a[i][n] / a[i][i] for i in range(n)]


def not_negative(matrix, right):
    """Least squares without negative coefficients: those that would be are left out, the most negative first."""
    n = len(matrix[0])
    used = list(range(n))
    while used:
        x = solve([[row[k] for k in used] for row in matrix], right)
        worst = min(range(len(used)), key=lambda k: x[k])
        if x[worst] >= 0:
            return [x[used.index(k)] if k in used else 0.0 for k in range(n)]
        used.pop(worst)
    return [0.0] * n


LAWS = {"ln P": math.log, "sqrt P": lambda p: math.sqrt(p) - 1}


def fit(runs):
    """a, b and c of the model in ms, and g for both laws."""
    points = [(p, rows) for (p, threads), rows in runs.items() if p > 1 and threads == 1]
    if len(points) < 2:
        return None
    matrix, right, lag = [], [], []
    for p, rows in points:
        kb = sum(2 * middle(rows, "kb_" + axis) for axis in "xyz")
        matrix.append([1, kb / 1e3, math.log2(p)])
        right.append(middle(rows, "communication_ms"))
        lag.append(middle(rows, "idle_ms"))
    a, b, c = not_negative(matrix, right)
    g = {}
    for name, law in LAWS.items():
        x = [law(p) * work_of(rows) for p, rows in points]
        g[name] = sum(u * v for u, v in zip(lag, x)) / sum(u * u for u in x)
    print("\nThe model: messages %.4f ms, %.4f ms per MB, %.4f ms per doubling of the ranks; lag %s" %
          (a, b, c, ", ".join("%.4f (%s)" % (g[name], name) for name in LAWS)))
    print("ranks   communication: measured  model     waiting: measured  " + "  ".join(LAWS))
    for (p, rows), row, t, idle in zip(points, matrix, right, lag):
        print("%5d  %24.4f %7.4f  %18.4f" % (p, t, a * row[0] + b * row[1] + c * row[2], idle) +
              "".join(" %7.4f" % (g[name] * law(p) * work_of(rows)) for name, law in LAWS.items()))
    return a, b, c, g


def work_of(rows):
    return middle(rows, "force_ms") + middle(rows, "list_ms") + middle(rows, "rest_ms")


def halo_bytes(n, density=0.5, width=2.8):
    """Of a rank with six neighbours, 24 bytes per particle, by forwarding (section 5.1)."""
    edge = (n / density) ** (1 / 3)
    return 24 * density * 2 * width * (edge * edge + edge * (edge + 2 * width) + (edge + 2 * width) ** 2)


def predict(runs, model, options):
    """Weak scaling to 8192 ranks."""
    a, b, c, g = model
    most = max(runs, key=lambda run: run[0])
    rows = runs[most]
    per_rank = rows[0]["n"] / most[0]
    if options.latency is not None:
        a, c = 6e3 * options.latency, 2e3 * options.latency
    if options.bandwidth is not None:
        b = 1e3 / (options.bandwidth / 1e6)
    print("\nPREDICTION, not measured beyond %d ranks: weak scaling, efficiency against one rank of a busy machine"
          "\nand, as the paper counts, against its smallest run (128 and 4 processes)." % most[0])
    print("particles per rank  lag      ranks   ms/step  efficiency  against 128  against 4")
    for n in (per_rank, 500000):
        work = work_of(rows) * n / per_rank
        for name, law in LAWS.items():
            step = {p: work + a + b * halo_bytes(n) / 1e6 + c * math.log2(p) + g[name] * work * law(p)
                    for p in (4, 16, 128, 1024, 8192)}
            for p in (16, 128, 1024, 8192):
                print("%18d  %-6s %7d %9.3f %11.3f %12.3f %10.3f" %
                      (n, name, p, step[p], work / step[p], step[128] / step[p], step[4] / step[p]))
    print("the paper's, 8192 ranks with 500000 particles each:         0.73 (NIFS)  0.66 (ISSP)")


def paper_check():
    """Both laws fitted to the paper's own runs of up to 1024 processes, and what they say of its largest."""
    print("\nThe laws fitted to the paper's own runs of up to 1024 processes, beside its largest, 8192:")
    for name, runs in PAPER.items():
        p0, t0 = runs[0]
        for text, law in LAWS.items():
            small = [(law(p) - law(p0), t / t0 - 1) for p, t in runs if p <= 1024]
            g = sum(x * y for x, y in small) / sum(x * x for x, y in small)
            p, t = runs[-1]
            print("  %s, %-6s predicted efficiency %.2f, measured %.2f" %
                  (name, text + ":", 1 / (1 + g * (law(p) - law(p0))), t0 / t))


# --- methods whose particles are on every rank ---

SHARED = ("direct", "hermite", "fmm", "vortex")


def shared_rows(folder, name, method):
    """All rows of one kind of run: {(ranks, threads): [row]}."""
    found = {}
    for tables in tables_of(folder, name):
        for table in tables:
            for row in table["rows"] if table["name"] == "shared_ranks" else []:
                if row["method"] == method:
                    found.setdefault((row["ranks"], row["threads"]), []).append(row)
    return found


def shared_table(title, runs, is_weak, bound):
    """Efficiency against one rank: N per rank kept (weak), or N (strong), and its share of the bound that copies set."""
    if (1, 1) not in runs:
        return
    print("\n" + title)
    print("ranks threads         N    ms/step   fastest  exchange  efficiency  of bound       MB")
    alone = middle(runs[(1, 1)], "step_ms")
    for run in sorted(runs, key=lambda run: (run[0] * run[1], run[1])):
        rows = runs[run]
        step = middle(rows, "step_ms")
        efficiency = alone / step / (1 if is_weak else run[0] * run[1])
        print("%5d %7d %9d %10.3f %9.3f %9.3f %11.3f %9.3f %8.0f" %
              (run[0], run[1], rows[0]["n"], step, min(row["fastest_ms"] for row in rows), middle(rows, "exchange_ms"),
               efficiency, efficiency / bound, middle(rows, "memory_mb")))


def shared_bound(folder, method, alone):
    """How much slower copies are that know nothing of each other when all cores are busy."""
    copies = shared_rows(folder, "copy", method).get((1, 1), [])
    if not copies or not alone:
        return 1.0
    busy = statistics.mean(row["step_ms"] for row in copies)
    one = middle(alone, "step_ms")
    print("\nCopies of bench %s, one on each core: %.3f ms per step on average, one alone %.3f: a bound of %.3f" %
          (method, busy, one, min(1, one / busy)))
    return min(1.0, one / busy)


def shared_fit(points):
    """whole and share in ns per particle and c in ms, of points (P, N, ms)."""
    matrix = [[n / 1e6, n / p / 1e6, math.log2(p)] for p, n, ms in points]
    weights = [1 / ms for p, n, ms in points]
    return not_negative([[x * w for x in row] for row, w in zip(matrix, weights)], [1.0] * len(points))


def shared_model(constants, p, n):
    whole, share, c = constants
    return whole * n / 1e6 + share * n / p / 1e6 + c * math.log2(p)


def surface_model(constants, p, each, exchange):
    """A tree divided among the ranks: all of its own particles, and copies of the leaves and cells near its surface, a
    layer as thick as a leaf of 64 on each of 6 faces, at the measured cost of a collected particle."""
    whole, share, c = constants
    layer = 0 if p == 1 else 6 * 64 ** (1 / 3) * each ** (2 / 3) + 8 * math.log2(p) * 64
    return (whole + share) * each / 1e6 + exchange * layer / 1e6 + c * math.log2(p)


def shared_predict(method, weak, strong):
    """Fits the model to all runs but those of most ranks, says how wrong it is there, and predicts weak scaling."""
    points = [(p, rows[0]["n"], middle(rows, "step_ms")) for runs in (weak, strong) for (p, threads), rows in runs.items()
              if threads == 1]
    if len(weak) < 3 or len(points) < 4:
        return
    most = max(p for p, n, ms in points)
    fitted = shared_fit([point for point in points if point[0] < most])
    for p, n, ms in points:
        if p == most:
            guess = shared_model(fitted, p, n)
            print("\nThe model of %s fitted to fewer than %d ranks: %.3f ms for %d particles, measured %.3f: off by %+.0f %%" %
                  (method, most, guess, n, ms, 100 * (guess / ms - 1)))
    constants = shared_fit(points)
    error = max(abs(shared_model(constants, p, n) / ms - 1) for p, n, ms in points)
    whole, share, c = constants
    print("Fitted to all: %.1f ns a particle of all, %.1f ns a particle of a rank's share, %.4f ms per doubling; off by %.0f %% "
          "at most" % (whole, share, c, 100 * error))
    each = weak[(1, 1)][0]["n"]
    rows = weak[(most, 1)] if (most, 1) in weak else []
    exchange = 1e6 * middle(rows, "exchange_ms") / rows[0]["n"] if rows else whole
    print("PREDICTION, not measured beyond %d ranks: weak scaling of %d particles per rank, efficiency against one rank" % (most, each))
    print("ranks   all particles on every rank: ms  efficiency   particles on one rank each: ms  efficiency")
    for p in (most, 64, 256, 1024, 4096):
        here, law = shared_model(constants, p, each * p), surface_model(constants, p, each, exchange)
        print("%5d %33.1f %11.3f %30.1f %11.3f" % (p, here, shared_model(constants, 1, each) / here, law,
                                                   surface_model(constants, 1, each, exchange) / law))
    print("published: Bonsai 0.95 and SWIFT 0.75 (weak), paper 004 0.68 on 32 processors and 0.60 on 64 GPUs (one size)")


def shared_all(folder):
    for method in SHARED:
        weak, strong, hybrid = (shared_rows(folder, name, method) for name in ("weak", "strong", "hybrid"))
        if not weak and not strong:
            continue
        bound = shared_bound(folder, method, (weak or strong).get((1, 1)))
        shared_table("Weak scaling of %s" % method, {**weak, **hybrid}, True, bound)
        shared_table("Strong scaling of %s" % method, strong, False, bound)
        shared_predict(method, weak, strong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--latency", type=float, help="seconds of a message, in place of the fitted ones")
    parser.add_argument("--bandwidth", type=float, help="bytes per second of a rank, in place of the fitted one")
    parser.add_argument("--arithmetic", default="double", choices=("double", "single"))
    options = parser.parse_args()
    shared_all(options.folder)
    if not rows_of(options.folder, "weak", options.arithmetic):
        return
    weak, strong, hybrid = (rows_of(options.folder, name, options.arithmetic) for name in ("weak", "strong", "hybrid"))
    scaling_table("Weak scaling (paper 003, Tables II and III in kind), %s arithmetic, fixed sums; parts are means over the "
                  "ranks, ms" % options.arithmetic, weak)
    copies_table(options.folder, options.arithmetic, weak)
    scaling_table("Strong scaling", strong)
    flat = {run: rows for run, rows in weak.items() if run[0] == max((r[0] for r in weak), default=0)}
    scaling_table("Flat against hybrid: as many cores and particles", {**flat, **hybrid})
    exchange_table(options.folder)
    model = fit({**weak}) if weak else None
    if model:
        predict(weak, model, options)
    paper_check()


if __name__ == "__main__":
    main()
