#!/usr/bin/env python3
"""Looks at the text of a report: is it whole, does it need nothing from elsewhere, does its replay hold the snapshots?

usage: page.py REPORT.html [FRAMES [DRAWN [SNAPSHOT.csv...]]]

With snapshots (one per frame, all particles drawn) every coordinate must come back within the rounding that
runs/report/report_replay.c promises.
"""
import base64
import csv
import html.parser
import math
import re
import struct
import sys

VOID = {"meta", "input", "br", "img"}
EMPTY_SVG = {"line", "path", "rect", "circle", "image"}


class Page(html.parser.HTMLParser):
    """Every element closed in its order, every id once, no address but data: and those inside the page."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.ids, self.frames, self.replay, self.text = [], [], set(), [], {}, []

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        for name in ("d", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height"):
            if re.search("nan|inf", a.get(name) or ""):
                self.wrong.append("%s %s=%s" % (tag, name, a[name][:60]))
        if tag not in VOID:
            self.open.append(tag)
        if "id" in a:
            if a["id"] in self.ids:
                self.wrong.append("id %s twice" % a["id"])
            self.ids.add(a["id"])
        for name in ("src", "href"):
            if name in a and not a[name].startswith(("data:", "#")):
                self.wrong.append("%s %s=%s" % (tag, name, a[name][:60]))
        if tag == "script" and a.get("class") == "frame":
            self.frames.append([a, ""])
        if a.get("id") == "replay-data":
            self.replay = a

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag in EMPTY_SVG:
            self.open.pop()
        else:
            self.wrong.append("<%s/>" % tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append("</%s> where it is not expected, line %d" % (tag, self.getpos()[0]))

    def handle_data(self, data):
        if self.open and self.open[-1] == "script" and self.frames and self.frames[-1][1] == "":
            self.frames[-1][1] = data
        elif self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)


def coordinates(frame, scale):
    limit = float(frame[0]["data-limit"])
    for x, y, z in struct.iter_unpack("<3h", base64.b64decode(frame[1])):
        yield None if x == -32768 else [scale * math.sinh(q / 32767 * limit) for q in (x, y, z)]


def compare(page, files):
    """The largest error, in units of what rounding may do."""
    scale, worst = float(page.replay["data-scale"]), 0
    centre = [float(x) for x in page.replay["data-centre"].split()]
    for frame, name in zip(page.frames, files):
        with open(name, newline="") as file:
            rows = sorted(csv.DictReader(line for line in file if not line.startswith("#")), key=lambda r: int(r["id"]))
        drawn = list(coordinates(frame, scale))
        if len(drawn) != len(rows):
            return math.inf
        step = float(frame[0]["data-limit"]) / 32767 / 2
        for c, axis in enumerate("xyz"):
            for r, d in zip(rows, drawn):
                allowed = step * math.hypot(d[c], scale)
                worst = max(worst, abs(float(r[axis]) - d[c] - centre[c]) / allowed)
    return worst


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    page = Page()
    page.feed(text)
    page.close()
    wrong = page.wrong + ["<%s> is not closed" % t for t in page.open]
    if re.search(r"https?://|//cdn|@import", text):
        wrong.append("an address of the network")
    words = " ".join(page.text).replace("(address,undefined)", "")  # the sanitizers of a build
    for word in re.findall(r"\b(?:nan|inf|null|undefined)\b", words):
        wrong.append("the word '%s' in the text" % word)
    if len(sys.argv) > 2 and len(page.frames) != int(sys.argv[2]):
        wrong.append("%d frames, not %s" % (len(page.frames), sys.argv[2]))
    if len(sys.argv) > 3:
        drawn = int(sys.argv[3])
        for a, data in page.frames:
            if len(base64.b64decode(data)) != 6 * drawn:
                wrong.append("frame %s does not hold %d particles" % (a["data-number"], drawn))
    if len(sys.argv) > 4:
        worst = compare(page, sys.argv[4:])
        if not worst < 1.001: # half a step, and the curve of sinh within it
            wrong.append("a coordinate is off by %g of what rounding allows" % worst)
    for text in wrong:
        print("page.py: " + text)
    return 1 if wrong else 0


sys.exit(main())
