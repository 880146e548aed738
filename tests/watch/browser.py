#!/usr/bin/env python3
"""Opens the live page of a run in headless Chromium, as tests/report/browser.py does with a report.

usage: browser.py MYRIAD [FOLDER]    pictures of the page go into FOLDER
"""
import base64
import importlib.util
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


report = load("report_browser", os.path.join(HERE, "..", "report", "browser.py"))
watch = load("watch", os.path.join(HERE, "watch.py"))
PICTURES = sys.argv[2] if len(sys.argv) > 2 else None


def until(browser, expression, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if browser.evaluate(expression):
            return True
        time.sleep(0.1)
    return False


def visit(browser, address, width, dark):
    browser.call("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce"}])
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
    browser.call("Page.navigate", url="about:blank")
    browser.events.clear()
    browser.call("Page.navigate", url=address)
    browser.wait_for("Page.loadEventFired")


def picture(browser, name):
    if PICTURES:
        with open(os.path.join(PICTURES, name), "wb") as file:
            file.write(base64.b64decode(browser.call("Page.captureScreenshot", format="png")["data"]))


def complaints(browser, address):
    return [c for c in browser.complaints() if not c.startswith("network: " + address.split("#")[0])]


def main():
    expect = watch.expect
    watch.write("live", "60", "20")
    w = watch.Watched("run", "live.yaml", "--quiet", "--watch=control")
    address = "http://127.0.0.1:%d/#%s" % (w.port, w.token)
    browser = report.Browser([])
    try:
        visit(browser, address, 1200, False)
        expect(until(browser, "window.myriadLive && myriadLive.frames > 2 && window.myriadReplay && myriadReplay.frames > 2"),
               "frames come: %s" % browser.evaluate("JSON.stringify(window.myriadLive)"))
        lit = browser.evaluate("myriadReplay.pixels()")
        expect(lit["lit"] > 50, "particles are drawn: %s" % lit)
        expect(until(browser, "document.querySelectorAll('#plots svg').length > 2"), "plots are drawn")
        seen = browser.evaluate("myriadReplay.pixels().hash")
        expect(until(browser, "myriadReplay.pixels().hash !== %d" % seen), "the picture changes")
        browser.evaluate("document.querySelector('[data-command=pause]').click()")
        expect(until(browser, "myriadLive.state.state === 'paused'"), "pause")
        step = browser.evaluate("myriadLive.state.step")
        time.sleep(0.5)
        expect(browser.evaluate("myriadLive.state.step") == step, "pause holds the step")
        picture(browser, "desk.png")
        expect(not complaints(browser, address), "complaints: %s" % complaints(browser, address))
        visit(browser, address, 360, True)
        expect(until(browser, "window.myriadLive && myriadLive.frames > 0 && document.querySelectorAll('#plots svg').length > 2"),
               "the page on a phone")
        wide = browser.evaluate("document.documentElement.scrollWidth")
        expect(wide <= 360, "the page is %s px wide on a phone" % wide)
        time.sleep(0.5)
        picture(browser, "phone.png")
        # the stream of events breaks: the page says so, and connects again by itself
        browser.evaluate("""(function () {
            var cancel = ReadableStreamDefaultReader.prototype.read, broken = 0;
            window.myriadBroken = function () { return broken; };
            ReadableStreamDefaultReader.prototype.read = function () {
                if (broken++ === 0)
                    return this.cancel().then(function () { throw new Error('broken by the test'); });
                return cancel.call(this);
            };
        }())""")
        expect(until(browser, "document.getElementById('live-state').textContent === 'not connected'", 20), "the page says that it is not connected")
        browser.evaluate("window.myriadLive.state = null")
        expect(until(browser, "myriadLive.state && myriadLive.state.state === 'paused' && myriadBroken() > 1"),
               "it connects again: %s" % browser.evaluate("document.getElementById('live-words').textContent"))
        browser.evaluate("document.querySelector('[data-command=go]').click()")
        expect(until(browser, "!window.myriadLive || myriadLive.state.state !== 'paused'"), "it goes on")
        expect(until(browser, "document.querySelectorAll('script.frame').length > 2 && !!document.querySelector('#cite')", 120),
               "at the end the page is the report")
        expect(not complaints(browser, address), "complaints: %s" % complaints(browser, address))
        expect(w.wait() == 0, "the run has ended well: " + w.text())
    finally:
        browser.close()
        w.process.kill()
    return 1 if watch.FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
