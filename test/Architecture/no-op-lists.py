"""Fails if what must ask interfaces names a compute op, by its class or by its name.

docs/Architecture.md: "Autocast, autodiff, decomposition, grouping and emission name no compute op."
"""
import pathlib
import re
import sys

# What every room may name: constants, casts, and the frames around other ops.
STRUCTURE = {"ConstantOp", "CastOp", "GroupOp", "YieldOp", "CustomOp", "AutocastRegionOp", "ScanOp"}
TRANSFORMS = "lib/Dialect/Graph/Transforms/"
FOLDERS = (
    "include/mpc/Dialect/Graph/Precision", "lib/Dialect/Graph/Precision",
    "include/mpc/Dialect/Graph/Analysis", "lib/Dialect/Graph/Analysis",
    TRANSFORMS + "Import", TRANSFORMS + "Autocast", TRANSFORMS + "Autodiff", TRANSFORMS + "Simplify",
    TRANSFORMS + "Group",
    "include/mpc/Emit", "lib/Emit",
)
# Single files of the rooms that build ops of a step or convert each op in a file of its own.
FILES = (
    TRANSFORMS + "Update/InsertUpdate.cpp", TRANSFORMS + "Update/Parameters.cpp",
    TRANSFORMS + "Update/NarrowMasters.cpp", "lib/Conversion/GraphToExec/GraphToExec.cpp",
)
# The ops that a file may name besides, because it is about them. A name that is gone is struck out here.
BESIDES = {
    # How updates look is decided once, for the pass that makes them calls on lists.
    "include/mpc/Dialect/Graph/Analysis/UpdateAnalysis.h": {"GlobalNormOp", "UnscaleOp"},
    "lib/Dialect/Graph/Analysis/UpdateAnalysis.cpp": {"GlobalNormOp", "MulOp", "SelectOp", "UnscaleOp"},
    TRANSFORMS + "Group/FuseUpdates.cpp": {"GlobalNormOp", "LogicalOrOp", "UnscaleL2NormOp", "UnscaleOp"},
    TRANSFORMS + "Group/Recompute.cpp": {"OptimizationBarrierOp"},
    TRANSFORMS + "Group/ChunkRows.cpp": {"AddOp", "ConcatOp", "OptimizationBarrierOp", "SliceOp"},
    TRANSFORMS + "Group/VerifyGroup.cpp": {"AllReduceOp", "SumOverRanksOp"},
    # The sum of several cotangents or losses, and the transpose of broadcasting.
    TRANSFORMS + "Autodiff/LossTotal.cpp": {"AddOp"},
    TRANSFORMS + "Autodiff/ReverseSweep.cpp": {"AddOp", "SumOp", "ReshapeOp"},
    # The sum of pads: the gradient of slices.
    TRANSFORMS + "Simplify/JoinPads.cpp": {"AddOp", "ConcatOp", "PadOp"},
    TRANSFORMS + "Update/NarrowMasters.cpp": {"SelectOp", "KahanRoundOp", "StochasticRoundOp"},
    "lib/Conversion/GraphToExec/GraphToExec.cpp": {"AllReduceOp", "ConcatOp", "ReshapeOp", "SumOverRanksOp"},
}
RECORD = re.compile(r'^def Graph_(\w+Op)\b[^"]*"(\w+)"', re.M)
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:[^"\\\n]|\\.)*")', re.S)


def ops_of(root):
    """Classes of ops by their names: {"graph.add": "AddOp"}."""
    folder = root / "include/mpc/Dialect/Graph/IR/Ops"
    return {f"graph.{name}": op for path in folder.rglob("*.td") for op, name in RECORD.findall(path.read_text())}


def named(text, ops):
    """(class, how it is named) of the graph ops in C++ source: ops of other dialects are qualified by theirs."""
    text = COMMENT.sub(lambda match: match[1] or " ", text)
    for dialect, op in re.findall(r"(?:\b(\w+)\s*::\s*)?\b(\w+Op)\b", text):
        if dialect in ("", "graph") and op in ops.values():
            yield op, op
    for name in re.findall(r'"(graph\.\w+)"', text):
        if name in ops:
            yield ops[name], f'"{name}"'


def sources(root):
    for folder in FOLDERS:
        paths = [path for path in sorted((root / folder).rglob("*")) if path.suffix in (".h", ".cpp")]
        if not paths:
            yield folder, None
        yield from ((path.relative_to(root).as_posix(), path.read_text()) for path in paths)
    for name in FILES:
        yield name, (root / name).read_text() if (root / name).is_file() else None


def check(root):
    ops = ops_of(root)
    if len(ops) < 50:
        yield f"expected the records of the dialect's ops below {root}, but found {len(ops)}"
    left = {name: set(others) for name, others in BESIDES.items()}
    for name, text in sources(root):
        if text is None:
            yield f"{name}: expected sources, but found none"
            continue
        for op, how in sorted(set(named(text, ops))):
            left.get(name, set()).discard(op)
            if op not in STRUCTURE | BESIDES.get(name, set()):
                yield f"{name}: names {how}; ask an interface"
    for name, unused in left.items():
        for op in sorted(unused):
            yield f"{name}: does not name {op} any more: strike it out in no-op-lists.py"


def main():
    errors = list(check(pathlib.Path(sys.argv[1])))
    print("\n".join(errors) or "no pass lists ops")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
