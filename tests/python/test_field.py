"""External fields that Python functions compute."""

import gc
import os
import tempfile
import unittest
import weakref

import numpy as np

import myriad as my


@my.field
def trap(position, velocity):
    return {"acceleration": -4 * position, "jerk": -4 * velocity, "potential": 2 * (position**2).sum(axis=1)}


def cluster(external, integrator="leapfrog", n=32, **settings):
    kernel = "gravity_jerk" if integrator.startswith("hermite") else "gravity"
    settings = settings or ({} if integrator.startswith("hermite") else {"dt": 1 / 64})
    return my.Simulation(my.model("plummer", n=n, seed=1), my.Interaction(kernel, eps=0.1), integrator=integrator,
                         external=external, **settings)


class Fields(unittest.TestCase):
    def test_against_the_library(self):
        """A harmonic trap in Python and the library's own: the same motion, to the last bit."""
        for integrator in ("leapfrog", "yoshida6", "hermite4", "hermite4_shared", "rk4"):
            with self.subTest(integrator=integrator):
                mine = cluster(trap, integrator)
                own = cluster(my.External("harmonic", omega_x=2, omega_y=2, omega_z=2), integrator)
                for sim in (mine, own):
                    sim.run(until=0.5)
                self.assertEqual(mine.steps, own.steps)
                self.assertEqual(mine.particles.hash("position"), own.particles.hash("position"))
                self.assertEqual(mine.conserved, own.conserved)

    def test_arguments(self):
        seen = []

        @my.field(name="looking")
        def look(time, ids, position):
            seen.append((time, list(ids), position.shape))
            return np.zeros_like(position)

        sim = cluster(look, n=4)
        sim.run(until=1 / 64)
        self.assertEqual(seen[0], (0.0, [0, 1, 2, 3], (4, 3)))
        self.assertEqual(seen[-1][0], 1 / 64)
        self.assertTrue(np.isnan(sim.conserved.energy))  # no potential
        self.assertFalse(np.isnan(sim.conserved.kinetic))
        with self.assertRaisesRegex(my.errors.NameError, "not given 'mass'"):
            my.field(lambda mass: mass)

    def test_centre(self):
        at = my.field(lambda position: {"acceleration": -position, "potential": position[:, 0]}, name="centred")
        field = at.made_in(my.current_context())
        field["x"] = 2.0
        acceleration, jerk, potential = field.at([5, 1, 0])
        self.assertEqual((acceleration, potential), ([-3.0, -1.0, -0.0], 3.0))
        self.assertTrue(np.isnan(jerk).all())

    def test_exception_leaves_the_state(self):
        class Trouble(Exception):
            pass

        for integrator in ("leapfrog", "hermite4", "rk4"):
            with self.subTest(integrator=integrator):
                wrong = [False]

                @my.field(name="moody")
                def moody(time, position, velocity):
                    if wrong[0] and time > 0.3:
                        raise Trouble("at last")
                    return {"acceleration": -position, "jerk": -velocity}

                whole, sim = cluster(moody, integrator), cluster(moody, integrator)
                whole.run(until=0.5)
                wrong[0] = True
                with self.assertRaisesRegex(Trouble, "at last"):
                    sim.run(until=0.5)
                self.assertLessEqual(sim.time, 0.3)
                wrong[0] = False
                sim.run(until=0.5)
                self.assertEqual(sim.particles.hash("position"), whole.particles.hash("position"))
                self.assertEqual(sim.steps, whole.steps)

    def test_use_of_the_library_in_a_field(self):
        """Another interaction may be evaluated in a field; its own simulation, in the middle of a step, may not be used."""
        sun = my.Particles(position=[[0, 0, 0]], mass=[10.0])
        pull = my.Interaction("gravity", eps=0.5)

        def by_another(position):
            here = my.Particles(position=position, mass=np.zeros(len(position)))
            pull.evaluate(here, sun)
            return here.acceleration

        sims = [cluster(my.field(by_another))]
        sims[0].step()
        self.assertTrue(np.isfinite(sims[0].position).all())
        seen = []

        def curious(position):
            for use in (lambda: sims[0].conserved, lambda: sims[0].step(), lambda: sims[0].run(steps=1),
                        lambda: sims[0].remove([0]), lambda: sims[0].position):
                try:
                    use()
                except my.errors.CombinationError as error:
                    seen.append("in the middle of a step" in str(error))
            return -position

        sims[0] = cluster(my.field(curious))
        sims[0].step()
        self.assertEqual(seen[:5], 5 * [True])
        self.assertEqual(sims[0].steps, 1)

    def test_wrong_results(self):
        for words, result in (("acceleration with shape .4, 2. for 4 particles; it must be .4, 3.", lambda x: x[:, :2]),
                              ("potential with shape", lambda x: {"acceleration": x, "potential": x}),
                              ("gives 'force'", lambda x: {"force": x})):
            sim = cluster(my.field(_of(result), name="wrong"), n=4)
            with self.assertRaisesRegex(my.errors.FieldError, words):
                sim.step()
        sim = cluster(my.field(_of(lambda x: np.where(np.arange(4)[:, None] == 2, np.nan, x)), name="half"), n=4)
        with self.assertRaisesRegex(my.errors.NonfiniteError, "field 'half' gives particle 2 .id 2. at .* an acceleration"):
            sim.step()

    def test_missing_jerk(self):
        sim = cluster(my.field(_of(lambda x: -x), name="plain"), "hermite4")
        with self.assertRaisesRegex(my.errors.NonfiniteError, "'plain' gives particle 0 .* a jerk, which the integrator needs"):
            sim.step()

    def test_checkpoint_asks_for_it(self):
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "stars.checkpoint")
            whole = cluster(trap)
            whole.run(until=0.25)
            whole.save(path)
            whole.run(until=0.5)
            with my.Context() as fresh:
                with self.assertRaisesRegex(my.errors.NameError, "external field 'trap', a function of the program"):
                    my.Simulation.load(path)
                sim = my.Simulation.load(path, fields=[trap])
                sim.run(until=0.5)
                self.assertIs(sim.context, fresh)
            self.assertEqual(sim.particles.hash("position"), whole.particles.hash("position"))

    def test_refused(self):
        with self.assertRaisesRegex(my.errors.NameError, "is an external field of the library"):
            my.field(_of(lambda x: -x), name="harmonic").made_in(my.current_context())
        with self.assertRaisesRegex(my.errors.ArgumentError, "letters, digits and underscores"):
            my.field(_of(lambda x: -x), name="two words").made_in(my.current_context())

    def test_lifetime(self):
        """A context and a function that nobody uses any more go away together."""
        context = my.Context()
        with context:
            sim = cluster(my.field(_of(lambda x: -x), name="short"), n=4)
            sim.step()
        gone = weakref.ref(context)
        del context, sim
        gc.collect()
        self.assertIsNone(gone())


def liquid(external, integrator="verlet", backend="auto", molecular=None, dt=1 / 1024, **settings):
    """343 atoms in a box of 9; they come near its faces, and the list is built again on the way."""
    position = 1.2 * np.stack(np.meshgrid(*3 * [np.arange(7)], indexing="ij"), axis=-1).reshape(-1, 3) + 0.3
    velocity = 3 * np.random.default_rng(1).standard_normal((343, 3))
    atoms = my.Particles(position=position, velocity=velocity - velocity.mean(axis=0), mass=np.linspace(1, 2, 343))
    pairs = my.Interaction("lennard_jones", method="neighbour", cutoff=2.5, epsilon=[[1.0]], sigma=[[1.0]], backend=backend)
    return my.Simulation(atoms, pairs, integrator=integrator, dt=dt, external=external,
                         molecular=molecular or {"box": [9, 9, 9], "cut": "shifted"}, **settings)


class Boxes(unittest.TestCase):
    def test_against_the_library(self):
        """A uniform field in Python and the library's own, along periodic and open axes: the same bits."""
        down = my.field(_of(lambda x: np.zeros_like(x) + [0.5, 0, -1.0]), name="down")
        for integrator, settings in (("verlet", {}), ("langevin", {"temperature": 1.0, "friction": 1.0})):
            with self.subTest(integrator=integrator):
                mine, library = (liquid(field, integrator, molecular={"box": [9, 9, 0], "cut": "shifted"}, **settings)
                                 for field in (down, my.External("uniform_field", acceleration_x=0.5, acceleration_z=-1.0)))
                for sim in (mine, library):
                    sim.run(until=0.125)
                self.assertEqual(mine.particles.hash("position"), library.particles.hash("position"))
                self.assertTrue(np.isnan(mine.conserved.energy))  # no potential

    def test_energy(self):
        waves = 2 * np.pi / 9

        @my.field
        def wave(time, position, velocity, ids):
            seen.append((time, position.min(), position.max(), list(ids[:2]), velocity.shape))
            return {"acceleration": [[1, 0, 0]] * np.sin(waves * position[:, :1]),
                    "potential": np.cos(waves * position[:, 0]) / waves}

        seen = []
        sim = liquid(wave, dt=1 / 4096)
        sim.step()
        before = sim.thermodynamics
        sim.run(until=0.125)
        after = sim.thermodynamics
        self.assertGreater(abs(after.external - before.external), 1)  # measured: 3.3
        self.assertLess(abs(after.conserved - before.conserved), 0.03)  # measured: 0.0104
        self.assertEqual((seen[0][0], seen[0][3:]), (0.0, ([0, 1], (343, 3))))
        self.assertEqual(seen[-1][0], 0.125)
        self.assertTrue(all(low >= 0 and high < 9 for _, low, high, _, _ in seen))

    def test_exception(self):
        """It ends the step with the state before it, after which the motion has the bits of one that never failed."""
        fails = [False]

        @my.field
        def hill(position):
            if fails[0]:
                raise ZeroDivisionError("mine")
            return {"acceleration": 4.5 - position, "potential": 0.5 * ((position - 4.5)**2).sum(axis=1)}

        for box in ([9, 9, 9], [9, 0, 0]):
            with self.subTest(box=box):
                sim, whole = (liquid(hill, molecular={"box": box, "cut": "shifted"}) for _ in range(2))
                for k in range(1, 9):
                    sim.run(until=k / 64)
                    state = sim.position, sim.velocity, sim.time, sim.steps
                    fails[0] = True
                    with self.assertRaisesRegex(ZeroDivisionError, "mine"):
                        sim.step()
                    fails[0] = False
                    for kept, now in zip(state, (sim.position, sim.velocity, sim.time, sim.steps)):
                        np.testing.assert_array_equal(kept, now)
                sim.run(until=0.25)
                whole.run(until=0.25)
                self.assertEqual(sim.particles.hash("position"), whole.particles.hash("position"))
                self.assertEqual(sim.particles.hash("velocity"), whole.particles.hash("velocity"))
                self.assertEqual(sim.conserved.energy, whole.conserved.energy)

    def test_named(self):
        bad = my.field(_of(lambda x: np.where(x > 3, np.nan, 0)), name="bad")
        with self.assertRaisesRegex(my.errors.NonfiniteError, r"'bad' gives particle \d+ \(id \d+\)"):
            liquid(bad).step()
        flat = my.field(_of(lambda x: x[:, 0]), name="flat")
        with self.assertRaisesRegex(my.errors.FieldError, r"'flat' gives acceleration with shape \(343,\)"):
            liquid(flat).step()

    def test_restart(self):
        @my.field
        def pull(position):
            return -0.1 * position

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "c")
            sim = liquid(pull)
            sim.run(until=1 / 16)
            sim.save(path)
            sim.run(until=1 / 8)
            with my.Context():
                with self.assertRaisesRegex(my.errors.NameError, "external field 'pull', a function of the program"):
                    my.Simulation.load(path)
                again = my.Simulation.load(path, fields=[pull])
                again.run(until=1 / 8)
            self.assertEqual(sim.particles.hash("position"), again.particles.hash("position"))

    def test_changes(self):
        """Particles that are added and removed are seen by the function."""
        counts = []

        @my.field
        def count(position, ids):
            counts.append(len(ids))
            return np.zeros_like(position)

        sim = liquid(count)
        sim.step()
        sim.remove([0, 5])
        sim.step()
        self.assertEqual((counts[0], counts[-1]), (343, 341))

    def test_refused(self):
        pull = my.field(_of(lambda x: -x), name="pull_back")
        with self.assertRaisesRegex(my.errors.CombinationError, "functions of the program compute act on the processor"):
            liquid(pull, backend="cuda").step()
        with self.assertRaisesRegex(my.errors.CombinationError, "exact_reverse"):
            liquid(pull, molecular={"box": [9, 9, 9], "exact_reverse": 1}).step()
        with self.assertRaisesRegex(my.errors.CombinationError, "nfw does not act on particles in a box"):
            liquid(my.External("nfw")).step()


def _of(result):
    return lambda position: result(position)


if __name__ == "__main__":
    unittest.main()
