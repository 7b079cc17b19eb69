"""A folder of steps that hold, fail, cannot run, take too long and measure."""
import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
row = '{"kernel": "copy", "GB/s": 4321.5}'
steps = [("holds", "check", 5, ["true"]),
         ("does not hold", "check", 5, ["sh", "-c", "echo out of bounds >&2; exit 1"]),
         ("has no device", "check", 5, ["sh", "-c", "echo no driver >&2; exit 3"]),
         ("is not there", "check", 5, ["no-such-program"]),
         ("hangs", "check", 1, ["sleep", "30"]),
         ("Kernels", "benchmark", 5, ["echo", row])]
keys = ("name", "kind", "seconds", "command")
manifest = {"commit": "0123456789abcdef", "changed": False, "archs": "sm_90",
            "steps": [dict(zip(keys, step)) for step in steps]}
(folder / "manifest.json").write_text(json.dumps(manifest))
