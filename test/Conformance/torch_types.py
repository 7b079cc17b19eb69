"""Fails if mode torch gives a value or a gradient another type than PyTorch does.

usage: torch_types.py MPC_OPT TABLE (a table of scripts/compare-torch --freeze)
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))
import value_types


def main():
    mpc_opt, table = sys.argv[1:]
    text = pathlib.Path(table).read_text()
    kinds = {}
    for block in text[text.index("\n") + 1:].split("// -----\n"):
        device, precision, lines, types = value_types.thaw(block)
        kinds.setdefault((device, precision), []).append((lines, types))
    compared, errors = 0, []
    for (device, precision), models in kinds.items():
        answers = value_types.of_models(mpc_opt, [lines for lines, _ in models], device, precision)
        if isinstance(answers, str):
            sys.exit(answers)
        for (lines, types), answer in zip(models, answers):
            compared += len(types)
            found = list(value_types.differences(types, answer, gradients=device == "cpu"))
            errors += [f"--- {device} {precision}", *lines, *found] if found else []
    print("\n".join(errors) or f"{compared} values have PyTorch's types")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
