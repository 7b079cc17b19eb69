// A model of a single sample, whose batch looks like any dim of size 1.
// RUN: mpc-opt %s --mpc-set-batch="batch=8" | FileCheck %s
// CHECK-LABEL: func.func @model(
// CHECK: graph.reshape {{.*}} : (tensor<8x6xf32>) -> tensor<8x2x3xf32>
// CHECK: graph.add {{.*}} : (tensor<8x2x3xf32>, tensor<1x3xf32>) -> tensor<8x2x3xf32>
// CHECK: graph.sum {{.*}} : (tensor<8x2x3xf32>) -> tensor<8x1x3xf32>
// CHECK: graph.reshape {{.*}} : (tensor<8x1x3xf32>) -> tensor<24xf32>
// CHECK: return {{.*}} : tensor<24xf32>
func.func @model(%x: tensor<1x6xf32> {graph.input = "x"},
                 %b: tensor<1x3xf32> {graph.parameter = "b", graph.init = #graph.zeros}) -> (tensor<3xf32> {graph.output = "y"}) {
  %0 = graph.reshape %x : (tensor<1x6xf32>) -> tensor<1x2x3xf32>
  %1 = graph.add %0, %b : (tensor<1x2x3xf32>, tensor<1x3xf32>) -> tensor<1x2x3xf32>
  %2 = graph.sum %1 dims = [1] keep : (tensor<1x2x3xf32>) -> tensor<1x1x3xf32>
  %3 = graph.reshape %2 : (tensor<1x1x3xf32>) -> tensor<3xf32>
  return %3 : tensor<3xf32>
}

// Rows of all samples become samples again: the mean over the rows of one does
// not take in those of others.
// CHECK-LABEL: func.func @rows(
// CHECK: graph.reshape {{.*}} : (tensor<8x3x2xf32>) -> tensor<24x2xf32>
// CHECK: graph.reshape {{.*}} : (tensor<24x2xf32>) -> tensor<8x3x2xf32>
// CHECK: graph.mean {{.*}} dims = [1] : (tensor<8x3x2xf32>) -> tensor<8x2xf32>
func.func @rows(%x: tensor<1x3x2xf32> {graph.input = "x"}) -> (tensor<1x2xf32> {graph.output = "y"}) {
  %0 = graph.reshape %x : (tensor<1x3x2xf32>) -> tensor<3x2xf32>
  %1 = graph.relu %0 : tensor<3x2xf32>
  %2 = graph.reshape %1 : (tensor<3x2xf32>) -> tensor<1x3x2xf32>
  %3 = graph.mean %2 dims = [1] : (tensor<1x3x2xf32>) -> tensor<1x2xf32>
  return %3 : tensor<1x2xf32>
}
