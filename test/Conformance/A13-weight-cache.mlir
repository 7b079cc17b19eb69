// A13: a weight that is used twice in a region is cast once, and once for two
// regions of one type as well: PyTorch's cache lives for the outermost region,
// here the cast is a value of the step. An activation is cast per use in mode
// torch and once in mode cheapest.
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="mode=torch precision=fp16" -o - | grep -c "graph.cast %arg1 because" | FileCheck %s --check-prefix=ONCE
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="mode=cheapest precision=fp16" -o - | grep -c "graph.cast %arg1 because" | FileCheck %s --check-prefix=ONCE
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="mode=torch precision=fp16" -o - | grep -c "graph.cast %arg0 because" | FileCheck %s --check-prefix=THRICE
// ONCE: {{^1$}}
// THRICE: {{^3$}}
// CHECK: %[[W:.*]] = graph.cast %arg1 because "lower_precision_fp: matmul runs in f16 (region 'first')"
// CHECK: graph.matmul %{{.*}}, %[[W]]
// CHECK: graph.matmul %{{.*}}, %[[W]]
// CHECK: graph.matmul %{{.*}}, %[[W]]
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.parameter = "w"})
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0:2 = graph.autocast_region <name = "first"> -> tensor<8x8xf32>, tensor<8x8xf32> {
    %1 = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  %3 = graph.autocast_region <name = "second"> -> tensor<8x8xf32> {
    %4 = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %4 : tensor<8x8xf32>
  }
  return %0#0, %0#1, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
