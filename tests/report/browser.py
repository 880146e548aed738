#!/usr/bin/env python3
"""Opens a report in headless Chromium and looks at it, through the DevTools protocol on two pipes.

usage: browser.py REPORT.html                     checks the page; exit code 0 if all is well
       browser.py REPORT.html --without-webgl     checks that the page says so in words
       browser.py SWEEP.html --sweep              checks the page of a sweep
       browser.py REPORT.html --hostile           checks that text of the results has stayed text
       browser.py REPORT.html --screenshot FILE [--width W] [--height H] [--dark] [--scroll SELECTOR] [--frame K]

Only Python's own library is needed. $CHROMIUM names the browser.
"""
import argparse
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-extensions", "--hide-scrollbars", "--mute-audio",
         "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-pipe"]
WAIT = 120  # seconds for one answer, on a slow machine that others use too


class Browser:
    """One page in one browser; messages are JSON that ends with a null byte."""

    def __init__(self, flags):
        self.folder = tempfile.mkdtemp()
        command_read, self.command = os.pipe()
        self.answers, answer_write = os.pipe()
        program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
        # The protocol wants descriptors 3 and 4; a shell puts them there.
        line = 'exec "$@" 3<&%d 4>&%d' % (command_read, answer_write)
        self.process = subprocess.Popen(
            ["bash", "-c", line, "bash", program, *FLAGS, *flags, "--user-data-dir=" + self.folder, "about:blank"],
            pass_fds=(command_read, answer_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(command_read)
        os.close(answer_write)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = [t for t in targets if t["type"] == "page"][0]
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, EOFError, TimeoutError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self, until):
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.command, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + WAIT
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]["message"]))
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def wait_for(self, event):
        until = time.monotonic() + WAIT
        while not any(e["method"] == event for e in self.events):
            answer = self.receive(until)
            if "method" in answer:
                self.events.append(answer)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def open(self, path, width, height, dark=False, still=True):
        """Opens a file and gives the seconds until everything in it had run and the first picture was there."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                    {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.events.clear()
        begin = time.monotonic()
        self.call("Page.navigate", url="file://" + os.path.realpath(path))
        self.wait_for("Page.loadEventFired")
        self.evaluate("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
        return time.monotonic() - begin

    def complaints(self):
        """Errors and warnings of the console, exceptions, and every address that the page asked for besides its own."""
        found = []
        for e in self.events:
            p = e.get("params", {})
            if e["method"] == "Runtime.exceptionThrown":
                d = p["exceptionDetails"]
                found.append("exception: " + (d.get("exception", {}).get("description") or d["text"]))
            elif e["method"] == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
                found.append("console: " + " ".join(str(a.get("value")) for a in p["args"]))
            elif e["method"] == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                found.append("log: " + p["entry"]["text"])
            elif e["method"] == "Network.requestWillBeSent" and not p["request"]["url"].startswith(("file:", "data:")):
                found.append("network: " + p["request"]["url"])
        # what reading pixels back costs is no fault of the page
        return [c for c in found if "GPU stall due to ReadPixels" not in c]


class Checks:
    def __init__(self):
        self.failed = 0

    def expect(self, good, text):
        if not good:
            print("FAILED: " + text)
            self.failed += 1


def check_layout(browser, checks, width):
    wide = browser.evaluate("document.documentElement.scrollWidth")
    checks.expect(wide <= width, "at %d px the page is %d px wide" % (width, wide))
    small = browser.evaluate("""Array.from(document.querySelectorAll('figure svg text')).map(t => {
        const svg = t.closest('svg');
        return 12 * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width; }).reduce((a, b) => Math.min(a, b), 99)""")
    checks.expect(small >= 9.5, "at %d px the text of a plot is %.1f px high" % (width, small))
    cut = browser.evaluate("""Array.from(document.querySelectorAll('figure svg text')).filter(t => {
        const a = t.getBoundingClientRect(), b = t.closest('svg').getBoundingClientRect();
        return a.left < b.left - 1 || a.right > b.right + 1; }).map(t => t.textContent).join(' | ')""")
    checks.expect(cut == "", "at %d px text of a plot is cut off: %s" % (width, cut))
    over = browser.evaluate("""Array.from(document.querySelectorAll('svg, .stage')).flatMap(box => {
        const all = Array.from(box.querySelectorAll('text, .over')).filter(t => t.textContent.trim() && !t.hidden)
            .map(t => [t.textContent, (range => (range.selectNodeContents(t), range.getBoundingClientRect()))(
                document.createRange())]);
        return all.flatMap(([text, a], k) => all.slice(k + 1).filter(([other, b]) => a.left < b.right - 1 &&
            b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3).map(([other]) => text + ' / ' + other));
        }).slice(0, 5).join(' | ')""")
    checks.expect(over == "", "at %d px texts overlap: %s" % (width, over))


def check_replay(browser, checks):
    frames = browser.evaluate("window.myriadReplay ? myriadReplay.frames : 0")
    checks.expect(frames >= 2, "the replay has %s frames" % frames)
    if not frames:
        return
    seen = [browser.evaluate("(myriadReplay.show(%d), myriadReplay.pixels())" % k) for k in range(min(frames, 4))]
    for k, picture in enumerate(seen):
        checks.expect(picture["lit"] >= 20, "frame %d is blank: %s" % (k, picture))
    checks.expect(len({p["hash"] for p in seen}) == len(seen), "frames look the same: %s" % seen)
    same = browser.evaluate("(myriadReplay.show(0), myriadReplay.pixels())")
    checks.expect(same == seen[0], "the first frame looks different the second time")
    turned = browser.evaluate("(myriadReplay.turn(0.5, 0.1), myriadReplay.pixels())")
    checks.expect(turned["lit"] >= 20 and turned["hash"] != same["hash"], "turning the view changes nothing")
    checks.expect(browser.evaluate("document.getElementById('replay-words').hidden"), "the replay apologises")


def wait_until(browser, condition):
    """Whether a condition comes true; a busy machine gets its time, but not forever."""
    return browser.evaluate("""new Promise(done => {
        const end = Date.now() + 60000;
        const look = () => (%s) ? done(true) : Date.now() > end ? done(false) : setTimeout(look, 50);
        look(); })""" % condition)


def press(browser, key, code, text=None):
    down = {"type": "keyDown", "key": key, "code": code, "windowsVirtualKeyCode": ord(text) if text else 0}
    browser.call("Input.dispatchKeyEvent", **down, **({"text": text} if text else {}))
    browser.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code)


def check_hands(browser, checks):
    """Mouse, keys and slider, as a person uses them."""
    browser.evaluate("(myriadReplay.show(0), document.getElementById('replay-canvas').scrollIntoView())")
    box = browser.evaluate("""(r => [r.left + r.width / 2, r.top + r.height / 2])(
        document.getElementById('replay-canvas').getBoundingClientRect())""")
    before = browser.evaluate("myriadReplay.pixels().hash")
    mouse = [("mousePressed", 0, 1), ("mouseMoved", 60, 1), ("mouseReleased", 60, 0)]
    for kind, shift, buttons in mouse:
        browser.call("Input.dispatchMouseEvent", type=kind, x=box[0] + shift, y=box[1], button="left", buttons=buttons,
                     clickCount=1)
    dragged = browser.evaluate("myriadReplay.pixels().hash")
    checks.expect(dragged != before, "dragging does not turn the view")
    press(browser, "+", "Equal", "+")
    checks.expect(browser.evaluate("myriadReplay.pixels().hash") != dragged, "the key + does not zoom")
    time_before = browser.evaluate("document.getElementById('replay-time').textContent")
    press(browser, ".", "Period", ".")
    browser.evaluate("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
    checks.expect(browser.evaluate("document.getElementById('replay-time').textContent") != time_before,
                  "the full stop does not go on to the next snapshot")
    press(browser, " ", "Space", " ")
    checks.expect(browser.evaluate("document.getElementById('replay-play').getAttribute('aria-pressed')") == "true",
                  "the space bar does not play")
    line = "document.querySelector('svg[data-t0] .now').getAttribute('x1')"
    moved = wait_until(browser, line + " !== '%s'" % browser.evaluate(line))
    checks.expect(moved, "the line in the plots does not follow the replay")
    browser.evaluate("document.getElementById('replay-play').click()")
    browser.evaluate("""(s => { const r = s.getBoundingClientRect(); s.dispatchEvent(new MouseEvent('click',
        {clientX: r.right - 2, clientY: r.top + 9})); })(document.querySelector('svg[data-t0]'))""")
    last = "document.getElementById('replay-frame').value == document.getElementById('replay-frame').max"
    checks.expect(wait_until(browser, last), "a click at the end of a plot does not go to the last snapshot")


def check_touch(browser, checks):
    """One finger turns, two zoom."""
    x, y = browser.evaluate("""(c => (c.scrollIntoView(), myriadReplay.show(0),
        (r => [r.left + r.width / 2, r.top + r.height / 2])(c.getBoundingClientRect())))(
        document.getElementById('replay-canvas'))""")
    browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)

    def fingers(kind, *shifts):
        points = [{"x": x + s, "y": y, "id": k} for k, s in enumerate(shifts)]
        browser.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    seen = [browser.evaluate("myriadReplay.pixels().hash")]
    for first, then in (((0,), (70,)), ((-30, 30), (-80, 80))):
        fingers("touchStart", *first)
        fingers("touchMove", *then)
        fingers("touchEnd")
        seen.append(browser.evaluate("myriadReplay.pixels().hash"))
    checks.expect(seen[1] != seen[0], "a finger does not turn the view")
    checks.expect(seen[2] != seen[1], "two fingers do not zoom")


def check(path):
    checks = Checks()
    browser = Browser([])
    try:
        seconds = browser.open(path, 1200, 900)
        print("opened in %.2f s" % seconds)
        playing = browser.evaluate("document.getElementById('replay-play').getAttribute('aria-pressed')")
        checks.expect(playing == "false", "the replay starts by itself where motion is not wanted")
        check_layout(browser, checks, 1200)
        check_replay(browser, checks)
        check_hands(browser, checks)
        for text in browser.complaints():
            checks.expect(False, text)
        browser.open(path, 360, 740, dark=True, still=False)
        browser.evaluate("document.getElementById('replay-canvas').scrollIntoView()")
        checks.expect(wait_until(browser, "document.getElementById('replay-play').getAttribute('aria-pressed') === 'true'"),
                      "the replay does not start by itself")
        check_layout(browser, checks, 360)
        check_replay(browser, checks)
        check_touch(browser, checks)
        for text in browser.complaints():
            checks.expect(False, text)
    finally:
        browser.close()
    return checks.failed


def check_without_webgl(path):
    checks = Checks()
    browser = Browser(["--disable-3d-apis"])
    try:
        browser.open(path, 800, 600)
        words = browser.evaluate("(w => w.hidden ? '' : w.textContent)(document.getElementById('replay-words'))")
        checks.expect("WebGL2" in words, "without WebGL2 the page says: '%s'" % words)
        hidden = browser.evaluate("document.getElementById('replay-controls').hidden")
        checks.expect(hidden, "without WebGL2 the controls are there")
        checks.expect(browser.evaluate("document.querySelectorAll('#plots figure').length") > 0, "no plots without WebGL2")
        for text in browser.complaints():
            checks.expect("WebGL" in text and not text.startswith(("exception", "network")), text)
    finally:
        browser.close()
    return checks.failed


def check_sweep(path):
    """The table is sorted by clicks: numbers as numbers, up and down."""
    checks = Checks()
    browser = Browser([])
    try:
        for width in (1200, 360):
            browser.open(path, width, 800, dark=width < 800)
            check_layout(browser, checks, width)
            checks.expect(browser.evaluate("document.querySelectorAll('#plots .band').length") > 0, "no bands over seeds")
            column = """Array.from(document.querySelectorAll('table.sort th')).findIndex(h => h.textContent === '%s')"""
            for name, least in (("seconds", 12), ("interaction.eps", 3), ("run", 12)):
                at = browser.evaluate(column % name)
                checks.expect(at >= 0, "no column " + name)
                orders = [browser.evaluate("""(document.querySelectorAll('table.sort th')[%d].firstChild.click(),
                    Array.from(document.querySelectorAll('table.sort tbody tr')).map(r => Number(r.cells[%d].dataset.v)))"""
                                           % (at, at)) for _ in range(2)]
                checks.expect(len(set(orders[0])) >= least, "column %s has the values %s" % (name, orders[0]))
                checks.expect(orders[0] == sorted(orders[0]) and orders[1] == sorted(orders[1], reverse=True),
                              "sorted by %s: %s" % (name, orders))
            for text in browser.complaints():
                checks.expect(False, text)
    finally:
        browser.close()
    return checks.failed


def check_hostile(path):
    """Results of tests/report/hostile.py: no script of theirs has run, and no element of theirs is in the page."""
    checks = Checks()
    browser = Browser([])
    try:
        for width in (1200, 390):
            browser.open(path, width, 800)
            checks.expect(browser.evaluate("window.hit === undefined"), "a script of the results has run")
            found = browser.evaluate("""Array.from(document.querySelectorAll('*')).filter(e => e.matches('hostile, iframe, '
                + 'img:not([src^="data:"]), a:not([href^="#"]):not([download])') || e.getAttributeNames().some(n =>
                n.startsWith('on'))).slice(0, 5).map(e => e.outerHTML.slice(0, 120)).join(' | ')""")
            checks.expect(found == "", "the results have become markup: " + found)
            shown = browser.evaluate("document.body.textContent.includes('\"><script>window.hit=1</scr' + 'ipt>')")
            checks.expect(shown, "the hostile text is nowhere to be read")
            for text in sorted(set(browser.complaints())):
                checks.expect(False, text[:300])
        # The second wall: even markup that got out would run nothing.
        browser.evaluate("""(s => { s.textContent = 'window.hit = 1'; document.body.append(s); })(
            document.createElement('script'))""")
        browser.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=data: onerror=\"window.hit = 1\">')")
        browser.evaluate("new Promise(r => setTimeout(r, 300))")
        checks.expect(browser.evaluate("window.hit === undefined"), "the page's policy lets any script run")
    finally:
        browser.close()
    return checks.failed


def screenshot(options):
    browser = Browser([])
    try:
        seconds = browser.open(options.report, options.width, options.height, options.dark)
        if options.frame is not None:
            browser.evaluate("myriadReplay.show(%d)" % options.frame)
        if options.scroll:
            browser.evaluate("document.querySelector('%s').scrollIntoView()" % options.scroll)
        browser.evaluate("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
        shot = browser.call("Page.captureScreenshot", format="png")
        with open(options.screenshot, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
        print("%s: opened in %.2f s" % (options.screenshot, seconds))
    finally:
        browser.close()
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("--without-webgl", action="store_true")
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--sweep", action="store_true")
    parser.add_argument("--screenshot")
    parser.add_argument("--width", type=int, default=1200)
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--scroll")
    parser.add_argument("--frame", type=int)
    options = parser.parse_args()
    if options.screenshot:
        return screenshot(options)
    look = check_without_webgl if options.without_webgl else check_hostile if options.hostile else check_sweep if options.sweep else check
    failed = look(options.report)
    if failed:
        print("%d checks failed" % failed)
        return 1
    print("all checks passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
