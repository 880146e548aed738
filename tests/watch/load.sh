#!/bin/bash
# A live page under load, on the loopback interface and for a few seconds each: Debian's wrk asks for frames as fast as it can, and
# slowhttptest holds 200 connections open; the run makes steps all the same, and ends well. Skipped where neither is
# installed (Debian: wrk, slowhttptest).
MYRIAD=$(realpath "${MYRIAD:-build/myriad}")
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/../cli/common.inc"
tools=
for tool in wrk slowhttptest; do command -v $tool >/dev/null && tools="$tools $tool"; done
[ -n "$tools" ] || { echo "wrk and slowhttptest are not installed: the live page was not put under load"; exit 77; }
command -v python3 >/dev/null || { echo "python3 is not installed: the live page was not put under load"; exit 77; }
cd "$WORK" || exit 1
cat >load.py <<'END'
import importlib.util, re, subprocess, sys
here, myriad, *tools = sys.argv[1:]
sys.argv = ["watch.py", myriad]
spec = importlib.util.spec_from_file_location("watch", here + "/watch.py")
watch = importlib.util.module_from_spec(spec)
spec.loader.exec_module(watch)
watch.write("load", "100000")
w = watch.Watched("run", "load.yaml", "--quiet", "--watch=control")
url = "http://127.0.0.1:%d/frame" % w.port
commands = {
    "wrk": ["wrk", "-t1", "-c100", "-d2s", "-H", "X-Myriad-Token: " + w.token, url],
    # -H: headers that never end; new ones every second
    "slowhttptest": ["slowhttptest", "-c", "200", "-H", "-i", "1", "-r", "200", "-l", "4", "-u", url],
}
try:
    w.until(lambda s: s["frame"] > 0)
    for tool in tools:
        before = w.until(lambda s: True)["step"]
        done = subprocess.run(commands[tool], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        after = w.until(lambda s: s["step"] > before)
        print("%s: %d steps meanwhile" % (tool, after["step"] - before))
        watch.expect(after["step"] > before, "%s: the run stands still" % tool)
        watch.expect(w.ask("/page")[0] == 200, "%s: the page answers afterwards" % tool)
        if tool == "wrk":
            answers = re.search(r"(\d+) requests in", done.stdout)
            watch.expect(answers and int(answers[1]) > 0 and "Non-2xx" not in done.stdout, "wrk: " + done.stdout)
    w.control("stop")
    watch.expect(w.wait() == 75, "it ends well: " + w.text())
finally:
    w.process.kill()
sys.exit(1 if watch.FAILED else 0)
END
# shellcheck disable=SC2086
python3 load.py "$HERE" "$MYRIAD" $tools || fail "the page under load"
finish
