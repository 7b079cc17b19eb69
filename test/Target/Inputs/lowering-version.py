"""Compares LoweringVersion.inc with a hash made here of what lies in the folders."""
import hashlib
import pathlib
import sys

source, build = map(pathlib.Path, sys.argv[1:])
target = source / "lib/Target"
for name in ("Cpu", "Cuda"):
    files = [f for f in (target / name).iterdir() if f.suffix in (".cpp", ".h")]
    files += [target / "CodeGeneration.cpp", target / "CodeGeneration.h"]
    hashes = "".join(hashlib.sha256(f.read_bytes()).hexdigest() + "\n" for f in sorted(files))
    expected = f'"{hashlib.sha256(hashes.encode()).hexdigest()}"\n'
    found = (build / "lib/Target" / name / "LoweringVersion.inc").read_text()
    if found != expected:
        sys.exit(f"{name}: expected {expected}, the hash of {len(files)} files, but got {found}")
