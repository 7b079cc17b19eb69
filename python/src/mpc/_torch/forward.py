"""What the forward of a module takes and returns: its examples, its outputs by name and their loss, and batches that are
too short."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import itertools
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np

from .._errors import InvalidArgumentError, warn
from .._tensors import convert

if TYPE_CHECKING:
    from .._program import EntryInfo

__all__ = ["Filled", "apart", "check_inputs", "count_outputs", "dependent", "fill", "is_other_batch", "output_names", "unread",
           "whole_loss", "with_help"]

_LOSSES_BY_CLASS = ("cross_entropy",)  # whose classes are dim 1 in PyTorch


def apart(example_inputs: Sequence[Any]) -> tuple[Any, ...]:
    """The same, with a copy of a tensor that stands there again: PyTorch's exporter would take both inputs for one."""
    import torch

    return tuple(value.detach().clone().requires_grad_(value.requires_grad) if isinstance(value, torch.Tensor)
                 and any(value is other for other in example_inputs[:i]) else value for i, value in enumerate(example_inputs))


def check_inputs(module: Any, example_inputs: tuple[Any, ...]) -> None:
    """Refuses examples that forward does not take, as labels among them, and what is no module."""
    import torch

    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"module: expected a torch.nn.Module, but got {type(module).__name__}")
    scripted = [name for name, part in module.named_modules() if isinstance(part, torch.jit.ScriptModule)]
    if scripted:
        what = f"its part '{scripted[0]}'" if scripted[0] else "it"
        raise TypeError(f"module: expected one in Python, but {what} is scripted or traced by torch.jit, which PyTorch "
                        "cannot export: give the module that it was made of")
    try:
        takes = inspect.signature(module.forward)
    except (TypeError, ValueError):  # it has none that could be read
        return
    try:
        takes.bind(*example_inputs)
    except TypeError as error:
        raise TypeError(f"example_inputs: expected those that forward{takes} takes, but got {len(example_inputs)} "
                        f"({error}); what a loss compares its outputs with is given to step() alone") from None


_OF_STEPS = ("loss", "scale", "grad_norm", "found_inf", "lr", "step", "consecutive_skips", "scale_at_floor",
             "nonfinite_grad")  # outputs that the training step has


def output_names(traced: Any, taken: Container[str], loss: str) -> list[str]:
    """Names of the outputs by the keys or fields of what forward returns, of a torch.export.ExportedProgram; "output",
    "output.1" and so on if it is no mapping, no named tuple and no dataclass. Those that inputs and parameters have,
    ``taken``, or outputs of a step, but for ``loss``, become "output.name"."""
    names: list[str] = []
    count = 0
    if traced is not None:
        made = _results(traced)
        values = [value.name for value in made if getattr(value, "name", "")]
        if len(set(values)) < len(values):
            raise InvalidArgumentError(f"the module returns {len(values)} tensors, but {len(values) - len(set(values))} of "
                                       "them twice: each can be one output alone", 1)
        spec = traced.call_spec.out_spec
        count = count_outputs(traced)
        if len(made) == spec.num_leaves:  # of which the exporter leaves out those that are None
            there = [object() if _is_there(value) else None for value in made]
            with contextlib.suppress(Exception):  # a class of the user's that computes what it is given
                names = list(_names(spec.unflatten(there), ""))
    names = [f"output.{name}" if name in taken or (name in _OF_STEPS and name != loss)
             or name.startswith(("found_inf.", "scale.")) else name for name in names]
    if len(names) == count and all(names) and names:
        return _apart(names)
    return ["output", *(f"output.{i}" for i in range(1, count))]


def count_outputs(traced: Any) -> int:
    """Those that the exporter writes of a torch.export.ExportedProgram."""
    return sum(map(_is_there, _results(traced)))


def _results(traced: Any) -> list[Any]:
    return [result.arg for result in traced.graph_signature.output_specs if result.kind.name == "USER_OUTPUT"]


def _is_there(result: Any) -> bool:
    return getattr(result, "value", result) is not None


def _apart(names: Sequence[str]) -> list[str]:
    """Names, of which those that were there already get a number, as of {"a.b": x, "a": {"b": y}}; that is told."""
    made: list[str] = []
    for name in names:
        number = next(n for n in itertools.count() if (f"{name}.{n}" if n else name) not in made
                      and (not n or f"{name}.{n}" not in names))
        if number:
            warn(f"two outputs of the module would be called '{name}': the later is '{name}.{number}'; output_names=[...] "
                 "names them")
        made.append(f"{name}.{number}" if number else name)
    return made


def _names(made: Any, around: str) -> Iterator[str]:
    """Of a tree of results, by their paths; none of one that has no names at its root."""
    if hasattr(made, "_fields"):
        made = dict(zip(made._fields, made))
    elif dataclasses.is_dataclass(made) and not isinstance(made, Mapping):
        made = {field.name: getattr(made, field.name, None) for field in dataclasses.fields(made)}
    if isinstance(made, Mapping):
        for key, value in made.items():
            yield from _names(value, f"{around}.{key}" if around else str(key))
    elif isinstance(made, (list, tuple)) and around:
        for i, value in enumerate(made):
            yield from _names(value, f"{around}.{i}")
    elif around and made is not None:
        yield around


def with_help(cause: str, module: Any) -> str:
    """Why a module cannot be exported, and what to do about results of a class that PyTorch does not know, and about
    parts that change buffers and have two names."""
    register = "; torch.export.register_dataclass(CLASS) tells PyTorch the fields of a dataclass"
    twice = ""
    if "expected compiled_fn to be GraphModule" in cause:
        first: dict[int, str] = {}
        for name, part in module.named_modules(remove_duplicate=False):
            if first.setdefault(id(part), name) != name and part.training and any(True for _ in part.buffers()):
                twice = f"; '{first[id(part)]}' and '{name}' are one part of it, which changes buffers: give it one name"
        for name, value in module.named_buffers(remove_duplicate=False):
            if first.setdefault(id(value), name) != name and not twice:
                twice = f"; '{first[id(value)]}' and '{name}' are one buffer, which forward changes: give each its own"
    return cause + register * ("in output, which is not a known type" in cause) + twice


def whole_loss(loss: Union[str, None], output_names: Sequence[str]) -> Union[str, None]:
    """The option for a loss that is given by its name."""
    if loss is None or ":" in loss or loss in output_names:
        return loss
    name, _, numbers = loss.partition(",")
    parts = [f"{name}:{output_names[0]}", "target", *filter(None, [numbers])]
    if name in _LOSSES_BY_CLASS and "class_dim=" not in numbers:
        parts.append("class_dim=1")
    return ",".join(parts)


def is_other_batch(value: Any, shape: tuple[int, ...]) -> bool:
    """Whether the first dim alone is another."""
    given = tuple(getattr(value, "shape", ()))
    return bool(given) and len(given) == len(shape) and given[0] != shape[0] and given[1:] == shape[1:]


class Filled(NamedTuple):
    """A batch that was too short, filled up in two ways, so that what comes of it in both is its own."""

    rows: int  # that it has
    by_last: dict[str, Any]  # with its last row
    by_others: dict[str, Any]  # with rows of zeros, or of ones where the last row is of zeros
    outputs: set[str]  # those that come of the batch: others are what they are, however many rows it has


def fill(entry: EntryInfo, given: Mapping[str, Any], made: Any) -> Union[Filled, None]:
    """A batch that is too short, filled up. None where that is not the answer: inputs of other numbers of rows, a target,
    whose loss would be of all rows, or an output of the batch that is not of rows. ``made``: the torch.onnx
    .ONNXProgram that the program was compiled from, or None."""
    short = {info.name: info for info in entry.inputs if info.name in given and info.shape
             and tuple(getattr(given[info.name], "shape", ()))[1:] == info.shape[1:]
             and 0 < _rows(given[info.name]) < info.shape[0]}
    rows = {(_rows(given[name]), info.shape[0]) for name, info in short.items()}
    if len(rows) != 1 or any(info.loss_only and info.name in given for info in entry.inputs):
        return None
    count, batch = rows.pop()
    outputs = {output.name for output in entry.outputs} if made is None else _reached(made.model.graph, short)
    if any(output.shape[:1] != (batch,) for output in entry.outputs if output.name in outputs - {"loss"}):
        return None
    if any(_rows(given[info.name]) == batch for info in entry.inputs if info.name in given and info.name not in short
           and info.shape[:1] == (batch,)):
        return None
    by_last = {name: _filled(value, batch) if name in short else value for name, value in given.items()}
    return Filled(count, by_last, {name: _with_others(value, count) if name in short else value
                                   for name, value in by_last.items()}, outputs)


def unread(entry: EntryInfo, made: Any) -> dict[str, Any]:
    """Zeros for the inputs that nothing in a model reads, as labels in that of eval mode: nobody needs to have them.
    ``made``: the torch.onnx.ONNXProgram that the program was compiled from."""
    import torch

    names = {value.name for value in made.model.graph.inputs if not value.uses() and not value.is_graph_output()}
    return {info.name: convert(torch.zeros(info.shape), info.dtype) for info in entry.inputs if info.name in names}


def _reached(graph: Any, inputs: Container[str]) -> set[str]:
    """The outputs that these inputs reach, of which parameters and constants alone make none."""
    found = {value for value in graph.inputs if value.name in inputs}
    for node in graph:  # in the order in which they run
        inner = [each for attribute in node.attributes.values() if attribute.type.name == "GRAPH"
                 for each in attribute.as_graph().all_nodes()]
        if any(value in found for each in [node, *inner] for value in each.inputs):
            found.update(node.outputs)
    return {value.name for value in graph.outputs if value in found}


def dependent(found: Mapping[str, Any], others: Mapping[str, Any], filled: Filled) -> Union[str, None]:
    """The name of an output, a tensor of PyTorch, whose rows of the batch differ between two fillings."""
    for name in filter(filled.outputs.__contains__, found):
        one, other = found[name][:filled.rows], others[name][:filled.rows]
        if not bool(((one == other) | ((one != one) & (other != other))).all()):
            return name
    return None


def _rows(value: Any) -> int:
    shape = tuple(getattr(value, "shape", ()))
    return int(shape[0]) if shape else 0


def _filled(value: Any, batch: int) -> Any:
    rows = np.minimum(np.arange(batch), _rows(value) - 1)
    return value[rows] if hasattr(value, "__getitem__") else np.from_dlpack(value)[rows]


def _with_others(value: Any, count: int) -> Any:
    """The same, a copy, with other rows behind ``count``."""
    other = value[:]
    other = other.clone() if hasattr(other, "clone") else np.array(other)
    other[count:] = 0 if bool((other[count - 1] != 0).any()) else 1
    return other
