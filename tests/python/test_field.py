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
        atoms = my.Particles(position=np.eye(3), velocity=np.zeros((3, 3)), mass=np.ones(3))
        pairs = my.Interaction("lennard_jones", method="neighbour", cutoff=2.5, epsilon=[[1.0]], sigma=[[1.0]])
        sim = my.Simulation(atoms, pairs, integrator="verlet", dt=0.001, external=trap, molecular={"box": [9, 9, 9]})
        with self.assertRaisesRegex(my.errors.CombinationError, "trap does not act on particles in a box"):
            sim.step()

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


def _of(result):
    return lambda position: result(position)


if __name__ == "__main__":
    unittest.main()
