"""Modes of PyTorch around parts of a module while it is exported: those that torch.export's graph would lose.

torch.no_grad() becomes a graph of its own there. torch.inference_mode() leaves nothing, and torch.no_grad() inside of
torch.autocast is lost when that becomes one.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from .._errors import CompileError

__all__ = ["Modes", "kept"]


class Modes:
    """What was found while a module ran for the export."""

    def __init__(self) -> None:
        self.casts = 0  # torch.autocast that one is in
        self.stopped_in_cast = ""
        self.cast = self.inference = False

    def check(self, traced: bool, strict: bool) -> None:
        """Refuses what the graph has lost. ``traced``: torch.export took the module, here, and not PyTorch's exporter
        by ways of its own; ``strict``: by that way, in which modes are not seen here."""
        if self.stopped_in_cast:
            _refuse(f"torch.export loses torch.no_grad() inside of torch.autocast{self.stopped_in_cast}, through which "
                    "gradients would flow; torch.autocast inside of torch.no_grad() is kept")
        way = "torch.export.export(module, ..., strict=False) must take the module"
        if strict and self.inference:
            _refuse(f"the exporter has lost torch.inference_mode(), through which gradients would flow: {way}")
        if strict and self.cast:
            _refuse(f"the exporter loses torch.no_grad() inside of torch.autocast, which the module has: {way}")
        if not traced:
            _refuse(f"the exporter has lost detach() and torch.no_grad(), through which gradients would flow: {way}")


def _refuse(what: str) -> None:
    raise CompileError(f"error: the model cannot be trained as PyTorch trains it: {what}")


def _place() -> str:
    """The user's line that runs."""
    import torch

    own = (os.path.dirname(torch.__file__), os.path.dirname(os.path.dirname(__file__)), contextlib.__file__)
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(own):
        frame = frame.f_back
    return f" ({frame.f_code.co_filename}:{frame.f_lineno})" if frame is not None else ""


@contextlib.contextmanager
def _replaced(owner: Any, **made: Any) -> Iterator[None]:
    own = {name: owner.__dict__[name] for name in made}
    for name, value in made.items():
        setattr(owner, name, value)
    try:
        yield
    finally:
        for name, value in own.items():
            setattr(owner, name, value)


@contextlib.contextmanager
def kept() -> Iterator[Modes]:
    """torch.inference_mode() stops gradients as torch.no_grad() does, which the graph has, and torch.no_grad() inside
    of torch.autocast is remembered."""
    import torch

    modes, grad_mode = Modes(), torch.autograd.grad_mode
    cast, inference, grad = torch.amp.autocast_mode.autocast, grad_mode.inference_mode, grad_mode.set_grad_enabled
    enter_cast, leave_cast, set_grad = cast.__enter__, cast.__exit__, grad.__init__
    enter_inference = grad_mode._enter_inference_mode

    def into_cast(self: Any) -> Any:
        modes.cast = True
        modes.casts += 1
        return enter_cast(self)

    def out_of_cast(self: Any, *error: Any) -> Any:
        modes.casts -= 1
        return leave_cast(self, *error)

    def change(self: Any, mode: bool) -> None:
        if modes.casts and not mode and torch.is_grad_enabled():
            modes.stopped_in_cast = modes.stopped_in_cast or _place()
        set_grad(self, mode)

    def into_inference(self: Any) -> None:
        modes.inference |= self.mode
        self._inference_mode_context = grad(not self.mode)
        self._inference_mode_context.__enter__()

    def compiled_inference(mode: bool) -> Any:  # of torch.compile's way through the module
        modes.inference |= mode
        return enter_inference(mode)

    with _replaced(cast, __enter__=into_cast, __exit__=out_of_cast), _replaced(grad, __init__=change), \
            _replaced(inference, __enter__=into_inference), \
            _replaced(grad_mode, _enter_inference_mode=compiled_inference):
        yield modes
