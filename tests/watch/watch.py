#!/usr/bin/env python3
"""Looks at a live page as a program: who gets in, what the stream and the frames hold, pause, many and slow readers,
broken requests. Only Python's own library is needed.

usage: watch.py MYRIAD    runs in the present directory; exit code 0 if all is well
"""
import http.client
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

MYRIAD = sys.argv[1]
INPUT = """particles: {model: plummer, n: 256, seed: 3}
interaction: {eps: 0.05}
run: {end: %s, threads: 1}
output: {diagnostics: 0.0625, snapshots: %s, report: true}
"""
FAILED = []


def expect(good, text):
    if not good:
        FAILED.append(text)
        print("FAILED: " + text)


class Watched:
    """A run, or `myriad watch`, with the address that it has printed."""

    def __init__(self, *arguments):
        self.log = open("err", "w+")
        self.process = subprocess.Popen([MYRIAD, *arguments], stdout=subprocess.DEVNULL, stderr=self.log,
                                        stdin=subprocess.DEVNULL, env=dict(os.environ, SSH_CONNECTION="a b c d"))
        self.port, self.token = 0, ""
        until = time.monotonic() + 60
        while not self.port and time.monotonic() < until and self.process.poll() is None:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/#([0-9a-f]{32})\n", self.text())
            if found:
                self.port, self.token = int(found[1]), found[2]
            time.sleep(0.02)
        if not self.port:
            raise RuntimeError("no address: " + self.text())

    def text(self):
        with open("err") as file:
            return file.read()

    def ask(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers.setdefault("X_Myriad_Token", self.token)
        connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items() if v is not None})
        answer = connection.getresponse()
        return answer.status, answer.read(), answer

    @staticmethod
    def command(name):
        return "/%s/%s" % ("control", name)

    def control(self, name, method="POST"):
        return self.ask(self.command(name), method=method)

    def stream(self):
        """States as they come; None where the server only shows that it is there."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", "/events", headers={"X-Myriad-Token": self.token})
        answer = connection.getresponse()
        while True:
            line = answer.readline()
            if not line:
                return
            if line.startswith(b"data: "):
                yield json.loads(line[6:])
            elif line.startswith(b":"):
                yield None

    def until(self, good, seconds=30):
        """The first state for which that holds; the last one where none does."""
        state, end = None, time.monotonic() + seconds
        for news in self.stream():
            state = news or state
            if news and good(news) or time.monotonic() > end:
                break
        return state

    def wait(self, seconds=120):
        return self.process.wait(seconds)


def write(name, end, snapshots="none"):
    with open(name + ".yaml", "w") as file:
        file.write(INPUT % (end, snapshots))


def doors(w):
    """Who gets in."""
    expect("ssh -N -L %d:127.0.0.1:%d" % (w.port, w.port) in w.text(), "the line for ssh")
    expect(w.ask("/", X_Myriad_Token=None)[0] == 200, "/ without a token")
    page = w.ask("/", X_Myriad_Token=None)[1].decode()
    expect(w.token not in page and "Content-Security-Policy" in page, "the shell has a policy and no token")
    for path in ("/page", "/frame", "/events", "/report", w.command("stop"), "/nothing", "/../etc/passwd", "/index.html"):
        for token in (None, "", "0" * 32, w.token[:-1], w.token + "0", w.token.upper() if w.token.upper() != w.token else "x"):
            got = w.ask(path, X_Myriad_Token=token)[0]
            expect(got == 403, "%s with the token %r: %d" % (path, token, got))
    for host in ("evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:%d" % w.port):
        expect(w.ask("/page", Host=host)[0] == 403 and w.ask("/", Host=host)[0] == 403, "Host " + host)
    expect(w.ask("/page", Host="localhost:%d" % w.port)[0] == 200, "Host localhost")
    for origin in ("null", "http://evil.example", "https://127.0.0.1:%d" % w.port, "http://127.0.0.1:1"):
        expect(w.ask("/page", Origin=origin)[0] == 403, "Origin " + origin)
    expect(w.ask("/page", Origin="http://127.0.0.1:%d" % w.port)[0] == 200, "its own Origin")
    expect(w.ask("/nothing")[0] == 404 and w.ask("/page", method="PUT")[0] == 405, "404 and 405")
    answer = w.ask("/page")[2]
    expect(answer.getheader("Referrer-Policy") == "no-referrer" and answer.getheader("Cache-Control") == "no-store" and
           answer.getheader("X-Frame-Options") == "DENY", "headers of an answer")
    with open("/proc/net/tcp") as table:
        listens = [line.split()[1] for line in table if line.split()[3] == "0A"]
    expect("0100007F:%04X" % w.port in listens, "it listens on 127.0.0.1")
    expect("00000000:%04X" % w.port not in listens, "it listens nowhere else")


def frame(w):
    status, bytes_, _ = w.ask("/frame")
    if status != 200:
        return None
    expect(bytes_[:8] == b"MYRFRAME", "a frame's first bytes")
    scene, number, drawn, t, limit = struct.unpack("<qqqdd", bytes_[8:48])
    expect(len(bytes_) == 48 + 6 * drawn and limit > 0, "the size of a frame")
    return {"number": number, "drawn": drawn, "t": t, "bytes": bytes_[48:], "scene": scene}


def steering(w):
    """Frames change, pause holds the step, one step is one step."""
    first = w.until(lambda s: s["frame"] > 0)
    expect(first["frame"] > 0 and first["state"] == "running" and first["control"], "a first frame: %s" % first)
    a = frame(w)
    w.until(lambda s: s["frame"] > a["number"])
    b = frame(w)
    expect(b["number"] > a["number"] and b["bytes"] != a["bytes"] and b["t"] > a["t"] and b["drawn"] == 256, "frames change")
    expect(b'id="replay-data"' in w.ask("/page")[1] and b'id="plots"' in w.ask("/page")[1], "the report of now")
    asked = time.monotonic()
    expect(w.control("pause")[0] == 202, "pause is taken")
    paused = w.until(lambda s: s["state"] == "paused")
    print("pause acted within %.3f s" % (time.monotonic() - asked))
    time.sleep(0.4)
    again = w.until(lambda s: True)
    expect(paused["state"] == "paused" and again["state"] == "paused" and again["step"] == paused["step"], "pause holds the step")
    w.control("step")
    one = w.until(lambda s: s["step"] > paused["step"])
    time.sleep(0.3)
    expect(w.until(lambda s: True)["step"] == paused["step"] + 1 and one["state"] == "paused", "one step")
    before = len([f for f in os.listdir("steer") if "checkpoint" in f])
    w.control("checkpoint")
    time.sleep(0.6)
    expect(len([f for f in os.listdir("steer") if "checkpoint" in f]) > before, "a checkpoint")
    expect(w.control("nonsense")[0] == 404 and w.control("stop", "GET")[0] == 404, "unknown commands")
    w.control("go")
    expect(w.until(lambda s: s["step"] > paused["step"] + 2)["state"] == "running", "it goes on")


def crowd(w):
    """200 connections that never read, and broken requests: the run makes steps all the same."""
    start = w.until(lambda s: True)
    sockets = []
    line = "GET /events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Myriad-Token: %s\r\n\r\n" % (w.port, w.token)
    for k in range(200):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        s.settimeout(10)
        s.connect(("127.0.0.1", w.port))
        s.sendall((line if k % 2 else line[:40]).encode())
        sockets.append(s)
    time.sleep(1)
    for s in sockets:
        s.close()
    end = w.until(lambda s: s["step"] > start["step"])
    expect(end and end["step"] > start["step"], "steps with 200 connections")
    draw = random.Random(1)
    for k in range(60):
        good = ("GET /page HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Myriad-Token: x\r\nContent-Length: 3\r\n\r\nabc" % w.port).encode()
        bad = bytearray(good)
        for _ in range(draw.randint(1, 12)):
            at = draw.randrange(len(bad))
            bad[at:at + draw.randint(0, 3)] = bytes(draw.randrange(256) for _ in range(draw.randint(0, 40)))
        if k % 10 == 0:
            bad = b"GET /" + b"a" * draw.randint(1, 100000) + b" HTTP/1.1\r\n\r\n"
        if k % 10 == 1:
            bad = b"POST " + w.command("stop").encode() + b" HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 999999999\r\n\r\n" % w.port
        with socket.socket() as s:
            s.settimeout(0.5)
            s.connect(("127.0.0.1", w.port))
            try:
                s.sendall(bytes(bad))
                s.shutdown(socket.SHUT_WR)
                answer = s.recv(64)
                expect(b" 200 " not in answer[:20], "a broken request got %r" % answer)
            except OSError:
                pass
    expect(w.process.poll() is None and w.ask("/page")[0] == 200, "it answers after broken requests")


def hash_of(directory):
    names = sorted(f for f in os.listdir(directory) if f.startswith("snapshot_"))
    with open(os.path.join(directory, names[-1]), "rb") as file:
        text = file.read()
    with open(os.path.join(directory, "diagnostics.csv")) as file:
        rows = [line for line in file]
    keep = [k for k, name in enumerate(rows[0].split(",")) if not any(w in name for w in ("seconds", "wall", "per_s", "rate"))]
    return text, [[row.rstrip("\n").split(",")[k] for k in keep] for row in rows]


def same_bits():
    """A run that is looked at has the bits of one that is not; at its end the page gets the report."""
    write("alone", "20", "20")
    write("seen", "20", "20")
    subprocess.run([MYRIAD, "run", "alone.yaml", "--quiet"], check=True, stdin=subprocess.DEVNULL)
    w = Watched("run", "seen.yaml", "--quiet", "--watch")
    expect(w.control("pause")[0] == 403, "control is refused where it was not asked for")
    last, report, frames = None, None, 0
    for last in filter(None, w.stream()):
        if last["state"] == "finished":
            report = w.ask("/report")[1]
            break
        if last["frame"] and frame(w):
            frames += 1
    expect(w.wait() == 0, "a run that was watched ends well: " + w.text())
    expect(last and last["state"] == "finished" and report and report == open("seen/report.html", "rb").read(), "the page becomes the report")
    expect(frames > 2, "frames were seen: %d" % frames)
    # after a frame a hundred times passes that it took, so that all but the last take at most 1 %
    print("%d frames; they took %.2g s of %.3g s: %.2g %%" % (frames, last["cost"], last["seconds"], 100 * last["cost"] / last["seconds"]))
    expect((last["frame"] - 1) / max(1, last["frame"]) * last["cost"] <= 0.02 * last["seconds"] + 0.05, "frames take their share: %s" % last)
    a, b = hash_of("alone"), hash_of("seen")
    expect(a[0][-6000:] == b[0][-6000:] and a[1] == b[1], "the same bits with and without somebody who looks")


def from_files():
    """`myriad watch`: a run that goes on, one that was killed, one that has finished; and a hostile directory."""
    write("going", "100000", "0.0625")
    run = subprocess.Popen([MYRIAD, "run", "going.yaml", "--quiet"], stdin=subprocess.DEVNULL)
    while not os.path.exists("going/snapshot_00001.hdf5") and run.poll() is None and not os.path.exists("going/snapshot_00001.csv"):
        time.sleep(0.05)
    w = Watched("watch", "going")
    try:
        state = w.until(lambda s: s["frame"] > 0)
        expect(state["state"] == "running", "a run that goes on: %s" % state)
        expect(state["step"] > 0 and abs(state["fraction"] - state["time"] / 100000) < 1e-12, "how far it is: %s" % state)
        state = w.until(lambda s: s.get("left") is not None)
        expect(state["left"] > 0, "time left: %s" % state)
        expect(w.control("stop")[0] == 403, "watch only reads")
        expect(frame(w)["drawn"] == 256, "a frame from a snapshot")
        w.until(lambda s: s["frame"] > state["frame"])
        run.send_signal(signal.SIGSTOP)
        time.sleep(1)  # what it had written has been read: nothing changes when it is killed
        run.kill()
        run.wait()
        expect(w.until(lambda s: s["state"] == "dead")["state"] == "dead", "a run that was killed")
    finally:
        w.process.terminate()
        run.kill()
    expect(w.wait() == 0, "SIGTERM ends it")
    w = Watched("watch", "seen")
    try:
        expect(w.until(lambda s: True)["fraction"] == 1, "the fraction of a run that has finished")
        expect(w.until(lambda s: True)["state"] == "finished" and b"<title>seen" in w.ask("/report")[1], "a run that has finished")
    finally:
        w.process.terminate()
        w.wait()
    os.symlink(os.path.abspath("err"), "going/spectra.csv")
    refused = subprocess.run([MYRIAD, "watch", "going"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    expect(refused.returncode == 1 and "is no plain file" in refused.stderr, "a link in the directory: " + refused.stderr)
    refused = subprocess.run([MYRIAD, "watch", "nowhere"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    expect(refused.returncode == 1 and "cannot be read" in refused.stderr, "no directory: " + refused.stderr)


def main():
    write("steer", "100000")
    w = Watched("run", "steer.yaml", "--quiet", "--watch=control")
    try:
        doors(w)
        steering(w)
        crowd(w)
        w.control("stop")
        expect(w.wait() == 75 and "stopped from the page" in w.text(), "stop from the page: " + w.text())
    finally:
        w.process.kill()
    same_bits()
    from_files()
    missing = subprocess.run([MYRIAD, "run", "alone.yaml", "--force", "--watch"], capture_output=True, text=True,
                             env=dict(os.environ, MYRIAD_WATCH_PLUGIN="/nonexistent.so"))
    expect(missing.returncode == 1 and "libmicrohttpd-dev" in missing.stderr, "without the plug-in: " + missing.stderr)
    expect(os.path.exists("alone/report.html"), "a run that is refused removes nothing")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
