"""Gathers what scripts/gpu needs on a machine that has a GPU and no LLVM.

usage: pack.py BUILD FOLDER [--archs sm_90] [--megabytes 56] [--emulated]

FOLDER then holds programs, libraries (large ones compressed), compiled models
for cpu and cuda with random inputs, and manifest.json: the steps to run, one
command each, relative to FOLDER, what tells most first. Fails if FOLDER is
larger than what may travel.

With --emulated the programs for cuda have emulated kernels, and the plug-in is
the one for these: a rehearsal where there is no GPU. Steps that talk to a driver
themselves are left out then.
"""
import argparse
import json
import lzma
import pathlib
import re
import shutil
import subprocess
import sys

import numpy

import benchmarks

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test/Numerics/Programs/Inputs"))
from net_models import Net  # noqa: E402: where the tests have it
DIGITS = ROOT / "examples/digits"
DATA = DIGITS / "data"
# Distance of a CUDA step from the CPU's that the order of sums explains.
BOUNDS = {"fp32": 2e-5, "bf16": 2e-2, "fp16": 3e-3}
# Libraries above this many bytes travel compressed.
LARGE = 4 << 20
# Kernels of ours, for tools that would else look into the libraries' too.
OUR_KERNELS = ("k_", "updateAdamW", "updateSgd", "unscaleL2Norm")
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
        self.archs, self.emulated = options.archs, options.emulated
        self.steps = []
        # Lines for compare-steps: what each program is checked for.
        self.each, self.checks = [], []

    def make_folder(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in ("bin", "lib", "models", "data"):
            (self.folder / name).mkdir(parents=True)
        plugin = "EmulatedCuda.so" if self.emulated else "libmpcrt_cuda.so"
        shutil.copy(self.build / "lib" / plugin, self.folder / "lib/libmpcrt_cuda.so")

    def add_program(self, path):
        shutil.copy(self.build / path, self.folder / "bin")
        for name, library in libraries_of(self.build / path):
            self.add_library(name, pathlib.Path(library))

    def add_library(self, name, source):
        target = self.folder / "lib" / name
        packed = target.with_name(name + ".xz")
        if target.exists() or packed.exists():
            return
        if source.stat().st_size < LARGE:
            shutil.copy(source, target)
            return
        with open(source, "rb") as plain, lzma.open(packed, "wb", preset=2) as file:
            shutil.copyfileobj(plain, file)

    def add_step(self, name, *command, kind="check", seconds=60, **more):
        """`more`: essential (nothing else makes sense without it), optional (not
        every machine can run it), unable (what it says where it cannot)."""
        self.steps.append({"name": name, "kind": kind, "seconds": seconds, **more,
                           "command": [str(word) for word in command]})

    def add_list(self, name, file, lines, **more):
        """compare-steps on a list of checks, in one process."""
        (self.folder / file).write_text("".join(line + "\n" for line in lines))
        self.add_step(name, "bin/compare-steps", "all", file, **more)

    def compile(self, model, name, *options):
        """The model for both targets: paths relative to the folder."""
        cpu, cuda = (f"models/{name}-{target}.mpcx" for target in ("cpu", "cuda"))
        run(self.build / "bin/mpc-compile", model, "-o", self.folder / cpu, "--target=cpu", *options)
        if self.emulated:
            planned = self.folder / "planned.mlir"
            run(self.build / "bin/mpc-opt", model, "--compile-to=exec", "--target=cuda", *options, "-o", planned)
            run(self.build / "bin/emulate-cuda", planned, self.folder / cuda)
            planned.unlink()
        else:
            run(self.build / "bin/mpc-compile", model, "-o", self.folder / cuda, "--target=cuda",
                f"--arch={self.archs}", *options)
        return cpu, cuda

    def make_digits(self):
        """Compiles the digits; fills `checks` and `each`."""
        for path in DATA.iterdir():
            shutil.copy(path, self.folder / "data")
        samples = "x=data/train-images.npy label=data/train-labels.npy"
        for precision, bound in BOUNDS.items():
            for rounding in ("fused", "strict"):
                cpu, cuda = self.compile(DIGITS / "digits.mlir", f"digits-{precision}-{rounding}",
                                         f"--precision={precision}", f"--rounding={rounding}")
                self.each.append(f"each {cuda} {samples}")
                self.checks.append(f"compare {cpu} {cuda} 30 {bound} {samples}")
        self.checks.append(f"skip models/digits-fp16-fused-cuda.mpcx {samples}")
        self.checks.append(f"repeat models/digits-fp16-fused-cuda.mpcx 200 {samples}")
        bf16 = "models/digits-bf16-fused"
        self.first = [f"stream {bf16}-cuda.mpcx 30 {samples}",
                      f"compare {bf16}-cpu.mpcx {bf16}-cuda.mpcx 30 {BOUNDS['bf16']} {samples}"]
        self.sanitized = ["bin/compare-steps", "repeat", "models/digits-fp16-fused-cuda.mpcx", 3,
                          *samples.split()]

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

    def make_models(self):
        """The same of each test model."""
        for model in sorted((ROOT / "test/Numerics/Programs").glob("*.mlir")):
            cpu, cuda = self.compile(model, model.stem)
            samples = " ".join(self.random_inputs(cpu, model.stem))
            self.each.append(f"each {cuda} {samples}")
            self.checks.append(f"compare {cpu} {cuda} 3 1e-4 {samples}")

    def make_wide(self):
        """What lies in shared memory, in 16 bits too."""
        model = ROOT / "test/Numerics/Programs/wide.mlir"
        for precision, bound in (("bf16", BOUNDS["bf16"]), ("fp16", BOUNDS["fp16"])):
            cpu, cuda = self.compile(model, f"wide-{precision}", f"--precision={precision}", "--loss-scale=none")
            samples = " ".join(self.random_inputs(cpu, "wide"))
            self.checks += [f"compare {cpu} {cuda} 3 {bound} {samples}", f"repeat {cuda} 20 {samples}"]

    def make_gpt(self):
        """GPT-2's shape, with a small vocabulary: embeddings, a tied head, all that a real step has; and a layer
        of its real width. Updated by sgd: the gradients of biases of keys are 0 but for
        rounding, of which adamw makes whole steps."""
        wide = ("--preset=gpt2", "--layers=1", "--batch=2", "--context=64", "--positions=64", "--vocabulary=1000")
        source = self.folder / "gpt.mlir"
        for name, steps, options in (("small-gpt", 10, ("--batch=4", "--layers=2")), ("wide-gpt", 3, wide)):
            text = run(sys.executable, ROOT / "examples/gpt/model.py", *options)
            sgd = 'name = "sgd", lr = 0.1, momentum = 0.9, '
            source.write_text(re.sub(r'name = "adamw", lr = \S+ beta1 = \S+ beta2 = \S+ ', sgd, text))
            for precision, bound in BOUNDS.items():
                cpu, cuda = self.compile(source, f"{name}-{precision}", f"--precision={precision}")
                samples = " ".join(self.random_inputs(cpu, name))
                self.each.append(f"each {cuda} {samples}")
                self.checks.append(f"compare {cpu} {cuda} {steps} {bound} {samples}")
        source.unlink()

    def make_nets(self):
        """Random nets of convolutions, pools, norms and recurrence. Not number 5: a bias in front of a batch norm,
        whose gradient is 0 but for rounding."""
        source = self.folder / "net.mlir"
        for seed in (1, 2, 3, 4, *range(6, 14)):
            source.write_text(Net(seed).write())
            cpu, cuda = self.compile(source, f"net-{seed}")
            samples = " ".join(self.random_inputs(cpu, f"net-{seed}"))
            self.checks.append(f"compare {cpu} {cuda} 3 1e-3 {samples}")
        source.unlink()

    def make_attention(self):
        """16-bit attention: by our kernels, with cuDNN forward, and with it both ways."""
        model = ROOT / "test/Numerics/CudaPrograms/attention-cudnn.mlir"
        samples = "x=data/train-images.npy label=data/train-labels.npy"
        for precision, bound in (("fp16", 4e-3), ("bf16", BOUNDS["bf16"])):
            cpu, cuda = self.compile(model, f"attention-{precision}", f"--precision={precision}",
                                     "--loss-scale=none")
            for option in ("--own-attention ", "", "--allow-nondeterministic "):
                self.checks.append(f"{option}compare {cpu} {cuda} 12 {bound} {samples}")

    def make_convolutions(self):
        """Those of the test models are f32; these are 16-bit, and from different orders of dims."""
        model = ROOT / "test/Numerics/CudaPrograms/convolution.mlir"
        samples = "x=data/train-images.npy label=data/train-labels.npy"
        for precision, bound in (("fp16", 4e-3), ("bf16", 4e-2)):
            cpu, cuda = self.compile(model, f"convolution-{precision}", f"--precision={precision}",
                                     "--loss-scale=none")
            self.each.append(f"each {cuda} {samples}")
            self.checks += [f"compare {cpu} {cuda} 12 {bound} {samples}", f"repeat {cuda} 50 {samples}"]

    def add_sanitizers(self, measure):
        """Last, since a tool may know neither the card nor what its libraries do."""
        ours = [word for name in OUR_KERNELS for word in ("--kernel-name", f"kns={name}")]

        def add(name, tool, *command):
            self.add_step(f"compute-sanitizer {tool}, {name}", "compute-sanitizer", "--tool", tool, "--error-exitcode=1",
                          *command, seconds=40, optional=True, unable="Device not supported")

        add("a step", "memcheck", *ours, *self.sanitized)
        # Under racecheck cuBLASLt's products of an H200 fail to run.
        for tool in ("memcheck", "racecheck"):
            add("generated kernels", tool, "bin/program-kernels", "--rounds", 1, "--seconds", 0.0001, *measure.small)
        for tool in ("memcheck", "racecheck"):
            add("multi-tensor kernels and attention", tool, "bin/kernels-check", "check", "--every", 31)

    def add_each(self):
        self.add_list("every record of every program by itself", "each.txt", self.each, seconds=40)

    def add_first(self):
        self.add_list("digits in bf16: with and without graphs, CPU against CUDA", "first.txt", self.first,
                      seconds=40)

    def add_checks(self):
        self.add_list("all programs, step by step", "checks.txt", self.checks, seconds=90)

    def add_all(self, measure):
        """What tells most first."""
        self.add_step("the machine", "bin/products-check", "probe", seconds=40, essential=True)
        self.add_each()
        self.add_first()
        self.add_step("matrix products of cuBLASLt", "bin/products-check", seconds=60)
        self.add_checks()
        measure.add_steps_of_gpt2()
        self.add_step("multi-tensor kernels and attention against their references", "bin/kernels-check", "check",
                      "--json", seconds=60)
        self.add_step("matrix products of GPT-2", "bin/products-check", "shapes", seconds=90)
        self.add_step("convolutions of ResNet-50", "bin/products-check", "convolutions", seconds=40)
        measure.add_kernels()
        measure.add_comparisons()
        self.add_sanitizers(measure)

    def write(self):
        manifest = {"commit": run("git", "-C", ROOT, "rev-parse", "HEAD").strip(),
                    "changed": bool(run("git", "-C", ROOT, "status", "--porcelain").strip()),
                    "archs": self.archs, "steps": self.steps}
        (self.folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


    def check_size(self, megabytes):
        size = sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
        if size > megabytes << 20:
            sys.exit(f"pack.py: expected at most {megabytes} MiB in {self.folder}, which is what travels "
                     f"beside the checkout, but it is {size / 2**20:.1f}; compile for fewer architectures")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("--archs", default="sm_90")
    parser.add_argument("--megabytes", type=int, default=56)
    parser.add_argument("--emulated", action="store_true")
    options = parser.parse_args()
    pack = Pack(options)
    pack.make_folder()
    own = () if options.emulated else benchmarks.PROGRAMS
    for program in ("bin/mpc-run", "test/bin/compare-steps", "test/bin/products-check", *own):
        pack.add_program(program)
    pack.make_digits()
    pack.make_models()
    pack.make_wide()
    pack.make_gpt()
    pack.make_attention()
    pack.make_convolutions()
    pack.make_nets()
    if options.emulated:
        for add in (pack.add_each, pack.add_first, pack.add_checks):
            add()
    else:
        pack.add_all(benchmarks.Benchmarks(pack, ROOT, run))
    pack.write()
    pack.check_size(options.megabytes)


if __name__ == "__main__":
    main()
