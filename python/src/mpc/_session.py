"""Sessions: a program with memory, which trains and predicts."""

from __future__ import annotations

import dataclasses
import difflib
import os
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _core, _files
from ._errors import InvalidArgumentError, NotFoundError, ShapeMismatchError, TypeMismatchError, WeightsWarning, warn
from ._tensors import Array, give, number, rounded, take, whole

if TYPE_CHECKING:
    from ._program import EntryInfo, Program, StateInfo

__all__ = ["Session", "StepReport"]

_NUMPY_TYPES = {"f64": "f8", "f32": "f4", "f16": "f2", "bf16": "u2", "i64": "i8", "i32": "i4", "i1": "?",
                "f8E4M3FN": "u1", "f8E5M2": "u1"}
_FIELDS = ("loss", "scale", "grad_norm", "found_inf", "lr", "step", "consecutive_skips", "scale_at_floor",
           "nonfinite_grad", "nonfinite_loss")  # the bits of MPC_HAS_*, from 1 on


@dataclasses.dataclass(frozen=True)
class StepReport:
    """What a step tells; None is what the program does not have.

    ``loss`` is not scaled, the mean over the micro-batches of the step. ``scale`` is the loss scale that the step
    used, ``grad_norm`` of before clipping, ``lr`` the learning rate of the step. ``step`` counts steps that were
    taken, skipped ones left out. ``found_inf``: a gradient was inf or NaN, so that the step was skipped and
    parameters keep every bit. ``nonfinite_grad``: a norm was not finite, which the program was compiled to call an
    error; the step changed nothing. ``nonfinite_loss`` alone skips no step.
    """

    loss: Union[float, None]
    scale: Union[float, None]
    grad_norm: Union[float, None]
    lr: Union[float, None]
    step: Union[int, None]
    consecutive_skips: Union[int, None]
    found_inf: Union[bool, None]
    scale_at_floor: Union[bool, None]
    nonfinite_grad: Union[bool, None]
    nonfinite_loss: Union[bool, None]

    @property
    def skipped(self) -> bool:
        """Whether the step changed no parameter."""
        return bool(self.found_inf) or bool(self.nonfinite_grad)


def _report(told: _core.Told) -> StepReport:
    fields, *values = told
    names = ("loss", "scale", "grad_norm", "lr", "step", "consecutive_skips", "found_inf", "scale_at_floor",
             "nonfinite_grad", "nonfinite_loss")
    there: dict[str, Any] = {name: value if fields & (1 << _FIELDS.index(name)) else None
                             for name, value in zip(names, values)}
    return StepReport(**there)


class Session:
    """A program with memory, made by :meth:`Program.session`; a context manager, which frees it.

    Inputs are given by name, as NumPy arrays or as tensors of other libraries (``__dlpack__``): of the program's
    dtype and shape, contiguous, in memory of the processor. They are read in place, and nothing is converted: another
    dtype raises TypeMismatchError, another shape ShapeMismatchError, strides InvalidArgumentError, each with what was
    expected and found. bf16 comes as a tensor of PyTorch, or as an array of ``ml_dtypes.bfloat16``.

    Other threads of Python run during every call. A session is used by one of them at a time: calls wait, and each
    has the report or the outputs of its own run.
    """

    def __init__(self, program: Program, *, device: Union[int, None] = None, threads: int = 0,
                 seed: Union[int, None] = 0) -> None:
        if device is not None and program.target == "cpu":
            raise InvalidArgumentError(f"expected no device for a program of target cpu, but got {device!r}", 1)
        self.program = program
        self._core = _core.Session(program._core, whole("threads", threads, 2**32), whole("device", device or 0, 2**32),
                                   device is not None)
        self._changes = 0  # how often states may have been changed
        self._index = {name: i for i, name in enumerate(program.entries)}
        if seed is not None:
            self.init(seed)
            for name, value in program.weights.items():
                self._core.set_state(name, *rounded(f"weight '{name}'", value, program.states[name].dtype))
        self._lacks_weights = seed is not None and "weights" in program.settings and not program.weights

    # ---- life

    def close(self) -> None:
        """Frees the session; outputs that were taken without a copy stay valid. Once more is fine."""
        self._core.close()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._core.closed

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: Union[type[BaseException], None], value: Union[BaseException, None],
                 trace: Union[TracebackType, None]) -> None:
        self.close()

    @property
    def threads(self) -> int:
        """Threads that compute; 1 where a device does."""
        return self._core.threads

    def init(self, seed: int) -> None:
        """Gives every state its first value by the seed: the same one gives the same bits. Weights that the program
        brought are gone then, as is wanted."""
        self._lacks_weights = False
        self._changes += 1
        self._core.init(whole("seed", seed, 2**64))

    # ---- running

    def step(self, inputs: Union[Mapping[str, Array], None] = None, /, **named: Array) -> StepReport:
        """One training step, by inputs of the entry "step": ``session.step(x=images, label=labels)``.

        Names that Python cannot write go into a mapping. Returns the report of the step, for which it waits.
        """
        values, _ = self._inputs("step", inputs, named)
        told = self._core.step(self._index["step"], values)
        self._changes += 1
        return _report(told)

    def accumulate(self, inputs: Union[Mapping[str, Array], None] = None, /, **named: Array) -> None:
        """A micro-batch before the last of a step, of programs with the setting ``accumulate``."""
        values, _ = self._inputs("accumulate", inputs, named)
        self._core.run(self._index["accumulate"], values, [], True)
        self._changes += 1

    def report(self, age: int = 0) -> StepReport:
        """The report of the step that was ``age`` steps ago; 1 leaves a GPU busy."""
        return _report(self._core.report(whole("age", age, 2**32)))

    def run(self, inputs: Union[Mapping[str, Array], None] = None, /, *, entry: str = "forward", copy: bool = True,
            **named: Array) -> dict[str, Any]:
        """Runs an entry, by default the one that predicts, and returns its outputs by name.

        An input that only the loss is for may be left out: the loss is then left out, too. With ``copy=False`` arrays
        are the session's memory: read-only, and theirs until the next run. An output of a type that NumPy lacks is an
        array of ml_dtypes, or where that is not installed a :class:`Tensor`, for ``torch.from_dlpack``.
        """
        values, missing = self._inputs(entry, inputs, named)
        outputs = {i: output.name for i, output in enumerate(self.program.entry(entry).outputs)
                   if not (missing and output.name == "loss")}
        tensors = self._core.run(self._index[entry], values, list(outputs), copy)
        self._changes += entry != "forward"
        return {name: take(tensor) for name, tensor in zip(outputs.values(), tensors)}

    def _inputs(self, entry: str, inputs: Union[Mapping[str, Array], None], named: Mapping[str, Array]
                ) -> tuple[list[tuple[Any, str, str]], bool]:
        """What the extension takes, in the entry's order; whether inputs for the loss were left out."""
        found = self.program.entry(entry)
        if not isinstance(inputs, (Mapping, type(None))):
            method = entry if entry in ("step", "accumulate") else "run"
            raise TypeError(f"expected inputs by name, as in {method}({found.inputs[0].name if found.inputs else 'x'}=...), "
                            f"or in a mapping, but got {type(inputs).__name__}")
        twice = [name for name in named if inputs and name in inputs]
        if twice:
            raise TypeError(f"input '{twice[0]}' is given twice, in the mapping and by name")
        given = {**(inputs or {}), **named}
        unknown = [name for name in given if all(info.name != name for info in found.inputs)]
        if unknown:
            raise NotFoundError(f"entry '{entry}' has no input '{unknown[0]}': expected {_describe(found)}", 2)
        if self._lacks_weights:
            self._lacks_weights = False
            warn(f"the model had {self.program.settings['weights']} weights, which a program file has not: the session "
                 "begins with random numbers; load() or load_state_dict() gives it the weights, init() says that random "
                 "numbers are meant", WeightsWarning)
        values, missing = [], False
        for info in found.inputs:
            if info.name in given:
                values.append((*give(given[info.name]), info.name))
            elif info.loss_only and entry != "step":
                missing = True
                bits = np.zeros(info.shape, _NUMPY_TYPES[info.dtype])
                values.append((bits, info.dtype if bits.dtype.kind == "u" else "", info.name))
            else:
                raise NotFoundError(f"input '{info.name}' of entry '{entry}' is missing: expected "
                                    f"{_describe(found)}", 2)
        return values, missing

    def synchronize(self) -> None:
        """Waits until a device has done all that was asked; a processor always has."""
        self._core.synchronize()

    # ---- states

    def _kept(self, parameters_only: bool) -> list[str]:
        from ._program import Role
        kept = {Role.PARAMETER, Role.RUNNING_STATISTIC}
        return [name for name, info in self.program.states.items()
                if not info.derived and info.role != Role.ACCUMULATOR
                and (not parameters_only or info.role in kept)]

    def _info(self, name: str) -> StateInfo:
        info = self.program.states.get(_name(name))
        if info is not None:
            return info
        near = [known for known in self.program.states if known.endswith(f".{name}")] or \
            difflib.get_close_matches(name, self.program.states, 1)
        raise NotFoundError(f"the program has no state {name!r}"
                            f"{': did you mean ' + ' or '.join(map(repr, near)) + '?' if near else ''}", 2)

    def get_state(self, name: str) -> Any:
        """A copy of a state, as an array (of bf16 and f8 see :meth:`run`). NotInitializedError before it has one, and
        NotFoundError of a name that the program does not have, with those that are near to it."""
        self._info(name)
        return take(self._core.get_state(name))

    def set_state(self, name: str, value: Union[Array, float]) -> None:
        """Sets a state to ``value``, of its dtype and shape; one of no dims also to a number of Python's:
        ``session.set_state("optimizer.lr", 1e-4)``. What follows from it is computed before the next run.
        NotFoundError of a name that the program does not have, with those that are near to it."""
        info = self._info(name)
        self._lacks_weights &= info.role != 0
        if not info.shape and isinstance(value, (int, float)):
            value = number(f"state '{name}'", value, info.dtype)
        self._core.set_state(name, *give(value))
        self._changes += 1

    def state_dict(self, *, parameters_only: bool = False) -> dict[str, Any]:
        """Copies of all states that training goes on from, by the names that checkpoints have: parameters, moments,
        loss scale, counters. With ``parameters_only`` parameters and running statistics alone."""
        return {name: self.get_state(name) for name in self._kept(parameters_only)}

    def load_state_dict(self, states: Mapping[str, Array], *, strict: bool = True) -> None:
        """Sets states by name. ``strict``: every parameter and running statistic, any other states, and no name that
        the program does not have; else those that are given, and unknown names are passed over. Types, shapes and
        names are checked before anything is changed; what follows from states is computed before the next run."""
        if not isinstance(states, Mapping):
            raise TypeError(f"expected a mapping of arrays by the names of states, but got {type(states).__name__}")
        weights = [name for name in self._kept(parameters_only=True) if name not in states]
        unknown = [name for name in states if name not in self.program.states]
        if strict and unknown:
            raise NotFoundError(f"the program has no state {', '.join(map(repr, unknown))}", 2)
        if strict and weights:
            raise NotFoundError(f"expected a value for {', '.join(map(repr, weights))}, but got none", 2)
        given = {name: give(value) for name, value in states.items() if name not in unknown}
        for name, value in given.items():
            self._check_state(name, *value)
        self._changes += 1
        for name, value in given.items():
            self._core.set_state(name, *value)
        self._lacks_weights &= not given

    def _check_state(self, name: str, value: Any, type: str) -> None:
        info = self.program.states[name]
        dtype, shape, dense = _core.describe(value, f"state '{name}'", type)
        if info.derived:
            raise InvalidArgumentError(f"state '{name}' follows from others: expected it to be left out", 1)
        if dtype != info.dtype:
            raise TypeMismatchError(f"state '{name}': expected {info.dtype}, but got {dtype}", 30)
        if shape != info.shape:
            raise ShapeMismatchError(f"state '{name}': expected {info.shape}, but got {shape}", 31)
        if not dense:
            raise InvalidArgumentError(f"state '{name}': expected a contiguous array, but got one with strides", 1)

    def save(self, path: Union[str, os.PathLike[str]], metadata: Union[Mapping[str, str], None] = None) -> None:
        """Writes a checkpoint, a safetensors file, whole at any time; ``metadata`` is yours."""
        pairs = list((metadata or {}).items())
        for key, value in pairs:
            if not isinstance(key, str) or not isinstance(value, str):
                raise TypeError(f"expected metadata of str by str, but got {key!r}: {value!r}")
        with _files.found(path):
            self._core.save(os.fsencode(path), pairs)

    def load(self, path: Union[str, os.PathLike[str]], *, parameters_only: bool = False) -> dict[str, str]:
        """Reads a checkpoint: the session goes on to the bit as the one that saved. With ``parameters_only`` any
        safetensors file that has the parameters will do, and other states stay. Returns the metadata.

        MissingFileError (a FileNotFoundError) if there is no such file; NotFoundError and ShapeMismatchError tell of
        tensors that are not those of the program, and nothing has changed."""
        with _files.found(path):
            self._changes += 1
            metadata = dict(self._core.load(os.fsencode(path), parameters_only))
        self._lacks_weights = False
        return metadata

    def __repr__(self) -> str:
        return f"<mpc.Session of {self.program!r}{' (closed)' if self.closed else ''}>"


def _name(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"expected the name of a state, but got {type(name).__name__}")
    return name


def _describe(entry: EntryInfo) -> str:
    return ", ".join(f"{i.name}: {i.dtype}{list(i.shape)}" for i in entry.inputs) or "no inputs"
