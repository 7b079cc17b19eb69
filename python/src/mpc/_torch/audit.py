"""What a module of PyTorch does and its exported model cannot say: refused or warned of, never lost in silence.

The format of ONNX has values and no gradients: it knows no backward of one's own, no hooks, and no parameter that is not
trained. torch.export's graph, from which the model is written, still has most of them.
"""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Container, Iterator, Sequence
from typing import Any, Union

from .._errors import CompileError, warn

__all__ = ["check_averages", "check_constants", "check_dropout", "check_names", "check_norms", "check_trains", "frozen",
           "lost_calls", "names_of", "place", "warn_of_rules"]


def _refuse(what: str) -> None:
    raise CompileError(f"error: the model cannot be trained as PyTorch trains it: {what}")


def frozen(module: Any, kept: Container[str]) -> list[str]:
    """Of the parameters of the exported model, ``kept``, those that need no gradient."""
    names = [name for name, value in module.named_parameters(remove_duplicate=False)
             if not value.requires_grad and name in kept]
    for name in names:
        if "\n" in name:
            _refuse(f"the name {name!r} of a parameter with requires_grad=False has a line break")
    return names


def check_trains(module: Any) -> None:
    """Refuses a module of which nothing trains."""
    needs = [value.requires_grad for value in module.parameters()]
    if needs and not any(needs):
        _refuse("no parameter requires a gradient (requires_grad); frozen=\"train\" trains them all the same")


def check_averages(module: Any) -> None:
    """Refuses batch norms whose share of a batch depends on how many there were."""
    import torch

    for name, part in module.named_modules():
        if isinstance(part, torch.nn.modules.batchnorm._NormBase) and part.training and part.track_running_stats \
                and part.momentum is None:
            _refuse(f"'{name}' has momentum=None, a mean over all batches, which ONNX's format has no word for: give it "
                    "a momentum, as 0.1")


def check_dropout(program: Any) -> None:
    """Refuses dropout of everything: PyTorch multiplies by zero then, which the model would do in evaluation, too.
    ``program``: a torch.export.ExportedProgram, or None."""
    for node in program.graph.nodes if program is not None else ():
        schema = getattr(node.target, "_schema", None)
        given = {} if schema is None else {argument.name: node.args[i] if i < len(node.args) else
                                           node.kwargs.get(argument.name, argument.default_value)
                                           for i, argument in enumerate(schema.arguments)}
        rate = given.get("dropout_p", given.get("dropout"))  # of attention and of recurrent layers
        if schema is not None and "dropout" in schema.name:
            rate = given.get("p")
        if isinstance(rate, (int, float)) and rate >= 1 and given.get("train", True) is not False:
            _refuse(f"dropout with p={rate:g} leaves nothing to train in front of it, and the model would leave out as "
                    f"much where it is evaluated: give it a p below 1{place(node)}")


def check_norms(program: Any) -> None:
    """Refuses batch norms that are called by what PyTorch's own kernels are, whose results are others in a program.
    ``program``: a torch.export.ExportedProgram, or None."""
    for graph in _graphs(program) if program is not None else ():
        for node in graph.nodes:
            name = str(node.target).removeprefix("aten.").split(".")[0]
            if "batch_norm" in name and name != "batch_norm" and node.op == "call_function":
                _refuse(f"torch.{name} is no batch norm that the exported model has a word for: "
                        f"torch.nn.functional.batch_norm is{place(node)}")


def check_constants(program: Any) -> None:
    """Refuses what forward reads by ``.data``: the exporter takes it for a constant, of which it knows no number.
    ``program``: a torch.export.ExportedProgram, or None."""
    import torch

    if program is not None and any(isinstance(value, torch._subclasses.FakeTensor) for value in program.constants.values()):
        _refuse("forward makes a tensor that PyTorch's exporter cannot follow, as .data of a parameter or a buffer: detach() "
                "is the same and can be exported")


def names_of(module: Any) -> set[str]:
    """What parameters, buffers and the inputs of forward are called."""
    try:
        inputs = list(inspect.signature(module.forward).parameters)
    except (TypeError, ValueError):
        inputs = []
    return {*inputs, *(name for name, _ in [*module.named_parameters(remove_duplicate=False),
                                            *module.named_buffers(remove_duplicate=False)])}


@contextlib.contextmanager
def lost_calls(module: Any) -> Iterator[None]:
    """While the model is exported, refuses torch.autograd.Function with a backward of its own, and hooks of values, and
    warns of numbers and words of Python's that forward changes in the module, whose values then are part of the program,
    and of buffers to which it assigns others."""
    with _own_backwards(), _assigned() as assigned:
        yield
    names = {part: f"{place}." if place else "" for place, part in module.named_modules()}
    for (part, name), numbers in assigned.items():
        if part in names and numbers is None:
            warn(f"buffer '{names[part]}{name}' is changed in forward, by assigning to it, and keeps its value in the "
                 "program: ONNX's format has no word for it")
        elif part in names and numbers is not None:
            warn(f"forward changes '{names[part]}{name}' ({numbers[0]}, then {numbers[1]}), a value of Python's: in the "
                 "program it is always what it was in the first call; give it to forward as an input")


@contextlib.contextmanager
def _assigned() -> Iterator[dict[tuple[Any, str], Union[tuple[Any, Any], None]]]:
    """Attributes of modules that were numbers or words before and after, with the first two, and buffers, with None."""
    import torch

    module = torch.nn.Module
    assign, plain = module.__setattr__, (int, float, bool, str)
    found: dict[tuple[Any, str], Union[tuple[Any, Any], None]] = {}

    def record(self: Any, name: str, value: Any) -> None:
        old = vars(self).get(name)
        buffer = vars(self).get("_buffers", {}).get(name)
        if buffer is not None and not (isinstance(value, torch.Tensor) and torch._C._is_alias_of(value, buffer)):
            found.setdefault((self, name), None)
        elif type(old) in plain and type(value) in plain and old != value:
            found.setdefault((self, name), (old, value))
        assign(self, name, value)

    module.__setattr__ = record
    try:
        yield found
    finally:
        module.__setattr__ = assign


@contextlib.contextmanager
def _own_backwards() -> Iterator[None]:
    import torch
    import torch.utils.checkpoint

    function = torch.autograd.Function
    checkpoint = torch.utils.checkpoint.CheckpointFunction
    apply, register = function.__dict__["apply"], torch.Tensor.register_hook
    found: list[str] = []
    hooked: list[bool] = []
    reentrant: list[bool] = []

    def record(cls: Any, *given: Any, **named: Any) -> Any:
        if cls is checkpoint:
            reentrant.append(True)
        if not cls.__module__.startswith("torch."):
            found.append(cls.__qualname__)
        return apply.__get__(None, cls)(*given, **named)

    def hook(self: Any, own: Any) -> Any:
        hooked.append(True)
        return register(self, own)

    function.apply, torch.Tensor.register_hook = classmethod(record), hook
    try:
        yield
    finally:
        function.apply, torch.Tensor.register_hook = apply, register
    if reentrant:
        _refuse("torch.utils.checkpoint with use_reentrant=True computes gradients in a way of its own, which the exported "
                "model does not have: give it use_reentrant=False")
    if hooked:
        _refuse("forward registers hooks of gradients (register_hook), which the exported model does not have")
    if found:
        _refuse(f"'{found[0]}' is a torch.autograd.Function, whose own backward the exported model does not have")


def place(node: Any) -> str:
    """Where the user's line is that made a node: "net.py:12 `h = h.detach()`"."""
    import torch

    lines = [line.strip() for line in (node.meta.get("stack_trace") or "").splitlines()]
    for i in range(len(lines) - 1, -1, -1):
        if lines[i].startswith("File ") and not any(own in lines[i] for own in (
                os.path.dirname(torch.__file__), '"<eval_with_key>')):  # PyTorch's, and what it has written itself
            file, line, *_ = lines[i].removeprefix("File ").split(", ")
            code = f" `{lines[i + 1]}`" if i + 1 < len(lines) else ""
            return f" ({file.strip(chr(34))}:{line.removeprefix('line ')}{code})"
    return ""


def check_names(module: Any, inputs: Sequence[str]) -> None:
    """Refuses inputs that are called as a parameter or another input: a model knows them by their names alone."""
    twice = [name for i, name in enumerate(inputs) if name in inputs[:i]]
    if twice:
        _refuse(f"two inputs are called '{twice[0]}' (that of the loss is 'target'); input_names=[...] names the others")
    own = {name for name, _ in [*module.named_parameters(remove_duplicate=False),
                                *module.named_buffers(remove_duplicate=False)]}
    for name in inputs:
        if name in own:
            _refuse(f"an input and a parameter or buffer of the module are both called '{name}'; rename one of them "
                    "(input_names=[...] names the inputs)")


def warn_of_rules(module: Any, program: Any, made: Any) -> None:
    """Warns of what PyTorch does beside gradients, and the program will not. ``program``: the torch.export
    .ExportedProgram of the module, ``made``: the torch.onnx.ONNXProgram of that."""
    _warn_of_embeddings(program)
    _warn_of_parameters(module, program, made.model.graph.initializers)
    for name, part in module.named_modules():
        if part._backward_hooks or part._backward_pre_hooks:
            warn(f"'{name}' has hooks of its gradients, which the program does not run")


def _graphs(program: Any) -> list[Any]:
    """The graph of a torch.export.ExportedProgram, and those in it, as in torch.autocast."""
    return [part.graph for part in program.graph_module.modules() if hasattr(part, "graph")]


def _warn_of_embeddings(program: Any) -> None:
    names = program.graph_signature.inputs_to_parameters
    for node in (node for graph in _graphs(program) for node in graph.nodes):
        if "aten.embedding.default" not in str(node.target):
            continue
        given = dict(enumerate(node.args))
        table, padding, by_frequency = given[0], given.get(2, -1), given.get(3, False)
        name = names.get(table.name, table.name)
        if padding >= 0:
            warn(f"'{name}' has padding_idx={padding}, a row that PyTorch does not train: ONNX's format has no word "
                 f"for it, and the program trains it{place(node)}")
        if by_frequency:
            warn(f"'{name}' has scale_grad_by_freq, which the program does not know: its gradients are not scaled"
                 f"{place(node)}")


def _warn_of_parameters(module: Any, program: Any, kept: Container[str]) -> None:
    own = dict(module.named_parameters(remove_duplicate=False))
    for name, value in module.named_parameters():
        if value._backward_hooks or getattr(value, "_post_accumulate_grad_hooks", None):
            warn(f"parameter '{name}' has hooks of its gradient, which the program does not run")
    there = {id(value) for name, value in own.items() if name in kept}
    read = {name for node in program.graph.nodes if node.users
            for name in [program.graph_signature.inputs_to_parameters.get(node.name)] if name}
    for name in sorted(read):
        if id(own[name]) not in there:
            warn(f"parameter '{name}' is read in forward, and PyTorch's exporter left it out of the model: the program "
                 "neither reads nor trains it")
    _warn_of_memory(module)


def _warn_of_memory(module: Any) -> None:
    ranges = sorted((value.data_ptr(), value.data_ptr() + _bytes(value), name, kind)
                    for kind, values in (("parameter", module.named_parameters()), ("buffer", module.named_buffers()))
                    for name, value in values if value.numel())
    farthest, first, its = 0, "", ""
    for begin, end, second, kind in ranges:
        if begin < farthest and "parameter" in (kind, its):
            what = "trained apart" if kind == its else "not changed together"
            warn(f"{its} '{first}' and {kind} '{second}' share memory; in the program each has its own, and they are {what}")
        if end > farthest:
            farthest, first, its = end, second, kind


def _bytes(value: Any) -> int:
    """From the first to the last element of a tensor."""
    last = sum((size - 1) * stride for size, stride in zip(value.shape, value.stride()))
    return int((last + 1) * value.element_size())
