"""A model out of custom ops that call each other: `double N`, where each of N
implementations calls the one before twice, or `chain N` and `chain-callers-first
N`, where it calls it once; `chains N`: the same in pieces of 50, whose ends the
model calls."""
import sys

kind, levels = sys.argv[1], int(sys.argv[2])
tensor = "tensor<8x2xf32>"
functions = [f"func.func private @f0(%x: {tensor}) -> {tensor} {{\n"
             f"  %0 = graph.relu %x : {tensor}\n  return %0 : {tensor}\n}}"]
ends = range(49, levels, 50) if kind == "chains" else [levels]
for i in range(1, levels + 1):
    if i - 1 in ends:
        functions.append(functions[0].replace("@f0", f"@f{i}"))
        continue
    body = f"  %0 = graph.custom @f{i - 1}(%x) : ({tensor}) -> {tensor}\n"
    if kind == "double":
        body += f"  %1 = graph.custom @f{i - 1}(%0) : ({tensor}) -> {tensor}\n"
    last = 1 if kind == "double" else 0
    functions.append(f"func.func private @f{i}(%x: {tensor}) -> {tensor} {{\n{body}  return %{last} : {tensor}\n}}")
calls = [f"  %{n} = graph.custom @f{end}(%{n - 1}) : ({tensor}) -> {tensor}" for n, end in enumerate(ends, 1)]
calls = "\n".join(calls)
model = f"""func.func @m(%x: {tensor} {{graph.input = "x"}}, %w: {tensor} {{graph.parameter = "w", graph.init = #graph.zeros}}) -> (tensor<f32> {{graph.loss}}) {{
  %0 = graph.add %x, %w : ({tensor}, {tensor}) -> {tensor}
{calls}
  %loss = graph.mean %{len(ends)} dims = [0, 1] : ({tensor}) -> tensor<f32>
  return %loss : tensor<f32>
}}"""
if kind == "chain-callers-first":
    functions.reverse()
print("\n".join([model] + functions if kind == "chain-callers-first" else functions + [model]))
