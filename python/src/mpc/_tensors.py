"""Arrays that come in and go out, and the element types that NumPy lacks."""

from __future__ import annotations

from typing import Any, Union

import numpy as np

from ._core import Tensor

__all__ = ["Array", "Tensor"]

#: What a session takes: a NumPy array, or any object with ``__dlpack__`` in memory of the processor.
Array = Union[np.ndarray, Tensor, Any]

_NUMPY = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "i64": np.int64, "i32": np.int32, "i1": np.bool_}
# Names of ml_dtypes, and the bits that NumPy has for them.
_BITS = {"bf16": ("bfloat16", np.uint16), "f8E4M3FN": ("float8_e4m3fn", np.uint8),
         "f8E5M2": ("float8_e5m2", np.uint8)}
_NAMES = {name: (ours, bits) for ours, (name, bits) in _BITS.items()}


def _ml_dtype(name: str) -> Any:
    try:
        import ml_dtypes
    except ImportError:
        return None
    return getattr(ml_dtypes, name)


def give(value: Any) -> tuple[Any, str]:
    """What the extension takes of ``value``, and the type of its elements where NumPy has none of that name."""
    if isinstance(value, (np.ndarray, np.generic)):
        named = _NAMES.get(value.dtype.name)
        if named:
            return value.view(named[1]), named[0]
        if isinstance(value, np.generic):
            return np.asarray(value), ""
    return value, ""


def take(tensor: Tensor, copy: bool) -> Any:
    """``tensor`` as an array of NumPy: in place, or a copy. Of a type that neither NumPy nor ml_dtypes has here, the
    tensor itself: it goes to other libraries by ``from_dlpack``."""
    dtype = _NUMPY.get(tensor.dtype)
    if dtype is None:
        name, bits = _BITS[tensor.dtype]
        named = _ml_dtype(name)
        if named is None:
            return tensor
        array = np.frombuffer(tensor, bits).view(named)
    elif 0 in tensor.shape:
        return np.empty(tensor.shape, dtype)
    else:
        array = np.frombuffer(tensor, dtype)
    array = array.reshape(tensor.shape)
    return array.copy() if copy else array

