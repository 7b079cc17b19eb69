"""The machine that scripts/gpu runs on: its card, and where the programs of a
pack find their libraries."""
import glob
import lzma
import os
import pathlib
import shutil
import site
import subprocess
import sys


def query_card(program):
    """Name, driver and clocks of the first GPU, or None."""
    if not shutil.which(program):
        return None
    fields = "name,driver_version,memory.total,clocks.sm,clocks.mem,power.draw"
    result = subprocess.run([program, f"--query-gpu={fields}", "--format=csv,noheader"],
                            capture_output=True, text=True)
    if result.returncode != 0 or not result.stdout.strip():
        return None
    return dict(zip(fields.split(","), map(str.strip, result.stdout.splitlines()[0].split(","))))


def pip_libraries():
    """The folders of libraries in NVIDIA's packages of this Python: where it lies
    is not for the runtime to know."""
    places = dict.fromkeys([*site.getsitepackages(), site.getusersitepackages(), *sys.path])
    return [folder for place in places if place for folder in sorted(glob.glob(f"{place}/nvidia/*/lib"))]


def unpack(folder, to):
    """Libraries travel compressed, since a limit is set to what travels."""
    for path in sorted((folder / "lib").glob("*.xz")):
        with lzma.open(path) as packed, open(to / path.stem, "wb") as plain:
            shutil.copyfileobj(packed, plain)


def environment(folder, unpacked):
    """That of the pack's programs."""
    made = dict(os.environ, MPC_CUDA_PLUGIN=str(folder / "lib/libmpcrt_cuda.so"))

    def prepend(name, folders):
        old = made.get(name)
        made[name] = ":".join([*map(str, folders), *([old] if old else [])])

    prepend("LD_LIBRARY_PATH", [folder / "lib", pathlib.Path(unpacked)])
    folders = pip_libraries()
    if folders and "MPC_CUDA_LIBRARY_PATH" not in made:
        made["MPC_CUDA_LIBRARY_PATH"] = ":".join(folders)
    return made
