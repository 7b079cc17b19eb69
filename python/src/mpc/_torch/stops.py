"""Stopped gradients on their way into ONNX's format, which knows values alone: nodes ``mpc.StopGradient``.

torch.export's graph has them: ``detach()`` is a node, and what torch.no_grad() was around is a graph of its own. The
exporter would drop both. So behind each stands a node of PyTorch's ``torch.onnx.ops.symbolic``, which it writes as it
is: of domain "mpc", which ``mpc-compile`` reads. To all others it is a function of the model, the identity.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._errors import CompileError

__all__ = ["define", "mark"]


def _refuse(node: Any, what: str, where: str = "") -> None:
    from .audit import place
    raise CompileError(f"error: the model cannot be trained as PyTorch trains it: {what}{where or place(node)}")


def _is_call(node: Any, *names: str) -> bool:
    return node.op == "call_function" and any(name in str(node.target) for name in names)


def _is_quiet(node: Any) -> bool:
    """A call of the graph that torch.no_grad() was around. (A block of torch.enable_grad() in it is none of it: it
    stands beside it.)"""
    return _is_call(node, "wrap_with_set_grad_enabled") and node.args[0] is False


def trained(program: Any) -> set[Any]:
    """Nodes that depend on a parameter."""
    parameters = program.graph_signature.inputs_to_parameters
    return _dependent(program.graph, {node for node in program.graph.nodes if node.name in parameters})


def _dependent(graph: Any, found: set[Any]) -> set[Any]:
    for node in graph.nodes:
        if any(given in found for given in node.all_input_nodes):
            found.add(node)
    return found


def _is_detached(node: Any) -> bool:
    return _is_call(node, "aten.detach.", "aten.detach_.")


def _inner(module: Any, call: Any, found: set[Any]) -> Iterator[tuple[Any, set[Any]]]:
    """The graphs that a node calls (torch.autocast, torch.cond) in ``module``, and their nodes that depend on a parameter: operands
    stand last, in the order of the inputs."""
    from torch.utils._pytree import tree_leaves

    given = tree_leaves((call.args, call.kwargs))
    for called in call.all_input_nodes:
        part: Any = getattr(module, called.target, None) if called.op == "get_attr" else None
        if hasattr(part, "graph"):
            inputs = [node for node in part.graph.nodes if node.op == "placeholder"]
            known = {own for own, outer in zip(reversed(inputs), reversed(given))
                     if hasattr(outer, "all_input_nodes") and outer in found}
            yield part, _dependent(part.graph, known)


def _stops_inside(module: Any, call: Any, found: set[Any]) -> Iterator[Any]:
    """The stopped gradients in graphs that a node calls; a block without gradients stops all that is in it."""
    for part, known in _inner(module, call, found):
        for node in part.graph.nodes:
            if node in known and node.users and (_is_detached(node) or _is_quiet(node)):
                yield node
            elif node in known and not _is_quiet(node):
                yield from _stops_inside(part, node, known)


def _changed(node: Any) -> Iterator[Any]:
    """The operands that a node changes in place."""
    schema = getattr(node.target, "_schema", None) if node.op == "call_function" else None
    for number, argument in enumerate(schema.arguments if schema else ()):
        if argument.alias_info is not None and argument.alias_info.is_write and number < len(node.args):
            yield node.args[number]


def _origin(node: Any) -> Any:
    """The node in whose memory the value of ``node`` lies."""
    while node.op == "call_function" and node.args and hasattr(node.args[0], "all_input_nodes"):
        schema = getattr(node.target, "_schema", None)
        if schema is None or not any(result.alias_info is not None for result in schema.returns):
            break
        node = node.args[0]
    return node


def _check_quiet(graph: Any, body: Any, call: Any, found: set[Any]) -> None:
    """Refuses a block without gradients that changes what has some, or what is read behind it: the exported model has
    the change as a value of its own, through which gradients would flow."""
    given = dict(zip((node for node in body.nodes if node.op == "placeholder"), call.args[2:]))
    later = list(graph.nodes)
    later = later[later.index(call) + 1:]
    for node in body.nodes:
        for changed in _changed(node):
            outer = given.get(_origin(changed))
            if outer is None:
                continue
            if _origin(outer) in found:
                _refuse(node, "a parameter, or a value that has a gradient, is changed in place under torch.no_grad()")
            if any(_origin(read) is _origin(outer) for user in later if not _is_quiet(user) and user.op != "output"
                   for read in user.all_input_nodes):
                _refuse(node, "a value is changed in place under torch.no_grad() and read behind it")


def _check_changes(graph: Any, stops: set[Any]) -> None:
    """Refuses values that are detached and then changed in place: the change would have to be seen by both."""
    detached: set[Any] = set()
    for node in graph.nodes:
        if _is_call(node, "aten.embedding_renorm_."):
            _refuse(node, "an embedding has max_norm, which scales rows of its weight in place before they are read; "
                    "ONNX's format has no word for it")
        for changed in _changed(node):
            if _origin(changed) in detached:
                _refuse(node, "a value that was detached is changed in place, and so is what it was detached from; "
                        "detach().clone() makes it another's")
        if node in stops:
            detached.add(_origin(node))


def _returns_operand(node: Any) -> bool:
    """Whether a call gave back the very tensor that it was called with, gradient and all: a conversion to the type it
    has, a dropout that drops nothing."""
    if _is_call(node, "aten.dropout.", "aten.alpha_dropout.", "aten.feature_dropout.", "aten.feature_alpha_dropout."):
        return bool(not node.args[2] or node.args[1] == 0)
    if _is_call(node, "aten.to.", "aten.type_as.", "aten.contiguous."):
        given, made = node.args[0].meta["val"], node.meta["val"]
        # Of `to`, ``copy`` is the argument before the last, or a keyword.
        copies = node.kwargs.get("copy") or (_is_call(node, "aten.to.") and True in node.args[3:])
        return not copies and bool(given.dtype == made.dtype and given.stride() == made.stride())
    return False


def _is_operand(value: Any) -> bool:
    """Whether a value of a graph is an operand of it."""
    while value.op == "call_function" and _returns_operand(value):
        value = value.args[0]
    return bool(value.op == "placeholder")


def _results(module: Any, call: Any) -> list[Any]:
    """The tensors that the call of a graph without gradients has made."""
    body = getattr(module, call.args[1].target).graph
    made = next(node for node in body.nodes if node.op == "output").args[0]
    return [user for user in call.users if _is_call(user, "getitem") and not _is_operand(made[user.args[1]])]


def mark(program: Any) -> bool:
    """Puts a node that stops gradients behind each value of a torch.export.ExportedProgram that was detached, or was
    computed under torch.no_grad(), of a parameter; whether there was one. Raises CompileError for what in-place
    changes make of them, and of those in graphs that are called, but for what is detached in torch.autocast: they
    would need more than a node."""
    found = _mark(program.graph_module, trained(program))
    if found:
        program.graph_module.recompile()
    return found


def _is_cast(node: Any) -> bool:
    return _is_call(node, "wrap_with_autocast")


def _mark_cast(module: Any, call: Any, found: set[Any]) -> bool:
    """The same of the graph that torch.autocast was around, which runs once, where it is called. What a detached value
    shares its memory with does not leave it, or stays as it is."""
    marked = False
    for part, known in _inner(module, call, found):
        for node in part.graph.nodes:
            if node in known and _is_quiet(node):
                _refuse(node, "torch.no_grad() inside of torch.autocast; torch.autocast inside of torch.no_grad() is "
                        "kept")
        marked |= _mark(part, known)
    changed = [other for other in call.graph.nodes for value in _changed(other)
               if _origin(value) in call.args or any(value is user for user in call.users)]
    if marked and changed:
        _refuse(changed[0], "a value that goes into torch.autocast, or comes out of it, with detach() inside, is changed "
                "in place; clone() makes it another's")
    return marked


def _mark(module: Any, found: set[Any]) -> bool:
    """Of one graph, with those in it. ``found``: its nodes that depend on a parameter."""
    graph, marked = module.graph, False
    for call in graph.nodes:
        if call not in found or _is_quiet(call):
            continue
        if _is_cast(call):
            marked |= _mark_cast(module, call, found)
            continue
        for node in _stops_inside(module, call, found):
            _refuse(node, "detach() or torch.no_grad() inside of torch.cond or another block that PyTorch exports as a "
                    "graph of its own; it must stand outside of it")
    detached = {node for node in graph.nodes if _is_detached(node)}
    calls = [node for node in graph.nodes if _is_quiet(node)]
    stops = [node for node in detached if node in found]
    for call in calls:
        if call in found:
            _check_quiet(graph, getattr(module, call.args[1].target).graph, call, found)
            stops += _results(module, call)
    for node in stops:
        if not hasattr(node.meta["val"], "is_floating_point") and node.users:
            _refuse(node, "a number of Python is computed from a parameter under torch.no_grad(), as by item(); "
                    "without item() it stays a tensor")
    stops = [node for node in stops if node.users and node.meta["val"].is_floating_point()]
    if stops:
        _check_changes(graph, detached & found)
    for node in stops:
        with graph.inserting_after(node):
            stop = _make(graph, node)
        node.replace_all_uses_with(stop, delete_user_cb=lambda user, own=stop: user is not own)
    if stops or marked:
        module.recompile()
    return bool(stops) or marked


def _make(graph: Any, node: Any) -> Any:
    """What torch.onnx.ops.symbolic("mpc::StopGradient", (x,), dtype=x.dtype, shape=x.shape, version=1) becomes."""
    import torch
    from torch.onnx.ops import _TORCH_DTYPE_TO_ONNX_DTYPE as types

    value = node.meta["val"]
    no_attributes: dict[str, Any] = {f"attr_{name}": [] for name in ("keys", "types", "pos", "ints", "floats", "strs")}
    stop = graph.call_function(
        torch.ops.onnx_symbolic._symbolic.default, ([node], "StopGradient", types[value.dtype]),
        {"shape": list(value.shape), **no_attributes, "metadata_props_keys": [], "metadata_props_values": [],
         "domain": "mpc", "version": 1})
    stop.meta = dict(node.meta)
    return stop


def define(model: Any) -> None:
    """Adds to an onnx_ir.Model what a node that stops gradients is to others: the identity."""
    import onnx_ir

    given, result = onnx_ir.Value(name="x"), onnx_ir.Value(name="y")
    body = onnx_ir.Graph([given], [result], nodes=[onnx_ir.Node("", "Identity", [given], outputs=[result])],
                         opset_imports={"": model.opset_imports[""]})
    function = onnx_ir.Function("mpc", "StopGradient", graph=body, attributes=())
    model.functions[function.identifier()] = function
    model.opset_imports["mpc"] = 1
