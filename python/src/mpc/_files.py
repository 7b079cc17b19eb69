"""Files as wholes, by the library's one rule: what is no file and no pipe is refused, and no pipe is waited for."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from typing import Union

from . import _core
from ._errors import InvalidArgumentError, IoError, MissingFileError, NotFoundError

__all__ = ["Path", "found", "read", "refuse_data_of_others", "refuse_others", "write"]

Path = Union[str, "os.PathLike[str]"]


@contextlib.contextmanager
def found(path: Path) -> Iterator[None]:
    """Around what reads or writes ``path``: that there is no such file has a class of its own. Errors of the system have its
    number and the path, as Python's own."""
    try:
        yield
    except NotFoundError as error:
        if os.path.exists(path):
            raise
        missing = MissingFileError(str(error), error.code)
        missing.errno, missing.filename, missing.strerror = errno.ENOENT, os.fspath(path), os.strerror(errno.ENOENT)
        raise missing from None
    except IoError as error:
        told = str(error).rpartition(": ")[2]
        number = next((number for number in errno.errorcode if os.strerror(number) == told), None)
        error.errno, error.filename, error.strerror = number, os.fspath(path), told if number else None
        raise


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
