"""Batch norms of an exported module: those that train, by how PyTorch's graph calls them."""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any

from . import _audit
from ._errors import warn

__all__ = ["calls", "mark", "training_means", "warn_of_batches"]


def mark(graph: Any, module: Any, traced: Any) -> None:
    """PyTorch writes batch norms as they run after training; those that train get their word. ``traced``: a torch.export
    .ExportedProgram, or None."""
    import onnx_ir

    means = {**dict.fromkeys(training_means(module), True), **{name: trains for _, name, trains in _calls(traced)}}
    training = {name for name, trains in means.items() if trains}
    for node in graph:
        if node.op_type == "BatchNormalization":
            for i in (3, 4):  # where a module is called again they are what the call before has made
                node.replace_input_with(i, _source(node.inputs[i]))
            if node.inputs[3] is not None and node.inputs[3].name in training:
                node.attributes.add(onnx_ir.AttrInt64("training_mode", 1))
                node.resize_outputs(3)  # as the format has it then
                for value, word in zip(node.outputs[1:], ("mean", "var")):
                    value.name = f"{node.outputs[0].name}.running_{word}"


def training_means(module: Any) -> collections.Counter[str]:
    """What the running means of its batch norms that train would be called."""
    return collections.Counter(f"{name}.running_mean" if name else "running_mean"
                               for name, part in module.named_modules() if part.training)


def _calls(traced: Any) -> Iterator[tuple[Any, str, bool]]:
    """Calls of batch norms that have running statistics: the node, the name of the mean, and whether it trains."""
    for node in traced.graph.nodes if traced is not None else ():
        if str(node.target) == "aten.batch_norm.default" and node.args[3] is not None:
            name = traced.graph_signature.inputs_to_buffers.get(getattr(node.args[3], "name", ""))
            if name is not None:
                yield node, name, bool(node.args[5])


def warn_of_batches(evaluated: Any) -> None:
    """``evaluated``: the torch.export.ExportedProgram of a module in eval mode, or None."""
    for node, name, trains in _calls(evaluated):
        if trains:
            warn(f"the batch norm of '{name}' normalizes by its batch where it is evaluated, too, and the program by its "
                 f"running statistics: without these it takes those of the batch{_audit.place(node)}")


def _source(value: Any) -> Any:
    """What a value is the same as."""
    while value is not None and value.producer() is not None and value.producer().op_type == "Identity":
        value = value.producer().inputs[0]
    return value


def calls(graph: Any) -> collections.Counter[str]:
    """How often batch norms that train run in forward, by the names of their running means."""
    return collections.Counter(node.inputs[3].name for node in graph
                               if node.op_type == "BatchNormalization" and "training_mode" in node.attributes)
