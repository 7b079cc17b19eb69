// Regions in each mode. Where autocast is off ops run as written (in mode torch
// in the type that their operands have); a region's type and lists are its own.
// RUN: mpc-opt %s --split-input-file --mpc-inline-regions --mpc-autocast="precision=fp16" --mpc-verify-autocast | FileCheck %s --check-prefixes=CHECK,CHEAP
// RUN: mpc-opt %s --split-input-file --mpc-inline-regions --mpc-autocast="precision=fp16 mode=torch" --mpc-verify-autocast | FileCheck %s --check-prefixes=CHECK,TORCH
// RUN: mpc-opt %s --split-input-file --mpc-inline-regions --mpc-autocast="precision=fp16 mode=tf" --mpc-verify-autocast | FileCheck %s --check-prefixes=CHECK,TF
// RUN: mpc-opt %s --split-input-file --mpc-inline-regions --mpc-autocast="precision=fp16 mode=whole" --mpc-verify-autocast | FileCheck %s --check-prefixes=CHECK,WHOLE
// Precision fp32 is off for all regions.
// RUN: mpc-opt %s --split-input-file --mpc-inline-regions --mpc-autocast="precision=fp32" --mpc-verify-autocast | FileCheck %s --check-prefix=FP32
// FP32-NOT: xf16>
// FP32-NOT: xbf16>

// CHECK-LABEL: func.func @off
// CHECK: graph.matmul {{.*}} : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
// CHEAP: graph.cast %{{.*}} because "off: matmul runs as written (region 'head')"
// TF: graph.cast %{{.*}} because "off: matmul runs as written (region 'head')"
// WHOLE: graph.cast %{{.*}} because "off: matmul runs as written (region 'head')"
// CHEAP: graph.matmul {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// TF: graph.matmul {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// WHOLE: graph.matmul {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// TORCH: graph.matmul {{.*}} {graph.autocast_region = {{.*}}} : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
func.func @off(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.autocast_region <name = "head", enabled = false> -> tensor<8x8xf32> {
    %2 = graph.matmul %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %2 : tensor<8x8xf32>
  }
  %3 = graph.matmul %1, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = graph.add %3, %3 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// -----

// A type inside, an op on which two types meet, and one that follows.
// CHECK-LABEL: func.func @types
// CHECK: graph.matmul {{.*}} -> tensor<8x8xf16>
// CHECK: graph.matmul {{.*}} {graph.autocast_region = #graph.autocast_region<dtype = bf16>} : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
// TORCH: graph.add {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @types(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.autocast_region <dtype = bf16> -> tensor<8x8xf32> {
    %2 = graph.matmul %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %2 : tensor<8x8xf32>
  }
  %3 = graph.add %0, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// -----

// The lists of the region: exp is on the fp32 list of CUDA, not on that for
// CPUs.
// CHECK-LABEL: func.func @lists
// TORCH: graph.exp %{{.*}} : tensor<8x8xf32>
// TORCH: graph.exp %{{.*}} {graph.autocast_region = #graph.autocast_region<lists = "cpu">} : tensor<8x8xf16>
// CHEAP: graph.exp %{{.*}} : tensor<8x8xf32>
// CHEAP: graph.exp %{{.*}} {graph.autocast_region = #graph.autocast_region<lists = "cpu">} : tensor<8x8xf16>
func.func @lists(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.exp %0 : tensor<8x8xf32>
  %2 = graph.autocast_region <lists = "cpu"> -> tensor<8x8xf32> {
    %3 = graph.exp %0 : tensor<8x8xf32>
    %4 = graph.matmul %3, %3 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %4 : tensor<8x8xf32>
  }
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}
