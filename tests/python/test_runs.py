"""Runs of input files from Python."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import myriad as my

INPUT = """
particles: {model: plummer, n: 32}
interaction: {kernel: gravity, eps: 0.1}
integrator: {name: leapfrog, dt: 0.0625}
run: {end: 2}
output: {diagnostics: 0.5, snapshots: none}
"""


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "in.yaml")
        self.out = os.path.join(self.folder.name, "out")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(INPUT)

    def test_whole(self):
        done = my.run(self.path, {"run.end": 1, "output.directory": self.out})
        self.assertEqual((done.exit_code, done.reason, done.directory), (0, "", self.out))
        self.assertEqual(done.simulation.time, 1)
        np.testing.assert_array_equal(done.diagnostics["time"], [0, 0.5, 1])
        self.assertLess(abs(done.diagnostics["energy_error"][-1]), 9e-4)  # measured 2e-4
        self.assertIn("end: 1", done.input)
        page = done.report()
        self.assertTrue(os.path.exists(page.path))
        self.assertIn("<iframe srcdoc=", page._repr_html_())
        with self.assertRaisesRegex(my.errors.FileError, "holds a finished run"):
            my.run(self.path, {"output.directory": self.out})
        again = my.run(self.path, {"output.directory": self.out}, replace=True)
        self.assertEqual(again.simulation.time, 2)
        own = my.report(self.out, path=os.path.join(self.folder.name, "own.html"), megabytes=0)
        self.assertTrue(os.path.getsize(own.path) > 1000)

    def test_compiling_is_no_warning(self):
        """Where loops are built on demand, the first run tells that it compiles them: to the log."""
        text = ("import logging, sys, warnings, myriad as my; warnings.simplefilter('error'); "
                "logging.basicConfig(level=logging.INFO, format='%(message)s'); "
                "my.run(sys.argv[1], {'output.directory': sys.argv[2], 'interaction.kernel': 'gravity_jerk', "
                "'integrator.dt': 0.015625})")
        cache = os.path.join(self.folder.name, "cache")
        out = subprocess.run([sys.executable, "-c", text, self.path, self.out], env={**os.environ, "MYRIAD_CACHE": cache},
                             capture_output=True, text=True, check=False)
        self.assertEqual((out.returncode, out.stdout), (0, ""), out.stderr)
        self.assertEqual("this happens once" in out.stderr, "on demand" in my.info(), out.stderr)

    def test_simulation_outlives_the_run(self):
        sim = my.run(self.path, {"output.directory": self.out}).simulation
        gc.collect()
        self.assertEqual(sim.position.shape, (32, 3))
        particles = sim.particles
        del sim
        gc.collect()
        self.assertEqual(particles.position.shape, (32, 3))

    def test_all_errors_of_an_input(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("particles: {model: plumer}\nrun: {ends: 1}\n")
        with self.assertRaises(my.errors.ValueError) as caught:
            my.Run(self.path)
        self.assertIn("in.yaml:1:20: ", str(caught.exception))
        self.assertIn("in.yaml:2:7: ", str(caught.exception))
        with self.assertRaises(my.Error):
            my.Run(self.path, {"no.such_key": 1})
        with self.assertRaises(TypeError):
            my.Run()

    def test_broken_motion(self):
        with self.assertRaisesRegex(my.errors.RangeError, "energy"):
            my.run(self.path, {"run.energy_limit": 1e-12, "output.directory": self.out})
        self.assertTrue(os.path.exists(os.path.join(self.out, "run.json")))

    def test_ctrl_c_leaves_a_run_that_goes_on(self):
        overrides = {"output.directory": self.out, "run.end": 1000, "particles.n": 256, "output.report": False}
        timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        run = my.Run(self.path, overrides)
        with self.assertRaises(KeyboardInterrupt):
            run.run()
        timer.join()
        steps = run.simulation.steps
        self.assertGreater(steps, 0)
        self.assertEqual(run.exit_code, 75)
        del run
        gc.collect()
        again = my.Run(restart=self.out, overrides={"run.end": (steps + 10) / 16})
        again.run()
        self.assertEqual(again.simulation.steps, steps + 10)
        straight = my.run(self.path, {**overrides, "output.directory": self.out + "2", "run.end": (steps + 10) / 16})
        self.assertEqual(again.simulation.particles.hash("position"), straight.simulation.particles.hash("position"))


if __name__ == "__main__":
    unittest.main()
