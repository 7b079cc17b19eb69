"""Trains a model on the processor and on an emulated CUDA device.

cuda-steps.py BUILD PREFIX MODEL CHECK... [-- options of the pipeline]

The program for CUDA has emulated kernels (emulate-cuda) and is run by the
plug-in's own code on a device made of host memory (EmulatedCuda). CHECKs are
those of compare-steps:
  compare=BOUND  step by step with the program for the processor
  skip           a step whose gradients overflow changes no bit
  repeat         two runs give the same bytes
  stream         with and without graphs the same bytes
  nccl           from here on reduce by NCCL, over a group of one
  plain          from here on cuBLASLt makes plain products only, so that what
                 stands beside them is left to the program's kernels
  cudnn          from here on attention goes to cuDNN, backward too
Both read the digits.
"""
import os
import pathlib
import subprocess
import sys

STEPS = "12"


def main():
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    build, prefix, model, *checks = sys.argv[1:split]
    options = sys.argv[split + 1:]
    root = pathlib.Path(__file__).resolve().parents[4]
    data = root / "examples/digits/data"
    samples = [f"x={data}/train-images.npy", f"label={data}/train-labels.npy"]
    check_steps = f"{build}/test/bin/compare-steps"
    environment = dict(os.environ, MPC_CUDA_PLUGIN=f"{build}/lib/EmulatedCuda.so")

    def run(*command):
        if subprocess.run(command, env=environment).returncode != 0:
            sys.exit("failed: " + " ".join(command))

    planned, cuda, cpu = prefix + ".exec.mlir", prefix + ".cuda.mpcx", prefix + ".cpu.mpcx"
    run("mpc-opt", model, "--compile-to=exec", "--target=cuda", *options, "-o", planned)
    run("emulate-cuda", planned, cuda)
    for check in checks:
        name, _, bound = check.partition("=")
        if name in ("nccl", "plain", "cudnn"):
            environment[f"MPC_EMULATED_{name.upper()}"] = "1"
        elif name == "compare":
            run("mpc-compile", model, "-o", cpu, *options)
            run(check_steps, "compare", cpu, cuda, STEPS, bound, *samples)
        else:
            run(check_steps, name, cuda, *([STEPS] if name in ("repeat", "stream") else []), *samples)


main()
