"""Arrays that come in and go out, and the element types that NumPy lacks."""

from __future__ import annotations

import operator
from typing import Any, Protocol, Union

import numpy as np

from ._core import Tensor
from ._errors import InvalidArgumentError, TypeMismatchError

__all__ = ["Array", "SupportsDLPack", "Tensor"]


class SupportsDLPack(Protocol):
    """A tensor of any library that others may read in place: PyTorch's, JAX's, :class:`Tensor`."""

    def __dlpack__(self, *args: Any, **named: Any) -> Any: ...

    def __dlpack_device__(self) -> Any: ...


#: What a session takes: a NumPy array, or any object with ``__dlpack__`` in memory of the processor.
Array = Union["np.ndarray[Any, Any]", "np.number[Any]", SupportsDLPack]

_NUMPY: dict[str, type[np.generic]] = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "i64": np.int64, "i32": np.int32, "i1": np.bool_}
# Names of ml_dtypes, and the bits that NumPy has for them.
_BITS: dict[str, tuple[str, type[np.generic]]] = {
    "bf16": ("bfloat16", np.uint16), "f8E4M3FN": ("float8_e4m3fn", np.uint8), "f8E5M2": ("float8_e5m2", np.uint8)}
_NAMES = {name: (ours, bits) for ours, (name, bits) in _BITS.items()}


def _ml_dtype(name: str) -> Any:
    try:
        import ml_dtypes
    except ImportError:
        return None
    return getattr(ml_dtypes, name)


def give(value: Any) -> tuple[Any, str]:
    """What the extension takes of ``value``, and the type of its elements where NumPy has none of that name."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeMismatchError("expected an array without a mask, but got a masked array: fill it first", 30)
    if isinstance(value, (np.ndarray, np.generic)):
        named = _NAMES.get(value.dtype.name)
        if named:
            return value.view(named[1]), named[0]
        if isinstance(value, np.generic):
            return np.asarray(value), ""
    if getattr(value, "requires_grad", False):
        value = value.detach()  # PyTorch exports no tensor that needs a gradient
    if hasattr(value, "is_neg") and value.is_neg():
        value = value.resolve_neg()  # and others without the sign that they have by a flag
    return value, ""


def take(tensor: Tensor) -> Any:
    """``tensor`` as an array of NumPy, in place. Of a type that neither NumPy nor ml_dtypes has here, the tensor
    itself: it goes to other libraries by ``from_dlpack``."""
    dtype = _NUMPY.get(tensor.dtype)
    if dtype is None:
        name, bits = _BITS[tensor.dtype]
        named = _ml_dtype(name)
        if named is None:
            return tensor
        array = np.frombuffer(memoryview(tensor), bits).view(named)
    elif 0 in tensor.shape:
        return np.empty(tensor.shape, dtype)
    else:
        array = np.frombuffer(memoryview(tensor), dtype)
    return array.reshape(tensor.shape)


def whole(what: str, value: Any, end: int) -> int:
    """``value`` as an integer in [0, end), as the C interface takes it."""
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{what}: expected an integer, but got {type(value).__name__}") from None
    if not 0 <= found < end:
        raise InvalidArgumentError(f"{what}: expected an integer from 0 to {end - 1}, but got {found}", 1)
    return found


def number(what: str, value: Union[int, float], dtype: str) -> np.ndarray[Any, Any]:
    """A number of Python's as an array of no dims, of mpc's ``dtype``. An integer type takes no fraction."""
    made = _NUMPY.get(dtype)
    if made is None or (isinstance(value, float) and not np.issubdtype(made, np.floating)):
        raise TypeMismatchError(f"{what}: expected an array of {dtype}, but got {type(value).__name__}", 30)
    return np.array(value, made)


def rounded(what: str, values: np.ndarray[Any, Any], dtype: str) -> tuple[np.ndarray[Any, Any], str]:
    """Floats in mpc's ``dtype``, to nearest even, as an extension takes them: an array, and its type if NumPy lacks it.
    InvalidArgumentError of one that is beyond the type."""
    if dtype == "bf16":
        bits = np.asarray(values, np.float32).reshape(-1).view(np.uint32)
        near = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
        made = np.where(np.isnan(bits.view(np.float32)), np.uint16(0x7FC0), near).reshape(values.shape)
        beyond = made & 0x7FFF == 0x7F80
    else:
        with np.errstate(over="ignore"):
            made = np.asarray(values, _NUMPY[dtype])
        beyond = np.isinf(made)
    if bool((beyond & np.isfinite(values)).any()):
        raise InvalidArgumentError(f"{what}: expected numbers that {dtype} reaches, but got one beyond", 1)
    return made, dtype if dtype == "bf16" else ""


_TORCH = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "i64": "int64", "i32": "int32",
          "i1": "bool"}


def convert(value: Any, dtype: str) -> Any:
    """A tensor of PyTorch, dense and of mpc's ``dtype``; anything else as it is."""
    import torch

    if not isinstance(value, torch.Tensor):
        return value
    return value.detach().to("cpu", getattr(torch, _TORCH[dtype])).contiguous()


def to_torch(value: Any) -> Any:
    """A tensor of PyTorch of its own."""
    import torch

    if not isinstance(value, np.ndarray):
        return torch.from_dlpack(value).clone()
    if value.dtype.name == "bfloat16":
        return torch.from_numpy(value.view(np.uint16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.array(value))
