"""Which windows training takes, by the formulas of include/mpc/Data/Random.h and
Shuffle.h.

usage: windows.py write FOLDER        a stream of 103 numbers, u16
       windows.py check FOLDER SEED   runs FOLDER/m.mpcx, and looks what it saw
       windows.py loss FOLDER         the loss of all windows that do not overlap
"""
import pathlib
import struct
import subprocess
import sys

MASK = (1 << 64) - 1
BATCH, ROWS, OFFSET, LENGTH = 4, 5, 1, 103
SAMPLES = (LENGTH - OFFSET) // ROWS
PLACES = LENGTH - OFFSET - ROWS + 1
STEPS = SAMPLES // BATCH  # of an epoch


def mix(z):
    z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & MASK
    z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & MASK
    return z ^ (z >> 31)


def random_place(seed, epoch, number):
    key = mix((mix(seed) + epoch) & MASK)
    return mix((key + (number + 1) * 0x9e3779b97f4a7c15) & MASK) * PLACES >> 64


def places(step, seed):
    """Of step 1, 2, ...; seed None: in order."""
    epoch, first = (step - 1) // STEPS, (step - 1) % STEPS * BATCH
    numbers = range(first, first + BATCH)
    return [number * ROWS if seed is None else random_place(seed, epoch, number) for number in numbers]


def stream():
    return [(7 * i * i + 3 * i) % 211 for i in range(LENGTH)]


def write(folder):
    header = f"{{'descr': '<u2', 'fortran_order': False, 'shape': ({LENGTH},), }}".ljust(117) + "\n"
    (folder / "stream.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                                        + struct.pack(f"<{LENGTH}H", *stream()))


def check(folder, seed):
    order = ["--no-shuffle"] if seed is None else [f"--seed={seed}"]
    for step in (1, 2, STEPS, STEPS + 1, 2 * STEPS + 1):
        stdout = subprocess.run(
            ["mpc-run", "train", folder / "m.mpcx", f"--input=tokens={folder}/stream.npy",
             f"--input=labels={folder}/stream.npy", "--window=tokens", "--window=labels=1", f"--steps={step}", *order,
             f"--output=tokens_seen={folder}/tokens.raw", f"--output=labels_seen={folder}/labels.raw"],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        if f"epoch {(step - 1) // STEPS + 1}/" not in stdout:
            sys.exit(f"expected step {step} to be of epoch {(step - 1) // STEPS + 1}: {stdout}")
        for name, offset in (("tokens", 0), ("labels", OFFSET)):
            found = struct.unpack("<20f", (folder / f"{name}.raw").read_bytes())
            expected = [float(value) for place in places(step, seed)
                        for value in stream()[place + offset:place + offset + ROWS]]
            if list(found) != expected:
                sys.exit(f"step {step}, {name}: expected {expected}, but got {found}")
    print(f"windows of seed {seed} as expected")


def loss(folder):
    """What eval has printed into FOLDER/found; w is 1."""
    pairs = [(stream()[i], stream()[i + 1]) for i in range(SAMPLES * ROWS)]
    expected = sum((a - b) ** 2 for a, b in pairs) / len(pairs)
    _, samples, _, found = (folder / "found").read_text().split()
    print(f"loss of {samples} samples", "as expected" if abs(float(found) - expected) < 1e-6 * expected else
          f"{found}, but expected {expected}")


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "write":
        write(folder)
    elif sys.argv[1] == "loss":
        loss(folder)
    else:
        check(folder, None if sys.argv[3] == "none" else int(sys.argv[3]))
