// Every option that cannot be what it is given names itself.
// RUN: not mpc-opt %s --mpc-apply-options="precision=fp17" 2>&1 | FileCheck %s --check-prefix=PRECISION
// RUN: not mpc-opt %s --mpc-apply-options="lr=fast" 2>&1 | FileCheck %s --check-prefix=LR
// RUN: not mpc-opt %s --mpc-apply-options="optimizer=adamw" 2>&1 | FileCheck %s --check-prefix=NOLR
// RUN: not mpc-opt %s --mpc-apply-options="nesterov=maybe" 2>&1 | FileCheck %s --check-prefix=NESTEROV
// RUN: not mpc-opt %s --mpc-apply-options="scale-interval=1.5" 2>&1 | FileCheck %s --check-prefix=INTERVAL
// RUN: not mpc-opt %s --mpc-apply-options="clip-norm=x" 2>&1 | FileCheck %s --check-prefix=CLIP
// RUN: not mpc-opt %s --mpc-apply-options="loss-scale=auto" 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not mpc-opt %s --mpc-apply-options="optimizer=lion lr=1" 2>&1 | FileCheck %s --check-prefix=OPTIMIZER
// RUN: not mpc-opt %s --mpc-apply-options="lr=nan" 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: not mpc-opt %s --mpc-apply-options="loss-scale=inf" 2>&1 | FileCheck %s --check-prefix=INF
// NAN: error: expected a finite number for option 'lr', but got 'nan'
// INF: error: expected mode none, static or dynamic, but got 'inf'
// PRECISION: error: expected precision fp32, bf16 or fp16, but got 'fp17'
// LR: error: expected a finite number for option 'lr', but got 'fast'
// NOLR: error: expected a learning rate with optimizer 'adamw': give option 'lr'
// NESTEROV: error: expected true or false for option 'nesterov', but got 'maybe'
// INTERVAL: error: expected an integer for option 'scale-interval', but got '1.5'
// CLIP: error: expected a finite number for option 'clip-norm', but got 'x'
// MODE: error: expected mode none, static or dynamic, but got 'auto'
// OPTIMIZER: error: expected optimizer sgd or adamw, but got 'lion'
//
// RUN: mpc-opt %s --mpc-apply-options="precision=fp16 optimizer=sgd lr=1" 2>&1 | FileCheck %s --check-prefix=FP16
// FP16: warning: fp16 without loss scaling: gradients below 2^-24 become zero; loss_scale with mode "dynamic" prevents it
// RUN: mpc-opt %s --mpc-apply-options="precision=bf16 optimizer=sgd lr=1 loss-scale=dynamic" --remarks 2>&1 | FileCheck %s --check-prefix=BF16
// BF16: remark: [Analysis] loss-scale | Category:mpc-apply-options | Function=model | Remark="bf16 has the range of f32: loss scaling only costs the skip check"
func.func @model(%x: tensor<2xf32> {graph.input = "x"}) -> (tensor<2xf32> {graph.output = "y"}) {
  return %x : tensor<2xf32>
}
