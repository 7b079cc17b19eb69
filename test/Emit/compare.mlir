// RUN: mpc-opt %s --mpc-group --mpc-emit-kernels --canonicalize --cse | FileCheck %s
// Comparisons see numbers as their types hold them.

// The sum is rounded; what is loaded is so already.
// CHECK-LABEL: func.func @computed_0(
// CHECK: %[[SUM:.*]] = arith.addf {{.*}} : vector<16xf32>
// CHECK-NEXT: %[[NARROW:.*]] = arith.truncf %[[SUM]] : vector<16xf32> to vector<16xbf16>
// CHECK-NEXT: %[[AGAIN:.*]] = arith.extf %[[NARROW]]
// CHECK-NOT: arith.truncf
// CHECK: arith.cmpf oeq, %[[AGAIN]],
func.func @computed(%a: tensor<16xbf16>, %b: tensor<16xbf16>, %m: tensor<16xbf16>) -> tensor<16xi1> {
  %0 = graph.add %a, %b : (tensor<16xbf16>, tensor<16xbf16>) -> tensor<16xbf16>
  %1 = graph.compare <eq> %0, %m : (tensor<16xbf16>, tensor<16xbf16>) -> tensor<16xi1>
  return %1 : tensor<16xi1>
}

// On either side of a constant the answer is that of a number close by.
// CHECK-LABEL: func.func @constant_0(
// CHECK: %[[SUM:.*]] = arith.addf {{.*}} : vector<16xf32>
// CHECK-NOT: arith.truncf
// CHECK: arith.cmpf ole, %[[SUM]],
func.func @constant(%a: tensor<16xbf16>, %b: tensor<16xbf16>) -> tensor<16xi1> {
  %zero = graph.constant dense<0.0> : tensor<bf16>
  %0 = graph.add %a, %b : (tensor<16xbf16>, tensor<16xbf16>) -> tensor<16xbf16>
  %1 = graph.compare <le> %0, %zero : (tensor<16xbf16>, tensor<bf16>) -> tensor<16xi1>
  return %1 : tensor<16xi1>
}
