// What a library group may hold depends on the target.
// RUN: mpc-opt %s --mpc-group | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: mpc-opt %s --mpc-set-target=target=cuda --mpc-group | FileCheck %s --check-prefixes=CHECK,CUDA

// oneDNN has tanh, cuBLASLt has not.
// CHECK-LABEL: func.func @tanh(
// CPU: graph.group <library>
// CPU-NOT: graph.group
// CUDA: graph.group <library>
// CUDA: graph.group <row>
// CUDA: graph.tanh
func.func @tanh(%x: tensor<8x16xf16>, %w: tensor<16x4xf16>) -> tensor<8x4xf16> {
  %0 = graph.matmul %x, %w : (tensor<8x16xf16>, tensor<16x4xf16>) -> tensor<8x4xf16>
  %1 = graph.tanh %0 : tensor<8x4xf16>
  return %1 : tensor<8x4xf16>
}

// Of gelu, the tanh form only; the bias goes along in both.
// CHECK-LABEL: func.func @gelu_erf(
// CUDA: graph.group <library>
// CUDA: graph.add
// CUDA: graph.group <row>
// CUDA: graph.gelu
func.func @gelu_erf(%x: tensor<8x16xf16>, %w: tensor<16x4xf16>, %b: tensor<4xf16>) -> tensor<8x4xf16> {
  %0 = graph.matmul %x, %w : (tensor<8x16xf16>, tensor<16x4xf16>) -> tensor<8x4xf16>
  %1 = graph.add %0, %b : (tensor<8x4xf16>, tensor<4xf16>) -> tensor<8x4xf16>
  %2 = graph.gelu %1 : tensor<8x4xf16>
  return %2 : tensor<8x4xf16>
}

// CHECK-LABEL: func.func @gelu_tanh(
// CUDA: graph.group <library>
// CUDA-NOT: graph.group
// CUDA: graph.gelu
// CUDA: return
func.func @gelu_tanh(%x: tensor<8x16xf16>, %w: tensor<16x4xf16>, %b: tensor<4xf16>) -> tensor<8x4xf16> {
  %0 = graph.matmul %x, %w : (tensor<8x16xf16>, tensor<16x4xf16>) -> tensor<8x4xf16>
  %1 = graph.add %0, %b : (tensor<8x4xf16>, tensor<4xf16>) -> tensor<8x4xf16>
  %2 = graph.gelu %1 kind = <tanh> : tensor<8x4xf16>
  return %2 : tensor<8x4xf16>
}

// Its relu makes 0 of NaN.
// CHECK-LABEL: func.func @relu(
// CPU: graph.group <library>
// CPU-NOT: graph.group
// CUDA: graph.group <library>
// CUDA: graph.group <row>
// CUDA: graph.relu
// CUDA: return
func.func @relu(%x: tensor<8x16xf16>, %w: tensor<16x4xf16>) -> tensor<8x4xf16> {
  %0 = graph.matmul %x, %w : (tensor<8x16xf16>, tensor<16x4xf16>) -> tensor<8x4xf16>
  %1 = graph.relu %0 : tensor<8x4xf16>
  return %1 : tensor<8x4xf16>
}

// cuBLASLt's epilogues end at f32.
// CHECK-LABEL: func.func @f64(
// CPU: graph.group <library>
// CPU-NOT: graph.group
// CUDA: graph.group <library>
// CUDA: graph.group <row>
// CUDA: return
func.func @f64(%x: tensor<8x16xf64>, %w: tensor<16x4xf64>) -> tensor<8x4xf64> {
  %0 = graph.matmul %x, %w : (tensor<8x16xf64>, tensor<16x4xf64>) -> tensor<8x4xf64>
  %1 = graph.gelu %0 kind = <tanh> : tensor<8x4xf64>
  return %1 : tensor<8x4xf64>
}

// The gradient of a bias is a kernel, although cuBLASLt could sum the rows of dy
// beside the product that contracts them.
// CHECK-LABEL: func.func @bias_gradient(
// CHECK: graph.group <library>
// CHECK-NOT: graph.sum
// CHECK: graph.group <column>
// CHECK: graph.sum
// CHECK: return
func.func @bias_gradient(%x: tensor<8x16xf16>, %dy: tensor<8x4xf16>) -> (tensor<16x4xf16>, tensor<4xf16>) {
  %0 = graph.matmul %x, %dy transpose_lhs : (tensor<8x16xf16>, tensor<8x4xf16>) -> tensor<16x4xf16>
  %1 = graph.sum %dy dims = [0] : (tensor<8x4xf16>) -> tensor<4xf16>
  return %0, %1 : tensor<16x4xf16>, tensor<4xf16>
}

// On [batch, time, width] too: the sum and the product read the same rows.
// CHECK-LABEL: func.func @bias_gradient_rows(
// CHECK: graph.group <library> %{{.*}} : (tensor<8x16xf16>, tensor<8x4xf16>)
// CHECK-NOT: graph.sum
// CHECK: graph.group <column> %arg1 : (tensor<2x4x4xf16>)
// CHECK: graph.sum %{{.*}} dims = [0, 1]
// CHECK: return
func.func @bias_gradient_rows(%x: tensor<2x4x16xf16>, %dy: tensor<2x4x4xf16>) -> (tensor<16x4xf16>, tensor<4xf16>) {
  %rows = graph.reshape %x : (tensor<2x4x16xf16>) -> tensor<8x16xf16>
  %drows = graph.reshape %dy : (tensor<2x4x4xf16>) -> tensor<8x4xf16>
  %0 = graph.matmul %rows, %drows transpose_lhs : (tensor<8x16xf16>, tensor<8x4xf16>) -> tensor<16x4xf16>
  %1 = graph.sum %dy dims = [0, 1] : (tensor<2x4x4xf16>) -> tensor<4xf16>
  return %0, %1 : tensor<16x4xf16>, tensor<4xf16>
}

// In front of a function the product applies the derivative, and the kernel sums
// what comes of it.
// CHECK-LABEL: func.func @bias_gradient_of_gelu(
// CUDA: %[[D:.*]] = graph.group <library> {{.*}} -> tensor<2x4x16xf16>
// CUDA: graph.gelu_backward
// CUDA-NOT: graph.sum
// CUDA: graph.group <column> %[[D]]
// CHECK: graph.sum %{{.*}} dims = [0, 1]
// CHECK: return
func.func @bias_gradient_of_gelu(%dy: tensor<2x4x8xf16>, %w: tensor<16x8xf16>, %u: tensor<2x4x16xf16>) -> (tensor<2x4x16xf16>, tensor<16xf16>) {
  %0 = graph.matmul %dy, %w transpose_rhs : (tensor<2x4x8xf16>, tensor<16x8xf16>) -> tensor<2x4x16xf16>
  %1 = graph.gelu_backward %0, %u kind = <tanh> : (tensor<2x4x16xf16>, tensor<2x4x16xf16>) -> tensor<2x4x16xf16>
  %2 = graph.sum %1 dims = [0, 1] : (tensor<2x4x16xf16>) -> tensor<16xf16>
  return %1, %2 : tensor<2x4x16xf16>, tensor<16xf16>
}

// What gelu is applied to is stored by the product, for the gradient.
// CHECK-LABEL: func.func @aux(
// CPU: graph.group <library>
// CPU: graph.group <row>
// CUDA: %[[R:.*]]:2 = graph.group <library>
// CUDA: %[[U:.*]] = graph.add
// CUDA: %[[Y:.*]] = graph.gelu %[[U]] kind = <tanh>
// CUDA: graph.yield %[[U]], %[[Y]]
// CUDA: graph.group <row> %{{[^,]*}}, %[[R]]#0
// CUDA: graph.gelu_backward
func.func @aux(%x: tensor<8x16xf16>, %w: tensor<16x8xf16>, %b: tensor<8xf16>, %dy: tensor<8x8xf16>) -> (tensor<8x8xf16>, tensor<8x8xf16>) {
  %0 = graph.matmul %x, %w : (tensor<8x16xf16>, tensor<16x8xf16>) -> tensor<8x8xf16>
  %1 = graph.add %0, %b : (tensor<8x8xf16>, tensor<8xf16>) -> tensor<8x8xf16>
  %2 = graph.gelu %1 kind = <tanh> : tensor<8x8xf16>
  %3 = graph.gelu_backward %dy, %1 kind = <tanh> : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  return %2, %3 : tensor<8x8xf16>, tensor<8x8xf16>
}

// And multiplied by its derivative after the product of the gradient.
// CHECK-LABEL: func.func @derivative(
// CPU: graph.group <library>
// CPU: graph.group <row>
// CUDA: graph.group <library>
// CUDA: %[[D:.*]] = graph.matmul
// CUDA: graph.gelu_backward %[[D]], %{{[^ ]*}} kind = <tanh>
// CUDA-NOT: graph.group
// CUDA: return
func.func @derivative(%dy: tensor<8x16xf16>, %w: tensor<8x16xf16>, %u: tensor<8x8xf16>) -> tensor<8x8xf16> {
  %0 = graph.matmul %dy, %w transpose_rhs : (tensor<8x16xf16>, tensor<8x16xf16>) -> tensor<8x8xf16>
  %1 = graph.gelu_backward %0, %u kind = <tanh> : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  return %1 : tensor<8x8xf16>
}

// Not where rows of that tensor are no multiple of 8.
// CHECK-LABEL: func.func @ragged(
// CHECK: graph.group <library>
// CHECK: graph.group <row>
// CHECK: graph.gelu_backward
func.func @ragged(%dy: tensor<8x16xf16>, %w: tensor<4x16xf16>, %u: tensor<8x4xf16>) -> tensor<8x4xf16> {
  %0 = graph.matmul %dy, %w transpose_rhs : (tensor<8x16xf16>, tensor<4x16xf16>) -> tensor<8x4xf16>
  %1 = graph.gelu_backward %0, %u kind = <tanh> : (tensor<8x4xf16>, tensor<8x4xf16>) -> tensor<8x4xf16>
  return %1 : tensor<8x4xf16>
}
