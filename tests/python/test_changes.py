"""Particles added to, removed from and changed in a simulation between its steps."""

import unittest
import warnings

import numpy as np

import myriad as my


def cluster(n=64, integrator="leapfrog", **settings):
    kernel = "gravity_jerk" if integrator.startswith("hermite") else "gravity"
    parameters = {} if integrator.startswith("hermite") else {"dt": 1 / 64}
    return my.Simulation(my.model("plummer", n=n, seed=1), my.Interaction(kernel, eps=0.1, arithmetic="double"),
                         integrator=integrator, **{**parameters, **settings})


def liquid(integrator="verlet", molecular=(), **settings):
    side, distance = 6, 1.2
    grid = (np.indices((side, side, side)).reshape(3, -1).T + 0.5) * distance
    atoms = my.Particles(position=grid, velocity=np.zeros_like(grid), mass=np.ones(len(grid)))
    pairs = my.Interaction("lennard_jones", method="neighbour", cutoff=2.5, epsilon=[[1.0]], sigma=[[1.0]],
                           accumulator="fixed", arithmetic="double")
    sim = my.Simulation(atoms, pairs, integrator=integrator, dt=0.004,
                        molecular={"box": 3 * [side * distance], **dict(molecular)}, **settings)
    sim.heat(1.0, seed=3)
    return sim


def ring(n=49 * 24):
    elements = my.model("vortex_ring", n=n, seed=1)
    return my.Simulation(elements, my.Interaction("velocity_stretching"), integrator="rk4", dt=0.01)


class Changes(unittest.TestCase):
    def test_against_numpy(self):
        sim = cluster(32)
        x, v, m = np.array(sim.position), np.array(sim.velocity), np.array(sim.mass)

        def force():
            d = x[None, :, :] - x[:, None, :]
            return (m[None, :, None] * d / ((d**2).sum(axis=2) + 0.01)[:, :, None]**1.5).sum(axis=1)

        def steps(count):
            nonlocal x, v
            a = force()
            for _ in range(count):
                v = v + a / 128
                x = x + v / 64
                a = force()
                v = v + a / 128

        sim.run(until=0.25)
        steps(16)
        sim.remove([3, 30])
        keep = np.delete(np.arange(32), [3, 30])
        x, v, m = x[keep], v[keep], m[keep]
        sim.run(until=0.5)
        steps(16)
        sim.append(position=[[2, 0, 0]], velocity=[[0, 0.5, 0]], mass=[0.1])
        x, v, m = np.vstack([x, [2, 0, 0]]), np.vstack([v, [0, 0.5, 0]]), np.append(m, 0.1)
        sim.run(until=0.75)
        steps(16)
        sim.set("mass", 2 * sim.mass)
        m = 2 * m
        sim.run(until=1)
        steps(16)
        self.assertEqual((len(sim), sim.time, sim.steps), (31, 1, 64))
        self.assertLess(np.abs(sim.position - x).max(), 2e-14)  # measured 5e-15
        self.assertLess(np.abs(sim.velocity - v).max(), 2e-14)

    def test_before_the_first_step(self):
        sim = cluster(16)
        sim.remove(0)
        sim.append(position=[[3, 0, 0]], velocity=[[0, 0, 0]], mass=[0.1])
        self.assertEqual(len(sim), 16)
        sim.run(until=0.25)
        self.assertEqual(sim.position.shape, (16, 3))

    def test_ids_and_types(self):
        stars = my.model("plummer", n=5, seed=1)
        stars.types = [0, 1, 2, 3, 4]
        sim = my.Simulation(stars, my.Interaction("gravity", eps=0.1), dt=1 / 64)
        sim.run(until=0.25)
        sim.remove([1])
        sim.append(position=[[3, 0, 0]], velocity=[[0, 0, 0]], mass=[0.1])
        self.assertEqual(list(sim.ids), [0, 2, 3, 4, 5])
        self.assertEqual(list(sim.particles.types), [0, 2, 3, 4, 0])

    def test_names(self):
        stars = my.model("plummer", n=5, seed=1)
        stars.set_name(2, "Sirius")
        stars.set_name(4, "Vega")
        sim = my.Simulation(stars, my.Interaction("gravity", eps=0.1), dt=1 / 64)
        sim.run(until=0.25)
        sim.remove([1, 4])
        more = my.Particles(position=[[3, 0, 0]], velocity=[[0, 0, 0]], mass=[0.1])
        more.set_name(0, "Mira")
        sim.append(more)
        sim.set("velocity", 0.5 * sim.velocity)
        sim.run(until=0.5)
        self.assertEqual([sim.particles.name(i) for i in range(4)], [None, "Sirius", None, "Mira"])

    def test_without_masses(self):
        sim = cluster(32)
        sim.append(position=3 * np.random.default_rng(1).normal(size=(200, 3)), velocity=np.zeros((200, 3)))
        sim.step()
        before = sim.progress
        sim.step(4)
        self.assertEqual(sim.progress.pairs - before.pairs, 4 * 232 * 32)
        alone = cluster(32)
        alone.step(5)
        self.assertTrue((alone.position == sim.position[:32]).all())

    def test_views(self):
        sim = cluster(8)
        other = my.model("plummer", n=9, seed=2)
        view = other.position
        with self.assertRaises(BufferError):
            sim.replace(other)
        del view
        sim.replace(other)
        self.assertEqual(len(sim), 9)
        with self.assertRaises(my.errors.CombinationError):
            other.position
        with self.assertRaises(my.errors.CombinationError):
            sim.replace(other)

    def test_copies_are_renewed(self):
        sim = cluster(8)
        sim.run(until=0.25)
        before = sim.velocity
        sim.set("velocity", -before)
        self.assertTrue((sim.velocity == -before).all())


class Failures(unittest.TestCase):
    """A set that cannot move leaves the motion with its bits."""

    def unchanged(self, make, until, bad):
        whole = make()
        whole.run(until=until)
        whole.run(until=2 * until)
        sim = make()
        sim.run(until=until)
        for exception, words, change in bad:
            with self.assertRaisesRegex(exception, words):
                change(sim)
        self.assertEqual(sim.time, until)
        sim.run(until=2 * until)
        self.assertEqual(sim.steps, whole.steps)
        for field in ("position", "velocity"):
            self.assertEqual(sim.particles.hash(field), whole.particles.hash(field), field)

    @staticmethod
    def spoil(sim):
        v = np.array(sim.velocity)
        v[5, 1] = np.nan
        sim.set("velocity", v)

    @staticmethod
    def coincide(sim):
        x = np.array(sim.position)
        x[6] = x[2]
        sim.set("position", x)

    def test_bodies(self):
        def missing(sim):
            sim.replace(my.Particles(position=np.zeros((4, 3)), mass=np.ones(4)))

        for integrator in ("leapfrog", "hermite4", "yoshida6"):
            with self.subTest(integrator=integrator):
                self.unchanged(lambda: cluster(integrator=integrator), 0.25, [
                    (my.errors.NonfiniteError, "velocity of new particle 5 .id 5. is nan", self.spoil),
                    (my.errors.FieldError, "need the field 'velocity' with 3 components", missing)])

    def test_failed_start(self):
        """The set has all fields, and the first evaluation fails: two bodies at one place without softening."""
        def unsoftened(integrator, **settings):
            stars = my.model("plummer", n=32, seed=1)
            return my.Simulation(stars, my.Interaction("gravity_jerk", arithmetic="double", accumulator="fixed"),
                                 integrator=integrator, **settings)

        for integrator, settings in (("hermite4", {}), ("leapfrog", {"dt": 1 / 1024})):
            with self.subTest(integrator=integrator):
                self.unchanged(lambda: unsoftened(integrator, **settings), 0.125, [(my.Error, "", self.coincide)])

    def test_box(self):
        for integrator, settings in (("verlet", {}), ("nose_hoover", {"temperature": 1.0}), ("langevin", {"temperature": 1.0})):
            with self.subTest(integrator=integrator):
                self.unchanged(lambda: liquid(integrator, **settings), 0.4, [
                    (my.errors.NonfiniteError, "particle 5", self.spoil), (my.Error, "", self.coincide)])

    def test_elements(self):
        def spoil(sim):
            x = np.array(sim.position)
            x[7, 0] = np.inf
            sim.set("position", x)

        warnings.simplefilter("ignore", my.MyriadWarning)  # too few elements for a smooth flow
        self.unchanged(ring, 0.05, [(my.errors.NonfiniteError, "position of new particle 7", spoil)])


class Boxes(unittest.TestCase):
    def test_removed_atoms(self):
        """Goes on as a new simulation of the remaining atoms does, with the same bits."""
        sim = liquid()
        sim.run(until=0.4)
        sim.remove(np.arange(0, 216, 5))
        left = sim.particles
        other = liquid()
        other.replace(left.copy())
        self.assertEqual(len(sim), 172)
        sim.run(until=0.8)
        other.run(until=0.4)
        self.assertEqual(sim.particles.hash("position"), other.particles.hash("position"))

    def test_thermostat_goes_on(self):
        whole, sim = (liquid("nose_hoover", temperature=1.5, period=0.5) for _ in range(2))
        whole.run(until=0.8)
        sim.run(until=0.4)
        sim.set("velocity", sim.velocity)
        sim.run(until=0.8)
        self.assertLess(np.abs(sim.velocity - whole.velocity).max(), 7e-13)  # measured 1.5e-13

    def test_box_of_a_barostat_stays(self):
        sim = liquid("langevin", molecular={"pressure": 5.0, "pressure_interval": 2}, temperature=1.5)
        sim.run(until=0.8)
        edges, origin = sim.box
        self.assertNotEqual(edges[0], 7.2)
        sim.remove([0])
        self.assertEqual(list(sim.box[0]), list(edges))
        self.assertEqual(list(sim.box[1]), list(origin))
        sim.run(until=1.2)
        self.assertEqual(len(sim), 215)

    def test_numbers_that_are_referred_to(self):
        sim = liquid(molecular={"restraint": 1.0})
        with self.assertRaisesRegex(my.errors.CombinationError, "restraints refer to them by their number"):
            sim.remove([0])
        points = my.model("taylor_green", n=16**3)
        mesh = my.Simulation(points, integrator="rk4", dt=0.01)
        mesh._call(my.c.lib.myr_simulation_set_spectral, 0.01)
        with self.assertRaisesRegex(my.errors.CombinationError, "the points of a mesh"):
            mesh.remove([0])


class Closing(unittest.TestCase):
    def test_closed(self):
        """Everything that went with a simulation refuses to be used, and nothing crashes."""
        stars, gravity = my.model("plummer", n=8, seed=1), my.Interaction("gravity", eps=0.1)
        pull = my.External("harmonic", omega_x=1.0)
        with my.Simulation(stars, gravity, external=pull, dt=1 / 64) as sim:
            sim.run(until=0.25)
            copy, own = sim.position, sim.interaction
        for use in (sim.step, lambda: sim.position, lambda: sim.conserved, lambda: sim.particles, lambda: gravity.last,
                    lambda: own.last, lambda: stars.position, lambda: sim.run(until=1), lambda: sim.replace(stars)):
            with self.assertRaises((my.Error, AttributeError)):
                use()
        self.assertEqual(len(sim), 0)
        self.assertTrue(np.isfinite(copy).all())
        sim.close()
        repr((sim, own, gravity, stars, pull, pull["omega_x"]))


if __name__ == "__main__":
    unittest.main()
