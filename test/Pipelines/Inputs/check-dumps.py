"""Fails if a dump of a model is not the module of its stage.

check-dumps.py MPC_OPT FOLDER...: compiles each model below the folders up to
some stages, with dumps. The last dump, parsed and printed by mpc-opt, is what
mpc-opt prints of the module itself; every other one parses; and all begin with
their stage and pass.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

FP16 = ["--precision=fp16", "--loss-scale=dynamic", "--optimizer=adamw", "--lr=0.1"]
RUNS = [("autocast", FP16), ("update", []), ("group", FP16), ("exec", [])]
# Dumps leave out the elements of large constants.
ELIDE = ["--mlir-elide-elementsattrs-if-larger=16", "--mlir-elide-resource-strings-if-larger=64"]
FEWEST = 100


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def print_module(mpc_opt, path):
    return run(mpc_opt, path, *ELIDE)


def check_text(dump):
    _, stage, name = dump.stem.split("-", 2)
    text = dump.read_text()
    lines = text.splitlines()
    if lines[1] != f"// stage: {stage}" or not lines[2].startswith(f"// pass: {name}"):
        yield f"begins with {lines[:3]}"
    # An argument of a model has a name or a mark; one of an implementation may
    # have neither.
    for line in re.findall(r"^ +%arg[0-9]+: .*graph[.](?:input|parameter|state) = .*$", text, re.M):
        yield f"lost the name of '{line.strip()}'"


def check(mpc_opt, model, stage, options):
    """The errors, or None where the model does not compile to `stage`."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        compiled = run(mpc_opt, model, f"--compile-to={stage}", f"--dump-dir={folder / 'dumps'}", *options, *ELIDE)
        if compiled.returncode:
            return None
        dumps = sorted((folder / "dumps").iterdir())
        errors = []
        # The dumps on the way are those of the other stages.
        for dump in dumps if stage == RUNS[-1][0] else dumps[-1:]:
            printed = print_module(mpc_opt, dump)
            if printed.returncode:
                errors.append(f"{model}: {dump.name}: {printed.stderr}")
            errors += [f"{model}: {dump.name}: {error}" for error in check_text(dump)]
            if dump == dumps[-1] and printed.stdout != compiled.stdout:
                errors.append(f"{model}: {dump.name} is another module than that of stage {stage}, {options}")
        return errors


def main():
    mpc_opt, *folders = sys.argv[1:]
    models = [path for folder in folders for path in sorted(pathlib.Path(folder).rglob("*.mlir"))
              if "graph.loss" in path.read_text() and "errors" not in path.name]
    jobs = [(model, stage, options) for model in models for stage, options in RUNS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda job: check(mpc_opt, *job), jobs))
    checked = [result for result in results if result is not None]
    errors = [error for result in checked for error in result]
    print("\n".join(errors) or f"{len(checked)} modules are what their dumps say")
    return 1 if errors or len(checked) < FEWEST else 0


if __name__ == "__main__":
    sys.exit(main())
