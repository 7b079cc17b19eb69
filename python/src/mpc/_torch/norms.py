"""Batch norms of an exported module: those that train, by how PyTorch's graph calls them."""

from __future__ import annotations

import collections
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

from .._errors import warn
from . import audit, traces

__all__ = ["calls", "leave_strangers", "mark", "mark_readers", "statistics", "training_means", "updated",
           "warn_of_batches", "warn_of_buffers", "warn_of_counts", "warn_of_readers"]

_READ = "mpc.statistics"  # the metadata by which the importer knows running statistics that a model reads, one a line


def mark(graph: Any, module: Any, traced: Any) -> None:
    """PyTorch writes batch norms as they run after training; those that train get their word. ``traced``: a torch.export
    .ExportedProgram, or None."""
    import onnx_ir

    trained = {**dict.fromkeys(training_means(module), True), **{name: trains for _, name, trains in _calls(traced)}}
    norms = [node for node in graph if node.op_type == "BatchNormalization"]
    for node in norms:
        for i in (3, 4):  # where a module is called again they are what the call before has made
            node.replace_input_with(i, _source(node.inputs[i]))
    norms = [node for node in norms if node.inputs[3] is not None]
    called = [(names.get(node.args[3]), bool(node.args[5])) for node, names in _nodes(traced)  # None: a copy of one
              if str(node.target) == "aten.batch_norm.default" and node.args[3] is not None]
    named = [node.inputs[3].name for node in norms]
    if len(called) != len(norms) or any(name not in (None, own) for (name, _), own in zip(called, named)):
        called = [(name, trained.get(name, False)) for name in named]
    for node, (_, trains) in zip(norms, called):
        if trains:
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
    for node, names in _nodes(traced):
        if str(node.target) == "aten.batch_norm.default" and node.args[3] in names:
            yield node, names[node.args[3]], bool(node.args[5])


def _nodes(traced: Any, of: Callable[[Any], Iterable[Any]] = traces.nodes) -> Iterator[tuple[Any, dict[Any, str]]]:
    """Nodes that results come of, or others ``of`` a graph, in graphs within, too, and the names of the buffers there, by
    their nodes."""
    if traced is None:
        return
    names = traced.graph_signature.inputs_to_buffers
    yield from _nodes_of(traced.graph_module, {node: names[node.name] for node in traced.graph.nodes
                                               if node.name in names}, of)


def _nodes_of(part: Any, names: dict[Any, str], of: Callable[[Any], Iterable[Any]]) -> Iterator[tuple[Any, dict[Any, str]]]:
    import torch

    for node in of(part.graph):
        yield node, names
        for value in node.all_input_nodes:  # graphs, as of torch.no_grad(), that take the last of the node's arguments
            inner = getattr(part, value.target, None) if value.op == "get_attr" else None
            if isinstance(inner, torch.fx.GraphModule):
                takes = [each for each in inner.graph.nodes if each.op == "placeholder"]
                given = torch.utils._pytree.tree_leaves(node.args)[-len(takes):] if takes else []
                yield from _nodes_of(inner, {own: names[value] for own, value in zip(takes, given) if value in names},
                                     of)


def leave_strangers(traced: Any, told: bool) -> None:
    """Batch norms that train, and whose running statistics are no buffers of the module, normalize by their batch
    alone: the exporter would write them by the numbers that these statistics are. ``traced``: a
    torch.export.ExportedProgram, or None; ``told``: with a warning of those that PyTorch keeps, a part of a buffer or a
    parameter."""
    for node, names in _nodes(traced):
        if _updates(node):
            node.args = (*node.args[:3], *(_whole(value, names) for value in node.args[3:5]), *node.args[5:])
    found = [(node, names) for node, names in _nodes(traced) if _updates(node)
             and not all(value is None or value in names for value in node.args[3:5])]
    for node, _ in found:
        kept = [traces.memory_of(value) for value in node.args[3:5] if value is not None]
        node.args = (*node.args[:3], None, None, *node.args[5:])
        if told and any(value.op == "placeholder" for value in kept):
            warn("a batch norm has running statistics that are no buffer of the module as it is, but a part of one, one that "
                 "is changed before, or a parameter: it normalizes by its batch, and they keep their values"
                 f"{audit.place(node)}")
    for part in traced.graph_module.modules() if found else ():
        if hasattr(part, "recompile"):
            part.recompile()


def _whole(value: Any, names: Container[Any]) -> Any:
    """The buffer of which ``value`` is another name, as behind detach() or a float() that changes nothing; else itself."""
    base = value
    while base is not None and base not in names and traces.memory_of(base) is not base:
        before = base.args[0]
        if not _is_name_of(base, before):
            return value
        base = before
    return base if base in names else value


def _is_name_of(value: Any, other: Any) -> bool:
    import torch

    one, two = value.meta.get("val"), other.meta.get("val")
    changes = getattr(getattr(value.target, "_schema", None), "is_mutable", False)
    return not changes and isinstance(one, torch.Tensor) and isinstance(two, torch.Tensor) and one.shape == two.shape \
        and one.dtype == two.dtype and one.stride() == two.stride()


def warn_of_buffers(module: Any, traced: Any, made: Any) -> None:
    """Of buffers that forward changes, but for what its batch norms do. ``traced``: a torch.export.ExportedProgram, or
    None; ``made``: the torch.onnx.ONNXProgram of that."""
    import torch

    known = updated(traced) if traced is not None else {
        node.inputs[i].name for node in made.model.graph if node.op_type == "BatchNormalization"
        and "training_mode" in node.attributes for i in (3, 4)}
    changed = set(made.exported_program.graph_signature.buffers_to_mutate.values()) - known
    read = {node for node, _ in _nodes(traced)}
    for node, names in _nodes(traced, lambda graph: graph.nodes):  # also those that a batch norm updates, too
        if getattr(getattr(node.target, "_schema", None), "is_mutable", False) and traces.memory_of(node) in names:
            changed.add(names[traces.memory_of(node)])
        elif _updates(node) and node not in read:  # another call of it, whose result nothing reads
            changed |= {names[value] for value in node.args[3:5] if value in names}
    for name in sorted(changed):
        if name in known:
            warn(f"buffer '{name}' is changed in forward beside its batch norm, and the program knows the batch norm's "
                 "update alone: ONNX's format has no word for others")
        elif not name.endswith("num_batches_tracked"):
            warn(f"buffer '{name}' is changed in forward, and keeps its value in the program: ONNX's format has no word "
                 "for it, nor for a batch norm whose result nothing reads")
    for name, part in module.named_modules():
        if isinstance(part, torch.nn.modules.instancenorm._InstanceNorm) and part.training and part.track_running_stats:
            warn(f"'{name}' has track_running_stats: the program normalizes by each image, also where it predicts, and its "
                 "running statistics keep their values, since ONNX's format has none for instance norms")


def warn_of_counts(module: Any, *traced: Any) -> None:
    """Of counts of batches that forward reads. ``traced``: torch.export.ExportedPrograms of it, or None."""
    import torch

    counts = {f"{name}.num_batches_tracked" if name else "num_batches_tracked" for name, part in module.named_modules()
              if isinstance(part, torch.nn.modules.batchnorm._BatchNorm)}
    found = dict[str, Any]()
    for program in traced:
        for node, names in _nodes(program):
            for value in map(traces.memory_of, node.all_input_nodes):
                # What a graph within gives out is the count, too.
                if names.get(value) in counts and node.op != "output" and "aten.add_" not in str(node.target) \
                        and not _has_graph(node):
                    found.setdefault(names[value], node)
    for name, node in sorted(found.items()):
        warn(f"'{name}' is read in forward, and is no state of the program: it keeps its value there"
             f"{audit.place(node)}")


def updated(traced: Any) -> set[str]:
    """The running statistics that batch norms update. ``traced``: a torch.export.ExportedProgram of a module in
    training mode, or None."""
    return {names[value] for node, names in _nodes(traced) if _updates(node)
            for value in node.args[3:5] if value in names}


def statistics(module: Any) -> set[str]:
    """All that its batch norms have, in whatever mode."""
    import torch

    return {f"{name}.{word}" if name else word for name, part in module.named_modules()
            if isinstance(part, torch.nn.modules.batchnorm._BatchNorm) for word in ("running_mean", "running_var")}


def _updates(node: Any) -> bool:
    return str(node.target) == "aten.batch_norm.default" and bool(node.args[5])


def _has_graph(node: Any) -> bool:
    """Whether it runs a graph, whose own nodes read what it is given."""
    return any(value.op == "get_attr" for value in node.all_input_nodes)


def mark_readers(model: Any, traced: Any, kept: Container[str]) -> None:
    """Names in a model those of ``kept`` that forward reads itself: to a program that is their value then, and that
    of no constant. ``traced``: the torch.export.ExportedProgram that it was made of, or None."""
    found = {names[value] for node, names in _nodes(traced) if not _reads_states(node, names)
             for value in node.all_input_nodes if names.get(value) in kept and not _has_graph(node)}
    if found:
        model.metadata_props[_READ] = "\n".join(sorted(found))


def _reads_states(node: Any, names: Container[Any]) -> bool:
    """Whether it is a batch norm by running statistics that are those of the module, both."""
    return str(node.target) == "aten.batch_norm.default" and all(value in names for value in node.args[3:5])


def warn_of_readers(traced: Any) -> None:
    """Of running statistics that forward reads once batch norms have updated them: in a step, at the end of which a
    program updates them, that is another value. ``traced``: a torch.export.ExportedProgram, or None."""
    before = set[str]()
    found = dict[str, Any]()
    for node, names in _nodes(traced):
        read = [names[value] for value in map(traces.memory_of, node.all_input_nodes) if value in names]  # also a view
        if _updates(node):
            before.update(read)
        elif not _has_graph(node):
            for name in before.intersection(read):
                found.setdefault(name, node)
    for name, node in sorted(found.items()):
        warn(f"running statistic '{name}' is read in forward behind the batch norm that updates it: PyTorch reads the "
             "new value, and the program, which updates it at the end of a step, that of the step before"
             f"{audit.place(node)}")


def warn_of_batches(evaluated: Any) -> None:
    """``evaluated``: the torch.export.ExportedProgram of a module in eval mode, or None."""
    for node, name, trains in _calls(evaluated):
        if trains:
            warn(f"the batch norm of '{name}' normalizes by its batch where it is evaluated, too, and the program by its "
                 f"running statistics: without these it takes those of the batch{audit.place(node)}")


def _source(value: Any) -> Any:
    """What a value is the same as."""
    while value is not None and value.producer() is not None and value.producer().op_type == "Identity":
        value = value.producer().inputs[0]
    return value


def calls(made: Any) -> collections.Counter[str]:
    """How often batch norms that train run in forward, by the names of their running means, of those that count it: not
    where F.batch_norm is called by hand. ``made``: a torch.onnx.ONNXProgram."""
    changed = set(made.exported_program.graph_signature.buffers_to_mutate.values())
    return collections.Counter(node.inputs[3].name for node in made.model.graph
                               if node.op_type == "BatchNormalization" and "training_mode" in node.attributes
                               and node.inputs[3].name.removesuffix("running_mean") + "num_batches_tracked" in changed)
