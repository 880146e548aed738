"""Topologies, molecules, flows, observables, trajectories, diagnostics, GPUs: every noun of the C library in Python."""

import os
import pickle
import re
import tempfile
import unittest

import numpy as np

import myriad as my

SOURCE = os.environ["MYRIAD_SOURCE"]
ALANINE = os.path.join(SOURCE, "examples", "alanine")


class Nouns(unittest.TestCase):
    def test_every_object_of_c(self):
        """Each opaque type of the headers is a class of the package."""
        classes = {"context": my.Context, "external": my.External, "interaction": my.Interaction, "particles": my.Particles,
                   "simulation": my.Simulation, "topology": my.Topology, "molecule": my.Molecule, "run": my.Run,
                   "observable": my.Observable, "model_spec": my.model, "csv_table": my.read_table, "watch": my.Watch,
                   "ensemble": my.Ensemble}
        found = set()
        without = {"output_file"}  # Python has files of its own
        folder = os.path.join(SOURCE, "include", "myriad")
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found |= set(re.findall(r"^typedef struct myr_(\w+) myr_\1;", file.read(), re.M))
        self.assertEqual(found - set(classes) - without, set())
        self.assertGreater(len(found), 8)


class Molecules(unittest.TestCase):
    def test_ensemble(self):
        """Systems have the bits that they have alone, and exchange temperatures."""
        def system(k, kelvin=300):
            with my.Context(threads=1):
                atoms = my.read(ALANINE + ".inpcrd")[0]
                force = my.Interaction("ljc_linear", arithmetic="portable", accumulator="fixed")
                return my.Simulation(atoms, force, "langevin", topology=my.Topology(ALANINE + ".prmtop"), rigid=True,
                                     dt=0.04, temperature=kelvin * 0.0019872, friction=0.1)
        kelvins = (300, 312, 325)
        alone = [system(k, kelvins[k]) for k in range(3)]
        for simulation in alone:
            simulation.run(steps=20)
        ensemble = my.Ensemble([system(k, kelvins[k]) for k in range(3)], backend="simd")
        ensemble.run(steps=20)
        self.assertEqual((len(ensemble), ensemble.alive, ensemble.failures, ensemble.info.on_gpu), (3, 3, {}, 0))
        for one, other in zip(alone, ensemble):
            np.testing.assert_array_equal(one.position, other.position)
        ensemble.prepare_exchange(seed=3)
        for k in range(8):
            ensemble.exchange(k)
            ensemble.run(steps=5)
        self.assertEqual(sorted(ensemble.ranks), [0, 1, 2])
        self.assertEqual([tried for _, tried, _ in ensemble.acceptance], [4, 4, 0])
        self.assertGreater(sum(accepted for _, _, accepted in ensemble.acceptance), 2)
        state = ensemble.exchange_state
        ensemble.exchange_state = state
        self.assertEqual(len(ensemble.round_trips), 3)
        with self.assertRaises(my.Error):
            ensemble.exchange_state = state[:-1]

    def atoms(self):
        return my.read(ALANINE + ".inpcrd")[0]

    def test_topology(self):
        topology = my.Topology(ALANINE + ".prmtop")
        info = topology.info
        self.assertEqual((len(topology), info.atoms, info.residues), (22, 22, 3))
        self.assertEqual(topology.names[:5], ["HH31", "CH3", "HH32", "HH33", "C"])
        self.assertEqual(topology.residues[0], ("ACE", 1))
        self.assertEqual(topology.residues[21], ("NME", 3))
        atoms = self.atoms()
        topology.apply(atoms)
        self.assertAlmostEqual(atoms.mass.sum(), info.mass)
        self.assertIn("22 atoms", repr(topology))

    def test_forces_are_gradients(self):
        """Central differences of the energy, which is summed in double."""
        molecule, atoms, h = my.Molecule(my.Topology(ALANINE + ".prmtop")), self.atoms(), 1e-5
        molecule.evaluate(atoms)
        forces, x, worst = np.array(atoms.force), np.array(atoms.position), 0
        for atom in (0, 5, 21):
            for c in range(3):
                energy = []
                for side in (-h, h):
                    y = x.copy()
                    y[atom, c] += side
                    moved = my.Particles(position=y)
                    energy.append(sum(molecule.evaluate(moved).values()))
                worst = max(worst, abs(forces[atom, c] + (energy[1] - energy[0]) / (2 * h)))
        self.assertLess(worst / np.abs(forces).max(), 4e-9)  # measured 8e-10

    def test_own_topology(self):
        """Two atoms with charges, bonds and a Lennard-Jones pair, beside the formulas."""
        pair = my.Topology(atoms=2, types=1)
        for atom, charge in ((0, 0.5), (1, -0.25)):
            pair.set_atom(atom, f"A{atom}", mass=10.0, charge=charge)
        pair.set_pair(0, 0, epsilon=0.2, sigma=3.0)
        pair.finish()
        atoms = my.Particles(position=[[0, 0, 0], [3.3, 0, 0]])
        energy = my.Molecule(pair).evaluate(atoms)
        s6 = (3.0 / 3.3)**6
        self.assertAlmostEqual(sum(energy.values()), 4 * 0.2 * (s6**2 - s6) + 18.2223**2 * 0.5 * -0.25 / 3.3, places=12)
        with self.assertRaisesRegex(my.errors.CombinationError, "belongs to a molecule"):
            pair.add_bond(0, 1, k=1, length=1)

    def test_simulation(self):
        topology, atoms = my.Topology(ALANINE + ".prmtop"), self.atoms()
        atoms.velocity = np.zeros((22, 3))
        atoms.mass = np.ones(22)
        whole = my.Molecule(my.Topology(ALANINE + ".prmtop")).evaluate(self.atoms())
        sim = my.Simulation(atoms, my.Interaction("ljc_constant", arithmetic="double"), integrator="verlet", dt=0.01,
                            topology=topology)
        self.assertEqual(sim.topology.names[0], "HH31")
        for term, energy in sim.energies.items():
            self.assertAlmostEqual(energy, whole[term], places=9)
        sim.run(steps=10)
        self.assertEqual(sim.steps, 10)
        self.assertAlmostEqual(sum(sim.energies.values()), sim.thermodynamics.potential, places=12)
        with self.assertRaisesRegex(my.errors.CombinationError, "belongs to a simulation already"):
            my.Simulation(self.atoms(), my.Interaction("ljc_constant"), integrator="verlet", topology=topology)
        with self.assertRaisesRegex(my.errors.NameError, "no way 'never' to exclude pairs"):
            my.Molecule(my.Topology(ALANINE + ".prmtop"), exclusion="never")


@unittest.skipUnless(my.flow.available(), "no FFTW in this build")
class Flows(unittest.TestCase):
    def test_measure(self):
        """Taylor and Green's flow, beside what its formulas give."""
        mesh = my.model("taylor_green", n=32**3)
        flow = my.flow.measure(mesh, viscosity=0.02)
        self.assertAlmostEqual(flow.kinetic, 0.5 * (mesh.velocity**2).sum(axis=1).mean(), places=13)
        self.assertAlmostEqual(flow.enstrophy, 3 * flow.kinetic, places=12)  # all modes have k^2 = 3
        self.assertAlmostEqual(flow.dissipation, 2 * 0.02 * flow.enstrophy, places=13)
        wave, energy = my.flow.spectrum(mesh)
        self.assertEqual((wave[1], np.argmax(energy)), (2.0, 1))  # the square root of 3 rounds to 2
        self.assertAlmostEqual(energy.sum() * wave[0], flow.kinetic, places=13)
        my.flow.derive(mesh)
        self.assertAlmostEqual(0.5 * (mesh.vorticity**2).sum(axis=1).mean(), flow.enstrophy, places=12)

    def test_mesh(self):
        mesh = my.model("taylor_green", n=16**3)
        before = my.flow.measure(mesh).kinetic
        sim = my.Simulation(mesh, integrator="rk4", dt=0.01, flow={"spectral": 0.1, "viscous": "exact"})
        self.assertEqual(sim.viscosity, 0.1)
        sim.run(until=0.1)
        self.assertLess(sim.conserved.kinetic, before)
        with self.assertRaisesRegex(my.errors.NameError, "no setting 'stickiness' of a flow"):
            my.Simulation(my.model("taylor_green", n=8**3), flow={"stickiness": 1})

    def test_elements(self):
        """A ring moves along its axis; probes and tracers see its velocity."""
        ring = my.model("vortex_ring", n=49 * 136, seed=1)
        start = my.flow.vortices(ring)
        axis = int(np.argmax(np.abs(start.impulse)))
        self.assertGreater(my.flow.fitness(ring, sample=200).overlap, 0.9)
        sim = my.Simulation(ring, my.Interaction("velocity_stretching"), integrator="rk3", dt=0.02,
                            flow={"viscosity": 0.0, "stream": [0, 0, 0], "strain": 1.0})
        sim.add_tracers([[0, 0, 0]])
        probe = sim.probe([[0, 0, 0]])
        self.assertGreater(abs(probe.velocity[0, axis]), 0.3)
        self.assertEqual(my.flow.tracers(sim.particles), 1)
        sim.run(steps=2)
        moved = my.flow.vortices(sim.particles)
        shift = moved.centroid[axis] - start.centroid[axis]
        self.assertGreater(shift * np.sign(start.impulse[axis]), 0)
        self.assertAlmostEqual(sim.velocity[-1][axis], sim.probe(sim.position[-1:]).velocity[0, axis], places=4)
        pruned = sim.prune(0.01, merge=False)
        self.assertEqual(len(sim), 49 * 136 + 1 - pruned.gone)


class Observables(unittest.TestCase):
    def test_rdf(self):
        """Against a histogram of all distances."""
        x, edge = np.random.default_rng(2).random((300, 3)) * 4, 4.0
        rdf = my.Observable("rdf", rows=20, reach=2.0)
        rdf.add(my.Particles(position=x), box=[edge] * 3)
        d = x[:, None] - x[None]
        r = np.sqrt(((d - edge * np.round(d / edge))**2).sum(axis=2))[np.triu_indices(300, 1)]
        bins = np.linspace(0, 2, 21)
        shells = 4 / 3 * np.pi * (bins[1:]**3 - bins[:-1]**3)
        want = 2 * np.histogram(r, bins)[0] / 300 / (299 / edge**3 * shells)
        self.assertEqual(list(rdf.dimensions.values())[0], "length")
        ratio = rdf["g"][5:] / want[5:]
        self.assertLess(np.abs(ratio / ratio.mean() - 1).max(), 1e-12)  # the same counts
        self.assertLess(abs(ratio.mean() - 1), 0.01)  # normalised by n or by n - 1

    def test_simulation_and_pickle(self):
        grid = (np.indices((5, 5, 5)).reshape(3, -1).T + 0.5) * 1.3
        atoms = my.Particles(position=grid, velocity=np.zeros_like(grid), mass=np.ones(125))
        pairs = my.Interaction("lennard_jones", method="neighbour", cutoff=2.5, epsilon=[[1.0]], sigma=[[1.0]])
        sim = my.Simulation(atoms, pairs, integrator="verlet", dt=0.004, molecular={"box": [6.5] * 3})
        sim.heat(1.0)
        msd = my.Observable("msd", rows=6, spacing=1)
        sim.every(0.04, msd.add)
        sim.run(until=0.2)
        self.assertEqual(len(msd), 6)
        table = msd.table
        self.assertEqual(list(table), list(msd.dimensions))
        again = pickle.loads(pickle.dumps(msd))
        for name, column in again.table.items():
            np.testing.assert_array_equal(column, table[name])
        sim.every(0.04, again.add)
        sim.run(until=0.24)
        self.assertEqual((len(again), len(msd)), (8, 7))
        with self.assertRaisesRegex(my.errors.NameError, "no option 'colour'"):
            my.Observable("rdf", colour=1)
        with self.assertRaises(my.errors.NameError):
            my.Observable("rdff")


class Trajectories(unittest.TestCase):
    def test_frames(self):
        sim = my.Simulation(my.model("plummer", n=12, seed=1), my.Interaction("gravity", eps=0.1), dt=1 / 64)
        frames = []
        sim.every(0.25, lambda s: frames.append((s.particles, {"time": s.time, "box": [9, 9, 9]})))
        sim.run(until=1)
        with tempfile.TemporaryDirectory() as work:
            for format in [name for name in ("h5md", "extxyz") if my.formats()[name].available]:
                path = os.path.join(work, "stars." + format)
                my.Trajectory.write(path, frames, format=format, fields=["position", "velocity"])
                read = my.Trajectory(path)
                self.assertEqual((len(read), my.format_of(path)), (5, format))
                self.assertEqual(list(read.times), [0, 0.25, 0.5, 0.75, 1])
                np.testing.assert_allclose(read.field("position"), [p.position for p, _ in frames], atol=1e-15)
                self.assertEqual(read[-1][1].time, 1)
                self.assertEqual([header.time for _, header in read[1:3]], [0.25, 0.5])
                with self.assertRaises(IndexError):
                    read[5]
        with self.assertRaises(TypeError):
            my.Trajectory.write("nothing.h5md", [])

    @unittest.skipUnless(my.formats()["h5md"].available, "no HDF5 in this build")
    def test_file_of_a_run(self):
        """The trajectory that a run writes of chosen bodies is one of the files that can be read."""
        with tempfile.TemporaryDirectory() as work:
            done = my.run(os.path.join(SOURCE, "examples", "solar_system.yaml"),
                          {"run.end": "10 d", "output.directory": os.path.join(work, "run")})
            read = my.Trajectory(os.path.join(done.directory, "trajectory.hdf5"))
            positions = read.field("position")
            self.assertGreater(len(read), 1)
            self.assertEqual(positions.shape[::2], (len(read), 3))
            ends = done.simulation.position
            ids = list(done.simulation.ids)
            rows = [ids.index(i) for i in read[-1][0].ids]
            np.testing.assert_allclose(positions[-1], ends[rows], rtol=1e-14)


class Diagnostics(unittest.TestCase):
    def test_against_numpy(self):
        stars = my.model("plummer", n=500, seed=3)
        x, v, m = np.array(stars.position), np.array(stars.velocity), np.array(stars.mass)
        centre = my.diagnostics.centre(stars)
        np.testing.assert_allclose(centre.position, (m[:, None] * x).sum(axis=0) / m.sum(), atol=1e-15)
        r = np.sort(np.sqrt(((x - np.array(centre.position))**2).sum(axis=1)))
        self.assertEqual(my.diagnostics.lagrangian(stars, [0.5, 1.0])[1], r[-1])
        self.assertAlmostEqual(my.diagnostics.lagrangian(stars, [0.5])[0], r[249], places=12)
        d = np.sqrt(((x[:, None] - x[None])**2).sum(axis=2)) + 10 * np.eye(500)
        closest = my.diagnostics.closest_pair(stars)
        self.assertAlmostEqual(closest.distance, d.min(), places=14)
        self.assertEqual({closest.first, closest.second}, set(np.unravel_index(d.argmin(), d.shape)))
        self.assertEqual(len(my.diagnostics.pairs_within(stars, 0.05)), (np.triu(d < 0.05)).sum())
        self.assertEqual(my.diagnostics.pairs_within(stars, 1e-9), [])
        far = my.diagnostics.beyond(stars, 2.0)
        self.assertEqual(far.count, (np.sqrt((x**2).sum(axis=1)) > 2).sum())
        self.assertAlmostEqual(far.mass, m[np.sqrt((x**2).sum(axis=1)) > 2].sum(), places=14)
        self.assertGreater(my.diagnostics.density_centre(stars).core_radius, 0)
        self.assertTrue(np.isfinite(my.diagnostics.relaxation_time(500)))

    def test_binary(self):
        pair = my.Particles(position=[[0.5, 0, 0], [-0.5, 0, 0], [50, 0, 0]], mass=[0.5, 0.5, 1e-9],
                            velocity=[[0, 0.5, 0], [0, -0.5, 0], [0, 0, 0]])
        (binary,) = my.diagnostics.binaries(pair)
        self.assertAlmostEqual(binary.semi_major_axis, 1.0, places=14)
        self.assertLess(binary.eccentricity, 1e-7)


@my.field
def wind(velocity):
    return 1 - velocity


class Pickles(unittest.TestCase):
    def test_inputs_and_results(self):
        def again(thing):
            return pickle.loads(pickle.dumps(thing))

        trap = again(my.External("harmonic", omega_x=2.0, y=-1.0))
        self.assertEqual((trap.kind, trap["omega_x"], trap["omega_y"], trap["y"]), ("harmonic", 2.0, 0.0, -1.0))
        self.assertIs(again(wind), wind)
        self.assertEqual(again(my.Topology(ALANINE + ".prmtop")).names[:2], ["HH31", "CH3"])
        with self.assertRaisesRegex(TypeError, "read from a file"):
            pickle.dumps(my.Topology(atoms=1))
        sim = my.Simulation(my.model("plummer", n=8, seed=1), my.Interaction("gravity", eps=0.1), external=wind, dt=1 / 64)
        sim.run(until=0.25)
        report = again(sim.report())
        self.assertEqual((report.choices, report.cost.steps), (sim.report().choices, 16))
        self.assertEqual(again(sim.progress), sim.progress)
        self.assertEqual(again(my.kernels()["gravity"]), my.kernels()["gravity"])
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "stars.csv")
            sim.write(path)
            self.assertEqual(len(again(my.Trajectory(path))), 1)
        with self.assertRaises(TypeError):  # a state is kept by save()
            pickle.dumps(sim)


class Machines(unittest.TestCase):
    def test_gpus(self):
        gpus = my.gpus()
        self.assertEqual(bool(gpus), bool(my.backends()["cuda"].available and gpus))
        for gpu in gpus:
            self.assertGreater(gpu.memory, 0)

    def test_merge_and_tidal_radius(self):
        bodies = my.Particles(position=[[1, 0, 0], [1.001, 0, 0], [-1, 0, 0]], velocity=np.zeros((3, 3)), mass=[1, 1, 1])
        sim = my.Simulation(bodies, my.Interaction("gravity", eps=0.01), dt=1 / 64)
        merged, energy = sim.merge(distance=0.01)
        self.assertEqual((merged, len(sim), list(sim.mass)), (1, 2, [2, 1]))
        self.assertTrue(np.isfinite(energy))
        cluster = my.Simulation(my.model("plummer", n=100, seed=1), my.Interaction("gravity", eps=0.1), dt=1 / 64,
                                external=my.External("point_mass", mass=1000, x=100))
        self.assertGreater(cluster.tidal_radius(velocity=[0, 3, 0]), 1)


if __name__ == "__main__":
    unittest.main()
