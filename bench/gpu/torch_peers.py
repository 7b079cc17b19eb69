"""Work of PyTorch as peers of turns.py."""
import statistics
import sys

try:
    import torch
except ImportError:
    print("expected PyTorch to compare with, but this Python has none", file=sys.stderr)
    sys.exit(3)
if not torch.cuda.is_available():
    print("expected a GPU that PyTorch can use, but there is none", file=sys.stderr)
    sys.exit(3)

TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "fp32": torch.float32}


def milliseconds(run, rounds=10):
    """Median of single runs, between events, after two that warm up."""
    samples = []
    for _ in range(2 + rounds):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        end.synchronize()
        samples.append(begin.elapsed_time(end))
    return statistics.median(samples[2:])


def timed(run):
    """A peer that calls run() back to back, timed by events of the stream."""
    estimate = None

    def sample(count):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(count):
            run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3 / count

    def peer(seconds):
        nonlocal estimate
        if estimate is None:
            for _ in range(3):  # compiles
                run()
            estimate = sample(3)
        estimate = sample(max(1, int(seconds / max(estimate, 1e-7))))
        return estimate

    return peer


def captured(run, warm_up=5):
    """`run` as a replay of one CUDA graph."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(warm_up):
            run()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph.replay


def copy_peer(count=2**29):
    """A copy of `count` bytes of device memory."""
    source = torch.randn(count // 4, device="cuda")
    target = torch.empty_like(source)
    return timed(lambda: target.copy_(source)), 2 * count
