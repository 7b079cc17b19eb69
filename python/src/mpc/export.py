"""Exports a module of PyTorch in ONNX's format, with every parameter kept: python -m mpc.export FILE.py:NAME -o OUT

NAME is a function of FILE.py that returns the module and its example inputs: `return Net(), (torch.zeros(32, 784),)`.
What is written is compiled by `mpc-compile OUT --loss=cross_entropy:output,target`.
"""

from __future__ import annotations

import argparse
import importlib.util
import pathlib
import sys
import warnings
from typing import Any, TextIO, Union

from . import torch as ours
from ._errors import CompileWarning, MpcError


def _make(what: str) -> Any:
    file, separator, name = what.rpartition(":")
    if not separator or not pathlib.Path(file).is_file():
        raise SystemExit(f"mpc.export: expected FILE.py:NAME of a file that is there, but got '{what}'")
    spec = importlib.util.spec_from_file_location(pathlib.Path(file).stem, file)
    if spec is None or spec.loader is None:
        raise SystemExit(f"mpc.export: expected a file of Python, but got '{file}'")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, name, None)):
        raise SystemExit(f"mpc.export: expected a function '{name}' in '{file}', but there is none")
    made = getattr(module, name)()
    if not isinstance(made, tuple) or len(made) != 2:
        raise SystemExit(f"mpc.export: expected '{name}' to return a module and its inputs, but got "
                         f"{type(made).__name__}")
    return made


def _tell(message: Union[Warning, str], category: type[Warning], filename: str, lineno: int,
          file: Union[TextIO, None] = None, line: Union[str, None] = None) -> None:
    if issubclass(category, CompileWarning):
        print(f"mpc.export: warning: {message}", file=sys.stderr)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("python -m mpc.export", description=__doc__)
    parser.add_argument("what", metavar="FILE.py:NAME")
    parser.add_argument("-o", dest="output", metavar="OUT.onnx", required=True)
    parser.add_argument("--input-names", metavar="A,B", help="names of the inputs, in order")
    parser.add_argument("--output-names", metavar="A,B", help="names of the outputs (their keys, or output)")
    parser.add_argument("--eval", action="store_true", help="as the module is evaluated: without dropout")
    given = parser.parse_args(arguments)
    module, inputs = _make(given.what)
    warnings.showwarning = _tell
    try:
        ours.export(module, inputs, given.output, train=not given.eval,
                    input_names=given.input_names.split(",") if given.input_names else None,
                    output_names=given.output_names.split(",") if given.output_names else None)
    except (ImportError, TypeError, MpcError) as error:
        raise SystemExit(f"mpc.export: {error}") from None
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
