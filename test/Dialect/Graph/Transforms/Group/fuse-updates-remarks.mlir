// Each reason why something is not fused, and what is.
// RUN: mpc-opt %s --mpc-fuse-updates --remarks --split-input-file -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --input-file=%t --check-prefix=IR

// CHECK: Function=done {{.*}}one update of 1 parameters
module attributes {graph.target = "cuda"} {
func.func @done(%w: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>) -> tensor<4xf32> {
  %n = graph.sgd %w, %g lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}
}

// -----
// CHECK: 'graph.sgd' is not fused: the kernels update f32 parameters only
// IR-LABEL: @f64
// IR: graph.sgd
module attributes {graph.target = "cuda"} {
func.func @f64(%w: tensor<4xf64>, %g: tensor<4xf64>, %lr: tensor<f64>) -> tensor<4xf64> {
  %n = graph.sgd %w, %g lr %lr : (tensor<4xf64>, tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  return %n : tensor<4xf64>
}
}

// -----
// CHECK: 'graph.sgd' is not fused: its learning rate is not an f32 scalar
// IR-LABEL: @rate
// IR: graph.sgd
module attributes {graph.target = "cuda"} {
func.func @rate(%w: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f64>) -> tensor<4xf32> {
  %n = graph.sgd %w, %g lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}
}

// -----
// The first one is fused, the second needs its result.
// CHECK: one update of 1 parameters
// CHECK: 'graph.sgd' is not fused: it depends on the result of another update
// IR-LABEL: @chain
// IR: graph.fused_sgd
// IR: graph.sgd
module attributes {graph.target = "cuda"} {
func.func @chain(%w: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %n = graph.sgd %w, %g lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %m = graph.sgd %v, %n lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %n, %m : tensor<4xf32>, tensor<4xf32>
}
}

// -----
// A moment that is not kept where the parameter is.
// CHECK: 'graph.sgd' is not fused: its results are not all kept by the same select where a step is skipped
// IR-LABEL: @half
// IR: graph.sgd
module attributes {graph.target = "cuda"} {
func.func @half(%w: tensor<4xf32>, %b: tensor<4xf32>, %g: tensor<4xf32>, %inf: tensor<i1>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %n:2 = graph.sgd %w, %g momentum_buffer %b lr %lr {momentum = 0.9 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  %k = graph.select %inf, %w, %n#0 : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %k, %n#1 : tensor<4xf32>, tensor<4xf32>
}
}

// -----
// A skip that an update decides would have to come before itself.
// CHECK: 'graph.sgd' is not fused: whether it is skipped depends on the result of an update
// IR-LABEL: @late
// IR: graph.sgd
module attributes {graph.target = "cuda"} {
func.func @late(%w: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>) -> tensor<4xf32> {
  %n = graph.sgd %w, %g lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %v = graph.sgd %g, %g lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %s = graph.global_norm %v : (tensor<4xf32>) -> tensor<f32>
  %bad = graph.compare <ne> %s, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %k = graph.select %bad, %w, %n : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %k : tensor<4xf32>
}
}

// -----
// The unscaled gradient goes elsewhere, too: unscale stays, and the update
// reads the gradient before it.
// CHECK: one update of 1 parameters
// CHECK: 'graph.unscale' is not fused: 'graph.abs' needs an unscaled gradient, so it has to be stored
// IR-LABEL: func.func @shared(
// IR-SAME: %[[W:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>, %[[S:[^:]*]]: tensor<f32>
// IR: %[[U:.*]], %[[INF:.*]] = graph.unscale
// IR: graph.abs %[[U]]
// IR: graph.fused_sgd %[[W]] gradients %[[G]] lr %{{[^ ]*}} found_inf %[[INF]] grad_scale %[[S]]
module attributes {graph.target = "cuda"} {
func.func @shared(%w: tensor<4xf32>, %g: tensor<4xf32>, %scale: tensor<f32>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %u, %inf = graph.unscale %scale, %g : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i1>)
  %n = graph.sgd %w, %u lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %k = graph.select %inf, %w, %n : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %a = graph.abs %u : tensor<4xf32>
  return %k, %a : tensor<4xf32>, tensor<4xf32>
}
}

// -----
// A gradient that is an output is made by the unscale, of which nobody reads the
// check any more.
// CHECK: Function=output {{.*}}one update of 1 parameters
// CHECK-NOT: Function=output {{.*}}is not fused
// IR-LABEL: func.func @output(
// IR-SAME: %[[W:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>, %[[S:[^:]*]]: tensor<f32>
// IR-NEXT: %[[INF:.*]], %{{.*}} = graph.unscale_l2norm %[[G]]
// IR-NEXT: %[[U:.*]], %{{.*}} = graph.unscale %[[S]], %[[G]]
// IR: graph.fused_sgd %[[W]] gradients %[[G]] lr %{{[^ ]*}} found_inf %[[INF]] grad_scale %[[S]]
// IR: return %{{.*}}, %[[U]]
module attributes {graph.target = "cuda"} {
func.func @output(%w: tensor<4xf32>, %g: tensor<4xf32>, %scale: tensor<f32>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %u, %inf = graph.unscale %scale, %g : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i1>)
  %n = graph.sgd %w, %u lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %k = graph.select %inf, %w, %n : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %k, %u : tensor<4xf32>, tensor<4xf32>
}
}

// -----
// CHECK: 'graph.unscale' is not fused: the norm is not that of all gradients that are unscaled
// IR-LABEL: @partial
// IR: graph.unscale %
module attributes {graph.target = "cuda"} {
func.func @partial(%g: tensor<4xf32>, %h: tensor<4xf32>, %scale: tensor<f32>) -> (tensor<f32>, tensor<i1>) {
  %u:2, %inf = graph.unscale %scale, %g, %h : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<i1>)
  %norm = graph.global_norm %u#0 : (tensor<4xf32>) -> tensor<f32>
  return %norm, %inf : tensor<f32>, tensor<i1>
}
}

// -----
// CHECK: 'graph.global_norm' is not fused: the kernel reads gradients of up to 32 bits only
// IR-LABEL: @norm64
// IR: graph.global_norm
module attributes {graph.target = "cuda"} {
func.func @norm64(%g: tensor<4xf64>) -> tensor<f32> {
  %norm = graph.global_norm %g : (tensor<4xf64>) -> tensor<f32>
  return %norm : tensor<f32>
}
}

// -----
// Somebody else reads a gradient in f32.
// CHECK: 'graph.global_norm' is not fused: 1 of its gradients are read in f32, because others than the update read them so
// IR-LABEL: @read
// IR: %[[WIDE:.*]] = graph.cast
// IR: graph.unscale_l2norm %[[WIDE]], %{{[^ ]*}} : (tensor<4xf32>, tensor<4xf32>)
module attributes {graph.target = "cuda"} {
func.func @read(%g: tensor<4xf16>, %h: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %wide = graph.cast %g because "allow" : (tensor<4xf16>) -> tensor<4xf32>
  %norm = graph.global_norm %wide, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %norm, %wide : tensor<f32>, tensor<4xf32>
}
}

// -----
// CHECK: 'graph.global_norm' is not fused: the kernel computes the Euclidean norm only
// IR-LABEL: @norm1
// IR: graph.global_norm
module attributes {graph.target = "cuda"} {
func.func @norm1(%g: tensor<4xf32>) -> tensor<f32> {
  %norm = graph.global_norm %g norm_type = 1.0 : (tensor<4xf32>) -> tensor<f32>
  return %norm : tensor<f32>
}
}

// -----
// Another norm reads the unscaled gradients, so they are stored; the update
// still reads what comes before.
// CHECK: one update of 1 parameters
// CHECK: 'graph.unscale' is not fused: 'graph.global_norm' needs an unscaled gradient, so it has to be stored
// IR-LABEL: @norm_of_unscaled
// IR: graph.unscale
// IR: graph.fused_sgd
module attributes {graph.target = "cuda"} {
func.func @norm_of_unscaled(%w: tensor<4xf32>, %g: tensor<4xf32>, %scale: tensor<f32>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  %u, %inf = graph.unscale %scale, %g : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i1>)
  %norm = graph.global_norm %u norm_type = 1.5 : (tensor<4xf32>) -> tensor<f32>
  %n = graph.sgd %w, %u lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %k = graph.select %inf, %w, %n : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %k, %norm : tensor<4xf32>, tensor<f32>
}
}

// -----
// Two parameter groups, each with a check and a skip of its own: one update
// each. The norm of all gradients is no kernel's norm, and stays.
// CHECK: Function=groups {{.*}}one update of 1 parameters
// CHECK: Function=groups {{.*}}one update of 1 parameters
// CHECK: 'graph.unscale' is not fused: the norm is not that of all gradients that are unscaled
// CHECK: 'graph.unscale' is not fused: the norm is not that of all gradients that are unscaled
// IR-LABEL: @groups
// IR: %[[I:.*]] = graph.unscale
// IR: %[[J:.*]] = graph.unscale
// IR-DAG: graph.fused_sgd {{.*}}found_inf %{{.*}} grad_scale
// IR-DAG: graph.fused_sgd {{.*}}found_inf %{{.*}} grad_scale
module attributes {graph.target = "cuda"} {
func.func @groups(%w: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>, %h: tensor<4xf32>, %s: tensor<f32>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
  %u, %i = graph.unscale %s, %g : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i1>)
  %x, %j = graph.unscale %s, %h : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i1>)
  %n = graph.global_norm %u, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %a = graph.sgd %w, %u lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = graph.sgd %v, %x lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %k = graph.select %i, %w, %a : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %l = graph.select %j, %v, %b : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %k, %l, %n : tensor<4xf32>, tensor<4xf32>, tensor<f32>
}
}

// -----
// Two losses with a scale each: a gradient is a sum, which has to be stored.
// CHECK: Function=losses {{.*}}one update of 1 parameters
// CHECK: 'graph.unscale' is not fused: losses have scales of their own, so unscaled gradients have to be stored
// CHECK: 'graph.unscale' is not fused: losses have scales of their own, so unscaled gradients have to be stored
// IR-LABEL: @losses
// IR: graph.add
// IR: graph.fused_sgd
module attributes {graph.target = "cuda"} {
func.func @losses(%w: tensor<4xf32>, %g: tensor<4xf32>, %h: tensor<4xf32>, %s: tensor<f32>, %t: tensor<f32>, %lr: tensor<f32>) -> tensor<4xf32> {
  %u, %i = graph.unscale %s, %g : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i1>)
  %x, %j = graph.unscale %t, %h : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i1>)
  %sum = graph.add %u, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %any = graph.select %i, %i, %j : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
  %a = graph.sgd %w, %sum lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %k = graph.select %any, %w, %a : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %k : tensor<4xf32>
}
}

// -----
// CHECK: 'graph.adagrad' is not fused: no kernel on lists of tensors makes this update
// IR-LABEL: @adagrad
// IR: graph.adagrad
module attributes {graph.target = "cuda"} {
func.func @adagrad(%w: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>, %step: tensor<i32>) -> tensor<4xf32> {
  %n:2 = graph.adagrad %w, %g, %g lr %lr step %step : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %n#0 : tensor<4xf32>
}
}

// -----
// CHECK: 'graph.sgd' is not fused: no kernel on lists of tensors makes this update
// IR-LABEL: @dampened
// IR: graph.sgd
module attributes {graph.target = "cuda"} {
func.func @dampened(%w: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>, %step: tensor<i32>) -> tensor<4xf32> {
  %n:2 = graph.sgd %w, %g momentum_buffer %g lr %lr step %step {momentum = 0.9 : f64, dampening = 0.5 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %n#0 : tensor<4xf32>
}
}

// -----
// CHECK: 'graph.sgd' is not fused: the kernels update f32 parameters only, and this one is kept in 16 bits
// IR-LABEL: @narrow
// IR: graph.sgd
module attributes {graph.target = "cuda"} {
func.func @narrow(%w: tensor<4xbf16>, %g: tensor<4xf32>, %lr: tensor<f32>) -> tensor<4xf32> {
  %wide = graph.cast %w because "master weights are kept in 16 bits" : (tensor<4xbf16>) -> tensor<4xf32>
  %n = graph.sgd %wide, %g lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}
}

// -----
// LOMO's gradients are gone when the last one is known.
// CHECK: 'graph.global_norm' is not fused: its gradients are not kept until all are known
// IR-LABEL: @lomo
// IR: graph.global_norm
module attributes {graph.target = "cuda"} {
func.func @lomo(%w: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "lomo", lr = 0.1>>} {
  %norm = graph.global_norm %g : (tensor<4xf32>) -> tensor<f32>
  %n = graph.lomo %w, %g lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %n, %norm : tensor<4xf32>, tensor<f32>
}
}
