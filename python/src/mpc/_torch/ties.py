"""Tied parameters: one of a module that has more than one name, as a head that is the table of an embedding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

__all__ = ["name_as_module", "with_all_names"]

_Value = TypeVar("_Value")

_SIGNATURE = "pkg.torch.export.ExportedProgram.graph_signature"  # in which an exported model keeps what is a parameter


def _first_names(module: Any) -> dict[str, str]:
    """Of each name the first that its parameter has, by which named_parameters() and optimizers know it."""
    first: dict[int, str] = {}
    return {name: first.setdefault(id(value), name) for name, value in module.named_parameters(remove_duplicate=False)}


def name_as_module(model: Any, module: Any) -> None:
    """Gives tied parameters of an exported model, which have the last of their names, the first, and the exporter's
    signature the same: it tells which of a model's tensors are parameters, and which of them were lost."""
    for name, first in _first_names(module).items():
        if name != first and name in model.graph.initializers and first not in model.graph.initializers:
            model.graph.initializers[name].name = first
            signature = model.graph.metadata_props.get(_SIGNATURE, "")
            swapped = {f" target='{name}'": f" target='{first}'", f" target='{first}'": f" target='{name}'"}
            lines = [line.replace(found, swapped[found], 1) if (found := _target(line)) in swapped else line
                     for line in signature.split("\n")]
            if signature:
                model.graph.metadata_props[_SIGNATURE] = "\n".join(lines)


def _target(line: str) -> str:
    """Of "p_head_weight: PARAMETER target='head.weight'" what is behind the kind."""
    begin = line.find(" target='")
    end = line.find("'", begin + len(" target='"))
    return line[begin:end + 1] if 0 <= begin < end else ""


def with_all_names(values: Mapping[str, _Value], module: Any) -> dict[str, _Value]:
    """Values by names of the module's, in which tied ones have all of theirs."""
    first = _first_names(module)
    by_first = {first[name]: value for name, value in values.items() if name in first}
    return {**values, **{name: by_first[one] for name, one in first.items() if one in by_first and name not in values}}
