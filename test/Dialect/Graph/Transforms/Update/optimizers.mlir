// The op, moments and attributes that each setting of the optimizer becomes.
// RUN: mpc-opt %s --mpc-insert-update="optimizer=sgd momentum=0.5 dampening=0.25" --mpc-verify-update | FileCheck %s --check-prefix=SGD
// RUN: mpc-opt %s --mpc-insert-update="optimizer=adam weight-decay=0.5" --mpc-verify-update | FileCheck %s --check-prefix=ADAM
// RUN: mpc-opt %s --mpc-insert-update="optimizer=adagrad initial-accumulator=0.5 lr-decay=0.25" --mpc-verify-update | FileCheck %s --check-prefix=ADAGRAD
// RUN: mpc-opt %s --mpc-insert-update="optimizer=rmsprop alpha=0.5 momentum=0.25 centered=true" --mpc-verify-update | FileCheck %s --check-prefix=RMSPROP
// RUN: mpc-opt %s --mpc-insert-update="optimizer=lamb beta1=0.5 epsilon=0.125" --mpc-verify-update | FileCheck %s --check-prefix=LAMB
// RUN: mpc-opt %s --mpc-insert-update="optimizer=lomo" --mpc-verify-update | FileCheck %s --check-prefix=LOMO

// SGD: graph.state = #graph.state<"w.momentum_buffer" moment of "w" init #graph.zeros>
// SGD: graph.sgd %{{.*}}, %{{.*}} momentum_buffer %{{.*}} lr %{{.*}} step %{{.*}} {dampening = 2.500000e-01 : f64, momentum = 5.000000e-01 : f64}

// ADAM: #graph.state<"w.exp_avg" moment of "w" {{.*}}#graph.state<"w.exp_avg_sq" moment of "w"
// ADAM: graph.adam %{{.*}} lr %{{.*}} step %{{.*}} {weight_decay = 5.000000e-01 : f64}

// ADAGRAD: graph.state = #graph.state<"w.sum" moment of "w" init #graph.fill<0.5>>
// ADAGRAD: graph.adagrad %{{.*}} lr %{{.*}} step %{{.*}} {lr_decay = 2.500000e-01 : f64}

// RMSPROP: #graph.state<"w.square_avg" moment of "w" {{.*}}#graph.state<"w.momentum_buffer" moment of "w" {{.*}}#graph.state<"w.grad_avg" moment of "w"
// RMSPROP: graph.rmsprop %{{.*}} averages %{{.*}}, %{{.*}}, %{{.*}} lr %{{.*}} {alpha = 5.000000e-01 : f64, centered, momentum = 2.500000e-01 : f64}

// LAMB: #graph.state<"w.exp_avg" moment of "w" {{.*}}#graph.state<"w.exp_avg_sq" moment of "w"
// LAMB: graph.lamb %{{.*}} lr %{{.*}} step %{{.*}} {beta1 = 5.000000e-01 : f64, epsilon = 1.250000e-01 : f64}

// LOMO-NOT: moment of
// LOMO: graph.lomo %{{.*}}, %{{.*}} lr %{{.*}} :

// The model says adamw; the options choose another.
func.func @m_step(%w: tensor<2xf32> {graph.parameter = "w"}) -> (tensor<2xf32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<optimizer = #graph.optimizer<name = "adamw", lr = 0.1>>} {
  return %w : tensor<2xf32>
}
