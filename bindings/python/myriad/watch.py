"""Live pages: particles as they move, in a notebook or in a browser (docs/watch.md)."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

from . import _core
from ._core import encoded, ffi, html, lib, text_of


class Watch:
    """A live page of a simulation or of a run. A notebook shows it as an element that follows the motion; elsewhere open
    `address` in a browser. It is on this machine alone, and only whoever has the address can look. It ends with
    close(), or with what it shows.

    >>> import myriad as my
    >>> sim = my.Simulation(my.model("plummer", n=100, seed=1), my.Interaction("gravity", eps=0.1), dt=1/64)
    >>> try:
    ...     page = sim.watch()
    ...     page.address.startswith("http://127.0.0.1:"), "<iframe" in page._repr_html_()
    ... except my.Error:  # Myriad was built without libmicrohttpd
    ...     True, True
    (True, True)
    """

    def __init__(self, address: str, height: int = 640) -> None:
        self.address, self.height = address, height

    def close(self) -> None:
        """Ends the page of a simulation. The page of a run ends with the run."""

    def _repr_html_(self) -> str:
        return (f'<iframe src="{html(self.address)}" sandbox="allow-scripts allow-same-origin" width="100%" '
                f'height="{int(self.height)}" style="border: 0"></iframe>')

    def __repr__(self) -> str:
        return f"<Watch {self.address}>"


class SimulationWatch(Watch):
    """The page of a simulation that is stepped from Python, which looks between steps."""

    def __init__(self, simulation, interval, height):
        from .runs import _RunContext, _RunHandle
        self._simulation_context, self._closed = simulation.context, True
        self._hold = _RunHandle()
        run = ffi.new("myr_run **")
        simulation.context.call(lib.myr_run_create, ffi.NULL, run)
        self._hold.pointer = run[0]
        self._folder = tempfile.mkdtemp(prefix="myriad_watch_")
        atexit.register(shutil.rmtree, self._folder, ignore_errors=True)
        self.directory = os.path.join(self._folder, "simulation")  # the last name is the title
        os.mkdir(self.directory)
        self._write_input(simulation)
        self._table = None
        made = ffi.new("myr_watch **")
        _RunContext(run[0]).call_run(lib.myr_watch_create, simulation._handle.pointer, encoded(self.directory), made)
        self._pointer, self._closed = made, False
        super().__init__(text_of(lib.myr_watch_address(made[0])), height)
        if interval is not None:
            simulation.every(interval, self._measure)

    def _write_input(self, simulation):
        """What the page needs beside the particles: an input, which says that there is none."""
        with open(os.path.join(self.directory, "input.yaml"), "w", encoding="utf-8") as file:
            file.write(f"# a simulation in Python: {simulation!r}\nparticles: {{file: python.hdf5}}\nrun: {{steps: 1}}\n")
        with open(os.path.join(self.directory, "run.json"), "w", encoding="utf-8") as file:
            file.write(f'{{"particles": {len(simulation)}}}\n')

    def _measure(self, simulation):
        """Adds a line of energies, which the page plots."""
        if self._closed:
            return
        now = simulation.conserved
        if self._table is None:
            self._energy = now.energy
            self._table = open(os.path.join(self.directory, "diagnostics.csv"), "w", encoding="utf-8")
            self._table.write("time,kinetic,potential,energy,energy_error\n")
        error = (now.energy - self._energy) / abs(self._energy) if self._energy else now.energy
        self._table.write(f"{simulation.time!r},{now.kinetic!r},{now.potential!r},{now.energy!r},{error!r}\n")
        self._table.flush()

    def _look(self, ends=False):
        if not self._closed:
            self._simulation_context.call(lib.myr_watch_look, self._pointer[0], ends)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            lib.myr_watch_destroy(self._pointer)
            if self._table is not None:
                self._table.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def __del__(self) -> None:
        if not _core._forked:  # the server is the parent's
            self.close()
