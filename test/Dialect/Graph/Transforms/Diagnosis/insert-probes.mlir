// RUN: mpc-opt %s --compile-to=reduce --precision=fp16 --loss-scale=dynamic --mlir-print-debuginfo | mpc-opt --mpc-insert-probes | FileCheck %s
// RUN: mpc-opt %s --compile-to=update --probe --precision=fp16 --loss-scale=dynamic | FileCheck %s --check-prefix=PROBE
// RUN: mpc-opt %s --compile-to=update --probe --inference | FileCheck %s --check-prefix=FORWARD

func.func @m(%x: tensor<8x4xf32> {graph.input = "x"}, %t: tensor<8x2xf32> {graph.input = "target"},
             %k: tensor<8xi32> {graph.input = "unused"},
             %w: tensor<4x2xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.1>})
    -> (tensor<f32> {graph.loss}, tensor<8x2xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "adamw", lr = 0.01>>} {
  %y = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32> loc("m.mlir":12:3)
  %loss = graph.mse %y, %t : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<f32> loc("head")
  return %loss, %y : tensor<f32>, tensor<8x2xf32>
}

// Every float value of the step in order, none of the forward entry.
// CHECK-LABEL: func.func @m(
// CHECK-NOT: graph.observe
// CHECK-LABEL: func.func @m_step(
// CHECK-DAG: graph.observe 0 %{{.*}} as "x" made_by "input" from []
// CHECK-DAG: graph.observe 1 %{{.*}} as "target" made_by "input" from []
// CHECK-DAG: graph.observe 2 %{{.*}} as "w" made_by "parameter" from []
// CHECK: graph.cast
// CHECK: as "cast@m.mlir:12:3" made_by "graph.cast (
// CHECK: as "cast@m.mlir:12:3.2" made_by "graph.cast (
// CHECK: %[[Y:.*]] = graph.matmul
// CHECK-NEXT: graph.observe [[N:[0-9]+]] %[[Y]] as "matmul@m.mlir:12:3" made_by "graph.matmul" from [{{[0-9]+}}, {{[0-9]+}}]
// CHECK: as "mse@head" made_by "graph.mse" from [{{.*}}] sink
// CHECK: {graph.seed}
// CHECK: graph.observe {{.*}} backward
// CHECK: graph.unscale
// CHECK: as "w.grad" made_by "graph.unscale" from [{{.*}}] backward sink

// The entry for diagnosis: no result, no moments, no update; all inputs.
// PROBE-NOT: graph.updates = "w"
// PROBE: func.func @m_step(%{{.*}} {graph.input = "x"}, %{{.*}} {graph.input = "target", graph.loss_only}, %{{.*}} {graph.input = "unused", graph.loss_only}
// PROBE-NOT: exp_avg
// PROBE-SAME: attributes {{{.*}}graph.entry = "probe"
// PROBE-NOT: graph.adamw
// PROBE: return{{$}}
// PROBE-NOT: func.func

// FORWARD: func.func @m(
// FORWARD-SAME: graph.entry = "probe"
// FORWARD: as "mse@head" made_by "graph.mse" from [{{.*}}] sink
// FORWARD-NOT: func.func
