// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/samples.py %t/x.npy 64 33
// RUN: %python -c "open('%t/none.safetensors','wb').write(bytes([2,0,0,0,0,0,0,0])+b'{}')"
// RUN: mpc-compile %s -o %t/strict.mpcx --rounding=strict
// RUN: mpc-run eval %t/strict.mpcx --weights %t/none.safetensors --input x=%t/x.npy --output y=%t/y.npy
// RUN: graph-eval %s --function=strict --rounded --input=x=%t/x.npy "--expect=output y=%t/y.npy" --rtol=0 --atol=0
// RUN: mpc-compile %s -o %t/fused.mpcx --rounding=fused
// RUN: mpc-run eval %t/fused.mpcx --weights %t/none.safetensors --input x=%t/x.npy --output y=%t/z.npy
// RUN: not cmp %t/y.npy %t/z.npy
// RUN: not graph-eval %s --function=strict --rounded --input=x=%t/x.npy "--expect=output y=%t/z.npy" --rtol=0 --atol=0
// With strict rounding a fused kernel gives, bit by bit, what one op after the
// other gives; with fused rounding it does not (it is nearer to f64).
func.func @strict(%x: tensor<64x33xf32> {graph.input = "x"}) -> (tensor<64x33xf32> {graph.output = "y"}) {
  %h = graph.cast %x : (tensor<64x33xf32>) -> tensor<64x33xf16>
  %c = graph.constant dense<0.7> : tensor<f16>
  %0 = graph.mul %h, %h : (tensor<64x33xf16>, tensor<64x33xf16>) -> tensor<64x33xf16>
  %1 = graph.add %0, %c : (tensor<64x33xf16>, tensor<f16>) -> tensor<64x33xf16>
  %2 = graph.sqrt %1 : tensor<64x33xf16>
  %3 = graph.div %h, %2 : (tensor<64x33xf16>, tensor<64x33xf16>) -> tensor<64x33xf16>
  %4 = graph.sub %3, %c : (tensor<64x33xf16>, tensor<f16>) -> tensor<64x33xf16>
  %5 = graph.mul %4, %3 : (tensor<64x33xf16>, tensor<64x33xf16>) -> tensor<64x33xf16>
  %y = graph.cast %5 : (tensor<64x33xf16>) -> tensor<64x33xf32>
  return %y : tensor<64x33xf32>
}
