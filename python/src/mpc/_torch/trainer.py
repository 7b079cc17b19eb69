"""A module of PyTorch that is trained by its program."""

from __future__ import annotations

import contextlib
import os
import pathlib
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, Union

from .. import _tensors
from .._errors import InvalidArgumentError, NotFoundError, ShapeMismatchError
from .._program import EntryInfo, Program
from .._session import Session, StepReport
from . import draws, forward, norms, ties, traces
from .evaluation import Evaluation

__all__ = ["Trainer"]

_Told = TypeVar("_Told")


class Trainer:
    """A module of PyTorch, its program, and a session that trains it; a context manager, which frees the session.

    The module keeps its weights until :meth:`update_module` writes the trained ones into it. ``program`` and
    ``session`` do what the methods here do not: ``session.save``, ``session.load``, ``session.set_state``. Their entry
    "forward" is the graph that is trained, without dropout and with running statistics; :meth:`predict` has that of a
    module that computes something else in eval mode.
    """

    def __init__(self, module: Any, program: Program, session: Session, made: Any = None,
                 evaluation: Union[Evaluation, None] = None) -> None:
        """``made``: the torch.onnx.ONNXProgram that ``program`` was compiled from, for :meth:`export_onnx`.
        ``evaluation``: what predicts, if not ``session``."""
        self.module = module
        self.program = program
        self.session = session
        self._made = made
        self._evaluation = evaluation
        self._predictor = evaluation.session if evaluation else session
        self._predicted = evaluation.made if evaluation else made
        self._draws = self._predicted is not None and draws.is_marked(self._predicted.model) and \
            "random.seed" in self._predictor.program.states
        self._drawn = 0  # how often
        self._lock = threading.Lock()
        self._calls = norms.training_means(module) if made is None else norms.calls(made)
        self._batches = 0  # since the module was updated
        self._unread = {} if made is None else forward.unread(self._entry("forward"), self._predicted)

    def step(self, *inputs: Any, **named: Any) -> StepReport:
        """One training step: ``trainer.step(images, target=labels)``, inputs in the order of the module's, then the
        target, or by name. Tensors of PyTorch or NumPy arrays, of the dtypes and shapes of the program."""
        report = self._run(self.session.step, "step", inputs, named)
        self._batches += 1
        return report

    def accumulate(self, *inputs: Any, **named: Any) -> None:
        """A micro-batch before the last of a step, of a program that was compiled with ``accumulate=K``: K - 1 of
        them, then :meth:`step`. Inputs as there."""
        self._run(self.session.accumulate, "accumulate", inputs, named)
        self._batches += 1

    def predict(self, *inputs: Any, **named: Any) -> dict[str, Any]:
        """Runs the module forward as it is evaluated; outputs by name, as tensors of PyTorch. With a target the loss
        is one of them, which trains nothing. Without, a batch may have fewer rows than the example inputs: it is filled
        up, and outputs that come of it have as many rows as it has; it runs twice, filled up in two ways, and where a
        row of such an output depends on the rows of others it is refused. What the module draws in evaluation, too, as
        Monte-Carlo dropout, is drawn anew in each call; the numbers of :meth:`step` stay those of its seed and its
        count."""
        given = self._named("forward", inputs, named)
        with self._lock if self._draws or self._evaluation else contextlib.nullcontext(), self._other_numbers():
            if self._evaluation:
                self._evaluation.take(self.session, self.state_dict)
            if filled := forward.fill(self._entry("forward"), given, self._predicted):
                return self._predict_short(filled)
            found = self._run(self._forward, "forward", (), given)
        return {name: _tensors.to_torch(value) for name, value in found.items()}

    def _forward(self, given: dict[str, Any]) -> dict[str, Any]:
        return self._predictor.run({**self._unread, **given})

    def _predict_short(self, filled: forward.Filled) -> dict[str, Any]:
        first, second = ({name: _tensors.to_torch(value).clone() for name, value in
                          self._run(self._forward, "forward", (), batch).items()}
                         for batch in (filled.by_last, filled.by_others))
        if name := forward.dependent(first, second, filled):
            raise InvalidArgumentError(f"a batch of {filled.rows} rows was filled up, but rows of output '{name}' depend on "
                                       "those of others, or lie in another dim than the first: give as many rows as "
                                       "the example inputs have", 1)
        return {name: value[:filled.rows] if name in filled.outputs else value for name, value in first.items()}

    @contextlib.contextmanager
    def _other_numbers(self) -> Iterator[None]:
        """Another seed in each call, and then that of the training again."""
        if not self._draws:
            yield
            return
        seed = int(self._predictor.get_state("random.seed"))
        self._predictor.set_state("random.seed", (seed + self._drawn) % 2**31)
        self._drawn += 1
        try:
            yield
        finally:
            self._predictor.set_state("random.seed", seed)

    def _entry(self, name: str) -> EntryInfo:
        return (self._predictor if name == "forward" else self.session).program.entry(name)

    def _run(self, call: Callable[[dict[str, Any]], _Told], entry: str, inputs: Sequence[Any],
             named: dict[str, Any]) -> _Told:
        """A call of the session's, which tells those who iterate over a DataLoader what to do with a last batch."""
        given = self._named(entry, inputs, named)
        try:
            return call(given)
        except ShapeMismatchError as error:
            if not any(forward.is_other_batch(given.get(info.name), info.shape) for info in self._entry(entry).inputs):
                raise
            last = ("a smaller last one is filled up where no target is given, all inputs have as many rows, and each "
                    "output has a row for each of theirs"
                    if entry == "forward"
                    else "DataLoader(..., drop_last=True) leaves a smaller last one out")
            raise ShapeMismatchError(f"{error}; every batch has the size of the example inputs: {last}", error.code
                                     ) from None

    def _named(self, entry: str, inputs: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
        if entry not in self.program.entries:
            raise InvalidArgumentError(f"{entry}: the program has no such entry: from_torch(..., loss=\"cross_entropy\") "
                                       "makes one that trains, and accumulate=K one that adds micro-batches", 1)
        names = [info.name for info in self._entry(entry).inputs]
        if len(inputs) > len(names):
            eval_only = "" if not self._evaluation or entry != "forward" else \
                ": what the module returns in eval mode has no such loss, and predict takes no target"
            raise TypeError(f"expected at most {len(names)} inputs ({', '.join(names)}), but got {len(inputs)}{eval_only}")
        for name in names[:len(inputs)]:
            if name in named:
                raise TypeError(f"input '{name}' is given twice, by its place and by name")
        return {**dict(zip(names, inputs)), **named}

    def state_dict(self) -> dict[str, Any]:
        """Parameters and running statistics as they are now, as tensors of PyTorch by the module's names: a tied one
        has all of its names."""
        found = {name: _tensors.to_torch(value) for name, value in self.session.state_dict(parameters_only=True).items()}
        return ties.with_all_names(found, self.module)

    def load_state_dict(self, states: Mapping[str, Any], *, strict: bool = True) -> None:
        """Sets parameters and running statistics by the module's names: those of ``module.state_dict()``, of a file, or
        of another trainer. What the module has and the program does not, as counts of batches, is passed over; a tied
        parameter may have any of its names. ``strict``: all that the program has, and no name that the module does not
        have. Types are converted, and the optimizer's moments stay. NotFoundError, TypeMismatchError and
        ShapeMismatchError leave all as it was."""
        own = {name for name, _ in [*self.module.named_parameters(remove_duplicate=False),
                                    *self.module.named_buffers(remove_duplicate=False)]}
        unknown = [name for name in states if name not in own]
        if strict and unknown:
            raise NotFoundError(f"the module has no parameter or buffer {', '.join(map(repr, unknown))}", 2)
        given = ties.with_all_names(states, self.module)
        self.session.load_state_dict({name: _tensors.convert(given[name], self.program.states[name].dtype)
                                      for name in self.session._kept(parameters_only=True) if name in given},
                                     strict=strict)

    def update_module(self) -> None:
        """Writes the trained parameters and running statistics into the module; batch norms that train have
        counted the batches of :meth:`step` and :meth:`accumulate`. NotFoundError if the module lacks one of them."""
        import torch

        own = {**dict(self.module.named_parameters(remove_duplicate=False)),
               **dict(self.module.named_buffers(remove_duplicate=False))}
        trained = self.state_dict()
        unknown = [name for name in trained if name not in own]
        if unknown:
            raise NotFoundError(f"the module has no parameter or buffer {', '.join(map(repr, unknown))}", 2)
        merged = [part for part in self.module.modules() if not part.training and traces.has_own_train(part)]
        modes = [(part, part.training) for part in self.module.modules()]
        for part in merged:
            part.train()  # where it has what is trained
        with torch.no_grad():
            for name, value in trained.items():
                own[name].copy_(value)
                counter = own.get(name.removesuffix("running_mean") + "num_batches_tracked")
                if counter is not None and name in self._calls:
                    counter.add_(self._batches * self._calls[name])
        for part in merged:
            part.eval()
        for part, mode in modes:
            part.training = mode
        self._batches = 0

    def export_onnx(self, path: Union[str, os.PathLike[str]], *, inference: bool = True) -> None:
        """Writes the module in ONNX's format as it was exported, with the trained parameters and running statistics,
        for whatever runs such models.

        ``inference``: dropout and batch norms predict; without it they are as in training, which a CompileWarning
        tells. Weights lie in the file, or, of a model of more than 2 GB, beside it in ``path`` and ".data". Raises
        InvalidArgumentError of a trainer that :func:`from_torch` did not make.
        """
        if self._made is None:
            raise InvalidArgumentError("the trainer has no exported model: expected one that from_torch made", 1)
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "model.onnx"
            made, session = self._made, self.session
            if self._evaluation and inference:
                made, session = self._evaluation.made, self._predictor
                with self._lock:
                    self._evaluation.take(self.session, self.state_dict)
            made.save(os.fspath(model))
            session.program.export_onnx(session, path, model=model, inference=inference)

    def close(self) -> None:
        """Frees the session."""
        self.session.close()
        self._predictor.close()

    def __enter__(self) -> Trainer:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()
