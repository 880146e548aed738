"""Contexts, ownership of C objects, errors and callbacks: what all classes of the package share."""

from __future__ import annotations

import builtins
import contextlib
import logging
import os
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator, KeysView
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ._native import ffi, lib

logger = logging.getLogger("myriad")
Path = Union[str, bytes, os.PathLike]


# --- errors ----------------------------------------------------------------------------------------------------------


class Error(Exception):
    """A function of Myriad failed. `status` is the name of its status; the text is the library's sentence.

    >>> import myriad as my
    >>> try:
    ...     my.model("plumer", n=3)
    ... except my.Error as error:
    ...     print(error.status)
    MYR_ERROR_NAME
    """

    status: str | None = None


class MyriadWarning(UserWarning):
    """A sentence of the library for the user, although nothing failed.

    >>> import myriad as my
    >>> import warnings
    >>> sim = my.Simulation(my.model("plummer", n=1, seed=1), my.Interaction("gravity", eps=0.1), dt=1/64)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     sim.step()
    >>> issubclass(caught[0].category, my.MyriadWarning)
    True
    """


# Built-in exceptions that a status also is, so that code that knows nothing of Myriad can catch it.
_BUILT_IN = {
    "ARGUMENT": ValueError,
    "NAME": LookupError,
    "VALUE": ValueError,
    "FIELD": LookupError,
    "COMBINATION": ValueError,
    "UNAVAILABLE": NotImplementedError,
    "NONFINITE": ArithmeticError,
    "RANGE": ArithmeticError,
    "MEMORY": builtins.MemoryError,
    "FILE": OSError,
    "FORMAT": ValueError,
}


def _make_errors():
    """One class per status of the library, from its list."""
    classes = {}
    for number, constant in ffi.typeof("myr_status").elements.items():
        name = constant.replace("MYR_ERROR_", "")
        if constant == "MYR_OK":
            continue
        bases = (Error, _BUILT_IN[name]) if name in _BUILT_IN else (Error,)
        text = ffi.string(lib.myr_status_text(number)).decode()
        classes[number] = type(
            name.title() + "Error", bases, {"__doc__": text[0].upper() + text[1:] + ".", "status": constant,
                                            "__module__": "myriad.errors"})
    return classes


errors = _make_errors()


def text_of(pointer):
    """A C string as str; None for null."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def encoded(text: Path) -> bytes:
    """A str, bytes or path as bytes for C."""
    made = os.fsencode(text)
    if b"\0" in made:
        raise errors[lib.MYR_ERROR_VALUE](f"{text!r} has a null character, at which it would end")
    return made


def three(values: Any, what: str) -> list[float]:
    """Three numbers for C, which would read beyond the end of a shorter list."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (3,):
        raise errors[lib.MYR_ERROR_VALUE](f"{what} needs three numbers, not an array of shape {array.shape}")
    return array.tolist()


def reals(values: Any, what: str) -> np.ndarray:
    """Numbers as an array of doubles; complex ones are refused, and not cut."""
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise errors[lib.MYR_ERROR_VALUE](f"{what} must be real numbers, not complex ones")
    return np.asarray(array, dtype=np.float64)


def three_of(values: Any, what: str) -> list[float]:
    """Three numbers for C, or one for all of them."""
    array = reals(values, what)
    return three(np.broadcast_to(array, (3,)) if array.ndim == 0 else array, what)


def integers(values, kind, what):
    """Whole numbers as an array of a kind; others are refused, and not rounded."""
    given = np.asarray(values)
    with np.errstate(invalid="ignore"):
        array = np.ascontiguousarray(given.astype(kind))
    if not np.array_equal(array, given):
        raise errors[lib.MYR_ERROR_VALUE](f"{what} must be whole numbers that fit into {np.dtype(kind).name}")
    return array


# --- forks -----------------------------------------------------------------------------------------------------------

_used = False  # a context was made in this process
_forked = False  # this process was forked from one that had used the library


def _after_fork():
    global _forked
    _forked = _used


os.register_at_fork(after_in_child=_after_fork)


# --- contexts --------------------------------------------------------------------------------------------------------


class Context:
    """State of one user of the library: threads, warnings, and everything that was made in it.

    Each Python thread has a context of its own by default, so that most programs need none. A context works for one
    thread at a time; a second one gets an exception.

    >>> import myriad as my
    >>> context = my.Context(threads=1)
    >>> with context:
    ...     stars = my.model("plummer", n=10, seed=1)
    >>> stars.context is context
    True

    `communicator`: one of mpi4py, whose ranks then compute together. All of them make the same simulation; rank 0 uses it
    as a single process would, and the others call Simulation.follow().
    """

    def __init__(self, threads: int | None = None, communicator: Any = None) -> None:
        global _used
        if _forked:
            raise _fork_error()
        _used = True
        made = ffi.new("myr_context **")
        status = lib.myr_context_create(made)
        if status:
            raise errors[status](text_of(lib.myr_status_text(status)))
        self._owner = _Owner(made[0])
        self._pointer = made[0]
        self._handle = ffi.new_handle(self)
        self._raised = None  # exception of a callback, raised when the call of C returns
        lib.myr_context_set_progress(self._pointer, lib.myriad_python_progress, self._handle)
        lib.myr_context_set_warning(self._pointer, lib.myriad_python_warning, self._handle)
        lib.myr_context_set_notice(self._pointer, lib.myriad_python_notice, self._handle)
        if threads is not None:
            self.threads = threads
        self.communicator = None
        if communicator is not None:
            self._join(communicator)

    def _join(self, communicator):
        """Becomes one of the ranks of a communicator of mpi4py."""
        from mpi4py import MPI
        if not isinstance(communicator, MPI.Comm):
            raise TypeError(f"a communicator of mpi4py is wanted, not {communicator!r}")
        if MPI.Query_thread() < MPI.THREAD_FUNNELED:
            raise errors[lib.MYR_ERROR_UNAVAILABLE]("MPI was initialised for one thread; Myriad needs MPI.THREAD_FUNNELED")
        library = MPI.Get_library_version().rstrip("\0")
        self.call(lib.myr_ranks_open_communicator_of, self._pointer, ffi.cast("void *", MPI._addressof(communicator)),
                  encoded(library))
        self.communicator = communicator

    @property
    def rank(self) -> int:
        """Rank of this process, from 0."""
        return lib.myr_ranks_me(self._pointer)

    @property
    def ranks(self) -> int:
        """Number of ranks; 1 without a communicator."""
        return lib.myr_ranks_count(self._pointer)

    def __del__(self) -> None:
        owner = getattr(self, "_owner", None)
        if owner is not None and not _forked:
            for unset in (lib.myr_context_set_progress, lib.myr_context_set_warning, lib.myr_context_set_notice):
                unset(self._pointer, ffi.NULL, ffi.NULL)
            owner.release()

    def __reduce__(self):
        return (Context, (self.threads,))

    def __enter__(self) -> Context:
        _chosen.__dict__.setdefault("stack", []).append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _chosen.stack.pop()

    @property
    def threads(self) -> int:
        """Number of threads of the library."""
        return lib.myr_context_threads(self._pointer)

    @threads.setter
    def threads(self, number: int) -> None:
        self.call(lib.myr_context_set_threads, self._pointer, number)

    def call(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Calls a function of the library that returns a status, on behalf of this context."""
        owner = self._owner
        if _forked:
            raise _fork_error()
        if not owner.lock.acquire(blocking=False):
            raise self._busy()
        owner.depth += 1
        try:
            status = function(*arguments)
            if status:
                self._fail(status)
            if self._raised is not None:  # the work was done all the same
                raised, self._raised = self._raised, None
                raise raised
        finally:
            owner.depth -= 1
            owner.lock.release()
            if owner.waiting:
                owner.destroy_waiting()

    def _message(self):
        return text_of(lib.myr_context_message(self._pointer))

    @contextlib.contextmanager
    def work(self) -> Iterator[None]:
        """Keeps other threads out for several calls."""
        if not self._owner.lock.acquire(blocking=False):
            raise self._busy()
        try:
            yield
        finally:
            self._owner.lock.release()

    @staticmethod
    def _busy():
        return errors[lib.MYR_ERROR_COMBINATION](
            "this context is at work in another thread; let each thread make its own objects, or wait for the other")

    def _fail(self, status):
        raised, self._raised = self._raised, None
        if raised is not None and status == lib.MYR_ERROR_CANCELLED:
            raise raised
        message = self._message()
        raise errors[status](message or text_of(lib.myr_status_text(status)))


def _fork_error():
    return errors[lib.MYR_ERROR_COMBINATION](
        "Myriad was used before this process was forked, and its threads do not survive that; use the start method "
        "'spawn' or 'forkserver' of multiprocessing")


class _Owner:
    """The C context, which is destroyed after the last object that was made in it, whatever the garbage collector does
    first. Objects that die while the context works in another thread are destroyed when that is over."""

    def __init__(self, pointer):
        self.pointer = pointer
        self.count = 1
        self.lock = threading.RLock()  # held by the thread that works
        self.depth = 0  # calls of C under way
        self.guard = threading.Lock()  # of count and waiting
        self.waiting = []

    def retain(self):
        with self.guard:
            self.count += 1

    def destroy(self, function, pointer):
        """Destroys an object that was made in the context."""
        with self.guard:
            self.waiting.append((function, pointer))
        self.destroy_waiting()

    def destroy_waiting(self):
        if not self.lock.acquire(blocking=False):
            return  # the thread that holds it will do it
        try:
            while self.waiting and self.depth == 0:
                function, pointer = self.waiting.pop()
                function(pointer)
                self.release()
        finally:
            self.lock.release()

    def release(self):
        with self.guard:
            self.count -= 1
            last = self.count == 0
        if last:
            lib.myr_context_destroy(ffi.new("myr_context **", self.pointer))


class Handle:
    """A C object that Python owns: destroyed with the last reference, and never before its views."""

    __slots__ = ("pointer", "owner", "destructor", "keeps", "__weakref__")

    def __init__(self, context: Context, pointer: Any, destructor: Any, keeps: tuple[Any, ...] = ()) -> None:
        self.pointer = pointer
        self.owner: Any = context._owner
        self.owner.retain()
        self.destructor = destructor
        self.keeps = keeps  # objects that must live as long

    def close(self) -> None:
        """Destroys the object now. The pointer is null afterwards, which functions of C refuse."""
        kind, destructor, owner = ffi.typeof(self.pointer), self.destructor, self.owner
        pointer, self.pointer = self.pointer, ffi.NULL
        if destructor is not None and owner is not None:
            self.owner = None
            owner.destroy(lambda pointer: destructor(ffi.new(ffi.getctype(kind, "*"), pointer)), pointer)

    def give_up(self) -> None:
        """The object belongs to another one now; the handle still keeps its context alive."""
        self.destructor = None

    def __del__(self) -> None:
        owner = getattr(self, "owner", None)
        if owner is None or _forked:
            return
        if self.destructor is None:
            owner.release()
            return
        destructor, kind = self.destructor, ffi.typeof(self.pointer)
        owner.destroy(lambda pointer: destructor(ffi.new(ffi.getctype(kind, "*"), pointer)), self.pointer)


_chosen = threading.local()


def current_context() -> Context:
    """The context of a `with` block, or that of this thread.

    >>> import myriad as my
    >>> with my.Context(threads=1) as context:
    ...     my.current_context() is context
    True
    """
    stack = _chosen.__dict__.get("stack")
    if stack:
        return stack[-1]
    if "default" not in _chosen.__dict__:
        _chosen.default = Context()
    return _chosen.default


def set_threads(number: int) -> None:
    """Sets the number of threads of the library for objects of this Python thread; 0 = as many as there are cores.

    >>> import myriad as my
    >>> my.set_threads(2)
    >>> my.current_context().threads
    2
    >>> my.set_threads(0)
    """
    current_context().threads = number


# --- callbacks -------------------------------------------------------------------------------------------------------


def _store(exception, value, traceback):
    context = ffi.from_handle(traceback.tb_frame.f_locals["user"]) if traceback else None
    if context is not None:
        context._raised = value


@ffi.def_extern(error=1, onerror=_store)
def myriad_python_progress(user, fraction):
    """Runs while C works: a pending Ctrl-C raises KeyboardInterrupt here, and the work stops."""
    return 0


@ffi.def_extern()
def myriad_python_warning(user, text):
    try:
        warnings.warn(text_of(text), MyriadWarning, stacklevel=4)
    except MyriadWarning as error:  # the user made warnings errors: raised when the call of C returns
        ffi.from_handle(user)._raised = error


@ffi.def_extern()
def myriad_python_notice(user, text):
    logger.info(text_of(text))


# --- records ---------------------------------------------------------------------------------------------------------


class Record:
    """The members of a C structure, as attributes.

    >>> import myriad as my
    >>> my.kernels()["gravity"].flops
    19
    """

    def __init__(self, members: dict[str, Any]) -> None:
        self.__dict__.update(members)

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"Record({inside})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.__dict__ == other.__dict__

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]

    if TYPE_CHECKING:  # members have the names that C gives them
        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    def keys(self) -> KeysView[str]:
        """Names of the members, so that dict(record) works."""
        return self.__dict__.keys()

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html(name)}</td><td>{html(value)}</td></tr>" for name, value in self.__dict__.items())
        return f"<table>{rows}</table>"


def html(value):
    """A value as HTML text."""
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def record(structure: Any) -> Record:
    """A C structure, or a pointer to one, as a Record."""
    kind = ffi.typeof(structure)
    kind = kind.item if kind.kind == "pointer" else kind
    return Record({name: _member(getattr(structure, name), field.type) for name, field in kind.fields
                   if not name.startswith("_")})


def _member(value, kind):
    if kind.kind == "struct":
        return record(value)
    if kind.kind == "pointer":
        return text_of(value) if kind.item is ffi.typeof("char") else value
    if kind.kind != "array":
        return value
    if kind.item is ffi.typeof("char"):
        return text_of(value)
    return _list(value, kind)


def _list(value, kind):
    """An array; lists of texts and of structures with a name end before their first null."""
    items = [_member(item, kind.item) for item in value]
    if kind.item.kind == "pointer":
        return items[:items.index(None)] if None in items else items
    if kind.item.kind == "struct" and items and "name" in items[0].__dict__:
        names = [item.name for item in items]
        return items[:names.index(None)] if None in names else items
    return items


def listed(function: Callable[[int], Any], name: str = "name") -> dict[str, Record]:
    """The entries of a list of the library (catalogue.h) by name."""
    found: dict[str, Record] = {}
    k = 0
    while True:
        entry = function(k)
        if entry == ffi.NULL:
            return found
        found[text_of(getattr(entry, name))] = record(entry)
        k += 1


def live(objects):
    """The objects of a list of weak references that are still there."""
    return [reference for reference in objects if reference() is not None]


weak = weakref.ref
