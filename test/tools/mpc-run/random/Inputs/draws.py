"""What random ops draw, from Philox as it is defined, beside what mpc-run wrote.

usage: draws.py inputs FOLDER                       x.npy, of one batch and of four
       draws.py masks FOLDER STEP SEED              a.npy, b.npy and the gradient of that step
       draws.py sum FOLDER SEED                     the gradient of a step of four micro-batches
       draws.py ranks FOLDER SEED                   the gradient of the first step of two ranks
       draws.py attention FOLDER STEP SEED [BITS]   weights.npy and their gradient of that step; of 16 bits
       draws.py evaluated FOLDER                    the same, without dropout
       draws.py draws FOLDER SEED                   distributions, and that streams have nothing in common
"""
import pathlib
import sys

import numpy as np

RATIO = 0.3


def philox(counter, key):
    """Philox4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011), word by word."""
    mask = np.uint64(0xFFFFFFFF)
    c = [np.asarray(word, np.uint64) for word in np.broadcast_arrays(*counter)]
    k = list(key)
    for _ in range(10):
        low, high = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(high >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0]), high & mask,
             (low >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1]), low & mask]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def draw(shape, step, seed, stream, word):
    return philox([np.arange(np.prod(shape)), step, 0, 1], [seed & 0xFFFFFFFF, stream])[word].reshape(shape)


def unit(shape, step, seed, stream):
    """The numbers in [0, 1) of a stream in a step, of 32 bits: bit 31 counts from the other end."""
    return (draw(shape, step, seed, stream, 0) ^ np.uint64(1 << 31)).astype(np.float64) / 2**32


def unit32(shape, step, seed, stream, word=0):
    """The same as they are computed in f32."""
    signed = draw(shape, step, seed, stream, word).astype(np.uint32).view(np.int32).astype(np.float32)
    return np.minimum(signed * np.float32(2**-32) + np.float32(0.5), np.float32(1 - 2**-24)).astype(np.float64)


def close(got, expected, tolerance=1e-6):
    assert got.shape == expected.shape, (got.shape, expected.shape)
    worst = np.max(np.abs(got - expected) / (1 + np.abs(expected)))
    assert worst <= tolerance, worst


def kept(shape, step, seed, stream):
    return (unit(shape, step, seed, stream) >= RATIO) / (1 - RATIO)


def left_out(batch, heads, queries, keys, step, seed, stream, count):
    """Attention's dropout: eight keys have the halves of four words, the low one first."""
    groups = (keys + 7) // 8
    words = philox([np.arange(batch * heads * queries * groups), step, 0, 2], [seed & 0xFFFFFFFF, stream])
    halves = [half for word in words for half in (word & np.uint64(0xFFFF), word >> np.uint64(16))]
    halves = np.stack(halves, -1).reshape(batch, heads, queries, 8 * groups)[..., :keys]
    return (halves ^ np.uint64(0x8000)) < count


def attention(folder, step, seed, bits=32):
    count = round(RATIO * 2**16)
    batch, heads, time = 2, 6, 40
    dropped = left_out(batch, heads, time, time, step, seed, 0, count)
    assert abs(dropped.mean() - RATIO) < 4 * np.sqrt(RATIO * (1 - RATIO) / dropped.size), dropped.mean()
    weights = np.where(dropped, 0, 1 / (1 - count / 2**16)) / time
    unit = 1e-6 if bits == 32 else 2**-8
    close(np.load(folder / "weights.npy").astype(np.float64), weights.transpose(0, 2, 1, 3), unit * weights.max())
    # Of a key: the weights that all queries of the two heads of its group have for it.
    of_keys = weights.sum(2).reshape(batch, 3, 2, time).sum(2).transpose(0, 2, 1)
    gradient = np.load(folder / "gradient.npy").astype(np.float64)
    close(np.einsum("bjhj->bjh", gradient), of_keys, 2 * unit)


def evaluated(folder):
    assert np.allclose(np.load(folder / "weights.npy"), 1 / 40, 1e-6)


def masks(folder, step, seed):
    x = np.load(folder / "x.npy").astype(np.float64)
    a, b = (kept(x.shape, step, seed, stream) for stream in (0, 1))
    assert not np.array_equal(a, b)
    close(np.load(folder / "a.npy"), x * a)
    close(np.load(folder / "b.npy"), x * b)
    close(np.load(folder / "gradient.npy"), x * (a + 2 * b))


def total(folder, seed):
    x = np.load(folder / "four.npy").astype(np.float64).reshape(4, 8, 12)
    parts = [x[i] * (kept((8, 12), i, seed, 0) + 2 * kept((8, 12), i, seed, 1)) for i in range(4)]
    close(np.load(folder / "gradient.npy"), sum(parts) / 4)


def ranks(folder, seed):
    """Of two: each draws from the seed and its number, on every other sample."""
    x = np.load(folder / "four.npy").astype(np.float64)
    parts = []
    for rank in (0, 1):
        own = seed + rank * 0x9E3779B1
        parts.append(x[rank:16:2] * (kept((8, 12), 0, own, 0) + 2 * kept((8, 12), 0, own, 1)))
    close(np.load(folder / "gradient.npy"), sum(parts) / 2)


def draws(folder, seed):
    shape = (400, 500)
    uniform, normal, flags, other = (np.load(folder / f"{name}.npy")[0] for name in ("uniform", "normal", "flags", "other"))
    close(uniform, -1 + 4 * unit32(shape, 0, seed, 0))
    u, v = unit32(shape, 0, seed, 1), unit32(shape, 0, seed, 1, word=1)
    close(normal, 5 + 2 * np.sqrt(-2 * np.log1p(-u)) * np.cos(2 * np.pi * v), 2e-6)
    assert np.array_equal(flags != 0, unit(shape, 0, seed, 2) < 0.2)
    # Within five deviations of what they are to be.
    n = uniform.size
    counts = np.histogram(uniform, 16, (-1, 3))[0]
    assert counts.sum() == n and uniform.min() >= -1
    chi_square = ((counts - n / 16) ** 2 / (n / 16)).sum()
    assert abs(chi_square - 15) < 5 * np.sqrt(30), chi_square
    z = (normal.astype(np.float64) - 5) / 2
    for power, moment, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs((z ** power).mean() - moment) < 5 * np.sqrt(variance / n), power
    assert np.abs(z).max() < 5.8
    assert abs((flags != 0).mean() - 0.2) < 5 * np.sqrt(0.16 / n)
    w = (other.astype(np.float64) - 5) / 2
    for one, two in ((z, w), (z[:, 1:], z[:, :-1]), (z[1:], z[:-1]), (z, (uniform - 1) / np.sqrt(4 / 3))):
        assert abs((one * two).mean()) < 5 / np.sqrt(one.size)


def main():
    action, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if action == "inputs":
        random = np.random.default_rng(3)
        np.save(folder / "x.npy", random.uniform(0.5, 2, (8, 12)).astype(np.float32))
        np.save(folder / "four.npy", random.uniform(0.5, 2, (32, 12)).astype(np.float32))
        np.save(folder / "number.npy", np.float32(1))
        np.save(folder / "q.npy", np.zeros((2, 40, 6, 8), np.float32))
        np.save(folder / "v.npy", np.broadcast_to(np.eye(40, dtype=np.float32)[:, None], (2, 40, 3, 40)).copy())
    else:
        {"masks": masks, "sum": total, "ranks": ranks, "draws": draws, "attention": attention, "evaluated": evaluated}[action](folder, *map(int, sys.argv[3:]))


if __name__ == "__main__":
    main()
