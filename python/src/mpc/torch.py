"""Models of PyTorch: exported in ONNX's format as training needs it, compiled, trained, and written back.

PyTorch and onnxscript must be installed; `import mpc` needs neither.
"""

from __future__ import annotations

import os
import pathlib
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Union

from ._program import OptionValue, Program, compile
from ._session import Session, StepReport

__all__ = ["Trainer", "export", "from_torch"]


def export(module: Any, example_inputs: Sequence[Any], path: Union[str, os.PathLike], *,
           input_names: Union[Sequence[str], None] = None, output_names: Sequence[str] = ("output",),
           train: bool = True) -> None:
    """Writes ``module`` to ``path`` in ONNX's format, with all of its parameters under their names.

    torch.onnx.export optimises by default: it folds parameters into constants and merges those that begin equal, so
    that most cannot be trained. Here it does not. ``train``: as the module runs in training, with its dropout; its
    mode is what it was afterwards. ``example_inputs`` are tensors of the shapes that the program will have.
    """
    import torch

    was_training = module.training
    module.train(train)
    buffers = {name: value.clone() for name, value in module.named_buffers()}
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Exporting a model while it is in training mode")
            torch.onnx.export(module, tuple(example_inputs), os.fspath(path), dynamo=True, optimize=False,
                              verbose=False, input_names=None if input_names is None else list(input_names),
                              output_names=list(output_names), external_data=True)
    finally:
        module.train(was_training)
        with torch.no_grad():
            for name, value in module.named_buffers():
                value.copy_(buffers[name])  # tracing is no batch


def _has_batch_norm(module: Any) -> bool:
    import torch

    return any(isinstance(part, torch.nn.modules.batchnorm._BatchNorm) for part in module.modules())


def from_torch(module: Any, example_inputs: Sequence[Any], *, loss: Union[str, None] = None,
               input_names: Union[Sequence[str], None] = None, output_names: Sequence[str] = ("output",),
               threads: int = 0, device: Union[int, None] = None, seed: int = 0, **options: OptionValue) -> Trainer:
    """Compiles a module of PyTorch, and returns a trainer that begins with its weights.

    ``loss`` is the name of one of mpc's, "cross_entropy" or "mse", of the first output and an input ``target``; or
    the whole option, "mse:output,target"; or the name of an output that is the loss. None: the module predicts only.
    ``options`` are those of :func:`mpc.compile`: ``precision="bf16"``, ``optimizer="adamw"``, ``lr=1e-3``. Where the
    module has batch norms and a loss, they train.

    Raises CompileError, whose places are nodes of the exported model.
    """
    train = loss is not None
    if loss is not None and ":" not in loss and loss not in output_names:
        loss = f"{loss}:{output_names[0]},target"
    if train and _has_batch_norm(module):
        options.setdefault("train_batch_norm", True)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "model.onnx"
        export(module, example_inputs, path, input_names=input_names, output_names=output_names, train=train)
        program = compile(path, loss=loss, inference=not train, **options)
    return Trainer(module, program, program.session(threads=threads, device=device, seed=seed))


class Trainer:
    """A module of PyTorch, its program, and a session that trains it; a context manager, which frees the session.

    The module keeps its weights until :meth:`update_module` writes the trained ones into it.
    """

    def __init__(self, module: Any, program: Program, session: Session) -> None:
        self.module = module
        self.program = program
        self.session = session

    def step(self, *inputs: Any, **named: Any) -> StepReport:
        """One training step: ``trainer.step(images, target=labels)``, inputs in the order of the module's, then the
        target, or by name. Tensors of PyTorch or NumPy arrays, of the dtypes and shapes of the program."""
        return self.session.step(self._named(self.program.entry("step"), inputs), **named)

    def predict(self, *inputs: Any, **named: Any) -> dict[str, Any]:
        """Runs the module forward as it is evaluated; outputs by name, as tensors of PyTorch."""
        import torch

        found = self.session.run(self._named(self.program.entry("forward"), inputs), **named)
        return {name: torch.from_dlpack(value) if hasattr(value, "__dlpack_device__") and not hasattr(value, "dtype")
                else _to_torch(value) for name, value in found.items()}

    @staticmethod
    def _named(entry: Any, inputs: Sequence[Any]) -> Mapping[str, Any]:
        return dict(zip((info.name for info in entry.inputs), (_detached(value) for value in inputs)))

    def state_dict(self) -> dict[str, Any]:
        """Parameters and running statistics as they are now, as tensors of PyTorch by their names."""
        return {name: _to_torch(value) for name, value in self.session.state_dict(parameters_only=True).items()}

    def update_module(self) -> None:
        """Writes the trained parameters and running statistics into the module."""
        import torch

        own = self.module.state_dict()
        with torch.no_grad():
            for name, value in self.state_dict().items():
                if name in own:
                    own[name].copy_(value)

    def close(self) -> None:
        """Frees the session."""
        self.session.close()

    def __enter__(self) -> Trainer:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()


def _detached(value: Any) -> Any:
    return value.detach() if hasattr(value, "detach") else value


def _to_torch(value: Any) -> Any:
    """A tensor of its own."""
    import numpy as np
    import torch

    if not isinstance(value, np.ndarray):
        return torch.from_dlpack(value).clone()
    if value.dtype.name == "bfloat16":
        return torch.from_numpy(value.view(np.uint16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.array(value))
