"""Runs of input files, as `myriad run` makes them."""

from __future__ import annotations

import html as _html
import os
import warnings
from typing import Any

import numpy as np

from ._core import (Context, Handle, MyriadWarning, Path, Record, _Owner, current_context, encoded, errors, ffi, lib, logger,
                    record, text_of)
from ._progress import Bar, show
from .particles import Particles
from .simulation import Simulation
from .watch import Watch


class _Borrowed(_Owner):
    """The context of a run, which the run destroys."""

    def release(self):
        with self.guard:
            self.count -= 1


class _RunContext(Context):
    """The context of a run; errors are told by the run."""

    def __init__(self, run):
        self._run_pointer = run
        self._pointer = lib.myr_run_context(run)
        self._owner = _Borrowed(self._pointer)
        self._raised = None
        self._told_by_run = False

    def __del__(self) -> None:
        pass

    def _message(self):
        return text_of(lib.myr_run_message(self._run_pointer)) if self._told_by_run else super()._message()

    def call_run(self, function, *arguments):
        """Calls a function of <myriad/run.h>."""
        self._told_by_run = True
        try:
            self.call(function, self._run_pointer, *arguments)
        finally:
            self._told_by_run = False


class _RunHandle:
    """The C run, destroyed after everything that was made of it."""

    __slots__ = ("pointer", "__weakref__")
    pointer: Any

    def __del__(self) -> None:
        pointer = getattr(self, "pointer", None)
        if pointer is not None:
            lib.myr_run_destroy(ffi.new("myr_run **", pointer))


class Run:
    """A run of an input file, step by step. Results go to a directory, as with `myriad run`. `watch`: True serves a live
    page from start() on, and "control" one that can pause and stop the run; watch() gives it.

    >>> import myriad as my, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "stars.yaml")
    >>> text = "particles: {model: plummer, n: 16}\\nintegrator: {name: leapfrog, dt: 0.125}\\nrun: {end: 1}\\n"
    >>> _ = open(path, "w").write(text)
    >>> run = my.Run(path, {"run.end": 2, "output.directory": path[:-5]})
    >>> run.check().particles
    16
    >>> run.start()
    >>> while run.step():
    ...     pass
    >>> run.finish()
    >>> run.simulation.time
    2.0
    """

    def __init__(self, path: Path | None = None, overrides: dict[str, Any] | None = None, *, replace: bool = False,
                 restart: Path | None = None, watch: bool | str = False) -> None:
        if (path is None) == (restart is None):
            raise TypeError("give an input file, or the directory of a run to restart")
        if path is not None and not os.path.exists(path):
            raise errors[lib.MYR_ERROR_FILE](f"cannot read '{os.fsdecode(path)}': there is no such file")
        self._hold = _RunHandle()
        self._user = ffi.new_handle(self)
        listener = ffi.new("myr_run_listener *", {
            "user": self._user,
            "say": lib.myriad_python_run_say,
            "work": lib.myriad_python_run_work,
            "stop": lib.myriad_python_run_stop,
        })
        made = ffi.new("myr_run **")
        status = lib.myr_run_create(listener, made)
        if status:
            raise errors[status](text_of(lib.myr_status_text(status)))
        self._hold.pointer = made[0]
        self.context = _RunContext(made[0])
        self._bar = None
        self._interrupts = 0
        lib.myr_run_set_replace(made[0], bool(replace))
        if watch:
            lib.myr_run_set_watch(made[0], watch == "control")
        for key, value in (overrides or {}).items():
            self.context.call_run(lib.myr_run_override, encoded(f"{key}={_value(value)}"))
        if restart is not None:
            self.context.call_run(lib.myr_run_restart, encoded(restart))
        elif path is not None:
            self.context.call_run(lib.myr_run_open, encoded(path))

    @property
    def _pointer(self):
        return self._hold.pointer

    def check(self) -> Record:
        """What the run will need: memory, disk, time, as a second of steps tells it. Nothing is written."""
        found = ffi.new("myr_run_estimate *")
        self.context.call_run(lib.myr_run_check, found)
        return record(found)

    def start(self) -> None:
        """Makes the particles and writes the first outputs."""
        self.context.call_run(lib.myr_run_start)

    def step(self) -> bool:
        """Steps to the next output; False when the run has reached its end."""
        more = ffi.new("int *")
        self.context.call_run(lib.myr_run_step, more)
        return bool(more[0])

    def finish(self) -> None:
        """Writes the last outputs and the report. A run that has not reached its end is left to be continued."""
        self.context.call_run(lib.myr_run_finish)

    def run(self, progress: bool = False) -> Run:
        """Starts, steps and finishes. After Ctrl-C the run is left in its directory with a checkpoint, and
        Run(restart=DIRECTORY) goes on."""
        with Bar(progress) as bar:
            self._bar = bar if progress else None
            try:
                self.start()
                if text_of(lib.myr_run_watch_address(self._pointer)):
                    show(self.watch())
                while self.step():
                    sim = self.simulation if progress else None
                    if sim is not None:
                        bar.show(self._fraction(sim), f"t {sim.time:.6g}, step {sim.steps}")
            except BaseException:
                if self.simulation is not None:
                    self.finish()
                raise
            self.finish()
        return self

    def _fraction(self, sim):
        """Of a run with an end; 0 where only a number of steps is known."""
        for line in self.input.splitlines():
            if line.strip().startswith("end:"):
                words = line.split("#")[0].split()
                try:
                    return min(1.0, sim.time / float(words[1]))
                except (IndexError, ValueError, ZeroDivisionError):
                    return 0.0
        return 0.0

    @property
    def simulation(self) -> Simulation | None:
        """The simulation of a run that has started; None before."""
        pointer = lib.myr_run_simulation(self._pointer)
        if pointer == ffi.NULL:
            return None
        made = Simulation.__new__(Simulation)
        made._adopt(self.context, pointer, None, keeps=(self._hold,))
        return made

    @property
    def input(self) -> str:
        """The effective input as YAML: what was given and every default."""
        return text_of(lib.myr_run_input(self._pointer))

    @property
    def directory(self) -> str:
        """Directory of the results."""
        return text_of(lib.myr_run_directory(self._pointer))

    @property
    def reason(self) -> str:
        """Why the run stopped before its end; empty if it did not."""
        return text_of(lib.myr_run_reason(self._pointer))

    @property
    def exit_code(self) -> int:
        """Exit code that `myriad run` has for this end."""
        return lib.myr_run_exit_code(self._pointer)

    @property
    def diagnostics(self) -> dict[str, np.ndarray]:
        """Columns of diagnostics.csv by name, as arrays."""
        return read_table(os.path.join(self.directory, "diagnostics.csv"))

    def watch(self, height: int = 640) -> Watch:
        """The live page of a run that was made with watch=True and has started (Watch); a notebook shows it as an element,
        which becomes the report at the end."""
        address = text_of(lib.myr_run_watch_address(self._pointer))
        if not address:
            raise errors[lib.MYR_ERROR_COMBINATION]("this run has no live page now: make it with watch=True, and start it")
        return Watch(address, height)

    def report(self) -> Page:
        """The report; a notebook shows the page itself."""
        path = text_of(lib.myr_run_report_path(self._pointer))
        return Page(path) if path else report(self.directory)

    def __reduce__(self):
        sim = self.simulation
        if sim is None:
            raise TypeError("a run that has not started cannot be pickled: pickle its input file and overrides")
        return Result, (self.directory, self.input, self.reason, self.exit_code, self.diagnostics, sim.particles)

    def __repr__(self) -> str:
        return f"<Run in {self.directory or 'no directory yet'}>"


class Result:
    """What a run leaves, which can be pickled: a Run becomes one in another process. It has the particles at the end
    (or where the run was pickled), the diagnostics and the effective input; the report stays in the directory.

    >>> import myriad as my, tempfile, os, pickle
    >>> path = os.path.join(tempfile.mkdtemp(), "stars.yaml")
    >>> _ = open(path, "w").write("particles: {model: plummer, n: 16}\\nrun: {end: 1}\\n")
    >>> result = pickle.loads(pickle.dumps(my.run(path, {"output.directory": path[:-5]})))
    >>> result.diagnostics["time"][-1], result.particles.position.shape
    (1.0, (16, 3))
    """

    def __init__(self, directory: str, input: str, reason: str, exit_code: int, diagnostics: dict[str, np.ndarray],
                 particles: Particles) -> None:
        self.directory, self.input, self.reason, self.exit_code = directory, input, reason, exit_code
        self.diagnostics, self.particles = diagnostics, particles

    def report(self) -> Page:
        """The report of the directory; a notebook shows the page itself."""
        return report(self.directory)

    def __repr__(self) -> str:
        return f"<Result of {len(self.particles)} particles in {self.directory}>"


def _value(value):
    """A value of an override, as an input file has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def run(path: Path, overrides: dict[str, Any] | None = None, *, replace: bool = False, progress: bool = False,
        watch: bool | str = False) -> Run:
    """Runs an input file to its end; overrides have the names of its keys. `watch`: as Run() has it.

    >>> import myriad as my, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "pair.yaml")
    >>> _ = open(path, "w").write("particles: {model: figure_eight}\\nintegrator: {name: yoshida6, dt: 0.01}\\n")
    >>> done = my.run(path, {"run.end": 1, "output.directory": path[:-5]})
    >>> abs(done.diagnostics["energy_error"][-1]) < 1e-7
    True
    """
    return Run(path, overrides, replace=replace, watch=watch).run(progress=progress)


class Page:
    """A report: one HTML file.

    >>> import myriad as my, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "stars.yaml")
    >>> _ = open(path, "w").write("particles: {model: plummer, n: 16}\\nrun: {end: 1}\\n")
    >>> done = my.run(path, {"output.directory": path[:-5]})
    >>> page = done.report()
    >>> open(page.path).read().lower().startswith("<!doctype html")
    True
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"<Page {self.path}>"

    def _repr_html_(self) -> str:
        with open(self.path, encoding="utf-8") as file:
            page = _html.escape(file.read(), quote=True)
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" width="100%" height="600"></iframe>'


def report(directory: Path, other: Path | None = None, path: Path | None = None, megabytes: float = -1) -> Page:
    """Makes the report of the results in a directory, or of two runs side by side.

    >>> import myriad as my, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "stars.yaml")
    >>> _ = open(path, "w").write("particles: {model: plummer, n: 16}\\nrun: {end: 1}\\n")
    >>> done = my.run(path, {"output.directory": path[:-5]})
    >>> my.report(done.directory).path.endswith(".html")
    True
    """
    hold = _RunHandle()
    made = ffi.new("myr_run **")
    status = lib.myr_run_create(ffi.NULL, made)
    if status:
        raise errors[status](text_of(lib.myr_status_text(status)))
    hold.pointer = made[0]
    _RunContext(made[0]).call_run(lib.myr_run_report, encoded(directory), ffi.NULL if other is None else encoded(other),
                                  ffi.NULL if path is None else encoded(path), megabytes)
    return Page(text_of(lib.myr_run_report_path(made[0])))


def read_table(path: Path, *, context: Context | None = None) -> dict[str, np.ndarray]:
    """Columns of a table of numbers, such as diagnostics.csv, by name.

    >>> import myriad as my, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "stars.yaml")
    >>> _ = open(path, "w").write("particles: {model: plummer, n: 16}\\nrun: {end: 1}\\n")
    >>> done = my.run(path, {"output.directory": path[:-5]})
    >>> my.read_table(os.path.join(done.directory, "diagnostics.csv"))["time"][-1]
    1.0
    """
    context = context or current_context()
    made = ffi.new("myr_csv_table **")
    context.call(lib.myr_csv_table_open, context._pointer, encoded(path), made)
    table = Handle(context, made[0], lib.myr_csv_table_close)
    columns = lib.myr_csv_table_columns(table.pointer)
    names = [text_of(lib.myr_csv_table_name(table.pointer, k)) for k in range(columns)]
    row, found, rows = ffi.new("double[]", max(columns, 1)), ffi.new("int *"), []
    while True:
        context.call(lib.myr_csv_table_next, table.pointer, row, found)
        if not found[0]:
            break
        rows.append(list(row)[:columns])
    values = np.array(rows).reshape(len(rows), columns)
    return {name: values[:, k].copy() for k, name in enumerate(names)}


# --- what a run says -------------------------------------------------------------------------------------------------


def _store(exception, value, traceback):
    if traceback:
        run = ffi.from_handle(traceback.tb_frame.f_locals["user"])
        run.context._raised = value
        run._interrupts += 1


@ffi.def_extern()
def myriad_python_run_say(user, kind, text):
    if kind in (lib.MYR_RUN_NOTE, lib.MYR_RUN_REMARK):
        try:
            warnings.warn(text_of(text), MyriadWarning, stacklevel=5)
        except MyriadWarning as error:
            ffi.from_handle(user).context._raised = error
    elif kind in (lib.MYR_RUN_EVENT_TEXT, lib.MYR_RUN_NOTICE):
        logger.info(text_of(text))


@ffi.def_extern()
def myriad_python_run_work(user, what, fraction, seconds_left):
    bar = ffi.from_handle(user)._bar
    if bar is not None and what != ffi.NULL:
        bar.show(fraction, text_of(what))


@ffi.def_extern(error=1, onerror=_store)
def myriad_python_run_stop(user, signal, by):
    """Runs between steps and now and then during them: a pending Ctrl-C raises KeyboardInterrupt here. The first one
    lets the step end, the second one does not."""
    return min(ffi.from_handle(user)._interrupts, 2)
