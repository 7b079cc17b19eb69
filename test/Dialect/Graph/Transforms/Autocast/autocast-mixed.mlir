// An op that takes several types has a rule for one operand: the weight stays
// f32 beside a 16-bit input and bias. Where operands have one type (matmul), the
// same rule is for all of them.
// RUN: mpc-opt %s --mpc-autocast="precision=bf16 policy=graph.layer_norm;operand:1=Deny,graph.matmul@last;operand:1=Deny" --mpc-verify-autocast | FileCheck %s
// CHECK: %[[B:.*]] = graph.cast %{{.*}} because "denyio: layer_norm runs in bf16, f32 inside (fewest bytes)"
// CHECK: %[[M:.*]] = graph.matmul {{.*}} -> tensor<4x8xbf16>
// CHECK: graph.layer_norm %[[M]] weight %arg2 bias %[[B]] first_dim = 1 : (tensor<4x8xbf16>, tensor<8xf32>, tensor<8xbf16>) -> tensor<4x8xbf16>
// CHECK: graph.matmul {{.*}} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.parameter = "w"},
                 %g: tensor<8xf32> {graph.parameter = "g"}, %b: tensor<8xf32> {graph.parameter = "b"}) -> tensor<4x8xf32> {
  %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.layer_norm %0 weight %g bias %b first_dim = 1 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %2 = graph.matmul %1, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("last")
  return %2 : tensor<4x8xf32>
}
