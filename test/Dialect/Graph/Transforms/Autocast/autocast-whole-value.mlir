// Mode whole gives the bits of the model that was cast by hand, as
// model.half() does it (Apex O3); with keep-normalization (O2) of one whose
// normalization alone is f32.
// RUN: mpc-opt %s --mpc-autocast="mode=whole precision=fp16" | graph-eval - --function=model --rounded --compare=%s --compare-function=o3_by_hand --rtol=0 --atol=0
// RUN: mpc-opt %s --mpc-autocast="mode=whole precision=fp16 keep-normalization=true" | graph-eval - --function=model --rounded --compare=%s --compare-function=o2_by_hand --rtol=0 --atol=0
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.input = "w"}, %g: tensor<8xf32> {graph.input = "g"},
                 %t: tensor<4x8xf32> {graph.input = "t"}) -> (tensor<4x8xf32> {graph.output = "y"}, tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.layer_norm %0 weight %g first_dim = 1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %2 = graph.exp %1 : tensor<4x8xf32>
  %3 = graph.mse %2, %t : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return %2, %3 : tensor<4x8xf32>, tensor<f32>
}
func.func @o3_by_hand(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.input = "w"}, %g: tensor<8xf32> {graph.input = "g"},
                      %t: tensor<4x8xf32> {graph.input = "t"}) -> (tensor<4x8xf32> {graph.output = "y"}, tensor<f32> {graph.loss}) {
  %x16 = graph.cast %x : (tensor<4x8xf32>) -> tensor<4x8xf16>
  %w16 = graph.cast %w : (tensor<8x8xf32>) -> tensor<8x8xf16>
  %g16 = graph.cast %g : (tensor<8xf32>) -> tensor<8xf16>
  %0 = graph.matmul %x16, %w16 : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
  %1 = graph.layer_norm %0 weight %g16 first_dim = 1 : (tensor<4x8xf16>, tensor<8xf16>) -> tensor<4x8xf16>
  %2 = graph.exp %1 : tensor<4x8xf16>
  %y = graph.cast %2 : (tensor<4x8xf16>) -> tensor<4x8xf32>
  %3 = graph.mse %y, %t : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return %y, %3 : tensor<4x8xf32>, tensor<f32>
}
func.func @o2_by_hand(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.input = "w"}, %g: tensor<8xf32> {graph.input = "g"},
                      %t: tensor<4x8xf32> {graph.input = "t"}) -> (tensor<4x8xf32> {graph.output = "y"}, tensor<f32> {graph.loss}) {
  %x16 = graph.cast %x : (tensor<4x8xf32>) -> tensor<4x8xf16>
  %w16 = graph.cast %w : (tensor<8x8xf32>) -> tensor<8x8xf16>
  %0 = graph.matmul %x16, %w16 : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
  %n = graph.cast %0 : (tensor<4x8xf16>) -> tensor<4x8xf32>
  %1 = graph.layer_norm %n weight %g first_dim = 1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %n16 = graph.cast %1 : (tensor<4x8xf32>) -> tensor<4x8xf16>
  %2 = graph.exp %n16 : tensor<4x8xf16>
  %y = graph.cast %2 : (tensor<4x8xf16>) -> tensor<4x8xf32>
  %3 = graph.mse %y, %t : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return %y, %3 : tensor<4x8xf32>, tensor<f32>
}
