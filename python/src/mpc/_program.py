"""Programs: compiling, loading, and what they tell of themselves."""

from __future__ import annotations

import dataclasses
import difflib
import enum
import functools
import os
import pathlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np

from . import _core, _files
from ._errors import CompileError, Diagnostic, InvalidArgumentError, NotFoundError, Severity, warn
from ._session import Session
from ._tensors import give

__all__ = ["Program", "TensorInfo", "StateInfo", "EntryInfo", "OptionInfo", "Role", "compile", "load", "options"]

#: The value of an option: a flag is True; False and None leave it out, but that False is the word of an option that
#: takes true or false; a sequence is "a,b", a mapping "key=value,...".
OptionValue = Union[str, int, float, bool, "os.PathLike[str]", Sequence[Any], Mapping[str, Any], None]


@dataclasses.dataclass(frozen=True)
class TensorInfo:
    """An input or an output of an entry.

    ``dtype`` is mpc's name: "f32", "bf16", "i64", "i1". ``classes`` is not 0 for labels, which lie in
    ``range(classes)``. ``loss_only``: no output but the loss depends on it.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    classes: int = 0
    loss_only: bool = False


class Role(enum.IntEnum):
    """What a state is for (``mpc_role``)."""

    PARAMETER = 0
    WEIGHT_COPY = 1
    MOMENT = 2
    SCALER = 3
    COUNTER = 4
    HYPERPARAMETER = 5
    ACCUMULATOR = 6
    COMPENSATION = 7
    LOSS_SCALE = 8
    STEP_COUNTER = 9
    LEARNING_RATE = 10
    RANDOM_SEED = 11
    RANDOM_STEP = 12
    RUNNING_STATISTIC = 13


@dataclasses.dataclass(frozen=True)
class StateInfo:
    """A state: a parameter, a moment, the loss scale, a counter.

    ``of`` is what it belongs to, the name of a parameter, or "". ``derived`` ones follow from others: they are read,
    and never set.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    role: Role
    of: str
    derived: bool


@dataclasses.dataclass(frozen=True)
class EntryInfo:
    """What can be run: "step", "forward", "accumulate"; its inputs in order, and its outputs."""

    name: str
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]


@dataclasses.dataclass(frozen=True)
class OptionInfo:
    """An option of :func:`compile`. ``values`` is "" of a flag, else what stands for its value: "fp32|bf16"."""

    name: str
    values: str
    help: str
    group: str


_DERIVED = 4  # MPC_INIT_DERIVED


class Program:
    """A compiled training step (or prediction), of any thread.

    It holds machine code, which runs in this process: load programs of those whom you trust.
    ``diagnostics`` and ``report`` are what the compiler said, of a program that :func:`compile` made: warnings, and
    the tables that options such as ``print_memory`` ask for. ``weights`` are the first values of parameters that a
    model in ONNX's format brought, with which sessions begin; the program file has none: :meth:`Session.save` keeps
    them, and a session of a loaded program that is run without is a WeightsWarning.
    """

    def __init__(self, data: bytes, *, allow_code: bool = True) -> None:
        """Of the bytes of a program file. Raises ProgramError if they are damaged, or of another version or target.
        Without ``allow_code`` a program can be looked at, and not be run."""
        self._data = bytes(data)
        self._core = _core.load_program(self._data, allow_code)
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.report: str = ""
        self.weights: dict[str, np.ndarray[Any, Any]] = {}
        self._onnx: Union[pathlib.Path, bytes, None] = None  # what it was compiled from
        self.entries: dict[str, EntryInfo] = {
            name: EntryInfo(name, tuple(TensorInfo(*i) for i in inputs), tuple(TensorInfo(*o) for o in outputs))
            for name, inputs, outputs in self._core.entries()}
        self.states: dict[str, StateInfo] = {
            name: StateInfo(name, dtype, shape, Role(role), of, init == _DERIVED)
            for name, dtype, shape, role, of, init in self._core.states()}
        self.settings: dict[str, str] = self._core.settings()

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]], *, allow_code: bool = True) -> Program:
        """Of the file at ``path``, that ``mpc-compile`` or :meth:`save` wrote, or of what comes through a pipe of that
        name. MissingFileError (a FileNotFoundError) if there is none; what is no file is an InvalidArgumentError."""
        return cls(_files.read(path), allow_code=allow_code)

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the program file: the old one, or the new one, is there at any time. A link is followed; a pipe, whose
        reader must come within 3 seconds, or a device is written to directly. IoError if that fails."""
        _files.write(path, self._data)

    @property
    def data(self) -> bytes:
        """The bytes of the program file."""
        return self._data

    @property
    def target(self) -> str:
        """"cpu" or "cuda"."""
        return str(self._core.info()["target"])

    @property
    def info(self) -> dict[str, Any]:
        """Producer, target, name of the model, format, and bytes of states and work memory."""
        return self._core.info()

    def entry(self, name: str) -> EntryInfo:
        """The entry of that name; NotFoundError lists what there is."""
        if name not in self.entries:
            raise NotFoundError(f"the program has no entry '{name}', but {', '.join(self.entries) or 'none'}", 2)
        return self.entries[name]

    def session(self, *, device: Union[int, None] = None, threads: int = 0, seed: Union[int, None] = 0) -> Session:
        """A session: the program with memory, ready to train.

        ``threads`` compute on a processor (0: as many as may be used). ``device`` is the number of a GPU, of programs
        for target "cuda" alone. States begin by ``seed``; None leaves them without values, for
        :meth:`Session.load` or :meth:`Session.load_state_dict`.
        """
        return Session(self, device=device, threads=threads, seed=seed)

    def export_onnx(self, session: Session, path: Union[str, os.PathLike[str]], *,
                    model: Union[str, bytes, os.PathLike[str], None] = None, inference: bool = False,
                    keep: Union[str, None] = None) -> None:
        """Writes a copy of a model in ONNX's format, with the parameters and running statistics of ``session``.

        ``model`` is what the program was compiled from, which is where it was by default. The copy has its names, types
        and nodes; weights that lie in files beside the model lie in one beside the copy, ``path`` and ".data".
        ``inference``: dropout and batch norm, which the model may have as they train, predict in the copy; nodes that
        run as in training are told as a CompileWarning otherwise. ``keep``: a regular expression of weights that may
        be missing, and stay as they are.

        Raises InvalidArgumentError that names the first few weights that are missing, unknown or of another shape, and
        counts the others; also if ``path`` is the model itself, or if a file lies where the copy's data go that is not
        the old copy's.
        """
        model = self._onnx if model is None else model
        if model is None:
            raise InvalidArgumentError("the program was not compiled from a model in ONNX's format here: give 'model'", 1)
        if isinstance(model, (bytes, bytearray, memoryview)):
            data, folder = bytes(model), ""
        else:
            data, folder = _files.read(model), str(pathlib.Path(model).parent)
            if os.path.exists(path) and os.path.samefile(path, model):
                raise InvalidArgumentError(f"the copy '{os.fsdecode(path)}' would replace the model that it is made of: "
                                           "give another path", 1)
        weights = [(name, *give(value)) for name, value in session.state_dict(parameters_only=True).items()]
        with _files.numbered(path):
            told = _core.write_onnx(_library(), data, folder, weights, os.fsencode(path), keep or "", inference)
        if told:
            warn(told)

    def __repr__(self) -> str:
        return f"<mpc.Program {self.info['model']!r} for {self.target}: {', '.join(self.entries)}>"


def _library() -> str:
    return str(pathlib.Path(__file__).parent / "lib" / "libmpcc.so.0")


@functools.cache
def _option_table() -> dict[str, str]:
    """What stands for the value of each option, by its name with dashes; "" of a flag."""
    return {name: values for name, values, _, _ in _core.list_options(_library())}


#: Names that PyTorch has for an option.
_OTHER_NAMES = {"learning-rate": "lr", "eps": "epsilon", "betas": "beta1"}


def _check_option(key: str) -> None:
    table = _option_table()
    name = key.replace("_", "-")
    if name in table:
        return
    near = [_OTHER_NAMES[name]] if name in _OTHER_NAMES else difflib.get_close_matches(name, table, 1)
    hint = f"did you mean '{near[0].replace('-', '_')}'? " if near else ""
    raise CompileError(f"compile() has no option '{key}': {hint}mpc.options() lists them", 1)


def _option_text(key: str, value: Any) -> str:
    """A number or a text as mpc-compile takes it; a word of two, true|false, also of a bool."""
    if isinstance(value, os.PathLike):
        text = os.fsdecode(value)
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, (str, int, float, np.integer, np.floating)):
        text = str(value)
    else:
        raise TypeError(f"option '{key}': expected a str, a number, a bool, a path, a sequence or a mapping, but got "
                        f"{type(value).__name__}")
    if not text:
        raise CompileError(f"expected a value for '{key}', but got an empty text", 1)
    return text


def _group_text(name: Any, group: Any) -> str:
    """NAME:SETTING=VALUE,...:REGEX, of a group of parameters."""
    if not isinstance(group, Mapping) or not isinstance(group.get("pattern"), str):
        raise TypeError(f"option 'groups': expected a mapping with a 'pattern' for group {name!r}, as in {{'no_decay': "
                        "{'pattern': '.*bias', 'weight_decay': 0}}")
    for key in group:
        if key.replace("_", "-") in _OTHER_NAMES:
            raise CompileError(f"group {name!r} has no setting '{key}': did you mean "
                               f"'{_OTHER_NAMES[key.replace('_', '-')]}'?", 1)
    settings = ",".join(f"{key.replace('_', '-')}={_option_text(key, value)}" for key, value in group.items()
                        if key != "pattern")
    # A ';' would end the group, but for one behind a backslash.
    pattern = re.sub(r"(\\.)|;", lambda found: found[1] or r"\;", group["pattern"], flags=re.DOTALL)
    return f"{name}:{settings}:{pattern}"


def _pairs(options: Mapping[str, OptionValue]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for key, value in options.items():
        _check_option(key)
        name = key.replace("_", "-")
        is_word = _option_table()[name] == "true|false"
        if isinstance(value, np.bool_):
            value = bool(value)
        if value is None or (value is False and not is_word) or (name == "groups" and value == {}):
            continue
        if name == "groups" and not isinstance(value, (str, Mapping)):
            raise TypeError(f"option 'groups': expected a mapping of groups by names of yours, as in {{'no_decay': "
                            "{'pattern': '.*bias', 'weight_decay': 0}}, whose pattern says which parameters they take, "
                            f"but got {type(value).__name__}")
        if isinstance(value, Mapping) and name == "groups":
            pairs.append((name, ";".join(_group_text(key, group) for key, group in value.items())))
        elif isinstance(value, Mapping):
            pairs.append((name, ",".join(f"{k}={v}" for k, v in value.items())))
        elif isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
            pairs.append((name, ",".join(map(str, value))))
        elif value is True and not is_word:
            pairs.append((name, ""))
        else:
            pairs.append((name, _option_text(key, value)))
    return pairs


def _diagnostics(given: list[tuple[_core.Note, list[_core.Note], str]]) -> tuple[Diagnostic, ...]:
    def note(fields: _core.Note, text: str = "", notes: tuple[Diagnostic, ...] = ()) -> Diagnostic:
        severity, message, file, line, column = fields
        return Diagnostic(Severity(severity), message, file, line, column, text, notes)

    return tuple(note(fields, text, tuple(note(n) for n in notes)) for fields, notes, text in given)


def _is_onnx(name: str, data: bytes) -> bool:
    """As the compiler tells: by the name, or by the version that stands first."""
    return name.endswith(".onnx") or (len(data) > 2 and data[0] == 8 and 0 < data[1] < 64)


def compile(model: Union[str, bytes, os.PathLike[str]], *, name: Union[str, None] = None,
            **options: OptionValue) -> Program:
    """Compiles a model; other threads of Python run meanwhile.

    ``model`` is a path, or the model itself: bytes (text or bytecode of MLIR, or a model in ONNX's format), or a str
    with a line break. A model in ONNX's format that is to be trained needs ``loss``: "cross_entropy:logits,labels",
    say; its open dims are given as ``dim={"batch": 32}``; external data are read from the folder of its path. ``name``
    is what messages and locations call it; by default the path, or "model".

    ``options`` are those of ``mpc-compile`` with underscores: ``precision="bf16"``, ``lr=1e-3``, ``inference=True``
    (:func:`options` lists them). One that is unknown, wrong or without effect is refused. ``groups`` are PyTorch's
    param_groups, by names of yours: ``{"no_decay": {"pattern": ".*(bias|norm.*)", "weight_decay": 0}}`` gives parameters
    whose whole names match a regular expression, the first group's that does, other settings than the rest.

    Raises CompileError, whose ``diagnostics`` have places, MissingFileError (a FileNotFoundError) of a path where there
    is nothing, also of ``policy_file`` and ``precision_profile``, and InvalidArgumentError of one that is no file; warnings are CompileWarning, and in
    ``Program.diagnostics``.
    """
    path = None
    if isinstance(model, str) and "\n" in model:
        data = model.encode()
    elif isinstance(model, (bytes, bytearray, memoryview)):
        data = bytes(model)
    else:
        path = pathlib.Path(model)
        data = _files.read(model)
        name = name or os.fspath(model)
    name = name or "model"
    pairs = _pairs(options)
    for option, value in pairs:
        if option in ("policy-file", "precision-profile"):
            _files.check(value)
    folder = str(path.parent) if path else ""
    code, message, program, said, report, weights = _core.compile(_library(), data, name, folder, pairs)
    diagnostics = _diagnostics(said)
    if program is None:
        raise CompileError(message, code, diagnostics)
    for diagnostic in diagnostics:
        if diagnostic.severity == Severity.WARNING:
            warn(str(diagnostic))
    result = Program(program)
    result.diagnostics = diagnostics
    result.report = report
    result.weights = {weight: np.frombuffer(bits, {"f32": np.float32, "f64": np.float64}[dtype]).reshape(shape)
                      for weight, dtype, shape, bits in weights}
    if _is_onnx(name, data):
        result._onnx = path.absolute() if path else data
    return result


def load(path: Union[str, os.PathLike[str]], *, allow_code: bool = True) -> Program:
    """The program in the file at ``path``; see :meth:`Program.load`."""
    return Program.load(path, allow_code=allow_code)


def options() -> tuple[OptionInfo, ...]:
    """What :func:`compile` takes, in the order of ``mpc-compile --help``; names are with underscores."""
    return tuple(OptionInfo(name.replace("-", "_"), values, text, group)
                 for name, values, text, group in _core.list_options(_library()))
