// A target says which types its products compute with; of others a remark says
// that they are widened, once per type.
// RUN: mpc-opt %s --mpc-autocast="mode=torch precision=fp16" --remarks-filter=mpc-autocast 2>&1 | FileCheck %s
// RUN: mpc-opt %s --mpc-autocast="mode=torch precision=bf16" --remarks-filter=mpc-autocast 2>&1 | FileCheck %s --check-prefix=NATIVE
// RUN: mpc-opt %s --mpc-set-target=target=cuda --mpc-autocast="mode=torch precision=fp16" --remarks-filter=mpc-autocast 2>&1 | FileCheck %s --check-prefix=NATIVE
// CHECK: remark: {{.*}}2 library calls have f16 operands, which target cpu widens to f32: results are those of f16, but it takes no less time than f32
// CHECK-NOT: library calls have
// NATIVE: remark: {{.*}}casts
// NATIVE-NOT: widens
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}, %d: tensor<8x8xf64> {graph.input = "d"}) -> (tensor<8x8xf32>, tensor<8x8xf64>) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.matmul %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.matmul %d, %d : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf64>
}
