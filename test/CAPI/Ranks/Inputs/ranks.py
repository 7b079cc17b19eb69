"""ranks.py points N X TARGET: the points of the line t = 3 x - 1 that N ranks of
examples/embed/TrainRanks.c train on.
ranks.py start N COMMAND...: the command as N ranks, as torchrun would; fails if
one does.
ranks.py same A B: fails unless two safetensors files have the same states."""
import json
import os
import socket
import struct
import subprocess
import sys

POINTS = 32


def npy(path, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 1), }" % len(values)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<%df" % len(values), *values))


def points(ranks, x, target):
    """Quotients by a power of two, and so their lines, are numbers of f32."""
    half = POINTS * int(ranks) // 2
    values = [(point - half) / half for point in range(2 * half)]
    npy(x, values)
    npy(target, [3 * value - 1 for value in values])


def start(ranks, *command):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    processes = [subprocess.Popen(command, env={
        **os.environ, "RANK": str(rank), "WORLD_SIZE": ranks, "LOCAL_RANK": str(rank), "LOCAL_WORLD_SIZE": ranks,
        "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}) for rank in range(int(ranks))]
    sys.exit(max([process.wait(timeout=120) for process in processes]))


def states(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    return {name: data[8 + length:][slice(*entry["data_offsets"])] for name, entry in header.items()}


def same(a, b):
    first, second = states(a), states(b)
    sys.exit(None if first and first == second else f"'{a}' and '{b}' differ")


if __name__ == "__main__":
    {"points": points, "start": start, "same": same}[sys.argv[1]](*sys.argv[2:])
