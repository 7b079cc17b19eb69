"""Fails if a dump of a model is not the module that the pass has left.

check-dumps.py MPC_OPT FOLDER...: compiles each model below the folders with
dumps, and has MLIR print the module after each pass as well. Every dump, parsed
and printed by mpc-opt, is what MLIR has printed; it begins with its stage and
pass, and no argument of a model is without a name, nor has a value a number
that the model does not have.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

# A model takes the first options with which it compiles to kernels.
OPTIONS = [["--precision=fp16", "--loss-scale=dynamic", "--optimizer=adamw", "--lr=0.1"], []]
PRINT = ["--mlir-print-ir-after-all", "--mlir-print-ir-after-change", "--mlir-print-ir-module-scope",
         "--mlir-disable-threading"]
# Dumps leave out the elements of large constants.
ELIDE = ["--mlir-elide-elementsattrs-if-larger=16", "--mlir-elide-resource-strings-if-larger=64"]
FEWEST_DUMPS = 600


def run(*command, text=None):
    return subprocess.run([str(word) for word in command], input=text, capture_output=True, text=True)


def read_print(text):
    """The passes that MLIR names in `text`, and the modules behind the names."""
    parts = re.split(r"^// -----// IR Dump After \w+ \(([\w-]+)\).*\n", text, flags=re.M)
    # What a pass says about the model stands after the module before it.
    return parts[1::2], [re.split(r"^(?:}|#-})\n(?!\n*{-#)", module, flags=re.M)[0].strip() for module in parts[2::2]]


def check_text(dump, model, passes):
    _, stage, name = dump.stem.split("-", 2)
    text = dump.read_text()
    lines = text.splitlines()
    if lines[1] != f"// stage: {stage}" or not re.match(rf"// pass: {re.escape(name)}(\{{|$)", lines[2]):
        yield f"begins with {lines[:3]}"
    if name != passes:
        yield f"is of the pass {passes}"
    # An argument of an implementation may have neither a name nor a mark.
    for line in re.findall(r"^ +%arg[0-9]+: .*graph[.](?:input|parameter|state) = .*$", text, re.M):
        yield f"lost the name of '{line.strip()}'"
    numbers = set(re.findall(r"%[0-9]+\b", text)) - set(re.findall(r"%[0-9]+\b", model))
    if numbers:
        yield f"has numbers for names: {sorted(numbers)}"


def compare(mpc_opt, model, dumps, compiled):
    passes, modules = read_print(compiled.stderr)
    if len(dumps) != len(modules):
        yield f"{len(dumps)} dumps of {len(modules)} changes"
    printed = run(mpc_opt, "-", "--split-input-file", *ELIDE, text="\n// -----\n".join(dump.read_text() for dump in dumps))
    if printed.returncode:
        yield f"does not parse: {printed.stderr}"
    again = [text.strip().removesuffix("}").strip() for text in printed.stdout.split("// -----\n")]
    for dump, name, module, text in zip(dumps, passes, modules, again):
        yield from (f"{dump.name} {error}" for error in check_text(dump, model.read_text(), name))
        if module != text:
            yield f"{dump.name} is another module than MLIR prints"


def check(mpc_opt, model):
    """The number of dumps, and errors; no dumps if the model does not compile."""
    for options in OPTIONS:
        with tempfile.TemporaryDirectory() as folder:
            compiled = run(mpc_opt, model, "--compile-to=exec", f"--dump-dir={folder}", *options, *PRINT, *ELIDE)
            if compiled.returncode == 0:
                dumps = sorted(pathlib.Path(folder).iterdir())
                return len(dumps), [f"{model}: {error}" for error in compare(mpc_opt, model, dumps, compiled)]
    return 0, []


def main():
    mpc_opt, *folders = sys.argv[1:]
    models = [path for folder in folders for path in sorted(pathlib.Path(folder).rglob("*.mlir"))
              if "graph.loss" in path.read_text() and "errors" not in path.name]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda model: check(mpc_opt, model), models))
    errors = [error for _, errors in results for error in errors]
    count = sum(count for count, _ in results)
    print("\n".join(errors) or f"{count} dumps of {sum(count > 0 for count, _ in results)} models are their modules")
    return 1 if errors or count < FEWEST_DUMPS else 0


if __name__ == "__main__":
    sys.exit(main())
