"""Compiles models for GPUs and checks their kernels (check_ptx.py).

    check-models.py PTXAS FOLDER ARCH[,ARCH...] [--registers=N] [OPTION...] MODEL...

Words that begin with -- are options of mpc-compile for all models; but for how many registers a kernel may have (check_ptx.py). MODEL is KIND:SIZE:PRECISION (make-model.py) or FILE:PRECISION; whatever lies in
FOLDER goes. mpc-compile and dump-code are on the PATH.
"""
import pathlib
import shutil
import subprocess
import sys

import check_ptx

INPUTS = pathlib.Path(__file__).resolve().parent


def model_file(folder, words):
    """The file of a model, and what to call it."""
    if len(words) == 1:
        path = pathlib.Path(words[0])
        return path, path.stem
    name = "-".join(words)
    path = folder / (name + ".mlir")
    with open(path, "w") as file:
        subprocess.run([sys.executable, INPUTS / "make-model.py", *words], stdout=file, check=True)
    return path, name


def main():
    ptxas, folder, archs, *words = sys.argv[1:]
    registers = [int(word.split("=")[1]) for word in words if word.startswith("--registers=")] or [check_ptx.REGISTERS]
    options = [word for word in words if word.startswith("--") and not word.startswith("--registers=")]
    models = [word for word in words if not word.startswith("--")]
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    errors = []
    for model in models:
        *words, precision = model.split(":")
        folder.mkdir(exist_ok=True)
        path, name = model_file(folder, words)
        code = folder / f"{name}-{precision}"
        code.mkdir()
        program = folder / f"{name}-{precision}.mpcx"
        scaling = ["--loss-scale=dynamic"] if precision == "fp16" else []
        subprocess.run(["mpc-compile", path, "-o", program, "--target=cuda", f"--arch={archs}",
                        f"--precision={precision}", *scaling, *options], check=True)
        subprocess.run(["dump-code", program, code], check=True, stdout=subprocess.DEVNULL)
        for ptx in sorted(code.glob("*.ptx")):
            errors += [f"{model}: {e}" for e in check_ptx.check(ptxas, ptx, registers[0])]
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
