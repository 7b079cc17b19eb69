"""Batch norms of an exported module: those that train, by the modules that they come from."""

from __future__ import annotations

import collections
from typing import Any

__all__ = ["calls", "mark", "training_means"]


def mark(graph: Any, module: Any) -> None:
    """PyTorch writes batch norms as they run after training; those that train get their word."""
    import onnx_ir

    training = training_means(module)
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


def _source(value: Any) -> Any:
    """What a value is the same as."""
    while value is not None and value.producer() is not None and value.producer().op_type == "Identity":
        value = value.producer().inputs[0]
    return value


def calls(graph: Any) -> collections.Counter[str]:
    """How often batch norms that train run in forward, by the names of their running means."""
    return collections.Counter(node.inputs[3].name for node in graph
                               if node.op_type == "BatchNormalization" and "training_mode" in node.attributes)
