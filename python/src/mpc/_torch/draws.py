"""Random numbers that a module draws where it is evaluated, too: Monte-Carlo dropout, noise of its own.

In ONNX's format a node draws or does not; it has no word for numbers that training alone draws, as those of dropout are.
So nodes that PyTorch runs in eval mode, too, are marked by metadata, ``mpc.drawn``, and the compiler takes all other
dropout for what evaluation leaves out.
"""

from __future__ import annotations

import collections
import re
import sys
from collections.abc import Iterator
from typing import Any

__all__ = ["is_marked", "mark", "mark_all"]

_KEY = "mpc.drawn"
_TYPES = ("Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
          "RandomUniformLike")
_Stack = tuple[tuple[str, int, str], ...]  # files, lines and functions, the outermost first


def _nodes(model: Any) -> Iterator[Any]:
    """The nodes of an onnx_ir.Model that draw."""
    for graph in (model.graph, *model.functions.values()):
        yield from (node for node in graph.all_nodes() if node.op_type in _TYPES)


def is_marked(model: Any) -> bool:
    """Whether anything is drawn where the model is evaluated."""
    return any(_KEY in node.metadata_props for node in _nodes(model))


def mark_all(model: Any) -> None:
    """Of a module that was exported in eval mode."""
    for node in _nodes(model):
        node.metadata_props[_KEY] = "always"


def mark(model: Any, module: Any, example_inputs: tuple[Any, ...]) -> list[str]:
    """Marks what ``module``, which is in eval mode, draws when it is run: by the lines that it comes from. A module that
    does not run so draws nothing there. Returns warnings: of lines that draw now and then."""
    told: list[str] = []
    nodes: dict[_Stack, list[Any]] = {}
    for node in _nodes(model):
        nodes.setdefault(_stack_of(node), []).append(node)
    if not nodes:
        return told
    found = _run(module, example_inputs)
    unknown = [node for stack in [*nodes] if not _is_of_module(stack) for node in nodes.pop(stack)]
    others = sum(count for run, count in found.items() if not any(_is_same(stack, run) for stack in nodes))
    if unknown and others:  # they are what is left
        if others != len(unknown):
            told.append(f"of {len(unknown)} calls under torch.no_grad() that draw random numbers, PyTorch makes {others} "
                        "where the module is evaluated; the program makes all of them")
        for node in unknown:
            node.metadata_props[_KEY] = "always"
    for stack, drawing in nodes.items():
        times = sum(count for other, count in found.items() if _is_same(stack, other))
        calls = {node.metadata_props.get("pkg.torch.onnx.fx_node", node.name) for node in drawing}
        if times and times != len(calls):
            file, line, _ = stack[-1]
            told.append(f"of {len(calls)} calls that draw random numbers, PyTorch makes {times} where the module is "
                        f"evaluated; the program makes all of them ({file}:{line})")
        for node in drawing if times else ():
            node.metadata_props[_KEY] = "always"
    return told


def _stack_of(node: Any) -> _Stack:
    text = node.metadata_props.get("pkg.torch.onnx.stack_trace", "")
    found = re.findall(r'File "(.*)", line (\d+), in (.*)', text)
    return tuple((file, int(line), name) for file, line, name in found)


def _is_of_module(stack: _Stack) -> bool:
    """Whether it has lines of the module, which graphs within that of torch.export, as of torch.no_grad(), do not have."""
    return bool(stack) and not stack[-1][0].startswith("<eval_with_key>")


def _is_same(traced: _Stack, run: _Stack) -> bool:
    """Whether a call of the exported model is one that ran: the former has the calls of modules' forward alone."""
    rest = iter(run)
    return bool(traced) and all(frame in rest for frame in traced) and \
        all(frame in traced for frame in run if frame[2] == "forward")


def _draws(function: Any, args: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether an operator draws random numbers, with these arguments."""
    import torch

    if torch.Tag.nondeterministic_seeded not in function.tags:
        return False
    for number, argument in enumerate(function._schema.arguments):
        if argument.name in ("train", "training", "dropout_p"):
            value = args[number] if number < len(args) else named.get(argument.name, argument.default_value)
            return value is None or bool(value)
    return True


def _run(module: Any, example_inputs: tuple[Any, ...]) -> collections.Counter[_Stack]:
    """Where the module draws, and how often."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    found: collections.Counter[_Stack] = collections.Counter()

    class Recorder(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (),
                               kwargs: Any = None) -> Any:
            if _draws(func, args, kwargs or {}):
                stack, frame = [], sys._getframe(1)
                while frame is not None and frame.f_code is not _run.__code__:
                    stack.append((frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name))
                    frame = frame.f_back  # type: ignore[assignment]
                found[tuple(reversed(stack))] += 1
            return func(*args, **(kwargs or {}))

    with torch.random.fork_rng(), torch.no_grad(), Recorder():
        try:
            module(*example_inputs)
        except Exception:  # noqa: BLE001, of any kind: nobody has asked to evaluate it
            found.clear()
    return found
