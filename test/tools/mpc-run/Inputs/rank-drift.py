"""usage: rank-drift.py RANKS WEIGHTS MPC_RUN train PROGRAM OPTION...

Flips a bit of a parameter in the memory of rank 1, as memory that is broken
may. Training begins with WEIGHTS and a learning rate of 0, so they are known.
"""
import json
import struct
import sys

from rank_processes import Launcher, left


def read_parameter(path):
    """The bytes of the largest tensor."""
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    tensors = json.loads(data[8:8 + size])
    tensors.pop("__metadata__", None)
    begin, end = max((tensor["data_offsets"] for tensor in tensors.values()), key=lambda each: each[1] - each[0])
    return data[8 + size + begin:8 + size + end]


def places(process, memory, bytes):
    """Where the bytes lie, as long as the process lives."""
    with open(f"/proc/{process}/maps") as maps:
        for line in maps:
            area, rights, *_ = line.split()
            if not rights.startswith("rw") or "[v" in line:
                continue
            begin, end = (int(text, 16) for text in area.split("-"))
            memory.seek(begin)
            content = memory.read(end - begin)
            at = content.find(bytes)
            while at >= 0:
                yield begin + at + len(bytes) // 2
                at = content.find(bytes, at + 1)


def flip_bit(process, bytes):
    """In each copy that is there; the place is in the middle."""
    found = 0
    with open(f"/proc/{process}/mem", "r+b", buffering=0) as memory:
        try:
            for place in places(process, memory, bytes):
                memory.seek(place)
                value = memory.read(1)[0]
                memory.seek(place)
                memory.write(bytes_of(value ^ 1))
                found += 1
        except OSError:  # It may end as soon as the first one has been found.
            if not found:
                raise
    return found


def bytes_of(number):
    return number.to_bytes(1, "little")


ranks, weights, *command = sys.argv[1:]
launcher = Launcher([*command, f"--ranks={ranks}", "--weights", weights, "--lr=0", "--timeout=20", "--log-every=1",
                     "--check-every=50"])
launcher.wait_for_step(120)
processes = launcher.ranks()
assert flip_bit(processes[1], read_parameter(weights)) > 0
code, errors = launcher.end()
print(errors)
print(f"exit code {code}, left: {left(processes)}")
