"""What the package costs beside C, in processor time: an evaluation, and steps of a few bodies. Prints; asserts nothing.

usage: overhead.py PROGRAM [N], where PROGRAM was made from overhead.c
"""

import subprocess
import sys
import time

import myriad as my

program, n = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100000
out = subprocess.run([program, str(n)], check=True, capture_output=True, text=True).stdout.split()
in_c = {out[k]: float(out[k + 1]) for k in range(0, len(out), 2)}


def best(work):
    times = []
    for _ in range(5):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


with my.Context(threads=1):
    stars = my.model("plummer", n=n, seed=1)
    far = my.Interaction("gravity_potential", method="fmm")
    far.evaluate(stars)
    evaluation = best(lambda: far.evaluate(stars))
    sim = my.Simulation(my.model("plummer", n=100, seed=1), my.Interaction("gravity", eps=0.1), dt=1 / 1024)
    sim.step()
    step = best(lambda: sim.run(steps=20000)) / 20000
print(f"evaluation of {n} bodies: C {in_c['evaluation_seconds']:.4f} s, Python {evaluation:.4f} s")
print(f"leapfrog step of 100 bodies: C {1e6 * in_c['step_seconds']:.2f} us, Python {1e6 * step:.2f} us")
