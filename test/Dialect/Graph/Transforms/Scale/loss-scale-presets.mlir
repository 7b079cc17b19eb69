// What the words of --loss-scale set: each system's own defaults, and what is
// given beside a word wins over it.
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=dynamic" | FileCheck %s --check-prefix=DYNAMIC
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=torch" | FileCheck %s --check-prefix=TORCH
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=apex" | FileCheck %s --check-prefix=APEX
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=apex-hysteresis" | FileCheck %s --check-prefix=HYSTERESIS
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=megatron" | FileCheck %s --check-prefix=MEGATRON
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=megatron-constant scale-init=512" | FileCheck %s --check-prefix=CONSTANT
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=deepspeed" | FileCheck %s --check-prefix=DEEPSPEED
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=deepspeed-consecutive" | FileCheck %s --check-prefix=CONSECUTIVE
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=tf2" | FileCheck %s --check-prefix=TF2
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=keras" | FileCheck %s --check-prefix=KERAS
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=jmp" | FileCheck %s --check-prefix=JMP
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=ort" | FileCheck %s --check-prefix=ORT
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=static scale-init=8" | FileCheck %s --check-prefix=STATIC
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=none" | FileCheck %s --check-prefix=NONE
// RUN: mpc-opt %s --mpc-apply-options="scale-interval=7 loss-scale=megatron scale-hysteresis=3 scale-growth-guard=false scale-divide-by-next=true scale-scope=per_loss scale-on-floor=warn" | FileCheck %s --check-prefix=WINS
// DYNAMIC: loss_scale = <mode = "dynamic">
// TORCH: loss_scale = <mode = "dynamic", floor = 0.0>
// APEX: loss_scale = <mode = "dynamic", floor = 0.0, ceiling = 16777216.0>
// HYSTERESIS: loss_scale = <mode = "dynamic", hysteresis = 2, refill = "clean", floor = 0.0>
// MEGATRON: loss_scale = <mode = "dynamic", init = 4294967296.0, interval = 1000, hysteresis = 2, floor = 1.0>
// CONSTANT: loss_scale = <mode = "static", init = 512.0>
// DEEPSPEED: loss_scale = <mode = "dynamic", interval = 1000, hysteresis = 2, delay = 1, floor = 1.0, on_floor = "error">
// CONSECUTIVE: loss_scale = <mode = "dynamic", interval = 1000, hysteresis = 2, refill = "clean", delay = 1, floor = 1.0, on_floor = "error">
// TF2: loss_scale = <mode = "dynamic", init = 32768.0, floor = 1.0>
// KERAS: loss_scale = <mode = "dynamic", init = 32768.0, floor = 0.0>
// JMP: loss_scale = <mode = "dynamic", floor = 1.0>
// ORT: loss_scale = <mode = "dynamic", floor = 1.0, ceiling = 16777216.0>
// STATIC: loss_scale = <mode = "static", init = 8.0>
// NONE: loss_scale = <mode = "none">
// WINS: loss_scale = <mode = "dynamic", init = 4294967296.0, interval = 7, hysteresis = 3, floor = 1.0, growth_guard = false, divide_by_next = true, on_floor = "warn", scope = "per_loss">
func.func @model(%x: tensor<2xf32> {graph.input = "x"}, %w: tensor<2xf32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss = "main"}, tensor<f32> {graph.loss = "aux"}) {
  %y = graph.mul %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %loss = graph.sum %y dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %loss, %loss : tensor<f32>, tensor<f32>
}
