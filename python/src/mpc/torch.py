"""Models of PyTorch: exported in ONNX's format as training needs it, compiled, trained, and written back.

PyTorch, onnx and onnxscript must be installed; `import mpc` needs none of them.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pathlib
import tempfile
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, Union

from . import _files
from ._errors import CompileError, CompileWarning, InvalidArgumentError, MpcError, cause, warn
from ._program import OptionValue, Program, compile
from ._torch import audit, draws, evaluation, forward, modes, norms, stops, ties, traces
from ._torch.trainer import Trainer

__all__ = ["Trainer", "export", "from_torch"]

_FROZEN = "mpc.frozen"  # the metadata by which the importer knows parameters that are not trained, one a line


def export(module: Any, example_inputs: Union[Any, Sequence[Any]], path: Union[str, os.PathLike[str]], *,
           input_names: Union[Sequence[str], None] = None, output_names: Union[Sequence[str], None] = None,
           train: bool = True) -> None:
    """Writes ``module`` to ``path`` in ONNX's format, with all of its parameters under their names.

    torch.onnx.export optimises by default: it folds parameters into constants and merges those that begin equal, so
    that most cannot be trained. Here it does not, batch norms that train are written so, and what is detached, or
    computed under torch.no_grad(), is followed by a node ``mpc.StopGradient``, which to others is the identity.
    ``train``: as the module runs in training, with its dropout. Parts of a module in training mode that were put into
    eval mode stay in it: they are frozen. All modes are afterwards what they were. Parameters with requires_grad=False
    are named in the model's metadata, by which :func:`mpc.compile` and ``mpc-compile`` freeze them; to others they are
    as any. ``example_inputs`` are tensors of the shapes that the program will have; one may stand alone. Outputs are
    called by ``output_names``, the keys or fields of what the module returns, or the first one "output".

    Raises ImportError if onnxscript is missing, and CompileError, to ``train``, of what changes gradients and would be
    lost: torch.autograd.Function, and stopped gradients that :func:`from_torch` refuses; what else it warns of, as
    padding_idx, is a CompileWarning here, too; so is, to ``train``, what the module computes otherwise in eval mode, which
    the file does not have. IoError if the folder of
    ``path`` is not there, and InvalidArgumentError of a file at ``path`` and ".data", where the weights go, that is not
    the data of an old model at ``path``.
    """
    _files.check_folder(path)
    _files.refuse_others(path)
    _files.refuse_data_of_others(path)
    exported = _export(module, example_inputs, input_names, output_names, train)
    for text in exported.told:
        warn(text)
    if train:
        _warn_of_lost(module, exported)
    exported.made.save(os.fspath(path), external_data=True)
    if exported.other is not None and not exported.told:
        evaluation.warn_of_difference(module, exported.examples, path, there=exported.there, then="the file has what it "
                                      "trains by; export it with train=False (python -m mpc.export --eval), too, and "
                                      "predict by that and the trained weights, whose names are the same")


class _Exported(NamedTuple):
    made: Any  # a torch.onnx.ONNXProgram
    traced: Any  # the torch.export.ExportedProgram that it was made of, still with what ONNX's format has no word for
    examples: tuple[Any, ...]
    other: Union[str, None] = None  # where the module begins to compute something else in eval mode
    evaluated: Any = None  # and the torch.export.ExportedProgram of that; None if there is no way
    told: Sequence[str] = ()  # of what it draws then

    @property
    def there(self) -> Union[str, None]:
        """Where it does, if that is seen."""
        return None if self.evaluated is None else self.other


def _warn_of_lost(module: Any, exported: _Exported) -> None:
    """Of what PyTorch does in a step and the program will not."""
    audit.warn_of_rules(module, exported.traced, exported.made)
    norms.warn_of_buffers(module, exported.traced, exported.made)
    norms.warn_of_readers(exported.traced)
    norms.warn_of_counts(module, exported.traced, exported.evaluated)


def _export(module: Any, example_inputs: Union[Any, Sequence[Any]], input_names: Union[Sequence[str], None],
            output_names: Union[Sequence[str], None], train: bool, loss: str = "loss", traced: Any = None) -> _Exported:
    """``traced``: a torch.export.ExportedProgram of the module that is there already. PyTorch may find a way of its own,
    which is refused where it is to ``train``: it loses stopped gradients. An output that is called ``loss`` may be the
    loss."""
    import torch

    if importlib.util.find_spec("onnxscript") is None:
        raise ImportError("PyTorch exports models by onnxscript, which is not installed: pip install onnxscript")
    if isinstance(example_inputs, torch.Tensor):
        example_inputs = (example_inputs,)
    if not isinstance(example_inputs, (list, tuple)):
        raise TypeError("example_inputs: expected a tensor, or several as (x, y), in the order of forward's, but got "
                        f"{type(example_inputs).__name__}")
    example_inputs = forward.apart(example_inputs)
    forward.check_inputs(module, example_inputs)
    if train:
        audit.check_averages(module)
        traces.check_mode(module)
        evaluation.warn_of_values(module, example_inputs)
    evaluated = traces.evaluated(module, example_inputs) if train else None
    audited = audit.lost_calls(module) if train else contextlib.nullcontext()
    with traces.running(module, train), warnings.catch_warnings(), audited, modes.kept() as seen:
        warnings.filterwarnings("ignore", message="Exporting a model while it is in training mode")
        traced, strict = (traced, False) if traced else traces.trace(module, example_inputs)
        audit.check_dropout(traced if train else None)
        audit.check_norms(traced if train else None)
        audit.check_constants(traced)
        for graph in (traced, evaluated):
            norms.leave_strangers(graph, told=train and graph is traced)
        names = list(output_names or forward.output_names(traced, audit.names_of(module), loss))
        other = None if traced is None or not train else "" if evaluated is None else \
            traces.difference(traced, evaluated)
        if other is not None and evaluated is not None and traces.has_own_train(module) \
                and len(evaluated.constants) > len(traced.constants):
            warn("train() makes tensors that forward reads in eval mode: the program has them as they are now")
        stopped = train and traced is not None and stops.mark(traced)
        try:
            made = torch.onnx.export(traced or module, example_inputs, dynamo=True, optimize=False, verbose=False,
                                     input_names=None if input_names is None else list(input_names),
                                     output_names=names)
        except Exception as error:  # of any kind: those of its exporter have no class of their own
            why = forward.with_help(cause(error), module)
            raise CompileError(f"error: PyTorch cannot export the module: {why}") from error
        if train:
            seen.check(traced is not None, strict)
        ties.name_as_module(made.model, module)
        _check_count("input", input_names or (), made.model.graph.inputs)
        _check_count("output", names, made.model.graph.outputs)
        norms.mark(made.model.graph, module, traced)
        norms.mark_readers(made.model, traced, norms.updated(traced) if train else norms.statistics(module))
        norms.warn_of_batches(evaluated if train else traced)
    told: Sequence[str] = ()
    if train:
        with traces.running(module, train=False):
            told = draws.mark(made.model, module, example_inputs)
    else:
        draws.mark_all(made.model)
    frozen = audit.frozen(module, made.model.graph.initializers)
    if frozen:
        made.model.metadata_props[_FROZEN] = "\n".join(frozen)
    if stopped:
        stops.define(made.model)
    _separate_names(made.model.graph)
    return _Exported(made, traced, example_inputs, "" if told and other is None else other, evaluated, told)


def _check_count(kind: str, names: Sequence[str], values: Sequence[Any]) -> None:
    if len(names) > len(values):
        plural = "" if len(values) == 1 else "s"
        raise InvalidArgumentError(f"{kind}_names: the module has {len(values)} {kind}{plural}, but got {len(names)} "
                                   f"names: {', '.join(map(repr, names))}", 1)


def _separate_names(graph: Any) -> None:
    """Gives values of nodes that are called as a parameter, an input or an output is names of their own."""
    taken = {*graph.initializers, *(value.name for value in (*graph.inputs, *graph.outputs))}
    for node in graph:
        for value in node.outputs:
            if value.name in taken and not value.is_graph_output():
                value.name = f"{value.name}.value"


def from_torch(module: Any, example_inputs: Union[Any, Sequence[Any]], *, loss: Union[str, None] = None,
               input_names: Union[Sequence[str], None] = None, output_names: Union[Sequence[str], None] = None,
               threads: int = 0, device: Union[int, None] = None, seed: int = 0, **options: OptionValue) -> Trainer:
    """Compiles a module of PyTorch, and returns a trainer that begins with its weights.

    ``loss`` is the name of one of mpc's, "cross_entropy" or "mse", of the first output and an input ``target``, also
    with its numbers, "cross_entropy,label_smoothing=0.1"; or the whole option, "mse:output,target"; or the name of an
    output that is the loss. Outputs are called by ``output_names``, the keys or fields of what the module returns, or
    the first one "output". Classes of "cross_entropy" are dim 1, as PyTorch has them. None: the module predicts only.
    ``options`` are those of :func:`mpc.compile`: ``precision="bf16"``, ``optimizer="adamw"``, ``lr=1e-3``. Batch norms
    train, but those that were put into eval mode in a module that trains. Parameters with requires_grad=False are
    frozen (``frozen="train"`` trains them all the same), and no gradient passes detach(), torch.no_grad() and
    torch.inference_mode(). What the module computes otherwise in eval mode, as ``h if self.training else h.softmax(1)``,
    is a program of its own, by which the trainer predicts.

    Raises CompileError, whose places are nodes of the exported model; also for what has no word in ONNX's format and
    changes gradients: torch.autograd.Function, Tensor.register_hook, values that are detached and then changed in
    place, torch.no_grad() inside of torch.autocast; and of what PyTorch cannot export. What else PyTorch
    does and the program will not, as padding_idx, is a CompileWarning. InvalidArgumentError: more names than inputs or
    outputs.
    """
    if not isinstance(loss, (str, type(None))):
        raise TypeError(f"loss: expected the name of a loss or of an output, as in loss=\"cross_entropy\", but got "
                        f"{type(loss).__name__}")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.onnx"
        exported = _export(module, example_inputs, input_names, output_names, train=loss is not None,
                           loss=loss or "loss")
        made = exported.made
        if loss is not None:
            _warn_of_lost(module, exported)
            if options.get("frozen") is None and _FROZEN in made.model.metadata_props:
                audit.check_trains(module)
                options["frozen"] = "keep"  # requires_grad says that it is meant
        whole = forward.whole_loss(loss, [value.name for value in made.model.graph.outputs])
        added = [] if whole == loss else ["target"]
        audit.check_names(module, [value.name for value in made.model.graph.inputs] + added)
        made.save(os.fspath(path), external_data=True)
        with warnings.catch_warnings():  # the module's modes say which train, and what is left out has been told
            for told in ("batch norm that keeps its mean", "of the module (is|are) not in the file",
                         "dropout without training_mode",
                         *([] if exported.other is None else ["random numbers are drawn in evaluation"])):
                warnings.filterwarnings("ignore", message=rf"(?s).*{told}", category=CompileWarning)
            program = compile(path, name="model.onnx", loss=whole, inference=loss is None, **options)
        other = None if exported.other is None else _compile_evaluation(module, exported, input_names, output_names,
                                                                        loss, path, options)
    program._onnx = None  # which is gone
    session, *predicts = (each.session(threads=threads, device=device, seed=seed)
                          for each in (program, *([] if other is None else [other[1]])))
    return Trainer(module, program, session, made, evaluation.Evaluation(other[0], *predicts) if other else None)


def _compile_evaluation(module: Any, exported: _Exported, input_names: Union[Sequence[str], None],
                        output_names: Union[Sequence[str], None], loss: Union[str, None], path: pathlib.Path,
                        options: dict[str, OptionValue]) -> Union[tuple[Any, Program], None]:
    """The torch.onnx.ONNXProgram and the program of a module that computes something else in eval mode. None, with a
    warning, if there is no way, but where the model at ``path`` predicts the same."""
    try:
        if exported.evaluated is None:
            raise CompileError("torch.export does not take the module in eval mode")
        names = output_names and list(output_names)[:forward.count_outputs(exported.evaluated)]  # which may be fewer
        made = _export(module, exported.examples, input_names, names, False, loss or "loss", exported.evaluated).made
        norms.mark_readers(made.model, exported.evaluated, norms.statistics(module) | norms.updated(exported.traced))
        other = path.with_name("evaluated.onnx")
        made.save(os.fspath(other), external_data=True)
        whole = forward.whole_loss(loss, [value.name for value in made.model.graph.outputs])
        program = evaluation.compile_prediction(other, whole, options)
    except MpcError as error:
        for text in exported.told:
            warn(text)
        evaluation.warn_of_difference(module, exported.examples, path, there=exported.there,
                                      then="it is predicted as it trains" + (f", since {error}" if exported.evaluated else ""))
        return None
    program._onnx = None  # which will be gone
    return made, program
