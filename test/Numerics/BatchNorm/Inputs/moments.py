"""Means and variances of channels, where the mean is a thousand deviations from 0, beside those of NumPy in f64.

usage: moments.py FOLDER

What is folded has parts of one dim or several, of a dim that is cut, of one that no part divides, and none; it lies
channels first and last. The bits are the same with one thread and with two.
"""
import pathlib
import subprocess
import sys

import numpy as np

CASES = [((8, 56, 56, 16), "channels_last"), ((2, 14, 14, 70), "channels_last"), ((2, 4096, 3), "channels_last"),
         ((2, 4099, 3), "channels_last"), ((3, 4096, 5), "channels_last per_sample"), ((2, 5, 7, 6), ""), ((3, 2, 5003), ""),
         ((1, 2, 70000), "per_sample"), ((4, 3, 6, 5, 7), "per_sample"), ((600, 5), ""), ((1, 4), "per_sample"),
         ((2048, 6), ""), ((2048, 6), "per_sample")]


def run(*command):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(" ".join(map(str, command)) + "\n" + result.stdout + result.stderr)


def find(folder, x, words, threads):
    element = {"float32": "f32", "float64": "f64"}[x.dtype.name]
    wide = "f64" if element == "f64" else "f32"
    shape = "x".join(map(str, x.shape))
    channels = x.shape[-1] if "last" in words else x.shape[1]
    result = f"tensor<{x.shape[0]}x{channels}x{wide}>" if "sample" in words else f"tensor<{channels}x{wide}>"
    spelled = ("per_sample " if "sample" in words else "") + ("channels_last " if "last" in words else "")
    (folder / "m.mlir").write_text(f"""func.func @m(%x: tensor<{shape}x{element}> {{graph.input = "x"}}) -> ({result} {{graph.output = "mean"}}, {result} {{graph.output = "variance"}}) {{
  %0, %1 = graph.channel_moments %x {spelled}: (tensor<{shape}x{element}>) -> ({result}, {result})
  return %0, %1 : {result}, {result}
}}
""")
    np.save(folder / "x.npy", x)
    run("mpc-compile", folder / "m.mlir", "-o", folder / "m.mpcx")
    run("mpc-run", "eval", folder / "m.mpcx", "--threads", threads, "--input", f"x={folder}/x.npy",
        *[word for name in ("mean", "variance") for word in ("--output", f"{name}={folder}/{name}.npy")])
    return [np.load(folder / f"{name}.npy").reshape(-1) for name in ("mean", "variance")]


def main():
    folder = pathlib.Path(sys.argv[1])
    random = np.random.default_rng(5)
    for shape, words in CASES:
        for dtype, limit in ((np.float32, 3e-5), (np.float64, 1e-12)):
            x = (random.standard_normal(shape) + 1000).astype(dtype)
            channel = len(shape) - 1 if "last" in words else 1
            kept = (0, channel) if "sample" in words else (channel,)
            dims = tuple(dim for dim in range(len(shape)) if dim not in kept)
            found = find(folder, x, words, 1)
            for got, expected in zip(found, (x.mean(dims, dtype=np.float64), x.var(dims, dtype=np.float64))):
                np.testing.assert_allclose(got, expected.reshape(-1), rtol=limit, err_msg=f"{shape} {words}")
            for one, two in zip(found, find(folder, x, words, 2)):
                assert one.tobytes() == two.tobytes(), f"{shape} {words}: other bits with two threads"


main()
