"""Measures convolutional and recurrent nets beside PyTorch: ResNet-50 and LSTM of examples/, in f32 and bf16.

    python3 bench/torch/nets.py [build/bin] [--net resnet50|lstm|fashion|digits|character] [--threads 2] [--steps 4] [--rounds 3]
                          [--leave-out "PyTorch, bf16 autocast"]

Steps are those of examples/resnet and examples/lstm with their optimizers (ResNet-50 on 8 images of 224 x 224; LSTM of
two layers of 512, 128 characters, 32 samples), those of mpc and of PyTorch in turns, each round in a process of its
own, whose peak memory counts. PyTorch's images are channels_last in both precisions, where it is faster. Pixels and
tokens are random. Compiling is a process with an empty cache. It needs a Python that has PyTorch and NumPy.
"""
import argparse
import concurrent.futures
import json
import multiprocessing
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parents[2]


# ---- The models in PyTorch, with the names of examples/ --------------------------------------------


def norm_of(channels):
    return nn.BatchNorm2d(channels)


def convolution(channels, to, kernel, stride=1):
    return nn.Conv2d(channels, to, kernel, stride, kernel // 2, bias=False)


class Block(nn.Module):
    """Basic, of two convolutions of 3 x 3, or a bottleneck, with the stride in the middle."""

    def __init__(self, channels, width, stride, is_bottleneck):
        super().__init__()
        to = 4 * width if is_bottleneck else width
        sizes = [(1, 1), (3, stride), (1, 1)] if is_bottleneck else [(3, stride), (3, 1)]
        widths = [channels] + [width] * (len(sizes) - 1) + [to]
        self.count = len(sizes)
        for i, (kernel, step) in enumerate(sizes):
            setattr(self, f"conv{i + 1}", convolution(widths[i], widths[i + 1], kernel, step))
            setattr(self, f"bn{i + 1}", norm_of(widths[i + 1]))
        self.downsample = None
        if stride != 1 or channels != to:
            self.downsample = nn.Sequential(convolution(channels, to, 1, stride), norm_of(to))

    def forward(self, x):
        y = x
        for i in range(1, self.count + 1):
            y = getattr(self, f"bn{i}")(getattr(self, f"conv{i}")(y))
            y = F.relu(y) if i < self.count else y
        return F.relu(y + (self.downsample(x) if self.downsample else x))


class ResNet(nn.Module):
    def __init__(self, depths, width, is_bottleneck, is_large, channels, classes, scale, mean, deviation):
        super().__init__()
        self.is_large, self.scale, self.mean, self.deviation = is_large, scale, mean, deviation
        self.conv1 = nn.Conv2d(channels, width, 7, 2, 3, bias=False) if is_large else convolution(channels, width, 3)
        self.bn1 = norm_of(width)
        start = width
        for stage, depth in enumerate(depths):
            blocks = []
            for number in range(depth):
                blocks.append(Block(start, width << stage, 2 if stage and not number else 1, is_bottleneck))
                start = (width << stage) * (4 if is_bottleneck else 1)
            setattr(self, f"layer{stage + 1}", nn.Sequential(*blocks))
        self.stages = len(depths)
        self.fc = nn.Linear(start, classes)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1((x / self.scale - self.mean) / self.deviation)))
        x = F.max_pool2d(x, 3, 2, 1) if self.is_large else x
        for stage in range(self.stages):
            x = getattr(self, f"layer{stage + 1}")(x)
        return self.fc(x.mean((2, 3)))


class CharLstm(nn.Module):
    def __init__(self, vocabulary, embedding, width, layers):
        super().__init__()
        self.emb = nn.Embedding(vocabulary, embedding)
        self.rnn = nn.LSTM(embedding, width, layers, batch_first=True)
        self.fc = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        return self.fc(self.rnn(self.emb(tokens))[0])


class Net:
    """What is compiled and fed, and the same in PyTorch."""

    def __init__(self, script, arguments, make, batch, image=None, context=None, classes=10, clip=None):
        self.script, self.arguments, self.make = script, arguments, make
        self.batch, self.image, self.context, self.classes, self.clip = batch, image, context, classes, clip

    def data(self, samples):
        random = np.random.default_rng(3)
        if self.image:
            return {"x": random.integers(0, 256, (samples, *self.image)).astype(np.float32),
                    "label": random.integers(0, self.classes, samples, dtype=np.int32)}
        tokens = random.integers(0, self.classes, (samples, self.context + 1), dtype=np.int32)
        return {"tokens": tokens[:, :-1].copy(), "labels": tokens[:, 1:].copy()}

    def optimizer(self, model):
        if self.image:
            return torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
        return torch.optim.Adam(model.parameters(), lr=2e-3, fused=True)


NETS = {
    "resnet50": Net("resnet", ["--preset", "resnet50"],
                    lambda: ResNet([3, 4, 6, 3], 64, True, True, 3, 1000, 255.0, 0.449, 0.226), 8, image=(3, 224, 224), classes=1000),
    "fashion": Net("resnet", ["--preset", "fashion"], lambda: ResNet([1, 1, 1], 16, False, False, 1, 10, 255.0, 0.2860, 0.3530), 64,
                   image=(1, 28, 28)),
    "digits": Net("resnet", ["--preset", "digits"], lambda: ResNet([1, 1, 1], 16, False, False, 1, 10, 16.0, 0.3053, 0.3760), 64,
                  image=(1, 8, 8)),
    "lstm": Net("lstm", ["--layers", 2, "--width", 512, "--context", 128, "--batch", 32, "--embedding", 64],
                lambda: CharLstm(84, 64, 512, 2), 32, context=128, classes=84, clip=1.0),
    "character": Net("lstm", [], lambda: CharLstm(84, 64, 256, 1), 32, context=64, classes=84, clip=1.0),
}


# ---- Steps ------------------------------------------------------------------------------------------


def run(*command, **environment):
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=dict(os.environ, **environment))
    if process.returncode != 0:
        sys.exit(f"nets.py: {' '.join(map(str, command))}\n{process.stderr}")
    return process.stdout


def torch_steps(options, element):
    """(seconds of each step but the first, bytes at the peak)"""
    torch.set_num_threads(options.threads)
    net = NETS[options.net]
    model = net.make()
    data = [torch.from_numpy(array) for array in net.data(net.batch).values()]
    if net.image:
        model, data[0] = model.to(memory_format=torch.channels_last), data[0].to(memory_format=torch.channels_last)
    x, labels = data[0] if net.image else data[0].long(), data[1].long()
    optimizer = net.optimizer(model)
    ends = [time.perf_counter()]
    for _ in range(options.steps + 1):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=element == "bf16"):
            loss = F.cross_entropy(model(x).flatten(0, -2), labels.flatten())
        loss.backward()
        if net.clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), net.clip)
        optimizer.step()
        loss.item()
        ends.append(time.perf_counter())
    return [end - start for start, end in zip(ends[1:], ends[2:])], 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def apart(function, *arguments):
    """What `function` returns in a process of its own: neither memory nor threads of this one count."""
    processes = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(max_workers=1, mp_context=processes) as executor:
        return executor.submit(function, *arguments).result()


def peak_memory(process):
    """Bytes, so far. What Linux tells when a process has ended counts the one that started it, too."""
    with open(f"/proc/{process}/status") as file:
        lines = [line for line in file if line.startswith("VmHWM")]
    return 1024 * int(lines[0].split()[1]) if lines else 0


def mpc_steps(options, folder, precision):
    metrics = folder / "metrics.jsonl"
    inputs = [word for name in NETS[options.net].data(1) for word in ("--input", f"{name}={folder / name}.npy")]
    command = [options.binaries / "mpc-run", "train", folder / f"{precision}.mpcx", *inputs, "--steps", options.steps + 1,
               "--metrics", metrics, "--threads", options.threads]
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, peak_memory(process.pid))
        time.sleep(0.01)
    if process.returncode != 0:
        sys.exit(f"nets.py: {' '.join(map(str, command))} ended with {process.returncode}")
    return [json.loads(line)["ms"] / 1e3 for line in metrics.read_text().splitlines()][1:], peak


def compile_all(options, folder):
    """Writes the programs, and prints how long that takes."""
    net = NETS[options.net]
    model = folder / "model.mlir"
    model.write_text(run(sys.executable, ROOT / f"examples/{net.script}/model.py", *net.arguments))
    print("| compile | s | program file, MB |\n|---|---|---|")
    for precision in ("fp32", "bf16"):
        program, seconds = folder / f"{precision}.mpcx", []
        for number in range(3):
            begin = time.perf_counter()
            run(options.binaries / "mpc-compile", model, "-o", program, f"--precision={precision}", "--loss-scale=none",
                MPC_CACHE_DIR=str(folder / f"cache-{precision}-{number}"))
            seconds.append(time.perf_counter() - begin)
        print(f"| {precision} | {statistics.median(seconds):.2f} | {program.stat().st_size / 1e6:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", nargs="?", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--net", choices=NETS, default="resnet50")
    for name, value in (("threads", 2), ("steps", 4), ("rounds", 3)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--leave-out", action="append", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compile_all(options, folder)
        net = NETS[options.net]
        for array_name, array in net.data(4 * net.batch).items():
            np.save(folder / f"{array_name}.npy", array)
        runners = {"PyTorch, f32": lambda: apart(torch_steps, options, "f32"), "mpc, f32": lambda: mpc_steps(options, folder, "fp32"),
                   "PyTorch, bf16 autocast": lambda: apart(torch_steps, options, "bf16"),
                   "mpc, bf16": lambda: mpc_steps(options, folder, "bf16")}
        rounds = {name: [] for name in runners if name not in options.leave_out}
        for _ in range(options.rounds):
            for name, found in rounds.items():
                found.append(runners[name]())
    print("\n| | ms per step, median | least | peak memory, GB |\n|---|---|---|---|")
    for name, found in rounds.items():
        steps = [1e3 * step for each, _ in found for step in each]
        print(f"| {name} | {statistics.median(steps):.1f} | {min(steps):.1f} | {max(peak for _, peak in found) / 1e9:.2f} |")


if __name__ == "__main__":
    main()
