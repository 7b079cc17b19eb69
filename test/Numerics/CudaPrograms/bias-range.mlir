// A bias gradient in f16 is the sum of as many numbers as there are rows, in the
// type of the product: here 64 times 2^20 / 640 = 1638.4, which is beyond 65504,
// although each of them and the weight's gradient are not. So the step is
// skipped, on a GPU, where lists of tensors read the sum as its kernel has
// stored it, and on the processor, where the check of the gradient and its
// update do, and see the number that the type can hold.
// RUN: rm -rf %t && mkdir -p %t
// DEFINE: %{train} = --steps 1 --input x=%src/examples/digits/data/train-images.npy
// DEFINE: %{model} = %s --precision=fp16 --loss-scale=static --scale-init=1048576 --reduce=none --optimizer=sgd --lr=0.1
// RUN: mpc-opt %{model} --compile-to=exec --target=cuda -o %t/exec.mlir
// RUN: FileCheck %s --input-file=%t/exec.mlir
// CHECK: exec.entry @step
// CHECK: exec.launch @{{.*}} outs(%[[SUMS:.*]] : memref<10xf16>)
// CHECK: exec.call #exec.matmul ins({{.*}}) outs(result %[[W:.*]] : memref<64x10xf16>){{$}}
// CHECK: exec.multi_tensor unscale_l2norm ins(%{{.*}}, %[[W]], %[[SUMS]] :
// RUN: emulate-cuda %t/exec.mlir %t/cuda.mpcx
// RUN: env MPC_CUDA_PLUGIN=%build/lib/EmulatedCuda.so mpc-run train %t/cuda.mpcx %{train} --metrics %t/cuda.jsonl
// RUN: FileCheck %s --input-file=%t/cuda.jsonl --check-prefix=SKIPPED
// SKIPPED: "found_inf":true
// RUN: mpc-compile %{model} --target=cpu -o %t/cpu.mpcx
// RUN: mpc-run train %t/cpu.mpcx %{train} --metrics %t/cpu.jsonl
// RUN: FileCheck %s --input-file=%t/cpu.jsonl --check-prefix=SKIPPED
func.func @bias_range(
    %x: tensor<64x64xf32>  {graph.input = "x"},
    %w: tensor<64x10xf32>  {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.1>},
    %b: tensor<10xf32>     {graph.parameter = "b", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}) {
  %small = graph.constant dense<0.001> : tensor<f32>
  %0 = graph.mul %x, %small : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %1 = graph.matmul %0, %w : (tensor<64x64xf32>, tensor<64x10xf32>) -> tensor<64x10xf32>
  %2 = graph.add %1, %b : (tensor<64x10xf32>, tensor<10xf32>) -> tensor<64x10xf32>
  %loss = graph.mean %2 dims = [0, 1] : (tensor<64x10xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
