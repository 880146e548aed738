"""Exceptions of Myriad, one class per status of the library: my.errors.ValueError, my.errors.FieldError, ...

>>> import myriad as my
>>> issubclass(my.errors.ValueError, ValueError) and issubclass(my.errors.ValueError, my.Error)
True
"""

from ._core import Error, MyriadWarning, errors as _errors

globals().update({error.__name__: error for error in _errors.values()})
__all__ = ["Error", "MyriadWarning", *(error.__name__ for error in _errors.values())]
