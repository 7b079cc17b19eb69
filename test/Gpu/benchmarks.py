"""What pack.py gathers to measure: programs, models, and comparisons with
PyTorch, which run where a python3 has it."""
import shutil
import subprocess
import sys

COMPARISONS = ("turns.py", "torch_peers.py", "against_adamw.py", "against_kernels.py", "against_mlp.py")
PRECISIONS = ("fp32", "bf16", "fp16")


def add_models(pack, root, run):
    """Compiles bench/gpu's models; paths relative to the folder."""
    sources = pack.folder / "sources"
    subprocess.run([sys.executable, root / "bench/gpu/models.py", sources], check=True)
    compiler = pack.build / "bin/mpc-compile"
    kernels = []
    for model in sorted(sources.glob("*.mlir")):
        path = f"models/{model.stem}.mpcx"
        # A step on one card, as its peers take it.
        is_step = model.stem.startswith("mlp-")
        options = ["--reduce=none"] if is_step else []
        run(compiler, model, "-o", pack.folder / path, "--target=cuda", f"--arch={pack.archs}", *options)
        if not is_step:
            kernels.append(path)
    shutil.rmtree(sources)
    return kernels


def add(pack, root, run):
    for program in ("bin/kernels-check", "bench/program-kernels", "bench/program-steps"):
        pack.add_program(program)
    (pack.folder / "bench").mkdir()
    for name in COMPARISONS:
        shutil.copy(root / "bench/gpu" / name, pack.folder / "bench")
    kernels = add_models(pack, root, run)
    pack.add_step("multi-tensor kernels against their references", "bin/kernels-check", "check", "--json",
                  seconds=90)

    def measure(name, *command, seconds):
        pack.add_step(name, *command, kind="benchmark", seconds=seconds)

    measure("Multi-tensor kernels", "bin/kernels-check", "bench", "--json", "--seconds", "0.05", seconds=60)
    measure("Generated kernels", "bin/program-kernels", "--json", "--seconds", "0.03", *kernels, seconds=60)
    measure("Training step of an MLP", "bin/program-steps", "--json", "--seconds", "0.3", "--tune", "3000",
            *[f"models/mlp-{precision}.mpcx" for precision in PRECISIONS], seconds=60)
    measure("Update of GPT-2 against PyTorch", "python3", "bench/against_adamw.py", "bin/kernels-check",
            "--seconds", "0.1", seconds=90)
    measure("MLP against PyTorch", "python3", "bench/against_mlp.py", "bin/program-steps", "models",
            "--seconds", "0.2", seconds=120)
    measure("Generated kernels against PyTorch", "python3", "bench/against_kernels.py", "bin/program-kernels",
            "models", "--seconds", "0.03", seconds=180)
