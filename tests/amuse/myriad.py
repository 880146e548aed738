"""The community code myriad in AMUSE: orbits, bodies that come, go and change, fields at points, parameters. Run by run.sh."""

import unittest

import numpy as np
from amuse.couple.bridge import Bridge
from amuse.datamodel import Particles
from amuse.ic.plummer import new_plummer_model
from amuse.support.exceptions import AmuseException
from amuse.units import constants, nbody_system, units
from amuse_myriad.interface import Myriad

LENGTH, TIME, SPEED, MASS = nbody_system.length, nbody_system.time, nbody_system.speed, nbody_system.mass


def plummer(n=128, seed=1):
    np.random.seed(seed)
    return new_plummer_model(n)


def state(code):
    return np.hstack([code.particles.position.value_in(LENGTH), code.particles.velocity.value_in(SPEED)])


def accelerations(bodies, points, eps2):
    """Direct sums in double."""
    r = bodies.position.value_in(LENGTH)[None] - points[:, None]
    s = (r**2).sum(axis=2) + eps2
    w = np.divide(bodies.mass.value_in(MASS), s**1.5, out=np.zeros_like(s), where=s > 0)
    return (w[:, :, None] * r).sum(axis=1), -(bodies.mass.value_in(MASS) / np.sqrt(s)).sum(axis=1)


class Code(unittest.TestCase):
    def code(self, converter=None, **parameters):
        made = Myriad(converter, channel_type="sockets")
        self.addCleanup(made.stop)
        for name, value in parameters.items():
            setattr(made.parameters, name, value)
        return made

    def test_year(self):
        """Sun and Earth in units of the SI, one year."""
        bodies = Particles(2)
        bodies.mass = [1.0, 3.003e-6] | units.MSun
        bodies.position = [[0, 0, 0], [1, 0, 0]] | units.AU
        speed = (constants.G * bodies.total_mass() / (1 | units.AU)).sqrt()
        bodies.velocity = [[0, 0, 0], [0, 1, 0]] * speed
        period = 2 * np.pi * (1 | units.AU) / speed
        code = self.code(nbody_system.nbody_to_si(1 | units.MSun, 1 | units.AU), timestep_parameter=0.001)
        code.parameters.timestep = 1 | units.day  # not used by Hermite schemes, but kept in its unit
        self.assertAlmostEqual(code.parameters.timestep / (1 | units.day), 1, 12)
        code.particles.add_particles(bodies)
        code.evolve_model(period)
        earth = code.particles[1].position - code.particles[0].position
        self.assertAlmostEqual(code.model_time / period, 1, 14)
        self.assertLess(np.abs(earth.value_in(units.AU) - [1, 0, 0]).max(), 1.5e-7)  # measured 3.3e-8
        code.evolve_model(1.5 * period)
        earth = code.particles[1].position - code.particles[0].position
        self.assertLess(earth.x, -0.999 | units.AU)

    def test_cluster(self):
        """Energy is kept, and results of two calls are those of one."""
        whole, parts = (self.code(epsilon_squared=(1 / 64)**2 | LENGTH**2) for _ in range(2))
        for code in (whole, parts):
            code.particles.add_particles(plummer())
        before = whole.kinetic_energy + whole.potential_energy
        whole.evolve_model(1 | TIME)
        error = abs((whole.kinetic_energy + whole.potential_energy) / before - 1)
        self.assertLess(error, 4e-7)  # measured 9.4e-8
        for end in (0.25, 0.5, 1):
            parts.evolve_model(end | TIME)
        self.assertEqual(np.abs(state(whole) - state(parts)).max(), 0)  # ends that are multiples of the steps

    def test_changes(self):
        """A code whose bodies came, went and changed goes on as one that starts with the bodies of that moment."""
        code = self.code(epsilon_squared=1e-4 | LENGTH**2)
        stars = plummer(60)
        code.particles.add_particles(stars[:50])
        code.evolve_model(0.125 | TIME)
        code.particles.remove_particles(stars[10:20])
        code.particles.add_particles(stars[50:])
        code.particles[0].mass *= 3
        code.particles[1].velocity *= 0.5
        code.particles[2].position += [0.1, 0, 0] | LENGTH
        self.assertEqual(len(code.particles), 50)
        fresh = self.code(epsilon_squared=1e-4 | LENGTH**2, begin_time=0.125 | TIME)
        fresh.particles.add_particles(code.particles.copy())
        for one in (code, fresh):
            one.evolve_model(0.375 | TIME)
        self.assertEqual(np.abs(state(code) - state(fresh)).max(), 0)
        code.particles.remove_particles(code.particles.copy())
        code.evolve_model(1 | TIME)
        self.assertEqual((len(code.particles), code.model_time.value_in(TIME)), (0, 1))

    def test_points(self):
        code = self.code(epsilon_squared=0.01 | LENGTH**2, arithmetic="double")
        stars = plummer()
        code.particles.add_particles(stars)
        points = np.random.RandomState(3).normal(size=(40, 3))
        eps = np.where(np.arange(40) % 3 == 0, 0, 0.3)
        axes = [points[:, c] | LENGTH for c in range(3)]
        a = np.stack([c.value_in(nbody_system.acceleration) for c in code.get_gravity_at_point(eps | LENGTH, *axes)], axis=1)
        phi = code.get_potential_at_point(eps | LENGTH, *axes).value_in(nbody_system.potential)
        for value in (0, 0.3):
            k = eps == value
            exact = accelerations(stars, points[k], value**2)
            self.assertLess(np.abs(a[k] - exact[0]).max(), 2.5e-16)  # measured 5.6e-17
            self.assertLess(np.abs(phi[k] - exact[1]).max(), 5e-16)  # measured 1.1e-16
        exact, _ = accelerations(stars, stars.position.value_in(LENGTH), 0.01)
        found = np.stack([getattr(code.particles, c).value_in(nbody_system.acceleration) for c in ("ax", "ay", "az")], axis=1)
        self.assertLess(np.abs(found - exact).max(), 2e-15)  # measured 4.4e-16

    def test_massless(self):
        """Bodies of mass 0 are attracted, and attract nobody."""
        with_them, without = (self.code(epsilon_squared=1e-2 | LENGTH**2, arithmetic="double") for _ in range(2))
        stars, planets = plummer(40), plummer(10, seed=2)
        planets.mass *= 0
        for code in (with_them, without):
            code.particles.add_particles(stars)
        with_them.particles.add_particles(planets)
        for code in (with_them, without):
            code.evolve_model(0.5 | TIME)
        self.assertLess(np.abs(state(with_them)[:40] - state(without)).max(), 1e-15)  # measured 0
        straight = planets.position + planets.velocity * (0.5 | TIME)
        self.assertGreater(np.abs((with_them.particles[40:].position - straight).value_in(LENGTH)).min(axis=0).max(), 1e-3)

    def test_methods(self):
        """Another integrator, and a far field."""
        code = self.code(epsilon_squared=1e-2 | LENGTH**2, integrator="leapfrog", timestep=1 / 64 | TIME, method="fmm",
                         tolerance=1e-4)
        code.particles.add_particles(plummer(2000))
        before = code.kinetic_energy + code.potential_energy
        code.evolve_model(0.5 | TIME)
        self.assertLess(abs((code.kinetic_energy + code.potential_energy) / before - 1), 3.5e-5)  # measured 7.3e-6
        self.assertEqual(code.parameters.method, "fmm")

    def test_errors(self):
        code = self.code(integrator="leapfog")
        code.particles.add_particles(plummer(10))
        with self.assertRaises(AmuseException):
            code.evolve_model(1 | TIME)
        code = self.code()
        code.particles.add_particles(plummer(10))
        code.evolve_model(0.25 | TIME)
        with self.assertRaises(AmuseException):
            code.evolve_model(0.125 | TIME)
        with self.assertRaises(ValueError):
            Myriad(number_of_workers=2)

    def test_collision(self):
        """Two bodies that fall together from rest touch after a known time, and may be merged; a third is far away."""
        code = self.code(timestep_parameter=0.01)
        bodies = Particles(3)
        bodies.mass = [0.5, 0.5, 1e-9] | MASS
        bodies.radius = [0.03, 0.02, 0.05] | LENGTH
        bodies.position = [[-0.5, 0, 0], [0.5, 0, 0], [0, 30, 0]] | LENGTH
        bodies.velocity = [[0, 0, 0]] * 3 | SPEED
        code.particles.add_particles(bodies)
        collision = code.stopping_conditions.collision_detection
        collision.enable()
        code.evolve_model(2 | TIME)
        self.assertTrue(collision.is_set())
        self.assertEqual({collision.particles(0)[0].key, collision.particles(1)[0].key}, {bodies[0].key, bodies[1].key})
        # r = cos^2(p), t = (p + sin p cos p) / sqrt(2 M) for masses M at rest at distance 1: 0.05 at p = arccos sqrt(0.05)
        p = np.arccos(np.sqrt(0.05))
        exact = (p + np.sin(p) * np.cos(p)) / np.sqrt(2)
        apart = (code.particles[1].x - code.particles[0].x).value_in(LENGTH)
        self.assertTrue(0 < apart < 0.05)
        self.assertTrue(0 < code.model_time.value_in(TIME) - exact < 5e-4)  # measured 1e-4: a step
        code.particles.remove_particle(bodies[1])
        code.particles[0].mass = 1 | MASS
        code.evolve_model(2 | TIME)
        self.assertFalse(collision.is_set())
        self.assertEqual(code.model_time.value_in(TIME), 2)

    def test_other_stops(self):
        code = self.code(epsilon_squared=0.01 | LENGTH**2)
        code.particles.add_particles(plummer(50))
        steps = code.stopping_conditions.number_of_steps_detection
        code.parameters.stopping_conditions_number_of_steps = 3
        steps.enable()
        code.evolve_model(1 | TIME)
        self.assertTrue(steps.is_set())
        self.assertLess(code.model_time, 1 | TIME)
        steps.disable()
        code.particles[7].position = [9, 0, 0] | LENGTH
        code.particles[7].velocity = [5, 0, 0] | SPEED
        outside = code.stopping_conditions.out_of_box_detection
        code.parameters.stopping_conditions_out_of_box_size = 10 | LENGTH
        outside.enable()
        code.evolve_model(1 | TIME)
        self.assertTrue(outside.is_set())
        self.assertEqual(outside.particles(0)[0].key, code.particles[7].key)
        self.assertGreater(code.particles[7].x, 10 | LENGTH)

    def test_bridge(self):
        """AMUSE's bridge: two halves of a cluster in two codes move as the cluster."""
        stars = plummer(64)
        codes = [self.code(epsilon_squared=0.04 | LENGTH**2) for _ in range(3)]
        for code, part in zip(codes, (stars, stars[:32], stars[32:])):
            code.particles.add_particles(part)
        bridge = Bridge(timestep=1 / 256 | TIME, use_threading=False)
        bridge.add_system(codes[1], (codes[2],))
        bridge.add_system(codes[2], (codes[1],))
        bridge.evolve_model(0.25 | TIME)
        codes[0].evolve_model(0.25 | TIME)
        self.assertLess(np.abs(np.vstack([state(codes[1]), state(codes[2])]) - state(codes[0])).max(), 2.5e-5)  # measured 5.6e-6


if __name__ == "__main__":
    unittest.main(verbosity=2)
