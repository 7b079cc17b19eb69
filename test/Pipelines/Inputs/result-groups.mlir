%top:2 = builtin.unrealized_conversion_cast to f32, f32
%d = builtin.unrealized_conversion_cast %top#1 : f32 to f64
func.func @groups(%f: (f32) -> f32, %s: tensor<f32>, %x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i1>, tensor<i1>) {
  %dead = graph.add %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %u:2 = graph.unscale %s, %x : (tensor<f32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i1>)
  %5:2 = graph.unscale %s, %u#0 : (tensor<f32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i1>)
  return %5#0, %5#1, %u#1 : tensor<4x4xf32>, tensor<i1>, tensor<i1>
}
func.func private @declared(f32, i32)
func.func private @other(%arg7: i32) {
  return
}
func.func private @another(%arg8: i32) {
  return
}
