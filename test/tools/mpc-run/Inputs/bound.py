"""Runs a command on the first of the processors that may be used, as mpirun binds ranks."""
import os
import sys

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.execvp(sys.argv[1], sys.argv[1:])
