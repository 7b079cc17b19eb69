"""Writes an MLP whose memory is that of its parameters: 4 products of 1,024 x 1,024 on batches of 16, trained with
adamw under dynamic loss scaling."""
LAYERS, WIDTH, BATCH = 4, 1024, 16

h, w = f"tensor<{BATCH}x{WIDTH}xf32>", f"tensor<{WIDTH}x{WIDTH}xf32>"
arguments = [f'%x: {h} {{graph.input = "x"}}', f'%t: {h} {{graph.input = "target"}}']
body, last = [], "%x"
for i in range(LAYERS):
    arguments.append(f'%w{i}: {w} {{graph.parameter = "w{i}", graph.init = #graph.normal<0.0, 0.1>}}')
    body += [f"%m{i} = graph.matmul {last}, %w{i} : ({h}, {w}) -> {h}", f"%r{i} = graph.relu %m{i} : {h}"]
    last = f"%r{i}"
print("func.func @mlp(" + ", ".join(arguments) + ") -> (tensor<f32> {graph.loss})")
print('    attributes {graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">, '
      'optimizer = #graph.optimizer<name = "adamw", lr = 0.001>>} {')
print("\n".join(body))
print(f"%loss = graph.mse {last}, %t : ({h}, {h}) -> tensor<f32>\nreturn %loss : tensor<f32>\n}}")
