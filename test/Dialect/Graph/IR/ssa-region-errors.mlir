// In the body of a module an op may read its own result, which folders, that
// know no cycles, would follow for ever.
// RUN: not mpc-opt %s --canonicalize 2>&1 | FileCheck %s

// CHECK: ssa-region-errors.mlir:[[@LINE+1]]:6: error: 'graph.relu' op is expected inside of a function, where each value is made before it is read, but stands in 'builtin.module'
%0 = graph.relu %0 : tensor<f32>
