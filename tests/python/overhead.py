"""What the package costs beside C, in processor time: an evaluation, and steps of a few bodies. Prints; asserts nothing.

usage: overhead.py PROGRAM [N [ROUNDS]], where PROGRAM was made from overhead.c; C and Python take turns, and the best of each
is compared.
"""

import subprocess
import sys
import time

import myriad as my

program, n, rounds = sys.argv[1], *(int(word) for word in (sys.argv[2:] + ["100000", "3"][len(sys.argv) - 2:]))


def in_c():
    out = subprocess.run([program, str(n)], check=True, capture_output=True, text=True).stdout.split()
    return float(out[1]), float(out[3])


def best(work):
    times = []
    for _ in range(5):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def in_python():
    with my.Context(threads=1):
        stars = my.model("plummer", n=n, seed=1)
        far = my.Interaction("gravity_potential", method="fmm")
        far.evaluate(stars)
        evaluation = best(lambda: far.evaluate(stars))
        sim = my.Simulation(my.model("plummer", n=100, seed=1), my.Interaction("gravity", eps=0.1), dt=1 / 1024)
        sim.step()
        return evaluation, best(lambda: sim.run(steps=20000)) / 20000


pairs = [(in_c(), in_python()) for _ in range(rounds)]
c, python = (min(evaluation for evaluation, _ in side) for side in zip(*pairs))
print(f"evaluation of {n} bodies: C {c:.4f} s, Python {python:.4f} s, {100 * (python / c - 1):+.1f} %")
c, python = (1e6 * min(step for _, step in side) for side in zip(*pairs))
print(f"leapfrog step of 100 bodies: C {c:.2f} us, Python {python:.2f} us")
