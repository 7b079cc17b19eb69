"""Exceptions: one class per kind of code, all of them MpcError."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import os
import sys
import warnings
from typing import Any

__all__ = ["MpcError", "InvalidArgumentError", "NotFoundError", "MissingFileError", "IoError", "OutOfMemoryError",
           "ProgramError", "TypeMismatchError", "ShapeMismatchError", "NotInitializedError", "DeviceError",
           "CollectiveError", "CompileError", "CompileWarning", "WeightsWarning", "Diagnostic", "Severity"]


class MpcError(RuntimeError):
    """What mpc refuses or fails at.

    ``code`` is the number of ``mpc_code`` in ``mpc-c/Types.h``; the message says what was expected, what was found
    and what to do.
    """

    def __init__(self, message: str, code: int = 5) -> None:
        super().__init__(message)
        self.code = code

    def __str__(self) -> str:
        return str(self.args[0])  # which an OSError with a number would put together itself

    def __reduce__(self) -> tuple[Any, ...]:  # an OSError keeps its number and its path where pickle does not look
        kept = {name: getattr(self, name) for name in ("errno", "filename", "strerror") if isinstance(self, OSError)}
        return _made_again, (type(self), self.args, {**self.__dict__, **kept})


def _made_again(kind: type[MpcError], args: tuple[Any, ...], state: dict[str, Any]) -> MpcError:
    error = kind(*args)
    for name, value in state.items():
        setattr(error, name, value)
    return error


class InvalidArgumentError(MpcError, ValueError):
    """A call that makes no sense: nothing has changed."""


class NotFoundError(MpcError, LookupError):
    """No file, entry, state or output of that name."""


class MissingFileError(NotFoundError, FileNotFoundError):
    """No file of that name, to be read."""


class IoError(MpcError, OSError):
    """The system failed to read or write a file, or nobody was at the other end of a pipe."""


class OutOfMemoryError(MpcError, MemoryError):
    """No memory for a session; the message lists what it needs."""


class ProgramError(MpcError):
    """A program file that is damaged, of another version or target, or whose code this machine cannot run."""


class TypeMismatchError(MpcError, TypeError):
    """A tensor of another element type: nothing is converted."""


class ShapeMismatchError(MpcError, ValueError):
    """A tensor of another shape or size."""


class NotInitializedError(MpcError):
    """A run before every state had a value."""


class DeviceError(MpcError):
    """A device, its driver or a library failed or is missing."""


class CollectiveError(MpcError):
    """Other ranks failed or did not answer in time."""


class Severity(enum.IntEnum):
    """How grave a diagnostic is."""

    ERROR = 0
    WARNING = 1
    REMARK = 2
    NOTE = 3


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """What the compiler says about a model.

    ``file``, ``line`` and ``column`` (from 1) are the place; "" and 0 where there is none. ``text`` is the whole as
    ``mpc-compile`` prints it, with the line of the model and its notes.
    """

    severity: Severity
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    text: str = ""
    notes: tuple[Diagnostic, ...] = ()

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: " if self.file else ""
        return f"{place}{self.severity.name.lower()}: {self.message}"


class CompileError(MpcError):
    """A model or option that the compiler refuses, or a compilation that failed.

    ``diagnostics`` has everything that was said, warnings too, in order.
    """

    def __init__(self, message: str, code: int = 50, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message, code)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        errors = [d.text.rstrip() or str(d) for d in self.diagnostics if d.severity == Severity.ERROR]
        return "\n".join(errors) or super().__str__()


class CompileWarning(UserWarning):
    """A warning of the compiler."""


class WeightsWarning(UserWarning):
    """A session begins with random numbers, where the model had weights."""


def cause(error: BaseException) -> str:
    """The first words of what an exception came from in the end."""
    while error.__cause__ is not None:
        error = error.__cause__
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)


def warn(text: str, category: type[Warning] = CompileWarning) -> None:
    """Warns at the line outside of this package that all came from."""
    own = (os.path.dirname(__file__) + os.sep, contextlib.__file__)
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(own):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


_CLASSES: dict[int, type[MpcError]] = {
    1: InvalidArgumentError, 2: NotFoundError, 3: IoError, 4: OutOfMemoryError,
    **{code: ProgramError for code in (10, 11, 12, 13, 14, 15, 16, 17, 20, 21, 22)},
    23: DeviceError, 30: TypeMismatchError, 31: ShapeMismatchError, 32: ShapeMismatchError, 33: NotInitializedError,
    41: CollectiveError, 42: DeviceError, 43: CollectiveError,
}


def make_error(code: int, message: str) -> MpcError:
    """The exception for a code of the C interface; the extension raises it."""
    return _CLASSES.get(code, MpcError)(message, code)
