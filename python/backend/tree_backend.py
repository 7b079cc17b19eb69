"""Builds the package by scikit-build-core, where the tree of mpc is around it: its version is that tree's, and without an
installed mpc its libraries are built from it."""
import pathlib
import sys

_tree = pathlib.Path(__file__).resolve().parents[2]
if not (_tree / "CMakeLists.txt").is_file():
    sys.exit(f"error: expected the tree of mpc around the package, but '{_tree}' is none: run pip install ./python in a "
             "copy of the whole repository, also where mpc_ROOT names an installed mpc")

from scikit_build_core.build import *  # noqa: E402, F403, its hooks
