// What the words of --profile set: what users of another system mean by them,
// and what is given beside a word wins over it.
// RUN: mpc-opt %s --mpc-apply-options="profile=torch-cuda" 2>/dev/null | FileCheck %s --check-prefix=TORCH
// RUN: mpc-opt %s --mpc-apply-options="profile=torch-cpu" 2>/dev/null | FileCheck %s --check-prefix=CPU
// RUN: mpc-opt %s --mpc-apply-options="profile=apex-O0" 2>/dev/null | FileCheck %s --check-prefix=O0
// RUN: mpc-opt %s --mpc-apply-options="profile=apex-O1" 2>/dev/null | FileCheck %s --check-prefix=O1
// RUN: mpc-opt %s --mpc-apply-options="profile=apex-O2" 2>/dev/null | FileCheck %s --check-prefix=O2
// RUN: mpc-opt %s --mpc-apply-options="profile=apex-O3" 2>/dev/null | FileCheck %s --check-prefix=O3
// RUN: mpc-opt %s --mpc-apply-options="profile=tf-fp16" 2>/dev/null | FileCheck %s --check-prefix=TF16
// RUN: mpc-opt %s --mpc-apply-options="profile=tf-bf16" 2>/dev/null | FileCheck %s --check-prefix=TFB
// RUN: mpc-opt %s --mpc-apply-options="profile=mixed_float16" 2>/dev/null | FileCheck %s --check-prefix=KERAS
// RUN: mpc-opt %s --mpc-apply-options="profile=mixed_bfloat16" 2>/dev/null | FileCheck %s --check-prefix=KERASB
// RUN: mpc-opt %s --mpc-apply-options="profile=jmp:params=float32,compute=float16,output=float32" 2>/dev/null | FileCheck %s --check-prefix=JMP
// RUN: mpc-opt %s --mpc-apply-options="profile=jmp:p=f32,c=bf16" 2>/dev/null | FileCheck %s --check-prefix=JMPC
// RUN: mpc-opt %s --mpc-apply-options="profile=jmp:half" 2>/dev/null | FileCheck %s --check-prefix=JMPH
// RUN: mpc-opt %s --mpc-apply-options="profile=jmp:o=f16" 2>/dev/null | FileCheck %s --check-prefix=JMPO
// RUN: mpc-opt %s --mpc-apply-options="profile=apex-O2 keep-normalization=false loss-scale=128" 2>/dev/null | FileCheck %s --check-prefix=WINS
// RUN: mpc-opt %s --mpc-apply-options="profile=jmp:full" 2>/dev/null | FileCheck %s --check-prefix=JMPF
// RUN: mpc-opt %s --mpc-apply-options="profile=torch-cuda precision=bf16" 2>&1 | FileCheck %s --check-prefix=BESIDE --implicit-check-not=warning
// RUN: mpc-opt %s --mpc-apply-options="profile=torch-cuda precision=bf16 scale-interval=100" 2>/dev/null | FileCheck %s --check-prefix=BOTH
// TORCH: #graph.training<precision = "fp16", autocast = "torch", loss_scale = <mode = "dynamic"
// CPU: #graph.training<precision = "bf16", autocast = "torch", lists = "cpu", loss_scale = <mode = "none">
// O0: #graph.training<autocast = "whole", loss_scale = <mode = "none">
// O1: #graph.training<precision = "fp16", autocast = "torch", lists = "apex", loss_scale = <mode = "dynamic"{{.*}}ceiling = 16777216.0
// O2: #graph.training<precision = "fp16", autocast = "whole", keep_normalization = true, loss_scale = <mode = "dynamic"{{.*}}ceiling = 16777216.0
// O3: #graph.training<precision = "fp16", autocast = "whole", loss_scale = <mode = "none">, optimizer = <name = "sgd", lr = 0.1, master = "f16">
// TF16: #graph.training<precision = "fp16", autocast = "tf", loss_scale = <mode = "dynamic", init = 32768.0
// TFB: #graph.training<precision = "bf16", autocast = "tf", loss_scale = <mode = "none">
// KERAS: #graph.training<precision = "fp16", autocast = "whole", loss_scale = <mode = "dynamic", init = 32768.0
// KERASB: #graph.training<precision = "bf16", autocast = "whole", loss_scale = <mode = "none">
// JMP: #graph.training<precision = "fp16", autocast = "whole", loss_scale = <mode = "dynamic"
// JMPC: #graph.training<precision = "bf16", autocast = "whole", output = "bf16", loss_scale = <mode = "none">
// JMPH: #graph.training<precision = "fp16", autocast = "whole", output = "f16", loss_scale = <mode = "dynamic"{{.*}}>, optimizer = <name = "sgd", lr = 0.1, master = "f16">
// JMPO: #graph.training<autocast = "whole", output = "f16", loss_scale = <mode = "none">
// WINS: #graph.training<precision = "fp16", autocast = "whole", loss_scale = <mode = "static", init = 128.0
// BESIDE: #graph.training<precision = "bf16", autocast = "torch", loss_scale = <mode = "none">
// BOTH: #graph.training<precision = "bf16", autocast = "torch", loss_scale = <mode = "dynamic"
// JMPF: #graph.training<autocast = "whole", loss_scale = <mode = "none">
// RUN: not mpc-opt %s --mpc-apply-options="profile=O2" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: option 'profile=O2': expected profile torch-cuda, torch-cpu, apex-O0, apex-O1, apex-O2, apex-O3, tf-fp16, tf-bf16, mixed_float16, mixed_bfloat16 or jmp: with a policy of jmp, but got 'O2'
// RUN: not mpc-opt %s --mpc-apply-options="profile=jmp:grads=f32" 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: error: option 'profile=jmp:grads=f32': expected params=, compute= or output= (or p, c, o) in a jmp profile, but got 'grads=f32'
// RUN: not mpc-opt %s --mpc-apply-options="profile=jmp:c=f8" 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: option 'profile=jmp:c=f8': expected float32 (f32, full), float16 (f16, half) or bfloat16 (bf16) in a jmp profile, but got 'f8'
func.func @model(%x: tensor<2xf32> {graph.input = "x"}, %w: tensor<2xf32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %y = graph.mul %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %loss = graph.sum %y dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
