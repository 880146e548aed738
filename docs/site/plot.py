"""Line plots as SVG, with logarithmic axes."""
from html import escape
from math import ceil, floor, log10

COLOURS = ["#1f77b4", "#d1495b", "#2e8b57", "#e08e0b", "#7b52ab", "#555555"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 380, 76, 170, 14, 52
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Axis:
    """A range of values on a range of pixels, linear or logarithmic."""

    def __init__(self, values, pixels, logarithmic):
        self.log, self.pixels = logarithmic, pixels
        low, high = min(values), max(values)
        self.low, self.high = (floor(log10(low)), ceil(log10(high))) if logarithmic else (low, high)
        if self.low == self.high:
            self.high += 1

    def at(self, value):
        part = ((log10(value) if self.log else value) - self.low) / (self.high - self.low)
        return self.pixels[0] + part * (self.pixels[1] - self.pixels[0])

    def ticks(self):
        if self.log:
            every = max(1, (self.high - self.low) // 7)
            return [(10.0**k, "10" + str(k).translate(SUPERSCRIPTS)) for k in range(self.low, self.high + 1, every)]
        step = max(1, round((self.high - self.low) / 6))
        return [(v, str(v)) for v in range(ceil(self.low), floor(self.high) + 1, step)]


def frame(x, y, x_label, y_label):
    out = []
    for value, text in x.ticks():
        out.append(f'<path d="M{x.at(value):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>'
                   f'<text x="{x.at(value):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{text}</text>')
    for value, text in y.ticks():
        out.append(f'<path d="M{LEFT} {y.at(value):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 8}" y="{y.at(value) + 4:.1f}" text-anchor="end">{text}</text>')
    middle = (TOP + HEIGHT - BOTTOM) / 2
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{escape(x_label)}</text>'
               f'<text transform="translate(16 {middle}) rotate(-90)" text-anchor="middle">{escape(y_label)}</text>')
    return out


def lines(path, x_label, y_label, series, log_x=True, log_y=True):
    """Writes a plot of series {name: [(x, y), ...]}; a y of 0 has no place on a logarithmic axis and is left out."""
    series = {name: [(a, b) for a, b in points if b > 0 or not log_y] for name, points in series.items()}
    points = [p for s in series.values() for p in s]
    x = Axis([p[0] for p in points], (LEFT, WIDTH - RIGHT), log_x)
    y = Axis([p[1] for p in points], (HEIGHT - BOTTOM, TOP), log_y)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
           'font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="#fff"/>']
    out += frame(x, y, x_label, y_label)
    for k, (name, values) in enumerate((n, v) for n, v in series.items() if v):
        colour = COLOURS[k % len(COLOURS)]
        way = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in values)
        out.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x.at(a):.1f}" cy="{y.at(b):.1f}" r="3" fill="{colour}"/>' for a, b in values]
        at = TOP + 14 + 20 * k
        out.append(f'<path d="M{WIDTH - RIGHT + 12} {at - 4}h18" stroke="{colour}" stroke-width="3"/>'
                   f'<text x="{WIDTH - RIGHT + 36}" y="{at}">{escape(name)}</text>')
    path.write_text("\n".join(out) + "\n</svg>\n")
