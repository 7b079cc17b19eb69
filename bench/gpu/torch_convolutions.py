"""What PyTorch makes of the convolutions of ResNet-50: the numbers to beat.

usage: torch_convolutions.py [--batch 64] [--seconds 40]

The stem and those of 3 x 3, forward and both gradients, in bf16, channels last;
cuDNN's engines are all tried (cudnn.benchmark), those that add up in any order
too. One JSON object per line. Stops when `seconds` are over. Exit code 3: no
PyTorch or no GPU.
"""
import argparse
import json
import time

from torch_peers import milliseconds, torch

# Channels, results, size, kernel, stride: as test/Gpu/ConvolutionSpeed.cpp has them.
LAYERS = ((3, 64, 224, 7, 2), (64, 64, 56, 3, 1), (128, 128, 56, 3, 2), (128, 128, 28, 3, 1), (256, 256, 28, 3, 2),
          (256, 256, 14, 3, 1), (512, 512, 14, 3, 2), (512, 512, 7, 3, 1))


def measure(batch, channels, results, size, kernel, stride):
    def random(*shape):
        made = torch.randn(shape, device="cuda", dtype=torch.bfloat16)
        return made.to(memory_format=torch.channels_last).requires_grad_()

    x, w = random(batch, channels, size, size), random(results, channels, kernel, kernel)

    def convolve():
        return torch.nn.functional.conv2d(x, w, stride=stride, padding=kernel // 2)

    y = convolve()
    gradient = torch.randn_like(y)
    operations = 2 * y.numel() * channels * kernel * kernel
    name = f"{channels} x {size}^2 to {results} by {kernel}^2, stride {stride}"
    runs = {"": convolve,
            ", gradient of its input": lambda: torch.autograd.grad(y, x, gradient, retain_graph=True),
            ", gradient of its weight": lambda: torch.autograd.grad(y, w, gradient, retain_graph=True)}
    for what, run in runs.items():
        print(json.dumps({"convolution": name + what, "TFLOP/s": operations / milliseconds(run) * 1e-9}), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=40)
    options = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    deadline = time.monotonic() + options.seconds
    for layer in LAYERS:
        if time.monotonic() > deadline:
            break
        measure(options.batch, *layer)


if __name__ == "__main__":
    main()
