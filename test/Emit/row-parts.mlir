// RUN: mpc-opt %s --mpc-group --mpc-emit-kernels --canonicalize --cse | FileCheck %s
// Columns beside rows: a work item is the rows of a part, one after the other.

// What the part comes to lies where the result does. It begins with zeros; the
// last part of 100 rows has four. A row is folded, then each of its chunks is
// added to the columns before the row is stored, which may be where %x is.
// CHECK-LABEL: func.func @columns_0(
// CHECK-SAME: %{{.*}}: memref<100x16xf32>, %{{.*}}: memref<100x16xf32>, %[[RESULT:.*]]: memref<13x16xf32>, %[[LO:.*]]: index, %[[HI:.*]]: index)
// CHECK: %[[COLUMNS:.*]] = memref.reinterpret_cast %[[RESULT]]
// CHECK: scf.for %[[PART:.*]] = %[[LO]] to %[[HI]]
// CHECK: %[[PLACE:.*]] = arith.muli %[[PART]], %c16
// CHECK: vector.store %{{.*}}, %[[COLUMNS]][%[[PLACE]]]
// CHECK: %[[FIRST:.*]] = arith.muli %[[PART]], %c8
// CHECK: %[[END:.*]] = arith.addi %[[FIRST]], %c8
// CHECK: %[[LAST:.*]] = arith.minui %[[END]], %c100
// CHECK: scf.for %[[ROW:.*]] = %[[FIRST]] to %[[LAST]]
// CHECK: %[[X:.*]] = vector.load
// CHECK: %[[Y:.*]] = arith.mulf %[[X]], %{{.*}} : vector<16xf32>
// CHECK: %[[BEFORE:.*]] = vector.load %[[COLUMNS]][%[[PLACE]]]
// CHECK: %[[AFTER:.*]] = arith.addf %[[BEFORE]], %[[Y]]
// CHECK: vector.store %[[AFTER]], %[[COLUMNS]][%[[PLACE]]]
// CHECK: vector.store %[[Y]]
// CHECK-NOT: vector.load
// CHECK: return
func.func @columns(%x: tensor<100x16xf32>) -> (tensor<100x16xf32>, tensor<13x16xf32>) {
  %s = graph.sum %x dims = [1] keep : (tensor<100x16xf32>) -> tensor<100x1xf32>
  %y = graph.mul %x, %s : (tensor<100x16xf32>, tensor<100x1xf32>) -> tensor<100x16xf32>
  %p = graph.partial_sum %y dims = [0] rows = 8 : (tensor<100x16xf32>) -> tensor<13x16xf32>
  return %y, %p : tensor<100x16xf32>, tensor<13x16xf32>
}
