"""The graphs of a module by torch.export, in training and in eval mode, and where they compute something else."""

from __future__ import annotations

import contextlib
import itertools
import math
import operator
import random
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Union

import numpy as np

from .._errors import CompileError
from . import audit, modes

__all__ = ["check_mode", "difference", "evaluated", "has_own_train", "memory_of", "nodes", "running", "trace"]

# Arguments by which training is known to a program, too: it leaves dropout out where it predicts, takes the running
# statistics of batch norms, and warns of those of instance norms.
_KNOWN = {"batch_norm": "training", "dropout": "train", "feature_dropout": "train", "gru": "train",
          "instance_norm": "use_input_stats", "lstm": "train", "rnn_relu": "train", "rnn_tanh": "train",
          "scaled_dot_product_attention": "dropout_p"}


def trace(module: Any, example_inputs: tuple[Any, ...]) -> tuple[Any, bool]:
    """A torch.export.ExportedProgram, and whether it was made by the strict way; None if there is no way."""
    import torch

    for strict in (False, True):
        try:
            return _with_numbers_of_a_kind(torch.export.export(module, example_inputs, strict=strict)), strict
        except Exception:  # noqa: BLE001, of any kind: torch.onnx tries more ways, and tells why none will do
            continue
    return None, True


def _with_numbers_of_a_kind(program: Any) -> Any:
    """The same, with calls as clamp(0, 0.5) by floats alone: PyTorch's exporter knows no call of both kinds."""
    for part in program.graph_module.modules():
        for node in part.graph.nodes if hasattr(part, "graph") else ():
            schema = getattr(node.target, "_schema", None)
            places = [i for i, argument in enumerate(schema.arguments[:len(node.args)]) if "number" in str(argument.type)
                      and type(node.args[i]) in (int, float)] if schema else []
            if len({type(node.args[i]) for i in places}) > 1:
                node.args = tuple(float(value) if i in places else value for i, value in enumerate(node.args))
                part.recompile()
    return program


@contextlib.contextmanager
def running(module: Any, train: bool) -> Iterator[None]:
    """The module in training or in eval mode, and then as it was: running it for the export moves nothing."""
    import torch

    modes = [(part, part.training) for part in module.modules()]
    buffers = [(part, dict(part._buffers)) for part in module.modules()]
    numbers = [(value, value.clone()) for value in module.buffers() if 0 not in value.stride()]  # expanded: not written to
    weights = _values(module) if has_own_train(module) else []  # which it may change, those of other parts, too
    training = module.training
    drawn = random.getstate(), np.random.get_state()
    plain = [(part, name, value) for part, _ in modes for name, value in vars(part).items()
             if isinstance(value, (int, float, str)) or (_is_own_train(part) and not name.startswith("_"))]
    fake = torch._subclasses.FakeTensor
    try:
        if not (train and training):
            _set_mode(module, train, weights)
        yield
    finally:
        if weights:
            module.train(training)
        for part, mode in modes:
            part.training = mode
        for part, kept in buffers:
            part._buffers.clear()
            part._buffers.update(kept)
        _restore([*numbers, *weights])
        for part, name, value in plain:
            part.__dict__[name] = value
        for part, _ in modes:  # what forward has kept of the trace
            for name in [name for name, value in vars(part).items() if isinstance(value, fake)]:
                del part.__dict__[name]
        random.setstate(drawn[0])
        np.random.set_state(drawn[1])


def _set_mode(module: Any, train: bool, weights: Sequence[tuple[Any, Any]]) -> None:
    """``weights``: parameters and buffers of a module of which a part's train() is its own, and what they are. One that
    merges weights for evaluation computes the same as before, by numbers that are not those that are trained: it is not
    asked."""
    import torch

    module.train(train)
    if not all(torch.equal(value, number) for value, number in weights):
        module.train(not train)
        _restore(weights)
        for part in module.modules():
            part.training = train


def _values(module: Any) -> list[tuple[Any, Any]]:
    """Its parameters and buffers, with copies."""
    return [(value, value.detach().clone()) for value in (*module.parameters(), *module.buffers())
            if 0 not in value.stride()]


def has_own_train(module: Any) -> bool:
    """Whether a part of it does more in train() than to set its mode."""
    return any(map(_is_own_train, module.modules()))


def _is_own_train(part: Any) -> bool:
    import torch

    return type(part).train is not torch.nn.Module.train


def check_mode(module: Any) -> None:
    """Refuses a module in eval mode whose train() changes parameters or buffers: those of evaluation are not what is trained."""
    import torch

    if module.training or not has_own_train(module):
        return
    with running(module, train=False):
        before = _values(module)
        module.train()
        same = all(torch.equal(value, number) for value, number in before)
        module.eval()
        _restore(before)
    if not same:
        raise CompileError("error: the module is in eval mode, and its train() changes parameters, as where it has merged "
                           "or averaged them to be evaluated: call train() first, so that it has those that are trained")


def _restore(values: Sequence[tuple[Any, Any]]) -> None:
    import torch

    with torch.no_grad():
        for value, number in values:
            value.copy_(number)


def evaluated(module: Any, example_inputs: tuple[Any, ...]) -> Any:
    """The torch.export.ExportedProgram of a module in eval mode; None if there is no way, or other parameters have the
    names of those that train, as where train() swaps parts. Attention is written as in
    training, which may have a kernel of its own in evaluation that computes the same."""
    import torch

    with running(module, train=True):
        trained = _named(module)
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with running(module, train=False), modes.kept(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that of training tells
            if _named(module) != trained:
                return None
            return trace(module, example_inputs)[0]
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)


def _named(module: Any) -> dict[str, int]:
    """Which parameter each name is of."""
    return {name: id(value) for name, value in module.named_parameters(remove_duplicate=False)}


def difference(trained: Any, evaluated: Any) -> Union[str, None]:
    """Where two torch.export.ExportedPrograms of a module, in training and in eval mode, begin to compute something
    else, as :func:`audit.place` says it; None if they do not, but for what a program does by itself."""
    ones, others = trained.graph_signature.input_specs, evaluated.graph_signature.input_specs
    if len(ones) != len(others) or not all(
            one.kind == other.kind and (one.kind.name == "USER_INPUT" or one.target == other.target)
            and (one.kind.name != "CONSTANT_TENSOR"
                 or _equal(trained.constants[one.target], evaluated.constants[other.target], {}))
            for one, other in zip(ones, others)) or trained.call_spec.out_spec != evaluated.call_spec.out_spec:
        return _first_difference(trained.graph_module, evaluated.graph_module) or ""
    return _first_difference(trained.graph_module, evaluated.graph_module)


def _first_difference(trained: Any, evaluated: Any) -> Union[str, None]:
    """The same of two torch.fx.GraphModules, whose inputs are the same in order."""
    import torch

    pairs: dict[Any, Any] = {}
    for one, other in itertools.zip_longest(nodes(trained.graph), nodes(evaluated.graph)):
        if one is None or other is None:
            return audit.place(one or other)
        pairs[one] = other
        if one.op == other.op == "get_attr":
            ours, theirs = _attribute(trained, one.target), _attribute(evaluated, other.target)
            if isinstance(ours, torch.fx.GraphModule) and isinstance(theirs, torch.fx.GraphModule):
                inner = _first_difference(ours, theirs)
                if inner is not None:
                    return inner or audit.place(one)
                continue
            if _equal(ours, theirs, pairs):
                continue
        elif one.op == other.op and (one.op == "placeholder" or (
                one.op == "output" or one.target == other.target) and _reads_same(one, other, pairs)):
            continue
        first, second = (other, one) if one.op == "output" else (one, other)  # which says where forward ends
        return audit.place(first) or audit.place(second)
    return None


def nodes(graph: Any) -> list[Any]:
    """Those of a graph that its results come of: not what counts batches, or moves an average that nothing reads."""
    kept: list[Any] = []
    read: set[Any] = set()  # later
    memory: set[Any] = set()  # in which that lies
    for node in reversed(graph.nodes):
        changes = bool(getattr(getattr(node.target, "_schema", None), "is_mutable", False))
        place = memory_of(node)
        if node.op in ("placeholder", "output") or node in read or (
                changes and not (place.op == "placeholder" and place not in memory)):
            kept.append(node)
            read.update(node.all_input_nodes)
            memory.update(map(memory_of, node.all_input_nodes))
    return kept[::-1]


def memory_of(node: Any) -> Any:
    """The value of which another one is a view, or what was made of it in place."""
    while node.op == "call_function" and node.args and hasattr(node.args[0], "all_input_nodes"):
        schema = getattr(node.target, "_schema", None)
        is_view = node.target is operator.getitem if schema is None else any(made.alias_info for made in schema.returns)
        if not is_view:
            break
        node = node.args[0]
    return node


def _attribute(owner: Any, name: str) -> Any:
    for part in name.split("."):
        owner = getattr(owner, part)
    return owner


def _reads_same(one: Any, other: Any, pairs: dict[Any, Any]) -> bool:
    """Whether two calls of the same operator have the same arguments, but for those by which training is known."""
    ours, theirs = _arguments(one), _arguments(other)
    known = _KNOWN.get(str(one.target).split(".")[1]) if str(one.target).startswith("aten.") else None
    if known in ours and ours[known] and not theirs[known]:
        del ours[known], theirs[known]
    return ours.keys() == theirs.keys() and all(_equal(ours[name], theirs[name], pairs) for name in ours)


def _arguments(node: Any) -> dict[Any, Any]:
    """By their names where the operator has them, with those that are left out."""
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return {**dict(enumerate(node.args)), **node.kwargs}
    given = dict(zip((argument.name for argument in schema.arguments), node.args))
    left_out = {argument.name: argument.default_value for argument in schema.arguments if argument.has_default_value()}
    return {**left_out, **given, **node.kwargs}


def _equal(one: Any, other: Any, pairs: dict[Any, Any]) -> bool:
    """Whether two arguments are the same, of which nodes are by ``pairs``."""
    import torch

    if isinstance(one, torch.fx.Node):
        return pairs.get(one) is other
    if isinstance(one, torch.Tensor):
        fake = torch._subclasses.FakeTensor  # what has no numbers, as .data while a module is traced
        return isinstance(other, torch.Tensor) and not isinstance(one, fake) and not isinstance(other, fake) and one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, (list, tuple)):
        return isinstance(other, (list, tuple)) and len(one) == len(other) and all(
            _equal(a, b, pairs) for a, b in zip(one, other))
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(
            _equal(one[key], other[key], pairs) for key in one)
    if isinstance(one, slice):
        return isinstance(other, slice) and _equal([one.start, one.stop, one.step], [other.start, other.stop, other.step],
                                                   pairs)
    both_nan = isinstance(one, float) and isinstance(other, float) and math.isnan(one) and math.isnan(other)
    return both_nan or (type(one) is type(other) and bool(one == other))
