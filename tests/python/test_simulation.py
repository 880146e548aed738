"""Simulations from Python: motion, callbacks, exceptions, Ctrl-C, ownership, checkpoints."""

import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np

import myriad as my


def cluster(n=64, **settings):
    stars = my.model("plummer", n=n, seed=1)
    return my.Simulation(stars, my.Interaction("gravity", eps=0.1), integrator="leapfrog", **{"dt": 1 / 64, **settings})


class Motion(unittest.TestCase):
    def test_leapfrog_against_numpy(self):
        stars = my.model("plummer", n=32, seed=2)
        x, v, m = stars.position.copy(), stars.velocity.copy(), stars.mass.copy()
        sim = my.Simulation(stars, my.Interaction("gravity", eps=0.1, arithmetic="double"), integrator="leapfrog", dt=1 / 64)

        def force(x):
            d = x[None, :, :] - x[:, None, :]
            r2 = (d**2).sum(axis=2) + 0.01
            return (m[None, :, None] * d / r2[:, :, None]**1.5).sum(axis=1)

        a = force(x)
        for _ in range(32):
            v += a / 128
            x += v / 64
            a = force(x)
            v += a / 128
        sim.run(until=0.5)
        self.assertEqual((sim.time, sim.steps), (0.5, 32))
        self.assertLess(np.abs(sim.position - x).max(), 8e-16)  # measured 1.7e-16
        self.assertLess(np.abs(sim.velocity - v).max(), 8e-16)

    def test_steps_and_until(self):
        sim = cluster()
        sim.run(steps=10)
        self.assertEqual(sim.steps, 10)
        sim.run(until=0.5, steps=3)
        self.assertEqual(sim.steps, 13)
        sim.step(3)
        self.assertEqual(sim.time, 0.25)
        sim.run(until=0.5)
        self.assertEqual((sim.time, sim.steps), (0.5, 32))
        sim.run(until=0.5)
        self.assertEqual(sim.steps, 32)
        with self.assertRaises(TypeError):
            sim.run()
        with self.assertRaises(my.errors.ValueError):
            sim.run(until=float("nan"))

    def test_every(self):
        sim, times, energies = cluster(), [], []
        sim.every(0.125, lambda s: times.append(s.time))
        sim.every(0.25, lambda s: energies.append(s.conserved.energy), start=0.25)
        sim.run(until=0.5)
        self.assertEqual(times, [0, 0.125, 0.25, 0.375, 0.5])
        self.assertEqual(len(energies), 2)
        self.assertLess(abs(energies[1] / energies[0] - 1), 1e-4)  # measured 7e-5
        sim.run(until=1)
        self.assertEqual(len(times), 9)
        with self.assertRaises(my.errors.ValueError):
            sim.every(0, print)

    def test_every_with_block_steps(self):
        """No block ends at these times: particles are predicted to them."""
        stars, times = my.model("plummer", n=32, seed=1), []
        sim = my.Simulation(stars, my.Interaction("gravity_jerk", eps=0.1), integrator="hermite4")
        sim.every(0.1, lambda s: times.append(s.time))
        sim.run(until=0.5)
        self.assertEqual(times, [k * 0.1 for k in range(6)])

    def test_every_does_not_change_the_motion(self):
        one, two = cluster(), cluster()
        two.every(0.1, lambda s: s.position)
        one.run(until=1)
        two.run(until=1)
        self.assertEqual(one.particles.hash("position"), two.particles.hash("position"))

    def test_exception_leaves_the_state(self):
        sim, calls = cluster(), []

        def fails(s):
            calls.append(s.time)
            if len(calls) == 3:
                raise RuntimeError("enough")

        sim.every(0.125, fails)
        with self.assertRaisesRegex(RuntimeError, "enough"):
            sim.run(until=1)
        self.assertEqual(sim.time, 0.25)
        sim.run(until=1)
        other = cluster()
        other.run(until=1)
        self.assertEqual(sim.particles.hash("velocity"), other.particles.hash("velocity"))

    def test_fields_are_read_only_copies_once_per_step(self):
        sim = cluster()
        x = sim.position
        self.assertIs(x, sim.position)
        with self.assertRaises(ValueError):
            x[0] = 0
        before = x.copy()
        sim.run(until=0.25)
        np.testing.assert_array_equal(x, before)  # a copy: steps do not change it
        self.assertGreater(np.abs(sim.position - before).max(), 1e-3)
        with self.assertRaises(AttributeError):
            sim.no_such_field
        self.assertEqual(set(sim.fields) & {"position", "velocity", "mass"}, {"position", "velocity", "mass"})

    def test_hermite_and_external(self):
        stars = my.model("plummer", n=32, seed=1)
        sim = my.Simulation(stars, my.Interaction("gravity_jerk", eps=0.01), integrator="hermite4", eta=0.01,
                            external=my.External("point_mass", mass=10))
        before = sim.conserved.energy
        sim.run(until=0.25)
        self.assertLess(abs(sim.conserved.energy / before - 1), 8e-4)  # measured 1.6e-4
        self.assertEqual(sim["eta"], 0.01)

    def test_box(self):
        atoms = my.model("fcc", n=256, seed=1)
        f = my.Interaction("lennard_jones", method="neighbour", cutoff=2.5, epsilon=[[1.0]], sigma=[[1.0]])
        edge = (256 / 0.8)**(1 / 3)
        sim = my.Simulation(atoms, f, integrator="verlet", dt=0.004, molecular={"box": [edge] * 3, "cut": "shifted"})
        sim.heat(1.0, seed=2)
        sim.run(steps=20)
        state = sim.thermodynamics
        self.assertGreater(state.temperature, 0.1)
        np.testing.assert_allclose(sim.box[0], [edge] * 3)
        with self.assertRaises(my.errors.NameError):
            my.Simulation(my.model("fcc", n=32), molecular={"no_such_option": 1})

    def test_errors(self):
        with self.assertRaises(my.errors.NameError):
            my.Simulation(my.model("plummer", n=4), integrator="leapfog")
        with self.assertRaises(my.Error):
            cluster(no_such_parameter=1)
        with self.assertRaises(my.errors.CombinationError):
            my.Simulation(my.model("plummer", n=4), my.Interaction("gravity"), integrator="verlet").run(until=1)


class Ownership(unittest.TestCase):
    def test_parts_belong_to_the_simulation(self):
        stars, g = my.model("plummer", n=16, seed=1), my.Interaction("gravity", eps=0.1)
        sim = my.Simulation(stars, g, dt=1 / 64)
        for use in (lambda: len(stars), lambda: stars.position, lambda: stars.copy(), lambda: my.Simulation(stars)):
            with self.assertRaisesRegex(my.errors.CombinationError, "belong to a simulation"):
                use()
        with self.assertRaisesRegex(my.errors.CombinationError, "belongs to a simulation"):
            g.evaluate(my.model("plummer", n=4))
        with self.assertRaises(my.errors.CombinationError):
            g["eps"] = 1
        self.assertEqual(g["eps"], 0.1)
        self.assertEqual(repr(stars), "<Particles of a simulation>")
        sim.run(steps=3)
        del sim
        gc.collect()
        self.assertEqual(g["eps"], 0.1)  # the simulation lives as long as its interaction is asked

    def test_destruction_in_any_order(self):
        for order in range(24):
            parts = [my.Context(threads=1)]
            with parts[0]:
                stars = my.model("plummer", n=16, seed=1)
                g = my.Interaction("gravity", eps=0.1)
                g.evaluate(stars)
                parts.append(my.Simulation(stars.copy(), g, dt=1 / 64))
                parts[1].run(steps=2)
                parts += [stars.position[2:5], parts[1].interaction]
            del stars, g
            while parts:
                parts.pop(order % len(parts))
                order //= 2
                gc.collect()

    def test_cycles(self):
        for _ in range(20):
            context = my.Context(threads=1)
            with context:
                sim = cluster(8)
            sim.every(0.1, lambda s, sim=sim, context=context: None)
            sim.run(until=0.2)
            del sim, context
        gc.collect()


class Checkpoints(unittest.TestCase):
    def test_same_bits(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "half.ckpt")
            sim = cluster()
            sim.run(until=0.5)
            sim.save(path)
            sim.run(until=1)
            other = my.Simulation.load(path)
            self.assertEqual(other.time, 0.5)
            other.run(until=1)
            self.assertEqual(other.particles.hash("position"), sim.particles.hash("position"))
            with self.assertRaises(my.Error):
                my.Simulation.load(os.path.join(folder, "none"))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            sim = cluster()
            sim.run(until=0.25)
            for name in ("a.hdf5", "b.csv"):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", my.MyriadWarning)
                    sim.write(os.path.join(folder, name), fields=["position", "velocity", "mass"])
                stars, header = my.read(os.path.join(folder, name))
                np.testing.assert_array_equal(stars.position, sim.position)
                self.assertEqual(header.time, 0.25)
            my.convert(os.path.join(folder, "b.csv"), os.path.join(folder, "c.extxyz"))
            self.assertEqual(len(my.read(os.path.join(folder, "c.extxyz"))[0]), 64)
            with self.assertRaises(OSError):
                my.read(os.path.join(folder, "no_such.csv"))


class Interrupts(unittest.TestCase):
    def test_ctrl_c_between_steps(self):
        """SIGINT ends run() at a step; the state goes on with the bits of a motion without one."""
        sim = cluster(256)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            sim.run(until=1e6)
        timer.join()
        steps = sim.steps
        self.assertGreater(steps, 0)
        self.assertEqual(sim.time, steps / 64)
        other = cluster(256)
        other.run(steps=steps)
        self.assertEqual(sim.particles.hash("position"), other.particles.hash("position"))
        sim.run(steps=5)
        self.assertEqual(sim.steps, steps + 5)

    def test_ctrl_c_during_an_evaluation(self):
        """A long evaluation stops, too."""
        stars = my.model("plummer", n=120000, seed=1)
        g = my.Interaction("gravity", eps=0.01, backend="ref", arithmetic="double")
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            g.evaluate(stars)
        timer.join()
        self.assertNotIn("acceleration", stars)  # it was given up, and changed nothing
        with self.assertRaises(my.errors.ValueError):
            g.last


class Threads(unittest.TestCase):
    def test_lock_is_free_during_work(self):
        """Another thread of Python counts while C works."""
        sim, counts, over = cluster(2000), [0], threading.Event()

        def count():
            while not over.is_set():
                counts[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        sim.step(1)
        before = counts[0]
        sim.step(20)
        counted = counts[0] - before
        over.set()
        thread.join()
        self.assertGreater(counted, 3)

    def test_each_thread_has_its_context(self):
        """Four threads at once, with the results of one after the other."""
        right, found = [], [None] * 4

        def work(k):
            stars = my.model("plummer", n=100 + k, seed=k)
            sim = my.Simulation(stars, my.Interaction("gravity", eps=0.1), dt=1 / 64)
            sim.run(until=0.5)
            return sim.particles.hash("position")

        def keep(k):
            found[k] = work(k)

        right = [work(k) for k in range(4)]
        threads = [threading.Thread(target=keep, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, right)

    def test_context_in_two_threads_is_an_exception(self):
        sim, errors, began = cluster(2000), [], threading.Event()
        stars = my.model("plummer", n=10, seed=1)
        g = my.Interaction("gravity")

        def work():
            with sim.context.work():
                began.set()
                sim.run(steps=50)

        thread = threading.Thread(target=work)
        thread.start()
        began.wait()
        while thread.is_alive():
            try:
                g.evaluate(stars)
            except my.errors.CombinationError as error:
                errors.append(str(error))
        thread.join()
        self.assertEqual(sim.steps, 50)
        self.assertTrue(errors and "another thread" in errors[0])

    def test_fork_is_an_exception(self):
        """In a child of a process that has used the library."""
        code = """
import os, sys, myriad as my
sim = my.Simulation(my.model("plummer", n=100, seed=1), my.Interaction("gravity", eps=0.1), dt=0.01)
sim.run(steps=3)
child = os.fork()
if child == 0:
    for use in (lambda: sim.run(steps=3), lambda: my.model("plummer", n=3), lambda: my.Context()):
        try:
            use()
            os._exit(1)
        except my.errors.CombinationError as error:
            if "spawn" not in str(error):
                os._exit(2)
    del sim
    sys.exit(7)
_, status = os.waitpid(child, 0)
sim.run(steps=3)
print(os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1, sim.steps)
"""
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        self.assertEqual(out.stdout.split(), ["7", "6"], out.stderr)

    def test_fork_before_use(self):
        code = """
import os, myriad as my
child = os.fork()
if child == 0:
    my.model("plummer", n=3)
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        self.assertEqual(out.stdout.split(), ["0"], out.stderr)


class Texts(unittest.TestCase):
    def test_report(self):
        sim = cluster()
        sim.run(until=0.25)
        report = sim.report()
        self.assertEqual(report.choices.kernel, "gravity")
        self.assertEqual(report.cost.steps, 16)
        self.assertIn("<td>kernel</td><td>gravity</td>", report._repr_html_())
        self.assertIn("leapfrog", repr(report))
        self.assertIn("<td>leapfrog</td>", sim._repr_html_())
        self.assertEqual(repr(sim), "<Simulation of 64 particles by leapfrog at t = 0.25, step 16>")

    def test_progress(self):
        code = """
import myriad as my
sim = my.Simulation(my.model("plummer", n=16, seed=1), my.Interaction("gravity", eps=0.1), dt=1/64)
sim.run(until=1, progress=True)
"""
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertIn("100 %, t 1, step 64", out.stderr)
        self.assertEqual(out.stdout, "")

    def test_warnings(self):
        """A warning of the library is one of Python, and an exception where the user wants that."""
        stars = my.model("plummer", n=10, seed=1)
        stars.strange = np.ones(10)
        with tempfile.TemporaryDirectory() as folder:
            with self.assertWarnsRegex(my.MyriadWarning, "strange"):
                my.write(stars, os.path.join(folder, "a.tipsy"), format="tipsy")


if __name__ == "__main__":
    unittest.main()
