// Outside of functions an op may read its own result: folding ends all the same.
// RUN: mpc-opt %s --allow-unregistered-dialect --canonicalize | FileCheck %s

// CHECK: %[[SELF:.*]] = graph.neg %[[SELF]]
%0 = graph.neg %0 : tensor<f32>
"test.use"(%0) : (tensor<f32>) -> ()
