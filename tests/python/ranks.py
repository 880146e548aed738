"""Communicators of mpi4py: several processes move one box, with the bits of a single one.

usage: ranks.py RUN_SH OTHER_PLUGIN     starts the ranks itself; RUN_SH is tests/mpi/run.sh
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

import myriad as my


def liquid(context, names=None, external=()):
    atoms = my.model("fcc", n=500, seed=5, density=0.7, temperature=2, context=context)
    for i, name in (names or {}).items():
        atoms.set_name(i, name)
    edge = (500 / 0.7)**(1 / 3)
    pairs = my.Interaction("lennard_jones", method="neighbour", accumulator="fixed", cutoff=2.5, epsilon=[[1.0]],
                           sigma=[[1.0]], context=context)
    return my.Simulation(atoms, pairs, integrator="verlet", dt=0.005, external=external,
                         molecular={"box": [edge] * 3, "origin": [-edge / 2] * 3})


def alone():
    sim = liquid(my.current_context())
    sim.run(steps=20)
    return sim.particles.hash("position"), sim.thermodynamics.temperature


def together(communicator):
    """The same on the ranks of a communicator: what rank 0 sees, on all of them."""
    context = my.Context(threads=1, communicator=communicator)
    assert (context.rank, context.ranks) == (communicator.rank, communicator.size)
    seen = None
    with liquid(context) as sim:
        if context.rank > 0:
            sim.follow()
        else:
            times = []
            sim.every(0.05, lambda s: times.append(s.time))
            sim.run(steps=20)
            assert len(times) == 3, times
            seen = sim.particles.hash("position"), sim.thermodynamics.temperature
            assert sim.ranks.ranks == communicator.size
            if context.ranks > 1:
                try:
                    sim.remove([0])
                    raise AssertionError("particles were removed on several ranks")
                except my.errors.CombinationError as error:
                    assert "single rank" in str(error), error
    try:
        sim.step()
        raise AssertionError("a closed simulation makes a step")
    except my.errors.CombinationError as error:
        assert "closed" in str(error)
    return communicator.bcast(seen)


NAMES = {0: "first", 77: "a name with spaces", 499: "last"}


def named(set):
    return {i: set.name(i) for i in range(len(set)) if set.name(i) is not None}


def names(communicator):
    """Names stay with their particles on several ranks, in files and in checkpoints, which one rank can read as well."""
    folder = communicator.bcast(tempfile.mkdtemp() if communicator.rank == 0 else None)
    checkpoint, table = os.path.join(folder, "c"), os.path.join(folder, "t.csv")
    context = my.Context(threads=1, communicator=communicator)
    with liquid(context, NAMES) as sim:
        if context.rank > 0:
            sim.follow()
        else:
            sim.run(steps=20)
            assert named(sim.particles) == NAMES, named(sim.particles)
            sim.write(table)
            sim.save(checkpoint)
            assert named(my.read(table)[0]) == NAMES
    context = my.Context(threads=1, communicator=communicator)
    with my.Simulation.load(checkpoint, context=context) as sim:
        if context.rank > 0:
            sim.follow()
        else:
            sim.run(steps=5)
            assert named(sim.particles) == NAMES, named(sim.particles)
            sim.save(checkpoint)
    if communicator.rank == 0:
        assert named(my.Simulation.load(checkpoint).particles) == NAMES


def fields(communicator):
    """A function of the program acts on one rank."""
    pull = my.field(lambda position: -position, name="pull")
    context = my.Context(threads=1, communicator=communicator)
    with liquid(context, external=pull) as sim:
        try:
            if context.rank > 0:
                sim.follow()
            else:
                sim.step()
            assert context.ranks == 1
        except my.errors.CombinationError as error:
            assert context.ranks > 1 and "acts on one rank" in str(error), error


def by_itself(communicator, what):
    """A rank other than 0 that uses the simulation instead of following: an exception on all ranks, and no rank waits."""
    context = my.Context(threads=1, communicator=communicator)
    with liquid(context) as sim:
        try:
            if context.rank > 0 and what != "step at once":
                what(sim)
            sim.step()
            assert context.ranks == 1, "a rank made steps by itself"
        except my.errors.CombinationError as error:
            assert context.ranks > 1 and "follow()" in str(error), error


def rank():
    from mpi4py import MPI
    world = MPI.COMM_WORLD
    want = alone()
    names(world)
    fields(world)
    for what in ("step at once", lambda sim: sim.thermodynamics, lambda sim: sim.heat(1.0), lambda sim: sim.save("never")):
        by_itself(world, what)
    assert together(world) == want, "other bits on all ranks"
    half = world.Split(world.rank % 2)
    assert together(half) == want, "other bits on half of the ranks"
    assert world.allreduce(world.rank) == world.size * (world.size - 1) // 2  # MPI goes on
    for wrong in (None, "world", 3):
        try:
            my.Context(communicator=wrong)
            assert wrong is None
        except TypeError as error:
            assert "communicator of mpi4py" in str(error)
    stars = my.model("plummer", n=10, seed=1, context=my.Context(communicator=MPI.COMM_SELF))
    assert stars.context.ranks == 1 and np.isfinite(stars.position).all()
    # Collected with the last reference, at the end of the process, and after MPI went on without them.
    print(f"rank {world.rank} of {world.size}: fine", flush=True)


def other():
    """A plug-in of another MPI than mpi4py's: an exception with both names."""
    from mpi4py import MPI
    try:
        my.Context(communicator=MPI.COMM_WORLD)
    except my.errors.UnavailableError as error:
        assert "Open MPI" in str(error) and "MPICH" in str(error), error
        print("refused:", error)
        return
    sys.exit("the plug-in of another MPI was taken")


def main():
    try:
        import mpi4py
        mpi4py.rc.initialize = False  # this process starts ranks, and is none
        from mpi4py import MPI
    except ImportError as error:
        print(f"skipped: {error}")
        return 77
    if MPI.get_vendor()[0] != "Open MPI":
        print(f"skipped: mpi4py is of {MPI.get_vendor()[0]}")
        return 77
    run_sh, plugin = sys.argv[1:3]
    script = [sys.executable, "-B", os.path.abspath(__file__)]
    if os.path.exists(plugin):
        environment = {**os.environ, "MYRIAD_MPI_PLUGIN": plugin}
        subprocess.run([*script, "--other"], env=environment, check=True, timeout=120)
    for ranks in (1, 4):
        out = subprocess.run(["bash", run_sh, "openmpi", str(ranks), *script, "--rank"], capture_output=True, text=True,
                             timeout=300)
        if out.returncode == 77:
            return 77
        assert out.returncode == 0 and out.stdout.count("fine") == ranks, (out.returncode, out.stdout, out.stderr)
        print(out.stdout, end="")
    return 0


if "--rank" in sys.argv:
    rank()
elif "--other" in sys.argv:
    other()
else:
    sys.exit(main())
