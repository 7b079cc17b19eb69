"""A module of PyTorch that computes something else where it is evaluated: a program of its own predicts it.

A program predicts by the graph that it trains, without dropout and by the running statistics of its batch norms. What
forward asks self.training for beside that is another graph, that of the module in eval mode: it is compiled for
prediction, and gets the parameters of the training before it runs.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

from .._errors import CompileError, CompileWarning, MpcError, warn
from .._program import OptionValue, Program, compile
from .._session import Session
from .._tensors import convert, to_torch
from . import traces

__all__ = ["Evaluation", "compile_prediction", "warn_of_difference", "warn_of_values"]

# Of the options of a training those that say what a prediction is, and where.
_OPTIONS = ("arch", "autocast", "batch", "cache_dir", "cuda_path", "dim", "keep_normalization", "lint", "lists", "output",
            "policy", "policy_file", "precision", "precision_profile", "profile", "profile_flush", "profile_overflow",
            "rounding", "shared_cache", "target")


class Evaluation:
    """A session of the program of a module in eval mode."""

    def __init__(self, made: Any, session: Session) -> None:
        """``made``: the torch.onnx.ONNXProgram that the program of ``session`` was compiled from."""
        self.made = made
        self.session = session
        self._changes = -1  # of the training that have been taken

    def take(self, training: Session, states: Callable[[], Mapping[str, Any]]) -> None:
        """Parameters and running statistics of a training, by the module's names, if they may have changed. What training
        does not read keeps the value that the module had."""
        changes = training._changes
        if changes == self._changes:
            return
        trained = states()
        for name in self.session._kept(parameters_only=True):
            if name in trained:
                self.session.set_state(name, convert(trained[name], self.session.program.states[name].dtype))
        self._changes = changes


def compile_prediction(path: pathlib.Path, loss: Union[str, None], options: Mapping[str, OptionValue]) -> Program:
    """The program of a model in eval mode, by what ``options`` of a training say of it; with the loss, if it can be."""
    kept = {key: value for key, value in options.items() if key.replace("-", "_") in _OPTIONS}
    with warnings.catch_warnings():  # which the training has told
        warnings.filterwarnings("ignore", category=CompileWarning)
        try:
            return compile(path, name="model.onnx", loss=loss, inference=True, **kept)
        except CompileError:  # of outputs that are no logits, say
            return compile(path, name="model.onnx", inference=True, **kept)


def warn_of_difference(module: Any, example_inputs: Sequence[Any], path: Union[str, os.PathLike[str]], *,
                       there: Union[str, None], then: str) -> None:
    """Warns, and of what comes of it, ``then``, unless the model at ``path`` is seen to predict what ``module`` does where
    it is evaluated. ``there``: where it computes something else in its graph of eval mode; None if it has none, so that
    numbers are all that is seen of it."""
    same = _predicts_same(module, example_inputs, path)
    if there is None:
        warn("torch.export does not take the module in eval mode, or train() puts other parameters under a name, so that it "
             "may compute something else"
             f"{' (for the example inputs it gives the same numbers)' if same else ''}: {then}")
    elif not same:
        warn(f"the module computes something else where it is evaluated{there}: {then}")


def warn_of_values(module: Any, example_inputs: Sequence[Any]) -> None:
    """Of a module whose train() puts other values into its parameters to be evaluated, and computes something else by them:
    averages, rounded ones. One that merges parameters computes the same."""
    import torch

    if not traces.has_own_train(module):
        return
    with contextlib.suppress(Exception):  # a module that does not run
        with traces.running(module, train=True):
            before = [value.detach().clone() for value in (*module.parameters(), *module.buffers())]
            module.eval()
            after = (*module.parameters(), *module.buffers())
            if len(before) == len(after) and all(map(torch.equal, after, before)):
                return
            theirs = _outputs(module, example_inputs, seed=0)
        with traces.running(module, train=False):
            ours = _outputs(module, example_inputs, seed=0)
        if not _is_near(theirs, ours):
            warn("train() puts other values into parameters or buffers where the module is evaluated, and they give other "
                 "results: the program predicts by those that it trains")


def _predicts_same(module: Any, example_inputs: Sequence[Any], path: Union[str, os.PathLike[str]]) -> bool:
    """Whether both give the same numbers for the examples, and for others, up to rounding in f32; not if either has none to
    compare, as where random numbers are drawn."""
    import torch

    examples = [_telling(value) for value in example_inputs]
    others = [value * -3 if isinstance(value, torch.Tensor) and value.is_floating_point() else value for value in examples]
    try:
        expected = _evaluated(module, examples)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = compile(path, inference=True, precision="fp32")
            with program.session() as session:
                same = expected is not None and _is_near(expected, _predicted(session, examples))
                with contextlib.suppress(Exception):  # a module may refuse them
                    expected = _evaluated(module, others) if same else None
                    same = expected is not None and _is_near(expected, _predicted(session, others))
        return same
    except Exception:  # noqa: BLE001, of any kind: a module that does not run, an op that is none of the compiler's
        return False


def _evaluated(module: Any, inputs: Sequence[Any]) -> Union[list[Any], None]:
    """What the module returns, if that is the same twice."""
    runs = []
    for seed in range(2):
        with traces.running(module, train=False):
            runs.append(_outputs(module, inputs, seed))
    return runs[0] if _is_near(*runs) else None


def _outputs(module: Any, inputs: Sequence[Any], seed: int) -> list[Any]:
    import torch

    with torch.no_grad(), torch.random.fork_rng():
        torch.manual_seed(seed)
        made = module(*[value.clone() if isinstance(value, torch.Tensor) else value for value in inputs])
        return [value.detach().cpu().clone() for value in _leaves(made)]


def _predicted(session: Session, inputs: Sequence[Any]) -> list[Any]:
    names = [info.name for info in session.program.entry("forward").inputs]
    found = session.run(dict(zip(names, (value.detach().cpu().contiguous() for value in _leaves(inputs)))))
    return [to_torch(value) for value in found.values()]


def _leaves(made: Any) -> list[Any]:
    import torch

    return [value for value in torch.utils._pytree.tree_leaves(made) if isinstance(value, torch.Tensor)]


def _telling(value: Any) -> Any:
    """Examples that are one number, as torch.zeros(...), say little of a graph: others take their place."""
    import torch

    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.numel() < 2 \
            or bool((value != value.flatten()[0]).any()):
        return value
    numbers = torch.rand(value.shape, generator=torch.Generator().manual_seed(0))
    return numbers.to(value)


def _is_near(ones: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether tensors are the same up to rounding: a thousandth of the largest element, which is far more than layers in
    f32 make of it, and less than another function does; of 16 bits a fiftieth. Of integers all but one in a hundred are."""
    if len(ones) != len(others) or any(one.shape != other.shape for one, other in zip(ones, others)):
        return False
    for one, other in zip(ones, others):
        if not one.is_floating_point() or not other.is_floating_point():
            if bool((one != other).double().mean() > 0.01):
                return False
            continue
        share = 0.02 if min(one.element_size(), other.element_size()) < 4 else 1e-3
        one, other = one.double(), other.double()
        same = (one == other) | (one.isnan() & other.isnan())
        finite = one.isfinite() & other.isfinite()
        largest = other[finite].abs().max() if bool(finite.any()) else 0
        if not bool((same | (finite & ((one - other).abs() <= share * largest))).all()):
            return False
    return True
