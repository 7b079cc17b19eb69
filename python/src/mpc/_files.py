"""Files as wholes, by the library's one rule: what is no file and no pipe is refused, and no pipe is waited for."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from typing import TypeVar, Union

from . import _core
from ._errors import InvalidArgumentError, IoError, MissingFileError, NotFoundError

__all__ = ["Path", "check", "check_folder", "found", "numbered", "read", "refuse_data_of_others",
           "refuse_others", "write"]

Path = Union[str, "os.PathLike[str]"]
_Error = TypeVar("_Error", IoError, MissingFileError)


@contextlib.contextmanager
def found(path: Path) -> Iterator[None]:
    """Around what reads or writes ``path``: that there is no such file has a class of its own. Errors of the system
    have its number and the path, as Python's own."""
    try:
        with numbered(path):
            yield
    except NotFoundError as error:
        if os.path.exists(path):
            raise
        raise _of_system(MissingFileError(str(error), error.code), errno.ENOENT, path) from None


@contextlib.contextmanager
def numbered(path: Path) -> Iterator[None]:
    """The same of errors of the system alone. What they name may be ``path`` and ".data"."""
    try:
        yield
    except IoError as error:
        told, data = str(error).rpartition(": ")[2], f"{os.fsdecode(path)}.data"
        numbers = {**{os.strerror(number): number for number in errno.errorcode}, "it is a directory": errno.EISDIR}
        number = numbers.get(told)
        raise _of_system(error, number, data if str(error).startswith(f"'{data}'") else path)


def _of_system(error: _Error, number: Union[int, None], path: Path) -> _Error:
    error.errno, error.filename = number, os.fspath(path)
    error.strerror = None if number is None else os.strerror(number)
    return error


def check_folder(path: Path) -> None:
    """That ``path`` is in a folder, before anything is made for it."""
    if not os.fspath(path):
        raise _of_system(IoError("expected the path of a file, but it is empty", 3), errno.ENOENT, path)
    folder = os.path.dirname(os.fsdecode(path)) or "."
    if not os.path.isdir(folder):
        raise _of_system(IoError(f"'{os.fsdecode(path)}': expected a folder '{folder}', but there is none", 3),
                         errno.ENOTDIR if os.path.exists(folder) else errno.ENOENT, path)


def check(path: Path) -> None:
    """That there is a file to be read, which somebody else does. What is in a pipe is left there."""
    if not (os.path.exists(path) and stat.S_ISFIFO(os.stat(path).st_mode)):
        read(path)


def read(path: Path) -> bytes:
    """All of a regular file, or of a pipe, to which a program must write within 3 seconds."""
    with found(path):
        return _core.read_file(os.fsencode(path))


def write(path: Path, data: bytes) -> None:
    """Replaces the file whole, or writes a new one; a link is followed. A pipe, from which a program must read within 3
    seconds, or a device is written to directly."""
    with found(path):
        _core.write_file(os.fsencode(path), data)


def refuse_others(path: Path) -> None:
    """Of what another library writes, which would wait for a pipe's reader for ever."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise InvalidArgumentError(f"'{os.fsdecode(path)}': expected a file or a new name, but it is a device, a pipe "
                                   "or a folder", 1)


def refuse_data_of_others(path: Path) -> None:
    """Of ``path`` and ".data", where the data of a model go: a file there is replaced with the model whose data it is."""
    import onnx

    data = os.fsdecode(path) + ".data"
    refuse_others(data)
    if not os.path.exists(data) or os.path.getsize(data) == 0:  # PyTorch's exporter leaves empty ones
        return
    try:
        old = onnx.load(os.fsdecode(path), load_external_data=False)
        tensors = list(old.graph.initializer)
    except Exception:  # noqa: BLE001, of any kind: there is no such model
        tensors = []
    places = {entry.value for tensor in tensors for entry in tensor.external_data if entry.key == "location"}
    if os.path.basename(data) not in places:
        raise InvalidArgumentError(f"'{data}' would be overwritten, and no model '{os.fsdecode(path)}' has its data "
                                   "there, so that it is something else: move it away, or choose another name", 1)
