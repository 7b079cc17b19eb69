"""usage: deep-formula.py K: exp of x, squared K times, beside the maximum of x."""
import sys

MATRIX, ROWS = "tensor<64x64xf32>", "tensor<64x1xf32>"
print(f"func.func @deep(%x0: {MATRIX}) -> {MATRIX} {{")
print(f"  %max = graph.max %x0 dims = [1] keep : ({MATRIX}) -> {ROWS}")
for k in range(int(sys.argv[1])):
    print(f"  %x{k + 1} = graph.mul %x{k}, %x{k} : ({MATRIX}, {MATRIX}) -> {MATRIX}")
print(f"  %e = graph.exp %x{sys.argv[1]} : {MATRIX}")
print(f"  %y = graph.sub %e, %max : ({MATRIX}, {ROWS}) -> {MATRIX}")
print(f"  return %y : {MATRIX}\n}}")
