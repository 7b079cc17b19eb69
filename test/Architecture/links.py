"""Fails if a tool or library links what its wing must not know."""
import pathlib
import subprocess
import sys


def needed(path):
    """Names of the shared libraries that the file at `path` asks for."""
    output = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True)
    return [line.split("[")[1].rstrip("]\n") for line in output.stdout.splitlines()
            if "(NEEDED)" in line]


def errors(build):
    for tool in ("bin/mpc-opt", "bin/mpc-compile", "bin/mpc-lsp-server", "bin/mpc-reduce", "lib/libmpcc.so"):
        names = needed(build / tool)
        for name in names:
            if name.startswith(("libcuda", "libcublas", "libcudnn", "libnccl", "libdnnl")):
                yield f"{tool} links {name}: the compiler wing runs nothing"
        if not any(name.startswith("libMLIR.so") for name in names):
            yield f"{tool} does not link libMLIR.so: two copies of MLIR do not mix"
        symbols = subprocess.run(["nm", "-C", build / tool], capture_output=True,
                                 text=True, check=True).stdout
        if any(" T mlir::MLIRContext::" in line for line in symbols.splitlines()):
            yield f"{tool} holds a copy of MLIR; link libMLIR.so only"
    for file in (build / "bin" / "mpc-run", *build.glob("lib/libmpcrt.so*"), *build.glob("lib/libmpcranks.so*")):
        for name in needed(file):
            if name.startswith(("libLLVM", "libMLIR")):
                yield f"{file.name} links {name}: the runtime wing does not know LLVM"


def main():
    found = list(errors(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "all link lines follow the arrows")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
