// Family Optimizer: next parameter and moments from a gradient, all in f32
// (or f64), in torch's names. Whether the step is taken at all is decided by
// the select around the op, not by the op.
//
// An optimizer's mnemonic is its name in #graph.optimizer, and its float and
// unit attributes are the hyperparameters that it takes from there.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_STEP_OPTIMIZER_TD
#define MPC_DIALECT_GRAPH_IR_OPS_STEP_OPTIMIZER_TD

include "mpc/Dialect/Graph/IR/Ops/Step/Hyperparameters.td"
include "mpc/Interfaces/OptimizerOpInterface.td"

class Graph_OptimizerOp<string mnemonic, list<Trait> traits = [],
                        TraitList word = IsOptimizer>
    : Graph_Op<mnemonic, Deny, Unlisted, NoGradient,
               [Composite, word, Graph_NamesResults] # traits> {
  let hasVerifier = 1;
  /// Names of its attributes, for the compiler.
  list<string> hyperparameters = !foldl([]<string>, !range(!size(arguments)), names, index,
      !if(!initialized(!getdagarg<Attr>(arguments, index)),
          !listconcat(names, [!getdagname(arguments, index)]), names));
  let extraClassDeclaration = "static constexpr ::llvm::StringLiteral hyperparameters[] = {"
      # !interleave(!foreach(name, hyperparameters, "\"" # name # "\""), ", ") # "};";
}

def Graph_SgdOp : Graph_OptimizerOp<"sgd", [AttrSizedOperandSegments,
    AllTypesMatch<["parameter", "gradient", "next_parameter"]>], IsListOptimizer> {
  let summary = "stochastic gradient descent, with momentum if it has a buffer";
  let description = [{
    PyTorch's SGD. With g = gradient + weight_decay * parameter: without a
    buffer u = g; with one, b' = momentum * momentum_buffer + (1 - dampening) *
    g, but b' = g at step 1, and u = b', or u = g + momentum * b' with
    `nesterov`. Without dampening a buffer of zeros makes step 1 the same as all
    others; with dampening the op takes `step`, the number of this step counted
    from 1.

    `next_parameter = parameter - lr * u, next_momentum_buffer = b'`

    - C1: parameter, gradient and next parameter have one type
    - C2: buffer and next buffer come together, in the parameter's type
    - C3: `momentum` is finite, positive with a buffer and 0 without
    - C4: `nesterov` needs a buffer and no dampening
    - C5: `weight_decay` is finite and not negative
    - C6: `dampening` is finite and not negative; it is not 0 if there is a
      step, which needs a buffer, and 0 if there is none

    ```mlir
    %p, %b = graph.sgd %parameter, %gradient momentum_buffer %buffer lr %lr {momentum = 0.9 : f64, weight_decay = 0.01 : f64, nesterov} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
    ```
  }];
  let arguments = (ins Graph_WideTensor:$parameter, Graph_WideTensor:$gradient,
    Optional<Graph_WideTensor>:$momentum_buffer, Graph_WideScalar:$lr,
    Optional<Graph_I32Scalar>:$step, Graph_NoneByDefault:$momentum,
    Graph_NoneByDefault:$dampening,
    Graph_NoneByDefault:$weight_decay, UnitAttr:$nesterov);
  let results = (outs Graph_WideTensor:$next_parameter,
                      Optional<Graph_WideTensor>:$next_momentum_buffer);
  let syntax = [{
    $parameter `,` $gradient (`momentum_buffer` $momentum_buffer^)? `lr` $lr
    (`step` $step^)? attr-dict `:` functional-type(operands, results)
  }];
}

/// Two moments like Adam's, and the number of the step.
class Graph_AdamLikeOp<string mnemonic, Attr epsilon, string meaning,
                       string formula, TraitList word = IsOptimizer>
    : Graph_OptimizerOp<mnemonic,
        [AllTypesMatch<["parameter", "gradient", "exp_avg", "exp_avg_sq",
                        "next_parameter", "next_exp_avg", "next_exp_avg_sq"]>], word> {
  let description = meaning # [{

`}] # formula # [{, next_exp_avg = m', next_exp_avg_sq = v'`

- C1: parameter, gradient, moments and their next values have one type
- C2: `beta1` and `beta2` are in [0, 1)
- C3: `epsilon` and `weight_decay` are finite and not negative

```mlir
%p, %m, %v = graph.}] # mnemonic # [{ %parameter, %gradient, %exp_avg, %exp_avg_sq lr %lr step %step {weight_decay = 0.01 : f64} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
```
}];
  let arguments = (ins Graph_WideTensor:$parameter, Graph_WideTensor:$gradient,
    Graph_WideTensor:$exp_avg, Graph_WideTensor:$exp_avg_sq,
    Graph_WideScalar:$lr, Graph_I32Scalar:$step,
    Graph_Beta1:$beta1, Graph_Beta2:$beta2,
    epsilon:$epsilon,
    Graph_NoneByDefault:$weight_decay);
  let results = (outs Graph_WideTensor:$next_parameter, Graph_WideTensor:$next_exp_avg,
                      Graph_WideTensor:$next_exp_avg_sq);
  let syntax = [{
    $parameter `,` $gradient `,` $exp_avg `,` $exp_avg_sq `lr` $lr `step` $step
    attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_AdamOp : Graph_AdamLikeOp<"adam", Graph_AdamEpsilon, [{
PyTorch's Adam (Kingma and Ba, 2015). The weight decay is part of the gradient
(L2): g = gradient + weight_decay * parameter. With t = step, the number of this
step counted from 1, m' = beta1 * exp_avg + (1 - beta1) * g and
v' = beta2 * exp_avg_sq + (1 - beta2) * g^2:}],
    "next_parameter = parameter - lr / (1 - beta1^t) * m' / (sqrt(v' / (1 - beta2^t)) + epsilon)"> {
  let summary = "Adam, with weight decay in the gradient";
}

def Graph_AdamWOp : Graph_AdamLikeOp<"adamw", Graph_AdamEpsilon, [{
PyTorch's AdamW. With t = step, the number of this step counted from 1,
m' = beta1 * exp_avg + (1 - beta1) * gradient and
v' = beta2 * exp_avg_sq + (1 - beta2) * gradient^2:}],
    "next_parameter = parameter * (1 - lr * weight_decay) - lr / (1 - beta1^t) * m' / (sqrt(v' / (1 - beta2^t)) + epsilon)",
    IsListOptimizer> {
  let summary = "Adam with decoupled weight decay (Loshchilov and Hutter, 2019)";
}

def Graph_LambOp : Graph_AdamLikeOp<"lamb", Graph_Hyperparameter<"1e-6">, [{
LAMB (You et al., 2020, algorithm 2, with the identity for phi), in the order of
Apex's FusedLAMB: AdamW's moments with bias correction and decoupled weight
decay, and a step as long as the parameter. All parameters have a trust ratio r,
also without weight decay, as in the paper (Apex: `use_nvlamb`); a clip by norm
is a setting of its own. With m' and v' as in `adamw`,
u = m' / (1 - beta1^t) / (sqrt(v' / (1 - beta2^t)) + epsilon) + weight_decay *
parameter, and r = |parameter| / |u|, Euclidean norms, or 1 if one of them is 0:}],
    "next_parameter = parameter - lr * r * u"> {
  let summary = "LAMB: Adam's direction, a step as long as the parameter";
}

def Graph_AdagradOp : Graph_OptimizerOp<"adagrad",
    [AllTypesMatch<["parameter", "gradient", "sum", "next_parameter", "next_sum"]>]> {
  let summary = "Adagrad (Duchi et al., 2011)";
  let description = [{
    PyTorch's Adagrad. With g = gradient + weight_decay * parameter, t = step,
    the number of this step counted from 1, and s' = sum + g^2:

    `next_parameter = parameter - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s') + epsilon), next_sum = s'`

    - C1: parameter, gradient, sum and their next values have one type
    - C2: `epsilon`, `weight_decay` and `lr_decay` are finite and not negative

    ```mlir
    %p, %s = graph.adagrad %parameter, %gradient, %sum lr %lr step %step {lr_decay = 0.1 : f64} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins Graph_WideTensor:$parameter, Graph_WideTensor:$gradient,
    Graph_WideTensor:$sum, Graph_WideScalar:$lr, Graph_I32Scalar:$step,
    Graph_Hyperparameter<"1e-10">:$epsilon, Graph_NoneByDefault:$weight_decay,
    Graph_NoneByDefault:$lr_decay);
  let results = (outs Graph_WideTensor:$next_parameter, Graph_WideTensor:$next_sum);
  let syntax = [{
    $parameter `,` $gradient `,` $sum `lr` $lr `step` $step attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_RmspropOp : Graph_OptimizerOp<"rmsprop",
    [AllTypesMatch<["parameter", "gradient", "next_parameter"]>]> {
  let summary = "RMSprop, centered and with momentum if asked for";
  let description = [{
    PyTorch's RMSprop. With g = gradient + weight_decay * parameter,
    q' = alpha * square_avg + (1 - alpha) * g^2, with `centered` also
    a' = alpha * grad_avg + (1 - alpha) * g and d = sqrt(q' - a'^2) + epsilon,
    else d = sqrt(q') + epsilon; and with momentum b' = momentum *
    momentum_buffer + g / d, else b' = g / d. `averages` are square_avg, then
    the momentum_buffer, then grad_avg, those that there are.

    `next_parameter = parameter - lr * b', next_averages = q' [, b'] [, a']`

    - C1: parameter, gradient and next parameter have one type
    - C2: there is one average, one more if `momentum` is not 0, and one more if
      `centered`; as many next averages; all of the parameter's type
    - C3: `epsilon`, `weight_decay` and `momentum` are finite and not negative
    - C4: `alpha` is in [0, 1]

    ```mlir
    %p, %q, %b = graph.rmsprop %parameter, %gradient averages %square_avg, %buffer lr %lr {momentum = 0.9 : f64} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
    ```
  }];
  let arguments = (ins Graph_WideTensor:$parameter, Graph_WideTensor:$gradient,
    Variadic<Graph_WideTensor>:$averages, Graph_WideScalar:$lr,
    Graph_Hyperparameter<"0.99">:$alpha, Graph_Hyperparameter<"1e-8">:$epsilon,
    Graph_NoneByDefault:$weight_decay,
    Graph_NoneByDefault:$momentum, UnitAttr:$centered);
  let results = (outs Graph_WideTensor:$next_parameter,
                      Variadic<Graph_WideTensor>:$next_averages);
  let syntax = [{
    $parameter `,` $gradient `averages` $averages `lr` $lr attr-dict
    `:` functional-type(operands, results)
  }];
}

def Graph_LomoOp : Graph_OptimizerOp<"lomo", [UpdatesInBackward,
    AllTypesMatch<["parameter", "gradient", "next_parameter"]>]> {
  let summary = "SGD made where the gradient is, so that no gradient is kept";
  let description = [{
    LOMO (Lv et al., 2023): plain SGD with decoupled weight decay, each
    parameter updated in the backward as soon as its gradient is final, which
    nothing else may then need. What must see all gradients before the first
    update does not go with it: a clip by norm, the skip of a loss scaler, the
    sum over micro-batches.

    `next_parameter = parameter * (1 - lr * weight_decay) - lr * gradient`

    - C1: parameter, gradient and next parameter have one type
    - C2: `weight_decay` is finite and not negative

    ```mlir
    %p = graph.lomo %parameter, %gradient lr %lr : (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Graph_WideTensor:$parameter, Graph_WideTensor:$gradient,
    Graph_WideScalar:$lr, Graph_NoneByDefault:$weight_decay);
  let results = (outs Graph_WideTensor:$next_parameter);
  let syntax = [{
    $parameter `,` $gradient `lr` $lr attr-dict `:` functional-type(operands, results)
  }];
}

//===-- Master weights in 16 bits -----------------------------------------===//

def Graph_KahanRoundOp : Graph_Op<"kahan_round", Deny, Unlisted, NoGradient,
    [Composite, Graph_NamesResults, AllShapesMatch<["parameter", "next"]>,
     AllTypesMatch<["parameter", "compensation", "next_parameter", "next_compensation"]>]> {
  let summary = "16-bit parameter and what its rounding lost, kept for the next step";
  let description = [{
    Kahan's summation of the updates of a parameter (Zamirai et al., Revisiting
    BFloat16 Training, 2020): what rounding took from the last update is added
    to this one. `next` is what the optimizer made of `parameter` in f32, and
    rounding is to nearest even. With u = compensation + (next - parameter), in
    f32, and p' = round(parameter + u):

    `next_parameter = p', next_compensation = round(u - (p' - parameter))`

    - C1: parameter, compensation and their next values have one type
    - C2: `next` has the shape of the parameter

    ```mlir
    %p, %c = graph.kahan_round %parameter, %next, %compensation : (tensor<8xbf16>, tensor<8xf32>, tensor<8xbf16>) -> (tensor<8xbf16>, tensor<8xbf16>)
    ```
  }];
  let arguments = (ins Graph_HalfTensor:$parameter, Graph_F32Tensor:$next,
                       Graph_HalfTensor:$compensation);
  let results = (outs Graph_HalfTensor:$next_parameter,
                      Graph_HalfTensor:$next_compensation);
  let syntax = [{
    $parameter `,` $next `,` $compensation attr-dict `:` functional-type(operands, results)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_STEP_OPTIMIZER_TD
