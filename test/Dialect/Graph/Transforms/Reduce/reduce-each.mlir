// Each micro-batch's gradients are reduced, by "accumulate" and by the step, and
// sums are of what comes of that. Buckets fill as ever: `a` is finished last, so
// `b` is added only where the bucket of both is there.
// RUN: mpc-opt %s --mpc-insert-all-reduce="reduce-each=micro-batch" --mpc-verify-reduce | FileCheck %s
// RUN: mpc-opt %s --mpc-insert-all-reduce="reduce-each=micro-batch bucket-bytes=1 reduce=sum" --mpc-verify-reduce | FileCheck %s --check-prefix=MANY
// RUN: mpc-opt %s --mpc-insert-all-reduce="reduce-each=micro-batch reduce-type=bf16" --mpc-verify-reduce | FileCheck %s --check-prefix=NARROW
//
// Else the sum travels, once.
// RUN: mpc-opt %s --mpc-insert-all-reduce --mpc-verify-reduce | FileCheck %s --check-prefix=STEP
// RUN: mpc-opt %s --mpc-insert-all-reduce="reduce-each=step" --mpc-verify-reduce | FileCheck %s --check-prefix=STEP
// RUN: mpc-opt %s --mpc-insert-all-reduce="reduce-each=micro-batch reduce=none" --mpc-verify-reduce | FileCheck %s --check-prefix=NONE
//
// What travels in a step: 3 + 1 times one bucket of 16 bytes, against one.
// RUN: mpc-opt %s --mpc-insert-all-reduce="reduce-each=micro-batch" --remark-format=emitRemark --remarks-filter=mpc-insert-all-reduce 2>&1 >/dev/null | FileCheck %s --check-prefix=TRAFFIC
// RUN: mpc-opt %s --mpc-insert-all-reduce="reduce-each=micro-batch bucket-bytes=1 reduce-type=f16" --remark-format=emitRemark --remarks-filter=mpc-insert-all-reduce 2>&1 >/dev/null | FileCheck %s --check-prefix=SMALL
// RUN: mpc-opt %s --mpc-insert-all-reduce --remark-format=emitRemark --remarks-filter=mpc-insert-all-reduce 2>&1 >/dev/null | FileCheck %s --check-prefix=ONCE
// TRAFFIC: buckets=1, bytes_per_step=64, largest_bytes=16, last_bytes=16, messages_per_step=4
// SMALL: buckets=2, bytes_per_step=32, largest_bytes=4, last_bytes=4, messages_per_step=8
// ONCE: buckets=1, bytes_per_step=16, largest_bytes=16, last_bytes=16, messages_per_step=1
//
// On one rank an average is the identity, in both entries.
// RUN: mpc-opt %s --mpc-insert-all-reduce="reduce-each=micro-batch" | graph-eval - --function=model_accumulate --compare=%s --rtol=0 --atol=0
// RUN: mpc-opt %s --mpc-insert-all-reduce="reduce-each=micro-batch bucket-bytes=1" | graph-eval - --function=model_step --compare=%s --rtol=0 --atol=0
// RUN: not mpc-opt %s --mpc-insert-all-reduce="reduce-each=epoch" 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: option 'reduce-each': expected reduce_each step or micro-batch, but got 'epoch'

// CHECK-LABEL: func.func @model_accumulate(
// CHECK: %[[B:.*]] = graph.neg
// CHECK-NEXT: %[[A:.*]] = graph.exp
// CHECK-NEXT: %[[R:.*]]:2 = graph.all_reduce <average> %[[B]], %[[A]] group = "data" bucket = 0
// CHECK-DAG: graph.add %{{.*}}, %[[R]]#0
// CHECK-DAG: graph.add %{{.*}}, %[[R]]#1
// CHECK-NOT: graph.all_reduce
// CHECK-LABEL: func.func @model_step(
// CHECK: %[[R:.*]]:2 = graph.all_reduce <average> %{{.*}}, %{{.*}} group = "data" bucket = 0
// CHECK-DAG: %[[SB:.*]] = graph.add %{{.*}}, %[[R]]#0
// CHECK-DAG: %[[SA:.*]] = graph.add %{{.*}}, %[[R]]#1
// CHECK: graph.unscale %{{.*}}, %[[SA]], %[[SB]]
// CHECK-NOT: graph.all_reduce

// MANY-LABEL: func.func @model_accumulate(
// MANY: %[[B:.*]] = graph.neg
// MANY-NEXT: %[[RB:.*]] = graph.all_reduce <sum> %[[B]] group = "data" bucket = 0
// MANY-NEXT: graph.add %{{.*}}, %[[RB]]
// MANY-NEXT: %[[A:.*]] = graph.exp
// MANY-NEXT: %[[RA:.*]] = graph.all_reduce <sum> %[[A]] group = "data" bucket = 1
// MANY-NEXT: graph.add %{{.*}}, %[[RA]]
// MANY-LABEL: func.func @model_step(
// MANY-COUNT-2: graph.all_reduce

// Sums stay f32.
// NARROW-LABEL: func.func @model_accumulate(
// NARROW: %[[R:.*]]:2 = graph.all_reduce <average> %{{.*}}, %{{.*}} group = "data" bucket = 0 : (tensor<2xbf16>, tensor<2xbf16>)
// NARROW: %[[W:.*]] = graph.cast %[[R]]#{{[01]}} because "reduce-type" : (tensor<2xbf16>) -> tensor<2xf32>
// NARROW: graph.add %{{.*}}, %{{.*}} : (tensor<2xf32>, tensor<2xf32>)

// STEP-LABEL: func.func @model_accumulate(
// STEP-NOT: graph.all_reduce
// STEP-LABEL: func.func @model_step(
// STEP: %[[SB:.*]] = graph.add
// STEP: %[[SA:.*]] = graph.add
// STEP: graph.all_reduce <average> %[[SB]], %[[SA]]
// NONE-NOT: graph.all_reduce
func.func @model_accumulate(%x: tensor<2xf32> {graph.input = "x"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>},
    %sa: tensor<2xf32> {graph.state = #graph.state<"a.grad" accumulator of "a" init #graph.zeros>},
    %sb: tensor<2xf32> {graph.state = #graph.state<"b.grad" accumulator of "b" init #graph.zeros>},
    %a: tensor<2xf32> {graph.parameter = "a"}, %b: tensor<2xf32> {graph.parameter = "b"})
    -> (tensor<2xf32> {graph.updates = "a.grad"}, tensor<2xf32> {graph.updates = "b.grad"})
    attributes {graph.entry = "accumulate", graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">, accumulate = 4>} {
  %gb = graph.neg %x : tensor<2xf32>
  %nb = graph.add %sb, %gb : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %ga = graph.exp %gb : tensor<2xf32>
  %na = graph.add %sa, %ga : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %na, %nb : tensor<2xf32>, tensor<2xf32>
}
func.func @model_step(%x: tensor<2xf32> {graph.input = "x"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>},
    %sa: tensor<2xf32> {graph.state = #graph.state<"a.grad" accumulator of "a" init #graph.zeros>},
    %sb: tensor<2xf32> {graph.state = #graph.state<"b.grad" accumulator of "b" init #graph.zeros>},
    %a: tensor<2xf32> {graph.parameter = "a"}, %b: tensor<2xf32> {graph.parameter = "b"})
    -> (tensor<2xf32> {graph.gradient = "a"}, tensor<2xf32> {graph.gradient = "b"}, tensor<2xf32> {graph.updates = "a.grad"}, tensor<2xf32> {graph.updates = "b.grad"})
    attributes {graph.entry = "step", graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">, accumulate = 4>} {
  %gb = graph.neg %x : tensor<2xf32>
  %nb = graph.add %sb, %gb : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %ga = graph.exp %gb : tensor<2xf32>
  %na = graph.add %sa, %ga : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %u:2, %inf = graph.unscale %s, %na, %nb : (tensor<f32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<i1>)
  %zero = graph.constant dense<0.0> : tensor<2xf32>
  return %u#0, %u#1, %zero, %zero : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
