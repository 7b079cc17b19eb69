"""Four samples for three-labels.mlir, whose largest scores are those of the
classes 0, 1, 2, 1: three-labels.py FOLDER."""
import struct
import sys

for name, form, values in [
        ("x", "f", (1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0)),
        ("first", "i", (0, -1, -1, 2)),  # of those that count 1 of 2 right
        ("second", "i", (0, 1, -2, 0)),  # 2 of 3
        ("plain", "i", (0, -5, 2, 1))]:  # all
    with open(f"{sys.argv[1]}/{name}.raw", "wb") as file:
        file.write(struct.pack(f"<{len(values)}{form}", *values))
