// A17: PyTorch's `linear` is one op of the lower_precision_fp list, so its f32
// bias is cast too, and so are those of convolutions. Here it is the operand of a
// product, or the product and a sum are a function with the word Allow: all of
// its operands are f16, and so is its sum.
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="mode=torch precision=fp16" --mpc-inline-custom --mpc-verify-autocast -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: graph-eval %t.mlir --function=operand --rounded --compare=%t.mlir --compare-function=operand_by_hand --rtol=0 --atol=0
// CHECK-LABEL: func.func @model
// CHECK-DAG: %[[X:.*]] = graph.cast %{{.*}} because "lower_precision_fp: custom runs in f16" : (tensor<4x8xf32>) -> tensor<4x8xf16>
// CHECK-DAG: %[[W:.*]] = graph.cast %{{.*}} because "lower_precision_fp: custom runs in f16" : (tensor<8x2xf32>) -> tensor<8x2xf16>
// CHECK-DAG: %[[B:.*]] = graph.cast %{{.*}} because "lower_precision_fp: custom runs in f16" : (tensor<2xf32>) -> tensor<2xf16>
// CHECK: %[[P:.*]] = graph.matmul %[[X]], %[[W]] {{.*}} -> tensor<4x2xf16>
// CHECK: graph.add %[[P]], %[[B]] {{.*}} : (tensor<4x2xf16>, tensor<2xf16>) -> tensor<4x2xf16>
func.func private @linear(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = graph.add %0, %b : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<8x2xf32> {graph.parameter = "w"},
    %b: tensor<2xf32> {graph.parameter = "b"}) -> tensor<4x2xf32> {
  %0 = graph.custom @linear(%x, %w, %b) policy = "Allow" : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @operand(
// CHECK-DAG: %[[X:.*]] = graph.cast %{{.*}} because "lower_precision_fp: matmul runs in f16" : (tensor<4x8xf32>) -> tensor<4x8xf16>
// CHECK-DAG: %[[W:.*]] = graph.cast %{{.*}} because "lower_precision_fp: matmul runs in f16" : (tensor<8x2xf32>) -> tensor<8x2xf16>
// CHECK-DAG: %[[B:.*]] = graph.cast %{{.*}} because "lower_precision_fp: matmul runs in f16" : (tensor<2xf32>) -> tensor<2xf16>
// CHECK: %[[Y:.*]] = graph.matmul %[[X]], %[[W]] bias %[[B]] : (tensor<4x8xf16>, tensor<8x2xf16>, tensor<2xf16>) -> tensor<4x2xf16>
// CHECK-NEXT: graph.relu %[[Y]] : tensor<4x2xf16>
func.func @operand(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<8x2xf32> {graph.parameter = "w"},
    %b: tensor<2xf32> {graph.parameter = "b"}) -> tensor<4x2xf32> {
  %0 = graph.matmul %x, %w bias %b : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %1 = graph.relu %0 : tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// Its bits are those of a product in f32, of operands in f16, whose sum with the
// bias is rounded once.
func.func @operand_by_hand(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %xn = graph.cast %x : (tensor<4x8xf32>) -> tensor<4x8xf16>
  %wn = graph.cast %w : (tensor<8x2xf32>) -> tensor<8x2xf16>
  %bn = graph.cast %b : (tensor<2xf32>) -> tensor<2xf16>
  %xw = graph.cast %xn : (tensor<4x8xf16>) -> tensor<4x8xf64>
  %ww = graph.cast %wn : (tensor<8x2xf16>) -> tensor<8x2xf64>
  %bw = graph.cast %bn : (tensor<2xf16>) -> tensor<2xf64>
  %0 = graph.matmul %xw, %ww : (tensor<4x8xf64>, tensor<8x2xf64>) -> tensor<4x2xf64>
  %1 = graph.add %0, %bw : (tensor<4x2xf64>, tensor<2xf64>) -> tensor<4x2xf64>
  %2 = graph.cast %1 : (tensor<4x2xf64>) -> tensor<4x2xf16>
  %3 = graph.relu %2 : tensor<4x2xf16>
  %4 = graph.cast %3 : (tensor<4x2xf16>) -> tensor<4x2xf32>
  return %4 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @convolutions(
// CHECK: graph.convolution %{{.*}}, %{{.*}} bias %{{.*}} : (tensor<2x3x8xf16>, tensor<4x3x3xf16>, tensor<4xf16>) -> tensor<2x4x6xf16>
// CHECK: graph.transposed_convolution %{{.*}}, %{{.*}} bias %{{.*}} : (tensor<2x4x6xf16>, tensor<4x3x3xf16>, tensor<3xf16>) -> tensor<2x3x8xf16>
func.func @convolutions(%x: tensor<2x3x8xf32> {graph.input = "x"}, %w: tensor<4x3x3xf32> {graph.parameter = "w"},
    %b: tensor<4xf32> {graph.parameter = "b"}, %c: tensor<3xf32> {graph.parameter = "c"}) -> tensor<2x3x8xf32> {
  %0 = graph.convolution %x, %w bias %b : (tensor<2x3x8xf32>, tensor<4x3x3xf32>, tensor<4xf32>) -> tensor<2x4x6xf32>
  %1 = graph.transposed_convolution %0, %w bias %c : (tensor<2x4x6xf32>, tensor<4x3x3xf32>, tensor<3xf32>) -> tensor<2x3x8xf32>
  return %1 : tensor<2x3x8xf32>
}

// A bias that the model has in another type keeps it.
// CHECK-LABEL: func.func @kept(
// CHECK: graph.matmul %{{.*}}, %{{.*}} bias %{{.*}} : (tensor<4x8xf16>, tensor<8x2xf16>, tensor<2xf32>) -> tensor<4x2xf16>
func.func @kept(%x: tensor<4x8xf16> {graph.input = "x"}, %w: tensor<8x2xf16> {graph.input = "w"},
    %b: tensor<2xf32> {graph.parameter = "b"}) -> tensor<4x2xf16> {
  %0 = graph.matmul %x, %w bias %b : (tensor<4x8xf16>, tensor<8x2xf16>, tensor<2xf32>) -> tensor<4x2xf16>
  return %0 : tensor<4x2xf16>
}
