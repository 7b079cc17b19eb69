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
// NAN: error: option 'lr=nan': expected a finite number, but got 'nan'
// INF: error: option 'loss-scale=inf': expected none, static, dynamic, megatron-constant, torch, apex, apex-hysteresis, megatron, deepspeed, deepspeed-consecutive, tf2, keras, jmp, ort or a number, but got 'inf'
// PRECISION: error: option 'precision=fp17': expected precision fp32, bf16 or fp16, but got 'fp17'
// LR: error: option 'lr=fast': expected a finite number, but got 'fast'
// NOLR: error: option 'optimizer=adamw': expected a learning rate with optimizer 'adamw': give option 'lr'
// NESTEROV: error: option 'nesterov=maybe': expected true or false, but got 'maybe'
// INTERVAL: error: option 'scale-interval=1.5': expected an integer, but got '1.5'
// CLIP: error: option 'clip-norm=x': expected a finite number, but got 'x'
// MODE: error: option 'loss-scale=auto': expected none, static, dynamic, megatron-constant, torch, apex, apex-hysteresis, megatron, deepspeed, deepspeed-consecutive, tf2, keras, jmp, ort or a number, but got 'auto'
// OPTIMIZER: error: option 'optimizer=lion': expected optimizer sgd, adam, adamw, adagrad, rmsprop, lamb or lomo, but got 'lion'
// RUN: not mpc-opt %s --mpc-apply-options="optimizer=sgd lr=1 beta1=0.9" 2>&1 | FileCheck %s --check-prefix=BETA
// BETA: error: options 'optimizer=sgd', 'beta1=0.9': expected no beta1 with optimizer sgd, which does not use it: leave it out, or choose adam, adamw or lamb
//
// RUN: mpc-opt %s --mpc-apply-options="precision=fp16 optimizer=sgd lr=1" 2>&1 | FileCheck %s --check-prefix=FP16
// FP16: warning: fp16 without loss scaling: gradients below 2^-24 become zero; loss_scale with mode "dynamic" prevents it
// RUN: mpc-opt %s --mpc-apply-options="precision=bf16 optimizer=sgd lr=1 loss-scale=dynamic" 2>&1 | FileCheck %s --check-prefix=BF16
// BF16: warning: bf16 with loss scaling: bf16 has the range of f32: loss scaling only costs the skip check; loss_scale with mode "none" saves it
// RUN: mpc-opt %s --mpc-apply-options="precision=fp32 optimizer=sgd lr=1 reduce-type=f16" 2>&1 | FileCheck %s --check-prefix=TRAVELS
// RUN: mpc-opt %s --mpc-apply-options="precision=bf16 optimizer=sgd lr=1 reduce-type=f16" 2>&1 | FileCheck %s --check-prefix=TRAVELS
// TRAVELS: warning: reduce_type f16 without loss scaling: gradients below 2^-24 become zero between ranks, and above 65504 infinite; loss_scale with mode "dynamic" prevents it, and reduce_type bf16 has the range of f32
// A scale is of use then, whatever ops run in.
// RUN: mpc-opt %s --mpc-apply-options="precision=bf16 optimizer=sgd lr=1 reduce-type=f16 loss-scale=dynamic" --verify-diagnostics
// RUN: mpc-opt %s --mpc-apply-options="precision=fp32 optimizer=sgd lr=1 loss-scale=dynamic" --remarks 2>&1 | FileCheck %s --check-prefix=FP32
// FP32: remark: [Analysis] loss-scale | Category:mpc-apply-options | Function=model | Remark="fp32 has the range of f32: loss scaling only costs the skip check"
// RUN: mpc-opt %s --mpc-apply-options="precision=fp16 loss-scale=dynamic scale-init=10 scale-growth=3 scale-backoff=0.3" 2>&1 | FileCheck %s --check-prefix=POWERS
// POWERS: warning: the loss scale's first value 10.0 is no power of two: scaling rounds every gradient
// POWERS: warning: the loss scale's growth 3.0 is no power of two
// POWERS: warning: the loss scale's backoff 0.3{{.*}} is no power of two
// RUN: not mpc-opt %s --mpc-apply-options="loss-scale=dynamic scale-floor=8 scale-init=4" 2>&1 | FileCheck %s --check-prefix=FLOOR
// FLOOR: error: options 'loss-scale=dynamic', 'scale-init=4', 'scale-floor=8': expected floor <= init <= ceiling (0 for none), but got 8.0, 4.0 and 0.0
// RUN: not mpc-opt %s --mpc-apply-options="loss-scale=apex scale-init=33554432" 2>&1 | FileCheck %s --check-prefix=CEILING
// CEILING: error: options 'loss-scale=apex', 'scale-init=33554432': expected floor <= init <= ceiling (0 for none), but got 0.0, 33554432.0 and 16777216.0
// RUN: not mpc-opt %s --mpc-apply-options="scale-hysteresis=0" 2>&1 | FileCheck %s --check-prefix=HYSTERESIS
// HYSTERESIS: error: option 'scale-hysteresis=0': expected scale-hysteresis from 1 to 2147483647, but got 0
// RUN: not mpc-opt %s --mpc-apply-options="scale-interval=2147483648" 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: error: option 'scale-interval=2147483648': expected scale-interval from 1 to 2147483647, but got 2147483648
// RUN: not mpc-opt %s --mpc-apply-options="scale-refill=never" 2>&1 | FileCheck %s --check-prefix=REFILL
// REFILL: error: option 'scale-refill=never': expected refill growth or clean, but got 'never'
// RUN: not mpc-opt %s --mpc-apply-options="scale-on-floor=stop" 2>&1 | FileCheck %s --check-prefix=ONFLOOR
// ONFLOOR: error: option 'scale-on-floor=stop': expected on_floor hold, warn or error, but got 'stop'
// RUN: not mpc-opt %s --mpc-apply-options="scale-scope=each" 2>&1 | FileCheck %s --check-prefix=SCOPE
// SCOPE: error: option 'scale-scope=each': expected scope shared or per_loss, but got 'each'
func.func @model(%x: tensor<2xf32> {graph.input = "x"}, %w: tensor<2xf32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.mul %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %loss = graph.sum %y dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
