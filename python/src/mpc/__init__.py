"""mpc: compiled training steps in mixed precision.

    import mpc

    program = mpc.compile("digits.mlir", precision="bf16")
    with program.session(seed=42) as session:
        for images, labels in batches:
            report = session.step(x=images, label=labels)
        session.save("digits.safetensors")
"""

from ._core import Tensor, library_version
from ._errors import (CollectiveError, CompileError, CompileWarning, DeviceError, Diagnostic, InvalidArgumentError,
                      IoError, MissingFileError, MpcError, NotFoundError, NotInitializedError, OutOfMemoryError,
                      ProgramError, Severity, ShapeMismatchError, TypeMismatchError, WeightsWarning)
from ._program import EntryInfo, OptionInfo, Program, Role, StateInfo, TensorInfo, compile, load, options
from ._session import Session, StepReport
from .torch import Trainer, from_torch

__version__ = library_version


__all__ = ["CollectiveError", "CompileError", "CompileWarning", "DeviceError", "Diagnostic", "EntryInfo",
           "InvalidArgumentError", "IoError", "MissingFileError", "MpcError", "NotFoundError", "NotInitializedError",
           "OptionInfo", "OutOfMemoryError", "Program", "ProgramError", "Role", "Session", "Severity",
           "ShapeMismatchError", "StateInfo", "StepReport", "Tensor", "TensorInfo", "Trainer", "TypeMismatchError",
           "WeightsWarning", "compile", "from_torch", "load", "options"]
