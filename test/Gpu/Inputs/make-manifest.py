"""A folder of steps that hold, fail, cannot run, take too long and measure; or,
with --unfit, whose first step nothing makes sense without.

make-manifest.py FOLDER [--only NAME]... [--unfit]
"""
import argparse
import json
import lzma
import pathlib

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--only", action="append")
parser.add_argument("--unfit", action="store_true")
options = parser.parse_args()
(options.folder / "lib").mkdir(parents=True, exist_ok=True)
with lzma.open(options.folder / "lib/unpacked.txt.xz", "wb") as file:
    file.write(b"a library")
row = '{"kernel": "copy", "GB/s": 4321.5}'
late = '{"kernel": "late", "GB/s": 1}'
# As Nsight Compute prints it, with --csv.
profile = r"""==PROF== Connected
"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","7","k_1","dram__throughput.avg.pct","%%","81.5"
"0","7","k_1","sm__inst_issued.avg.pct","%%","33"
"1","7","k_2","dram__throughput.avg.pct","%%","90"
"1","7","k_2","sm__inst_issued.avg.pct","%%","12"
"""
unpacked = 'cat $(echo $LD_LIBRARY_PATH | cut -d: -f2)/unpacked.txt'
steps = [("holds", "check", 5, ["true"], {}),
         ("does not hold", "check", 5, ["sh", "-c", "echo out of bounds >&2; echo and all that follows >&2; exit 1"], {}),
         ("has no device", "check", 5, ["sh", "-c", "echo no driver >&2; exit 3"], {}),
         ("is not there", "check", 5, ["no-such-program"], {}),
         ("cannot work here", "check", 5, ["sh", "-c", "echo Device not supported; exit 7"],
          {"unable": "Device not supported", "optional": True}),
         ("finds what was packed", "check", 5, ["sh", "-c", unpacked + " | grep -q library"], {}),
         ("hangs", "check", 1, ["sh", "-c", f"echo '{late}'; sleep 30"], {}),
         ("Kernels", "benchmark", 5, ["echo", row], {}),
         ("Profile", "benchmark", 5, ["printf", profile], {"csv": True}),
         ("PyTorch", "benchmark", 5, ["sh", "-c", "exit 3"], {})]
if options.only:
    found = 'case "$MPC_CUDA_LIBRARY_PATH" in */site/nvidia/cu13/lib*) ;; *) exit 1 ;; esac'
    steps += [("ends the call", "check", 5, ["sh", "-c", "kill -9 $PPID"], {}),
              ("is told of pip's libraries", "check", 5, ["sh", "-c", found], {})]
if options.unfit:
    steps.insert(0, ("the machine", "check", 5, ["sh", "-c", "echo no cuBLASLt >&2; exit 1"], {"essential": True}))
keys = ("name", "kind", "seconds", "command")
manifest = {"commit": "0123456789abcdef", "changed": False, "archs": "sm_90",
            "steps": [dict(zip(keys, step), **step[-1]) for step in steps
                      if not options.only or step[0] in options.only]}
(options.folder / "manifest.json").write_text(json.dumps(manifest))
