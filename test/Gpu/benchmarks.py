"""What pack.py gathers to measure: programs, models, and comparisons with
PyTorch, which run where a python3 has it."""
import pathlib
import shutil
import subprocess
import sys

PROGRAMS = ("bin/kernels-check", "bench/program-kernels", "bench/program-steps", "bench/graph-nodes")
COMPARISONS = ("turns.py", "torch_peers.py", "torch_gpt2.py", "torch_convolutions.py", "against_adamw.py", "against_kernels.py",
               "against_mlp.py")
PRECISIONS = ("fp32", "bf16", "fp16")
# One row kernel, one of columns, one of long rows, and what issue may bound.
PROFILED = ("gelu-bias-768-bf16", "softmax-768-bf16", "layer_norm-768-bf16", "layer_norm-1600-bf16",
            "softmax-backward-768-bf16", "layer_norm-backward-768-bf16", "layer_norm-backward-1600-bf16",
            "layer_norm-backward-4096-bf16", "softmax-4096-bf16")
METRICS = ("dram__throughput.avg.pct_of_peak_sustained_elapsed", "sm__inst_issued.avg.pct_of_peak_sustained_active",
           "sm__warps_active.avg.pct_of_peak_sustained_active",
           "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
           *(f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"
             for reason in ("long_scoreboard", "short_scoreboard", "barrier", "wait")))
# Of every kernel of a step, the libraries' too: one pass.
TIMES = ("gpu__time_duration.sum", "dram__bytes.sum")
# Of torch_gpt2.py.
GPT2 = ("--preset=gpt2", "--batch=32", "--vocabulary=50304")


class Benchmarks:
    def __init__(self, pack, root, run):
        """Compiles bench/gpu's models."""
        self.pack = pack
        (pack.folder / "bench").mkdir()
        for name in COMPARISONS:
            shutil.copy(root / "bench/gpu" / name, pack.folder / "bench")
        sources = pack.folder / "sources"
        subprocess.run([sys.executable, root / "bench/gpu/models.py", sources], check=True)
        self.kernels = []
        for model in sorted(sources.glob("*.mlir")):
            path = f"models/{model.stem}.mpcx"
            # A step on one card, as its peers take it.
            is_step = model.stem.startswith(("mlp-", "gpt-"))
            options = ["--reduce=none"] if is_step else []
            run(pack.build / "bin/mpc-compile", model, "-o", pack.folder / path, "--target=cuda",
                f"--arch={pack.archs}", *options)
            if not is_step:
                self.kernels.append(path)
        shutil.rmtree(sources)
        self.add_gpt2(root, run)
        self.make_small_kernels(root, run)

    def make_small_kernels(self, root, run):
        """The profiled ones on few rows, for tools that watch each access."""
        sources = self.pack.folder / "sources"
        run(sys.executable, root / "bench/gpu/models.py", sources, "--rows", 512)
        self.small = [f"models/{name}-512-rows.mpcx" for name in PROFILED]
        for name, path in zip(PROFILED, self.small):
            run(self.pack.build / "bin/mpc-compile", sources / f"{name}.mlir", "-o", self.pack.folder / path,
                "--target=cuda", f"--arch={self.pack.archs}")
        shutil.rmtree(sources)

    def add_gpt2(self, root, run):
        """All layers of GPT-2 124M, with its embeddings, as PyTorch has it there."""
        source = pathlib.Path(self.pack.folder / "gpt2.mlir")
        source.write_text(run(sys.executable, root / "examples/gpt/model.py", *GPT2))
        run(self.pack.build / "bin/mpc-compile", source, "-o", self.pack.folder / "models/gpt2-bf16.mpcx",
            "--target=cuda", f"--arch={self.pack.archs}", "--precision=bf16", "--loss-scale=none", "--reduce=none",
            "--drop-outputs=logits")
        source.unlink()

    def measure(self, name, *command, seconds, **more):
        self.pack.add_step(name, *command, kind="benchmark", seconds=seconds, **more)

    def add_kernels(self):
        """Of ours alone."""
        self.measure("Nodes of a graph", "bin/graph-nodes", "--json", seconds=20)
        self.measure("Generated kernels", "bin/program-kernels", "--json", "--seconds", "0.02", *self.kernels,
                     seconds=40)
        self.measure("Multi-tensor kernels", "bin/kernels-check", "bench", "--json", "--seconds", "0.03", seconds=30)
        profiled = [f"models/{name}.mpcx" for name in PROFILED]
        self.measure("Profile of generated kernels", "ncu", "--clock-control", "none", "--csv", "--metrics",
                     ",".join(METRICS), "--kernel-name", "regex:k_", "--launch-count", "20", "bin/program-kernels",
                     "--rounds", "1", "--seconds", "0.0001", *profiled, seconds=40, csv=True)

    def add_steps_of_gpt2(self):
        """Two layers by each kind of attention, all twelve, and where their time goes."""
        for attention, options in (("by our kernels", ["--own-attention"]), ("by cuDNN forward", []),
                                   ("by cuDNN", ["--allow-nondeterministic"])):
            self.measure(f"Training step of two layers of GPT-2, attention {attention}", "bin/program-steps",
                         "--json", "--seconds", "0.3", "--rounds", "5", "--tune", "2000", *options,
                         "models/gpt-bf16.mpcx", seconds=30)
        self.measure("Training step of GPT-2 124M, attention by cuDNN", "bin/program-steps", "--json", "--seconds", "0.5",
                     "--rounds", "5", "--tune", "2000", "--integers", "50304", "--allow-nondeterministic",
                     "models/gpt2-bf16.mpcx", seconds=60)
        self.measure("Kernels of two layers of GPT-2", "ncu", "--clock-control", "none", "--csv", "--metrics",
                     ",".join(TIMES), "--launch-count", "160", "bin/program-steps", "--rounds", "1", "--seconds",
                     "0.0001", "--allow-nondeterministic", "models/gpt-bf16.mpcx", seconds=60, csv=True)

    def add_comparisons(self):
        self.measure("PyTorch: attention, and a step of GPT-2 124M", "python3", "bench/torch_gpt2.py", seconds=90)
        self.measure("PyTorch: convolutions of ResNet-50", "python3", "bench/torch_convolutions.py", seconds=60)
        steps = [f"models/mlp-{precision}.mpcx" for precision in PRECISIONS]
        self.measure("Training step of an MLP", "bin/program-steps", "--json", "--seconds", "0.2", "--tune", "2000",
                     *steps, seconds=30)
        self.measure("Update of GPT-2 against PyTorch", "python3", "bench/against_adamw.py", "bin/kernels-check",
                     "--seconds", "0.05", "--rounds", "5", seconds=40)
        self.measure("MLP against PyTorch", "python3", "bench/against_mlp.py", "bin/program-steps", "models",
                     "--seconds", "0.1", "--rounds", "5", seconds=60)
        self.measure("Generated kernels against PyTorch", "python3", "bench/against_kernels.py",
                     "bin/program-kernels", "models", "--seconds", "0.02", "--rounds", "5", seconds=60)
