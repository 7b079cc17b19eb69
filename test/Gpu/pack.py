"""Gathers what scripts/gpu needs on a machine that has a GPU and no LLVM.

usage: pack.py BUILD FOLDER [--archs sm_90]

FOLDER then holds programs, libraries, compiled models for cpu and cuda with
random inputs, and manifest.json: the checks and benchmarks to run, one command
each, relative to FOLDER.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

import numpy

import benchmarks

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIGITS = ROOT / "examples/digits"
DATA = DIGITS / "data"
# Distance of a CUDA step from the CPU's that the order of sums explains.
BOUNDS = {"fp32": 2e-5, "bf16": 2e-2, "fp16": 3e-3}
TYPES = {"f64": "<f8", "f32": "<f4", "i64": "<i8", "i32": "<i4", "i1": "|b1"}


def run(*command):
    words = [str(word) for word in command]
    result = subprocess.run(words, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"pack.py: {' '.join(words)}\n{result.stdout}{result.stderr}")
    return result.stdout


def libraries_of(program):
    """Paths of the libraries that are not on every machine."""
    for line in run("ldd", program).splitlines():
        match = re.match(r"\s*(lib(?:dnnl|gomp|OpenCL|mpcrt)\S*) => (\S+)", line)
        if match:
            yield match.group(1), match.group(2)


class Pack:
    def __init__(self, options):
        self.build, self.folder = pathlib.Path(options.build), pathlib.Path(options.folder)
        self.archs = options.archs
        self.steps = []

    def make_folder(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in ("bin", "lib", "models", "data"):
            (self.folder / name).mkdir(parents=True)
        shutil.copy(self.build / "lib/libmpcrt_cuda.so", self.folder / "lib")

    def add_program(self, path):
        shutil.copy(self.build / path, self.folder / "bin")
        for name, library in libraries_of(self.build / path):
            target = self.folder / "lib" / name
            if not target.exists():
                shutil.copy(library, target)

    def add_step(self, name, *command, kind="check", seconds=60):
        self.steps.append({"name": name, "kind": kind, "seconds": seconds,
                           "command": [str(word) for word in command]})

    def compile(self, model, name, *options):
        """The model for both targets: paths relative to the folder."""
        paths = []
        for target in ("cpu", "cuda"):
            path = f"models/{name}-{target}.mpcx"
            archs = [f"--arch={self.archs}"] if target == "cuda" else []
            run(self.build / "bin/mpc-compile", model, "-o", self.folder / path,
                f"--target={target}", *archs, *options)
            paths.append(path)
        return paths

    def add_digits(self):
        for path in DATA.iterdir():
            shutil.copy(path, self.folder / "data")
        samples = ["x=data/train-images.npy", "label=data/train-labels.npy"]
        for precision, bound in BOUNDS.items():
            for rounding in ("fused", "strict"):
                name = f"digits-{precision}-{rounding}"
                cpu, cuda = self.compile(DIGITS / "digits.mlir", name, f"--precision={precision}",
                                         f"--rounding={rounding}")
                self.add_step(f"{name}: CPU against CUDA", "bin/compare-steps", "compare", cpu, cuda,
                              30, bound, *samples)
        cuda = "models/digits-fp16-fused-cuda.mpcx"
        self.add_step("overflow skips the step", "bin/compare-steps", "skip", cuda, *samples)
        self.add_step("two runs, same bytes", "bin/compare-steps", "repeat", cuda, 200, *samples)
        for tool in ("memcheck", "racecheck"):
            self.add_step(f"compute-sanitizer {tool}", "compute-sanitizer", "--tool", tool,
                          "--error-exitcode=1", "bin/compare-steps", "repeat", cuda, 3, *samples,
                          seconds=120)

    def random_inputs(self, program, name):
        info = json.loads(run(self.build / "bin/mpc-run", "info", "--json", self.folder / program))
        step = next(entry for entry in info["entries"] if entry["name"] == "step")
        random = numpy.random.default_rng(1)
        files = []
        for tensor in step["inputs"]:
            shape, dtype = tensor["shape"], TYPES[tensor["type"]]
            if tensor["type"][0] == "i":
                values = random.integers(0, 2, shape)
            else:
                values = random.uniform(0.1, 1, shape)
            path = f"data/{name}-{tensor['name']}.npy"
            numpy.save(self.folder / path, numpy.asarray(values).astype(dtype))
            files.append(f"{tensor['name']}={path}")
        return files

    def add_models(self):
        for model in sorted((ROOT / "test/Numerics/Programs").glob("*.mlir")):
            name = model.stem
            cpu, cuda = self.compile(model, name)
            self.add_step(f"{name}: CPU against CUDA", "bin/compare-steps", "compare", cpu, cuda, 3,
                          1e-4, *self.random_inputs(cpu, name))

    def write(self):
        manifest = {"commit": run("git", "-C", ROOT, "rev-parse", "HEAD").strip(),
                    "changed": bool(run("git", "-C", ROOT, "status", "--porcelain").strip()),
                    "archs": self.archs, "steps": self.steps}
        (self.folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("--archs", default="sm_90")
    pack = Pack(parser.parse_args())
    pack.make_folder()
    for program in ("bin/mpc-run", "test/bin/compare-steps", "test/bin/products-check"):
        pack.add_program(program)
    pack.add_step("matrix products of cuBLASLt", "bin/products-check", kind="table")
    pack.add_digits()
    pack.add_models()
    benchmarks.add(pack, ROOT, run)
    pack.write()


if __name__ == "__main__":
    main()
