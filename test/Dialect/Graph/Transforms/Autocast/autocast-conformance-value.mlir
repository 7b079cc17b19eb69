// Tests of other systems in our words, by value.
// PyTorch's test_cuda.py: an op under autocast gives the bits of the op applied
// to operands that were cast by hand (A1 lower_precision_fp, A3 fp32, A4 output
// in f32, A6 promotion).
// RUN: mpc-opt %s --mpc-autocast="mode=torch precision=fp16" | graph-eval - --function=model --rounded --compare=%s --compare-function=by_hand --rtol=0 --atol=0
// TensorFlow's auto_mixed_precision_test.cc, B14: ops that follow, between two
// matmuls, against the model in f32; its tolerance is 1e-3 for values of order
// 1, and 2e-3 for softmax and log.
// RUN: mpc-opt %s --mpc-autocast=precision=fp16 | graph-eval - --function=infer_ops --rounded --compare=%s --compare-function=infer_ops --low=-0.25 --high=0.25 --rtol=2e-3 --atol=2e-3
// RUN: mpc-opt %s --mpc-autocast=precision=bf16 | graph-eval - --function=infer_ops --rounded --compare=%s --compare-function=infer_ops --low=-0.25 --high=0.25 --rtol=1.6e-2 --atol=1.6e-2
func.func @model(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.matmul %x, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.exp %0 : tensor<8x8xf32>
  %2 = graph.softmax %0 dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = graph.add %0, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
func.func @by_hand(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %x16 = graph.cast %x : (tensor<8x8xf32>) -> tensor<8x8xf16>
  %y16 = graph.cast %y : (tensor<8x8xf32>) -> tensor<8x8xf16>
  %0 = graph.matmul %x16, %y16 : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  %m = graph.cast %0 : (tensor<8x8xf16>) -> tensor<8x8xf32>
  %1 = graph.exp %m : tensor<8x8xf32>
  %2 = graph.softmax %0 dim = 1 dtype = f32 : (tensor<8x8xf16>) -> tensor<8x8xf32>
  %3 = graph.add %m, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %m, %1, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
func.func @infer_ops(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>,
    tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %0 = graph.matmul %x, %y : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = graph.tanh %0 : tensor<16x16xf32>
  %2 = graph.sigmoid %0 : tensor<16x16xf32>
  %3 = graph.erf %0 : tensor<16x16xf32>
  %4 = graph.softmax %0 dim = 1 : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %5 = graph.sqrt %2 : tensor<16x16xf32>
  %6 = graph.log %2 : tensor<16x16xf32>
  %7 = graph.matmul %1, %y : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %8 = graph.matmul %2, %y : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %9 = graph.matmul %3, %y : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %10 = graph.matmul %4, %y : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %11 = graph.matmul %5, %y : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %12 = graph.matmul %6, %y : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %7, %8, %9, %10, %11, %12 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}
