// RUN: not mpc-opt %s --mpc-emit-kernels=gpu=sm_75 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels=gpu=sm_90 2>&1 | FileCheck %s --check-prefix=GRID

// ARCH: error: expected an architecture out of sm_80 {{.*}} sm_120, but got 'sm_75'

// GRID: [[#@LINE+2]]:{{.*}}: error: 'graph.group' op expected a kernel of at most 2147483647 blocks, but got 2147483648
func.func @huge(%x: tensor<17179869184x128xf16>) -> tensor<17179869184xf16> {
  %0 = graph.sum %x dims = [1] : (tensor<17179869184x128xf16>) -> tensor<17179869184xf16>
  return %0 : tensor<17179869184xf16>
}
