// Family Optimizer: next parameter and moments from a gradient, all in f32
// (or f64). Whether the step is taken at all is decided by the select around
// the op, not by the op.
#ifndef MPC_DIALECT_GRAPH_IR_OPTIMIZER_TD
#define MPC_DIALECT_GRAPH_IR_OPTIMIZER_TD

include "mpc/Dialect/Graph/IR/GraphBase.td"

def Graph_SgdOp : Graph_Op<"sgd", Deny, Unlisted, NoGradient, [Composite,
    AllTypesMatch<["parameter", "gradient", "next_parameter"]>, Graph_NamesResults]> {
  let summary = "stochastic gradient descent, with momentum if it has a buffer";
  let description = [{
    PyTorch's SGD with dampening 0. With g = gradient + weight_decay * parameter:
    without a buffer u = g; with one, b' = momentum * momentum_buffer + g and
    u = b', or u = g + momentum * b' with `nesterov`. A buffer starts as zeros.

    `next_parameter = parameter - lr * u, next_momentum_buffer = b'`

    - C1: parameter, gradient and next parameter have one type
    - C2: buffer and next buffer come together, in the parameter's type
    - C3: `momentum` is finite, positive with a buffer and 0 without
    - C4: `nesterov` needs a buffer
    - C5: `weight_decay` is finite and not negative

    ```mlir
    %p, %b = graph.sgd %parameter, %gradient momentum_buffer %buffer lr %lr {momentum = 0.9 : f64, weight_decay = 0.01 : f64, nesterov} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
    ```
  }];
  let arguments = (ins Graph_WideTensor:$parameter, Graph_WideTensor:$gradient,
    Optional<Graph_WideTensor>:$momentum_buffer, Graph_WideScalar:$lr,
    DefaultValuedAttr<F64Attr, "0.0">:$momentum,
    DefaultValuedAttr<F64Attr, "0.0">:$weight_decay, UnitAttr:$nesterov);
  let results = (outs Graph_WideTensor:$next_parameter,
                      Optional<Graph_WideTensor>:$next_momentum_buffer);
  let assemblyFormat = [{
    $parameter `,` $gradient (`momentum_buffer` $momentum_buffer^)? `lr` $lr
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def Graph_AdamWOp : Graph_Op<"adamw", Deny, Unlisted, NoGradient, [Composite,
    AllTypesMatch<["parameter", "gradient", "exp_avg", "exp_avg_sq",
                   "next_parameter", "next_exp_avg", "next_exp_avg_sq"]>,
    Graph_NamesResults]> {
  let summary = "Adam with decoupled weight decay (Loshchilov and Hutter, 2019)";
  let description = [{
    PyTorch's AdamW. With t = step, the number of this step counted from 1, and
    m' = beta1 * exp_avg + (1 - beta1) * gradient,
    v' = beta2 * exp_avg_sq + (1 - beta2) * gradient^2:

    `next_parameter = parameter * (1 - lr * weight_decay) - lr / (1 - beta1^t) * m' / (sqrt(v' / (1 - beta2^t)) + epsilon), next_exp_avg = m', next_exp_avg_sq = v'`

    - C1: parameter, gradient, moments and their next values have one type
    - C2: `beta1` and `beta2` are in [0, 1)
    - C3: `epsilon` and `weight_decay` are finite and not negative

    ```mlir
    %p, %m, %v = graph.adamw %parameter, %gradient, %exp_avg, %exp_avg_sq lr %lr step %step {weight_decay = 0.01 : f64} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins Graph_WideTensor:$parameter, Graph_WideTensor:$gradient,
    Graph_WideTensor:$exp_avg, Graph_WideTensor:$exp_avg_sq,
    Graph_WideScalar:$lr, Graph_I32Scalar:$step,
    DefaultValuedAttr<F64Attr, "0.9">:$beta1, DefaultValuedAttr<F64Attr, "0.999">:$beta2,
    DefaultValuedAttr<F64Attr, "1e-8">:$epsilon,
    DefaultValuedAttr<F64Attr, "0.0">:$weight_decay);
  let results = (outs Graph_WideTensor:$next_parameter, Graph_WideTensor:$next_exp_avg,
                      Graph_WideTensor:$next_exp_avg_sq);
  let assemblyFormat = [{
    $parameter `,` $gradient `,` $exp_avg `,` $exp_avg_sq `lr` $lr `step` $step
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPTIMIZER_TD
