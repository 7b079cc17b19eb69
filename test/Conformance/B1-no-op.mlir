// B1, TensorFlow's NoOp: without an op of list allow the graph is left as it
// is, and so is its result, bit for bit.
// The same with the bf16 lists (B16).
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=fp16" | graph-eval - --function=model --compare=%s --rtol=0 --atol=0
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=bf16" --mpc-verify-autocast | FileCheck %s
// CHECK-NOT: graph.cast
// CHECK-NOT: f16>
func.func @model(%x: tensor<32xf32> {graph.input = "x"}) -> tensor<32xf32> {
  %deny1 = graph.exp %x : tensor<32xf32>
  %clr1 = graph.relu %deny1 : tensor<32xf32>
  %infer1 = graph.sqrt %clr1 : tensor<32xf32>
  %clr2 = graph.relu %infer1 : tensor<32xf32>
  %fetch = graph.reshape %clr2 : (tensor<32xf32>) -> tensor<32xf32>
  return %fetch : tensor<32xf32>
}
