"""A bar of progress: a line on stderr, or in a notebook an element that is updated."""

import sys
import time


def _notebook():
    """IPython's display function in a notebook; None elsewhere."""
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        return None
    shell = get_ipython()
    return display if shell is not None and shell.has_trait("kernel") else None


def show(element):
    """Shows an element in a notebook; a line of text on stderr elsewhere."""
    display = _notebook()
    if display is not None:
        display(element)
    else:
        sys.stderr.write(f"{element!r}\n")


class Bar:
    """Shows how far work is, at most five times a second."""

    def __init__(self, shown):
        self.shown = bool(shown)
        self.began = self.last = 0.0
        self.printed = False
        self.handle = None

    def __enter__(self):
        self.began = time.monotonic()
        return self

    def __exit__(self, *_):
        if self.printed:
            sys.stderr.write("\r\033[K" if sys.stderr.isatty() else "")
            sys.stderr.flush()

    def show(self, fraction, text):
        now = time.monotonic()
        if not self.shown or (now - self.last < 0.2 and fraction < 1):
            return
        self.last = now
        left = (now - self.began) * (1 - fraction) / fraction if fraction > 0 else float("nan")
        line = f"{100 * fraction:3.0f} %, {text}, {left:.0f} s left"
        display = _notebook()
        if display is not None:
            self._show_element(display, fraction, line)
        elif sys.stderr.isatty():
            sys.stderr.write(f"\r\033[K{line}")
            sys.stderr.flush()
            self.printed = True
        elif fraction >= 1:
            sys.stderr.write(line + "\n")

    def _show_element(self, display, fraction, line):
        from IPython.display import HTML
        element = HTML(f'<progress value="{fraction:.3f}" max="1"></progress> {line}')
        if self.handle is None:
            self.handle = display(element, display_id=True)
        else:
            self.handle.update(element)
