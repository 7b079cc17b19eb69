"""Fails if a pass or analysis that must ask interfaces names a compute op."""
import pathlib
import re
import sys

# Rooms and files that decide by interface, and the ops each may still name
# because it is about them.
TRAINING = {"ConstantOp", "CastOp", "GroupOp", "YieldOp"}
FILES = {
    "lib/Dialect/Graph/Transforms/Update/InsertUpdate.cpp": set(),
    "lib/Dialect/Graph/Transforms/Update/Parameters.cpp": set(),
    "lib/Dialect/Graph/Transforms/Update/NarrowMasters.cpp": TRAINING
        | {"SelectOp", "KahanRoundOp", "StochasticRoundOp"},
    "lib/Dialect/Graph/Transforms/Group/HastenUpdates.cpp": TRAINING,
    "lib/Dialect/Graph/Transforms/Group/FuseUpdates.cpp": TRAINING | {"GlobalNormOp", "UnscaleL2NormOp", "UnscaleOp"},
    "lib/Dialect/Graph/Precision/OpPolicy.cpp": TRAINING,
    "lib/Dialect/Graph/Precision/PrecisionLint.cpp": TRAINING,
    "lib/Dialect/Graph/Analysis/Batch/BatchDims.cpp": {"CustomOp"},
    "lib/Dialect/Graph/Analysis/Batch/BatchMovement.cpp": set(),
    "lib/Dialect/Graph/Transforms/Autocast/Autocast.cpp": TRAINING,
    "lib/Dialect/Graph/Transforms/Import/DropLoss.cpp": set(),
    "lib/Dialect/Graph/Transforms/Autodiff/MarkInputs.cpp": set(),
    "lib/Dialect/Graph/Transforms/Import/SetBatch.cpp": set(),
    "lib/Dialect/Graph/Transforms/Autodiff/Differentiate.cpp": TRAINING,
    "lib/Dialect/Graph/Transforms/Autodiff/ReverseSweep.cpp": TRAINING
        | {"AddOp", "SumOp", "ReshapeOp"},
    "lib/Dialect/Graph/Transforms/Group/Decompose.cpp": TRAINING,
    "lib/Conversion/GraphToExec/GraphToExec.cpp": TRAINING | {"AllReduceOp", "ReshapeOp"},
}

def ops_of(root):
    names = set()
    for path in (root / "include/mpc/Dialect/Graph/IR/Ops").rglob("*.td"):
        names |= set(re.findall(r"^def Graph_(\w+Op)\b", path.read_text(), re.M))
    return names


def main():
    root = pathlib.Path(sys.argv[1])
    ops = ops_of(root)
    errors = []
    for name, permitted in FILES.items():
        text = (root / name).read_text()
        for op in sorted(ops - permitted):
            if re.search(rf"(?<!mlir::)\b{op}\b", text):
                errors.append(f"{name}: names {op}; ask an interface")
    print("\n".join(errors) or "no pass lists ops")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
