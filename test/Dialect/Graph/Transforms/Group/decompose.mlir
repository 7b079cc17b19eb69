// RUN: mpc-opt %s --mpc-decompose --cse | FileCheck %s
// What each composite is made of. Values: Numerics/decompose.test.

// The maximum is subtracted before the exponential.
// CHECK-LABEL: @softmax
// CHECK: %[[M:.*]] = graph.max %arg0 dims = [1] keep
// CHECK: %[[D:.*]] = graph.sub %arg0, %[[M]]
// CHECK: %[[E:.*]] = graph.exp %[[D]]
// CHECK: %[[S:.*]] = graph.sum %[[E]] dims = [1] keep
// CHECK: %[[R:.*]] = graph.div %{{.*}}, %[[S]] : (tensor<f32>, tensor<4x1xf32>) -> tensor<4x1xf32>
// CHECK: %[[Y:.*]] = graph.mul %[[E]], %[[R]]
// CHECK: return %[[Y]]
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = graph.softmax %x dim = 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Arithmetic in f32 between two casts.
// CHECK-LABEL: @half
// CHECK-NEXT: %[[X:.*]] = graph.cast %arg0 because "decomposed: log_softmax" : (tensor<4x8xf16>) -> tensor<4x8xf32>
// CHECK-NOT: xf16
// CHECK: graph.log
// CHECK-NOT: xf16
// CHECK: %[[Y:.*]] = graph.sub {{.*}} -> tensor<4x8xf32>
// CHECK-NEXT: graph.cast %[[Y]] because "decomposed: log_softmax" : (tensor<4x8xf32>) -> tensor<4x8xf16>
func.func @half(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %y = graph.log_softmax %x dim = 0 : (tensor<4x8xf16>) -> tensor<4x8xf16>
  return %y : tensor<4x8xf16>
}

// Two passes: the variance is that of the centered values.
// CHECK-LABEL: @layer_norm
// CHECK: %[[SUM:.*]] = graph.sum %arg0 dims = [1, 2] keep
// CHECK: %[[MEAN:.*]] = graph.div %[[SUM]]
// CHECK: %[[C:.*]] = graph.sub %arg0, %[[MEAN]]
// CHECK: %[[SQ:.*]] = graph.mul %[[C]], %[[C]]
// CHECK: graph.sum %[[SQ]] dims = [1, 2] keep
// CHECK: %[[R:.*]] = graph.rsqrt
// CHECK: graph.mul %[[C]], %[[R]]
func.func @layer_norm(%x: tensor<4x2x3xf32>, %w: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<4x2x3xf32> {
  %y = graph.layer_norm %x weight %w bias %b first_dim = 1 : (tensor<4x2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xf32>
  return %y : tensor<4x2x3xf32>
}

// A mean is a quotient, whatever the rounding: of equal numbers it is that number.
// CHECK-LABEL: @means
// CHECK-COUNT-3: graph.div
// CHECK-NOT: graph.div
// CHECK: return
func.func @means(%x: tensor<4x3xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.mean %x dims = [1] : (tensor<4x3xf32>) -> tensor<4xf32>
  %1 = graph.var %x dims = [1] correction = 1 : (tensor<4x3xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Of a large tensor rows are summed first: one sum would be one work item.
// CHECK-LABEL: @mean_of_all
// CHECK: %[[ROWS:.*]] = graph.sum %arg0 dims = [2] : (tensor<20x7x128xf32>) -> tensor<20x7xf32>
// CHECK: %[[SUM:.*]] = graph.sum %[[ROWS]] dims = [0, 1]
// CHECK: graph.div %[[SUM]]
func.func @mean_of_all(%x: tensor<20x7x128xf32>) -> tensor<f32> {
  %0 = graph.mean %x dims = [0, 1, 2] : (tensor<20x7x128xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @strict_means
// CHECK-COUNT-4: graph.div
// CHECK-NOT: graph.div
// CHECK: return
func.func @strict_means(%x: tensor<4x3xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x3xf32>)
    attributes {graph.training = #graph.training<rounding = "strict">} {
  %0 = graph.mean %x dims = [1] : (tensor<4x3xf32>) -> tensor<4xf32>
  %1 = graph.var %x dims = [1] correction = 1 : (tensor<4x3xf32>) -> tensor<4xf32>
  %2 = graph.layer_norm %x first_dim = 1 : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4x3xf32>
}

// Labels are compared with an iota; -100 and masked samples do not count.
// CHECK-LABEL: @cross_entropy
// CHECK: %[[L:.*]] = graph.reshape %arg1 : (tensor<5xi32>) -> tensor<5x1xi32>
// CHECK: %[[I:.*]] = graph.iota dim = 0 : tensor<7xi32>
// CHECK: graph.compare {{.*}}eq{{.*}} %[[I]], %[[L]]
// CHECK: graph.compare {{.*}}ne{{.*}} %[[L]]
// CHECK: graph.reshape %arg2
// CHECK: graph.div {{.*}} -> tensor<f32>
func.func @cross_entropy(%z: tensor<5x7xf32>, %l: tensor<5xi32>, %m: tensor<5xi1>) -> tensor<f32> {
  %y = graph.cross_entropy %z, %l mask %m : (tensor<5x7xf32>, tensor<5xi32>, tensor<5xi1>) -> tensor<f32>
  return %y : tensor<f32>
}

// Long rank-1 tensors are folded as rows, so that the work is parallel.
// CHECK-LABEL: @unscale
// CHECK: %[[INV64:.*]] = graph.div {{.*}} -> tensor<f64>
// CHECK: %[[INV:.*]] = graph.cast %[[INV64]] {{.*}} -> tensor<f32>
// CHECK: %[[G:.*]] = graph.reshape %arg1 : (tensor<6144xf32>) -> tensor<6x1024xf32>
// CHECK: %[[U:.*]] = graph.mul %[[G]], %[[INV]]
// CHECK: graph.reshape %[[U]] : (tensor<6x1024xf32>) -> tensor<6144xf32>
// CHECK: graph.max {{.*}} dims = [1] : (tensor<6x1024xf32>) -> tensor<6xf32>
// CHECK: graph.max {{.*}} dims = [0] : (tensor<6xf32>) -> tensor<f32>
// CHECK: graph.max {{.*}} dims = [1] : (tensor<3x5xf32>) -> tensor<3xf32>
// CHECK: graph.compare {{.*}}gt
func.func @unscale(%s: tensor<f32>, %g: tensor<6144xf32>, %h: tensor<3x5xf32>) -> (tensor<6144xf32>, tensor<3x5xf32>, tensor<i1>) {
  %u, %v, %f = graph.unscale %s, %g, %h : (tensor<f32>, tensor<6144xf32>, tensor<3x5xf32>) -> (tensor<6144xf32>, tensor<3x5xf32>, tensor<i1>)
  return %u, %v, %f : tensor<6144xf32>, tensor<3x5xf32>, tensor<i1>
}

// Bias corrections are f64 scalars, computed once for all parameters.
// CHECK-LABEL: @adamw
// CHECK-COUNT-2: graph.pow {{.*}} -> tensor<f64>
// CHECK-NOT: graph.pow
func.func @adamw(%p: tensor<8xf32>, %g: tensor<8xf32>, %m: tensor<8xf32>, %v: tensor<8xf32>,
                 %q: tensor<4xf32>, %h: tensor<4xf32>, %n: tensor<4xf32>, %w: tensor<4xf32>,
                 %lr: tensor<f32>, %t: tensor<i32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %a:3 = graph.adamw %p, %g, %m, %v lr %lr step %t : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  %b:3 = graph.adamw %q, %h, %n, %w lr %lr step %t : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %a#0, %b#0 : tensor<8xf32>, tensor<4xf32>
}

// Nothing composite is left.
// CHECK-LABEL: @rest
// CHECK-NOT: graph.{{mean|mse|global_norm|scaler_update|scale |sgd}}
// CHECK: return
func.func @rest(%x: tensor<4x8xf16>, %p: tensor<8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>,
                %s: tensor<f32>, %t: tensor<i32>, %f: tensor<i1>)
    -> (tensor<4xf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = graph.mean %x dims = [1] : (tensor<4x8xf16>) -> tensor<4xf16>
  %1 = graph.mse %p, %g : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  %2 = graph.global_norm %p, %g : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  %3:3 = graph.scaler_update %s, %t, %f growth = 2.0 backoff = 0.5 interval = 2000 : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  %4 = graph.scale %1, %s : tensor<f32>, tensor<f32>
  %5:2 = graph.sgd %p, %g momentum_buffer %b lr %s {momentum = 0.9 : f64, nesterov} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0, %1, %2, %3#0, %3#1, %4, %5#0, %5#1 : tensor<4xf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<8xf32>, tensor<8xf32>
}

// A kernel of 3 x 3 is no row: it would fill no vector. One dim is, and what is
// before rows is parallel, however short they are.
// CHECK-LABEL: @short_rows
// CHECK: graph.sum %{{.*}} dims = [1, 2, 3] : (tensor<8x16x3x3xf32>) -> tensor<8xf32>
// CHECK: graph.sum %{{.*}} dims = [0] : (tensor<8xf32>) -> tensor<f32>
// CHECK: graph.sum %{{.*}} dims = [2] : (tensor<8x3x64xf32>) -> tensor<8x3xf32>
// CHECK: graph.sum %{{.*}} dims = [1] : (tensor<8x3xf32>) -> tensor<8xf32>
func.func @short_rows(%w: tensor<8x16x3x3xf32>, %v: tensor<8x3x64xf32>, %b: tensor<8x3xf32>) -> tensor<f32> {
  %0 = graph.global_norm %w, %v, %b : (tensor<8x16x3x3xf32>, tensor<8x3x64xf32>, tensor<8x3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// The default label to ignore is negative.
// CHECK-LABEL: @ignored_label
// CHECK-DAG: %[[I:.*]] = graph.constant dense<-100> : tensor<i32>
// CHECK: graph.compare <ne> %{{.*}}, %[[I]]
func.func @ignored_label(%z: tensor<5x7xf32>, %l: tensor<5xi32>) -> tensor<f32> {
  %y = graph.cross_entropy %z, %l : (tensor<5x7xf32>, tensor<5xi32>) -> tensor<f32>
  return %y : tensor<f32>
}
