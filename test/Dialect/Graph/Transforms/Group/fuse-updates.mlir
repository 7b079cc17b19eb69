// What becomes a call on lists of tensors, and what is left between.
// RUN: mpc-opt %s --mpc-fuse-updates --split-input-file | FileCheck %s

// All of it: unscale, norm, clip, AdamW, skip, copy. Nothing of the single
// tensors is left, and the coefficient is computed from the fused norm.
module attributes {graph.target = "cuda"} {
// CHECK-LABEL: func.func @whole(
// CHECK-SAME: %[[W1:[^:]*]]: tensor<4xf32>, %[[W2:[^:]*]]: tensor<2x2xf32>, %[[G1:[^:]*]]: tensor<4xf32>, %[[G2:[^:]*]]: tensor<2x2xf32>, %[[M1:[^:]*]]: tensor<4xf32>, %[[M2:[^:]*]]: tensor<2x2xf32>, %[[V1:[^:]*]]: tensor<4xf32>, %[[V2:[^:]*]]: tensor<2x2xf32>, %[[SCALE:[^:]*]]: tensor<f32>, %[[LR:[^:]*]]: tensor<f32>, %[[STEP:[^:]*]]: tensor<i32>
// CHECK-NEXT: %[[INF:.*]], %[[NORM:.*]] = graph.unscale_l2norm %[[G1]], %[[G2]] scale %[[SCALE]]
// CHECK-NEXT: %[[C:.*]] = graph.sqrt %[[NORM]]
// CHECK-NEXT: %[[R:.*]]:8 = graph.fused_adamw %[[W1]], %[[W2]] gradients %[[G1]], %[[G2]] exp_avgs %[[M1]], %[[M2]] exp_avg_sqs %[[V1]], %[[V2]] lr %[[LR]] step %[[STEP]] found_inf %[[INF]] grad_scale %[[SCALE]] coefficient %[[C]] copies = f16 {beta1 = 8.000000e-01 : f64}
// CHECK-NEXT: return %[[R]]#0, %[[R]]#1, %[[R]]#2, %[[R]]#3, %[[R]]#4, %[[R]]#5, %[[R]]#6, %[[R]]#7, %[[INF]]
func.func @whole(%w1: tensor<4xf32>, %w2: tensor<2x2xf32>, %g1: tensor<4xf32>, %g2: tensor<2x2xf32>,
    %m1: tensor<4xf32>, %m2: tensor<2x2xf32>, %v1: tensor<4xf32>, %v2: tensor<2x2xf32>,
    %scale: tensor<f32>, %lr: tensor<f32>, %step: tensor<i32>)
    -> (tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<4xf16>, tensor<2x2xf16>, tensor<i1>) {
  %u:2, %inf = graph.unscale %scale, %g1, %g2 : (tensor<f32>, tensor<4xf32>, tensor<2x2xf32>) -> (tensor<4xf32>, tensor<2x2xf32>, tensor<i1>)
  %norm = graph.global_norm %u#0, %u#1 : (tensor<4xf32>, tensor<2x2xf32>) -> tensor<f32>
  %c = graph.sqrt %norm : tensor<f32>
  %c1 = graph.mul %u#0, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %a1:3 = graph.adamw %w1, %c1, %m1, %v1 lr %lr step %step {beta1 = 0.8 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %nw1 = graph.select %inf, %w1, %a1#0 : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %h1 = graph.cast %nw1 because "16-bit copy" : (tensor<4xf32>) -> tensor<4xf16>
  %nm1 = graph.select %inf, %m1, %a1#1 : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %nv1 = graph.select %inf, %v1, %a1#2 : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c2 = graph.mul %u#1, %c : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %a2:3 = graph.adamw %w2, %c2, %m2, %v2 lr %lr step %step {beta1 = 0.8 : f64} : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  %nw2 = graph.select %inf, %w2, %a2#0 : (tensor<i1>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %nm2 = graph.select %inf, %m2, %a2#1 : (tensor<i1>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %nv2 = graph.select %inf, %v2, %a2#2 : (tensor<i1>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %h2 = graph.cast %nw2 because "16-bit copy" : (tensor<2x2xf32>) -> tensor<2x2xf16>
  return %nw1, %nw2, %nm1, %nm2, %nv1, %nv2, %h1, %h2, %inf : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<4xf16>, tensor<2x2xf16>, tensor<i1>
}
}

// -----
// No scaler, no clip: the norm alone is a call, and the update has no scalar.
// Gradients are read in 16 bits where nothing else needs them in 32.
module attributes {graph.target = "cuda"} {
// CHECK-LABEL: func.func @narrow(
// CHECK-SAME: %[[W:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xbf16>
// CHECK: %{{.*}}, %[[NORM:.*]] = graph.unscale_l2norm %[[G]] : (tensor<4xbf16>)
// CHECK: graph.fused_sgd %[[W]] gradients %[[G]] lr %{{[^ ]*}} {weight_decay
// CHECK-NOT: graph.cast
func.func @narrow(%w: tensor<4xf32>, %g: tensor<4xbf16>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  %wide = graph.cast %g because "allow" : (tensor<4xbf16>) -> tensor<4xf32>
  %norm = graph.global_norm %wide : (tensor<4xf32>) -> tensor<f32>
  %n = graph.sgd %w, %wide lr %lr {weight_decay = 0.1 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %n, %norm : tensor<4xf32>, tensor<f32>
}
}

// -----
// One f32 gradient, as that of a norm, does not widen those of products: a check
// and an update for each type, and the norm of both.
module attributes {graph.target = "cuda"} {
// CHECK-LABEL: func.func @types(
// CHECK-SAME: %[[W:[^:]*]]: tensor<4xf32>, %[[V:[^:]*]]: tensor<2xf32>, %[[G:[^:]*]]: tensor<4xf32>, %[[H:[^:]*]]: tensor<2xbf16>
// CHECK: %[[INF1:.*]], %[[NORM1:.*]] = graph.unscale_l2norm %[[G]] scale %{{[^ ]*}} : (tensor<4xf32>, tensor<f32>)
// CHECK: %[[INF2:.*]], %[[NORM2:.*]] = graph.unscale_l2norm %[[H]] scale %{{[^ ]*}} : (tensor<2xbf16>, tensor<f32>)
// CHECK-DAG: %[[INF:.*]] = graph.logical_or %[[INF1]], %[[INF2]]
// CHECK-DAG: %[[NORM:.*]] = graph.global_norm %[[NORM1]], %[[NORM2]]
// CHECK-DAG: %[[A:.*]] = graph.fused_sgd %[[W]] gradients %[[G]] {{.*}}found_inf %[[INF]]
// CHECK-DAG: %[[B:.*]] = graph.fused_sgd %[[V]] gradients %[[H]] {{.*}}found_inf %[[INF]]
// CHECK: return %[[A]], %[[B]], %[[NORM]]
func.func @types(%w: tensor<4xf32>, %v: tensor<2xf32>, %g: tensor<4xf32>, %h: tensor<2xbf16>, %scale: tensor<f32>, %lr: tensor<f32>)
    -> (tensor<4xf32>, tensor<2xf32>, tensor<f32>) {
  %wide = graph.cast %h because "allow" : (tensor<2xbf16>) -> tensor<2xf32>
  %u:2, %inf = graph.unscale %scale, %g, %wide : (tensor<f32>, tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<i1>)
  %norm = graph.global_norm %u#0, %u#1 : (tensor<4xf32>, tensor<2xf32>) -> tensor<f32>
  %n = graph.sgd %w, %u#0 lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %nw = graph.select %inf, %w, %n : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %m = graph.sgd %v, %u#1 lr %lr : (tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %nv = graph.select %inf, %v, %m : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %nw, %nv, %norm : tensor<4xf32>, tensor<2xf32>, tensor<f32>
}
}

// -----
// The same without a norm.
module attributes {graph.target = "cuda"} {
// CHECK-LABEL: func.func @alone(
// CHECK-SAME: %[[W:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf16>
// CHECK: graph.fused_sgd %[[W]] gradients %[[G]] momentum_buffers %{{[^ ]*}} lr %{{[^ ]*}} {momentum = 9.000000e-01 : f64, nesterov}
func.func @alone(%w: tensor<4xf32>, %g: tensor<4xf16>, %b: tensor<4xf32>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %wide = graph.cast %g because "allow" : (tensor<4xf16>) -> tensor<4xf32>
  %n:2 = graph.sgd %w, %wide momentum_buffer %b lr %lr {momentum = 0.9 : f64, nesterov} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %n#0, %n#1 : tensor<4xf32>, tensor<4xf32>
}
}

// -----
// One op per copy type and per setting: three parameters, three kinds.
module attributes {graph.target = "cuda"} {
// CHECK-LABEL: func.func @kinds(
// CHECK-DAG: graph.fused_sgd %arg0 gradients %arg4 lr %arg8 copies = f16 :
// CHECK-DAG: graph.fused_sgd %arg1, %arg3 gradients %arg5, %arg7 lr %arg8 :
// CHECK-DAG: graph.fused_sgd %arg2 gradients %arg6 lr %arg8 {weight_decay
// CHECK: return
func.func @kinds(%w1: tensor<4xf32>, %w2: tensor<4xf32>, %w3: tensor<4xf32>, %w4: tensor<4xf32>,
    %g1: tensor<4xf32>, %g2: tensor<4xf32>, %g3: tensor<4xf32>, %g4: tensor<4xf32>, %lr: tensor<f32>)
    -> (tensor<4xf32>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %n1 = graph.sgd %w1, %g1 lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %h1 = graph.cast %n1 because "copy" : (tensor<4xf32>) -> tensor<4xf16>
  %n2 = graph.sgd %w2, %g2 lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %n3 = graph.sgd %w3, %g3 lr %lr {weight_decay = 0.1 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %n4 = graph.sgd %w4, %g4 lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %n1, %h1, %n2, %n3, %n4 : tensor<4xf32>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
}

// -----
// A cast of the user is no copy of ours: it stays, and reads the new value.
module attributes {graph.target = "cuda"} {
// CHECK-LABEL: func.func @user_cast(
// CHECK: %[[R:.*]] = graph.fused_sgd
// CHECK: graph.cast %[[R]] :
func.func @user_cast(%w: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<4xf16>) {
  %n = graph.sgd %w, %g lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %h = graph.cast %n : (tensor<4xf32>) -> tensor<4xf16>
  return %n, %h : tensor<4xf32>, tensor<4xf16>
}
}

// -----
// Other targets fuse the update as any ops.
// CHECK-LABEL: func.func @cpu(
// CHECK: graph.sgd
// CHECK-NOT: fused
func.func @cpu(%w: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>) -> tensor<4xf32> {
  %n = graph.sgd %w, %g lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}
