"""Writes safetensors files for the toy program that are wrong in one way each."""
import json
import struct
import sys

CODES = {"F32": "f", "F16": "e"}


def write(name, tensors, metadata=None):
    header, data = ({"__metadata__": metadata} if metadata else {}), b""
    for key, (dtype, shape, values) in tensors.items():
        packed = struct.pack(f"<{len(values)}{CODES[dtype]}", *values)
        header[key] = {"dtype": dtype, "shape": shape,
                       "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header).encode()
    with open(f"{sys.argv[1]}/{name}", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def copy_with(source, name, **changes):
    """A checkpoint with other metadata; without those that are None."""
    with open(f"{sys.argv[1]}/{source}", "rb") as file:
        content = file.read()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + length])
    metadata = {**header["__metadata__"], **changes}
    header["__metadata__"] = {key: value for key, value in metadata.items() if value is not None}
    text = json.dumps(header).encode()
    with open(f"{sys.argv[1]}/{name}", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + content[8 + length:])


six = [0.5, -1, 2, 0.25, 4, 8]
place = {"format": "mpc checkpoint 1", "seed": "0", "batches": "1", "batches_per_epoch": "5",
         "shuffled": "1"}
write("other", {"v": ("F32", [3, 2], six)})
write("wrapped", {"module.w": ("F32", [3, 2], six)})
write("wide", {"w": ("F32", [2, 3], six)})
write("half", {"w": ("F16", [3, 2], six)})
write("nan", {"w": ("F32", [3, 2], six[:5] + [float("nan")])})
write("partial", {"w": ("F32", [3, 2], six)}, place)
write("foreign", {"v": ("F32", [3, 2], six)}, {**place, "model": "other"})
copy_with("good", "nameless", seed=None)
copy_with("good", "longer", batches_per_epoch="9")
copy_with("good", "endless", batches=str(2**64 - 1))
copy_with("good", "twice", shuffled="2")
copy_with("good", "future", best_of="eval_loss:min", best="0.5", best_step="900")
copy_with("good", "renamed", model="other")
