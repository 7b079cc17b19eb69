"""What a module of PyTorch does and its exported model cannot say: refused or warned of, never lost in silence.

The format of ONNX has values and no gradients: it knows no backward of one's own, no label smoothing, and no parameter
that is not trained. torch.export's graph, from which the model is written, still has most of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Container, Iterator, Sequence
from typing import Any

from ._errors import CompileError, warn

__all__ = ["check_graph", "check_names", "check_trains", "frozen", "own_backwards", "place", "warn_of_rules"]


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


@contextlib.contextmanager
def own_backwards() -> Iterator[None]:
    """Refuses torch.autograd.Function with a backward of its own while the model is exported."""
    import torch

    function = torch.autograd.Function
    apply = function.__dict__["apply"]
    found: list[str] = []

    def record(cls: Any, *given: Any, **named: Any) -> Any:
        if not cls.__module__.startswith("torch."):
            found.append(cls.__qualname__)
        return apply.__get__(None, cls)(*given, **named)

    function.apply = classmethod(record)
    try:
        yield
    finally:
        function.apply = apply
    if found:
        _refuse(f"'{found[0]}' is a torch.autograd.Function, whose own backward the exported model does not have")


def place(node: Any) -> str:
    """Where the user's line is that made a node: "net.py:12 `h = h.detach()`"."""
    lines = [line.strip() for line in (node.meta.get("stack_trace") or "").splitlines()]
    for i in range(len(lines) - 1, -1, -1):
        if lines[i].startswith("File "):
            file, line, *_ = lines[i].removeprefix("File ").split(", ")
            code = f" `{lines[i + 1]}`" if i + 1 < len(lines) else ""
            return f" ({file.strip(chr(34))}:{line.removeprefix('line ')}{code})"
    return ""


def _ancestors(node: Any) -> set[Any]:
    found, waiting = set(), [node]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += node.all_input_nodes
    return found


def check_graph(program: Any, loss: int) -> None:
    """Refuses what stands before output number ``loss`` of a torch.export.ExportedProgram, and has no word in ONNX's
    format."""
    outputs = [spec.arg for spec in program.graph_signature.output_specs if spec.kind.name == "USER_OUTPUT"]
    nodes = {node.name: node for node in program.graph.nodes}
    if loss >= len(outputs) or getattr(outputs[loss], "name", None) not in nodes:
        return
    parts = [part.graph for part in program.graph_module.modules() if hasattr(part, "graph")]
    inner = [node for graph in parts if graph is not program.graph for node in graph.nodes]  # as in torch.autocast
    wanted = _ancestors(nodes[outputs[loss].name])
    for node in [node for node in program.graph.nodes if node in wanted] + inner:
        smoothing = node.args[5] if len(node.args) > 5 else node.kwargs.get("label_smoothing")
        if "aten.cross_entropy_loss" in str(node.target) and smoothing:
            _refuse(f"the exported model has no label smoothing{place(node)}; let the module return its logits, and "
                    f"give loss=\"cross_entropy,label_smoothing={smoothing}\"")


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


def warn_of_rules(module: Any, program: Any) -> None:
    """Warns of what PyTorch does beside gradients, and the program will not."""
    import torch

    norms = torch.nn.modules.batchnorm._BatchNorm
    counted = {f"{name}.{buffer}" if name else buffer for name, part in module.named_modules()
               if isinstance(part, norms) for buffer, _ in part.named_buffers(recurse=False)}
    for name in sorted(set(program.graph_signature.buffers_to_mutate.values()) - counted):
        warn(f"buffer '{name}' is changed in forward, and keeps its value in the program: ONNX's format has no word "
             "for it")
    for name, part in module.named_modules():
        if getattr(part, "padding_idx", None) is not None:
            warn(f"'{name}' has padding_idx={part.padding_idx}, a row that PyTorch does not train: ONNX's format has "
                 "no word for it, and the program trains it")
        if getattr(part, "scale_grad_by_freq", False):
            warn(f"'{name}' has scale_grad_by_freq, which the program does not know: its gradients are not scaled")
    for name, value in module.named_parameters():
        if value._backward_hooks or getattr(value, "_post_accumulate_grad_hooks", None):
            warn(f"parameter '{name}' has hooks of its gradient, which the program does not run")
