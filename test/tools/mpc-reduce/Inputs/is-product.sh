#!/bin/sh
# Interesting (1): there is a product of the first two arguments.
mpc-opt "$1" 2>/dev/null | grep -q 'graph.matmul %arg0, %arg1' && exit 1
exit 0
