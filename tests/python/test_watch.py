"""Live pages from Python: what a notebook shows follows the motion and does not change it."""

import contextlib
import gc
import http.client
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

import numpy as np

import myriad as my


def cluster():
    return my.Simulation(my.model("plummer", n=200, seed=1), my.Interaction("gravity", eps=0.1), dt=1 / 64)


def has_server():
    try:
        cluster().watch().close()
    except my.Error as error:
        print(f"skipped: {error}")
        return False
    return True


class Reader:
    """Somebody who looks at a page."""

    def __init__(self, page):
        address = urllib.parse.urlsplit(page.address)
        self.port, self.token = address.port, address.fragment

    @contextlib.contextmanager
    def asked(self, path, **headers):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)) as connection:
            connection.request("GET", path, headers={"X-Myriad-Token": self.token, **headers})
            with connection.getresponse() as answer:
                yield answer

    def ask(self, path, **headers):
        with self.asked(path, **headers) as answer:
            return answer, answer.read()

    def state(self, good=lambda state: True):
        """The first state for which that holds."""
        with self.asked("/events") as stream:
            for line in stream:
                state = json.loads(line[6:]) if line.startswith(b"data: ") else None
                if state and good(state):
                    return state
        raise EOFError(f"the page has ended, or too many look: {stream.status}")

    def frame(self):
        """Number, time and bytes of the newest frame."""
        _, data = self.ask("/frame")
        head = struct.unpack("<qqqdd", data[8:48])
        return head[1], head[3], head[2], data[48:]


@unittest.skipUnless(has_server(), "no server of live pages")
class Simulations(unittest.TestCase):
    def test_page(self):
        """The particles of before and after a run, in a page that a notebook may hold and nobody else."""
        sim = cluster()
        page = sim.watch()
        self.assertIs(sim.watch(), page)
        reader = Reader(page)
        frame = re.search(r'<iframe src="([^"]+)"', page._repr_html_())[1]
        self.assertEqual(frame, page.address)
        answer, _ = reader.ask("/")
        self.assertEqual(answer.getheader("X-Frame-Options"), None)
        self.assertEqual(answer.getheader("Content-Security-Policy"), "frame-ancestors 'self' http://127.0.0.1:* http://localhost:*")
        self.assertEqual(reader.ask("/frame", **{"X-Myriad-Token": "0" * 32})[0].status, 403)
        _, text = reader.ask("/page")
        self.assertIn(b'id="replay-data"', text)
        first = reader.frame()
        self.assertEqual(first[1:3], (0, 200))
        sim.run(until=1)
        self.assertEqual((reader.state()["state"], reader.state()["time"], reader.state()["step"]), ("waiting", 1.0, 64))
        last = reader.frame()
        self.assertEqual(last[1], 1.0)
        self.assertNotEqual(last[3], first[3])

    def test_bits(self):
        """Looking changes no bit; frames come while run() works."""
        class Seen(Exception):
            pass

        def stop(sim):
            if ends.is_set():
                raise Seen

        def look():
            try:
                reader.state(lambda state: state["state"] == "running" and seen.add(reader.frame()[0]) or len(seen) > 2)
            finally:
                ends.set()

        alone, watched, seen, ends = cluster(), cluster(), set(), threading.Event()
        reader = Reader(watched.watch())
        looker = threading.Thread(target=look, daemon=True)
        looker.start()
        watched.every(0.25, stop)
        with self.assertRaises(Seen):
            watched.run(until=1e5)
        looker.join()
        self.assertEqual(len(seen), 3)
        alone.run(steps=watched.steps)
        np.testing.assert_array_equal(alone.position, watched.position)

    def test_plots(self):
        sim = cluster()
        page = sim.watch(diagnostics=0.25)
        sim.run(until=1)
        table = my.read_table(os.path.join(page.directory, "diagnostics.csv"))
        np.testing.assert_array_equal(table["time"], [0, 0.25, 0.5, 0.75, 1])
        self.assertEqual(table["energy"][-1], sim.conserved.energy)
        self.assertIn(b"<svg", Reader(page).ask("/page")[1])

    def test_ends(self):
        """Pages end with close() or with their simulation, in any order, and leave no folder."""
        sim = cluster()
        page = sim.watch()
        reader, folder = Reader(page), page.directory
        page.close()
        page.close()
        self.assertFalse(os.path.exists(folder))
        sim.run(until=0.25)
        with self.assertRaises(OSError):
            reader.ask("/")
        other = sim.watch()
        self.assertNotEqual(other.address, page.address)
        del sim
        gc.collect()
        self.assertEqual(Reader(other).frame()[2], 200)
        folder = other.directory
        del other
        gc.collect()
        self.assertFalse(os.path.exists(folder))
        sim = cluster()
        page = sim.watch()
        sim.close()
        with self.assertRaises(OSError):
            Reader(page).ask("/")

    def test_stopped_run(self):
        """The page shows where a run was when an exception ended it."""
        sim = cluster()
        reader = Reader(sim.watch())
        sim.every(0.5, lambda s: 1 / 0, start=0.5)
        with self.assertRaises(ZeroDivisionError):
            sim.run(until=1)
        state = reader.state()
        self.assertEqual((state["state"], state["time"]), ("waiting", 0.5))

    def test_steps(self):
        sim = cluster()
        reader = Reader(sim.watch())
        ends = threading.Event()
        stepper = threading.Thread(target=lambda: (reader.state(lambda state: state["step"] > 3), ends.set()), daemon=True)
        stepper.start()
        while not ends.is_set():
            sim.step()
        stepper.join()
        self.assertGreater(sim.steps, 3)


@unittest.skipUnless(has_server(), "no server of live pages")
class Runs(unittest.TestCase):
    def test_run(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stars.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write("particles: {model: plummer, n: 64, seed: 1}\ninteraction: {eps: 0.1}\nrun: {end: 1}\n"
                           "output: {diagnostics: 0.25, report: false}\n")
            run = my.Run(path, {"output.directory": path[:-5]}, watch=True)
            with self.assertRaisesRegex(my.errors.CombinationError, "has no live page now"):
                run.watch()
            run.start()
            reader = Reader(run.watch())
            self.assertEqual(reader.ask("/")[0].status, 200)
            self.assertEqual(reader.ask("/nothing")[0].status, 404)
            while run.step():
                pass
            run.finish()
            with self.assertRaisesRegex(my.errors.CombinationError, "has no live page now"):
                run.watch()


class Missing(unittest.TestCase):
    def test_no_server(self):
        """Without the plug-in an exception says what to install, and the simulation goes on."""
        script = """
import myriad as my
sim = my.Simulation(my.model("plummer", n=20, seed=1), my.Interaction("gravity", eps=0.1), dt=1 / 64)
try:
    sim.watch()
except my.Error as error:
    print(error)
sim.run(until=0.25)
print(sim.time)
"""
        done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "MYR_WATCH_PLUGIN": "/nonexistent.so"},
                              capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"install libmicrohttpd-dev[^\n]*\n0\.25\n")


if __name__ == "__main__":
    unittest.main()
