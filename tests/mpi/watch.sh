#!/bin/bash
# The live page of a run on two ranks: rank 0 serves it, frames hold the particles of all ranks, pause and one step act, and while
# somebody looks the ranks make so few steps at once that a command is heard soon. Skipped without Python; not there in builds without the plug-in.
# shellcheck source=common.inc disable=SC1091
. "$(dirname "$0")/common.inc"
[ "$FLAVOUR" = mpich ] && { echo "skipped: ranks that wait keep their cores busy, and once is enough"; exit 77; }
command -v python3 > /dev/null || { echo "skipped: no python3"; exit 77; }
cat > box.yaml <<'END'
units: {system: lj}
particles: {model: fcc, n: 500, density: 0.8, temperature: 1}
interaction: {method: neighbour, epsilon: 1, sigma: 1, cutoff: 2.5}
integrator: {name: verlet, dt: 0.002}
run: {steps: 100000000}
output: {diagnostics: ends, snapshots: none, format: csv, report: false, checkpoint: none}
END
cat > stars.yaml <<'END'
particles: {model: plummer, n: 300}
interaction: {eps: 0.01, method: fmm, tolerance: 1e-3}
integrator: {name: leapfrog, dt: 0.0009765625}
run: {steps: 100000000}
output: {diagnostics: ends, snapshots: none, format: csv, report: false, checkpoint: none}
END
cat > look.py <<'END'
import importlib.util, subprocess, sys
here, flavour, myriad = sys.argv[1:4]
sys.argv = ["watch.py", myriad]
spec = importlib.util.spec_from_file_location("watch", here + "/../watch/watch.py")
watch = importlib.util.module_from_spec(spec)
spec.loader.exec_module(watch)
for name, drawn in (("box", 500), ("stars", 300)):
    watch.MYRIAD = "bash"
    w = watch.Watched(here + "/run.sh", flavour, "2", myriad, "run", name + ".yaml", "--quiet", "--watch=control")
    try:
        first = w.until(lambda s: s["frame"] > 0, 120)
        a = watch.frame(w)
        watch.expect(a and a["drawn"] == drawn, "%s: a frame of all ranks: %s" % (name, a and a["drawn"]))
        # in ten states: the shortest batch lasts a fifth of a second at most at the pace of the one before, and a pause is heard
        # after it; without anybody who looks a batch of a box on ranks lasts 0.25 s
        seen = []
        for state in w.stream():
            if state and state["state"] == "running" and state["step"] > first["step"]:
                seen.append(state)
            if len(seen) == 10:
                break
        limits = sorted(s["batch"] * s["pace"] for s in seen if s["batch"] > 1)
        print("%s: batches of %s steps, %s s" % (name, [s["batch"] for s in seen], ["%.3f" % x for x in limits]))
        least = limits[0] if limits else 0 # of ten: the pace of a busy machine changes from batch to batch
        watch.expect(least <= 0.2, "%s: batches of %g s while somebody looks" % (name, least))
        watch.expect(w.control("pause")[0] == 202, name + ": pause is taken")
        paused = w.until(lambda s: s["state"] == "paused", 60)
        watch.expect(paused["state"] == "paused", "%s: paused: %s" % (name, paused))
        w.control("step")
        one = w.until(lambda s: s["step"] > paused["step"], 60)
        watch.expect(one["step"] == paused["step"] + 1, "%s: one step: %d after %d" % (name, one["step"], paused["step"]))
        w.control("go")
        watch.expect(w.until(lambda s: s["step"] > one["step"], 60)["step"] > one["step"], name + ": it goes on")
        w.control("stop")
        watch.expect(w.wait() == 75, "%s: stopped: %s" % (name, w.text()))
    finally:
        w.process.kill()
sys.exit(1 if watch.FAILED else 0)
END
timeout $PATIENCE python3 look.py "$HERE" "$FLAVOUR" "$MYRIAD" || fail "the page of a run on ranks: $(cat err)"
