// Family Optimizer, for lists of tensors: kernels of the runtime (kernels/),
// named as in Apex and PyTorch. A gradient counts as gradient / scale *
// coefficient, in f32 whatever its type is.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_STEP_OPTIMIZERLISTS_TD
#define MPC_DIALECT_GRAPH_IR_OPS_STEP_OPTIMIZERLISTS_TD

include "mpc/Dialect/Graph/IR/Ops/Step/Hyperparameters.td"
include "mpc/Interfaces/OptimizerOpInterface.td"

class Graph_MultiTensorOp<string mnemonic, list<Trait> traits = []>
    : Graph_InferredOp<mnemonic, Clear, Unlisted, NoGradient,
                       [RuntimeKernel, AttrSizedOperandSegments] # traits>;

def Graph_UnscaleL2NormOp : Graph_MultiTensorOp<"unscale_l2norm", [Graph_NamesResults]> {
  let summary = "finite check and norm of unscaled gradients in one pass";
  let description = [{
    Apex's `multi_tensor_unscale_l2norm`: whether any gradient is infinite or
    NaN, and the norm of all of them together divided by the scale, which is 1
    if it is not given. The unscaled gradients are not stored.

    `norm = sqrt(sum_t,i (gradient_t[i] / scale)^2), found_inf = any_t,i not finite(gradient_t[i])`

    - C1: there is at least one gradient
    - C2: gradients have one element type, f32, f16 or bf16

    ```mlir
    %found_inf, %norm = graph.unscale_l2norm %g1, %g2 scale %scale : (tensor<4x8xf16>, tensor<8xf16>, tensor<f32>) -> (tensor<i1>, tensor<f32>)
    ```
  }];
  let arguments = (ins Variadic<Graph_NarrowTensor>:$gradients,
                       Optional<Graph_F32Scalar>:$scale);
  let results = (outs Graph_BoolScalar:$found_inf, Graph_F32Scalar:$norm);
  let syntax = [{
    $gradients (`scale` $scale^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

/// Results: next parameters, for each moment the next moments, copies if
/// `copies` names their type.
class Graph_FusedOptimizerOp<string mnemonic>
    : Graph_MultiTensorOp<mnemonic> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How many parameters are updated.
    size_t getCount() { return getParameters().size(); }
  }];
}

def Graph_FusedAdamWOp : Graph_FusedOptimizerOp<"fused_adamw"> {
  let summary = "AdamW on lists of tensors, with unscale, clip, skip and copy";
  let description = [{
    PyTorch's `_fused_adamw_` as a function: `adamw` for every parameter, on gradient
    / grad_scale * coefficient. Where found_inf is set, results are the old
    values. `copies` asks for the next parameters in 16 bits, too.

    `next_parameters, next_exp_avgs, next_exp_avg_sqs [, copies] = found_inf ? old values : adamw(...)`

    - C1: there is at least one parameter, and lists are equally long
    - C2: gradients have one element type, f32, f16 or bf16
    - C3: gradients and moments have the shape of their parameter
    - C4: `beta1` and `beta2` are in [0, 1), `epsilon` and `weight_decay` are
      finite and not negative

    ```mlir
    %r:4 = graph.fused_adamw %p gradients %g exp_avgs %m exp_avg_sqs %v lr %lr step %step found_inf %inf grad_scale %scale coefficient %clip copies = f16 {weight_decay = 0.01 : f64} : (tensor<8xf32>, tensor<8xf16>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<i32>, tensor<i1>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf16>)
    ```
  }];
  let arguments = (ins Variadic<Graph_F32Tensor>:$parameters,
    Variadic<Graph_NarrowTensor>:$gradients, Variadic<Graph_F32Tensor>:$exp_avgs,
    Variadic<Graph_F32Tensor>:$exp_avg_sqs, Graph_F32Scalar:$lr, Graph_I32Scalar:$step,
    Optional<Graph_BoolScalar>:$found_inf, Optional<Graph_F32Scalar>:$grad_scale,
    Optional<Graph_F32Scalar>:$coefficient, Graph_CopyTypeAttr:$copies,
    Graph_Beta1:$beta1, Graph_Beta2:$beta2, Graph_AdamEpsilon:$epsilon,
    Graph_NoneByDefault:$weight_decay);
  let results = (outs Variadic<Graph_NarrowTensor>:$results);
  let syntax = [{
    $parameters `gradients` $gradients `exp_avgs` $exp_avgs `exp_avg_sqs` $exp_avg_sqs
    `lr` $lr `step` $step (`found_inf` $found_inf^)? (`grad_scale` $grad_scale^)?
    (`coefficient` $coefficient^)? (`copies` `=` $copies^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_FusedSgdOp : Graph_FusedOptimizerOp<"fused_sgd"> {
  let summary = "SGD on lists of tensors, with unscale, clip, skip and copy";
  let description = [{
    PyTorch's `_fused_sgd_` as a function: `sgd` for every parameter, on gradient /
    grad_scale * coefficient. Where found_inf is set, results are the old
    values. `copies` asks for the next parameters in 16 bits, too.

    `next_parameters [, next_momentum_buffers] [, copies] = found_inf ? old values : sgd(...)`

    - C1: there is at least one parameter, and lists are equally long; that of
      momentum buffers may be empty
    - C2: gradients have one element type, f32, f16 or bf16
    - C3: gradients and buffers have the shape of their parameter
    - C4: `momentum` is finite, positive with buffers and 0 without, which
      `nesterov` needs; `weight_decay` is finite and not negative

    ```mlir
    %r:3 = graph.fused_sgd %p gradients %g momentum_buffers %b lr %lr grad_scale %scale copies = bf16 {momentum = 0.9 : f64, nesterov} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xbf16>)
    ```
  }];
  let arguments = (ins Variadic<Graph_F32Tensor>:$parameters,
    Variadic<Graph_NarrowTensor>:$gradients,
    Variadic<Graph_F32Tensor>:$momentum_buffers, Graph_F32Scalar:$lr,
    Optional<Graph_BoolScalar>:$found_inf, Optional<Graph_F32Scalar>:$grad_scale,
    Optional<Graph_F32Scalar>:$coefficient, Graph_CopyTypeAttr:$copies,
    Graph_NoneByDefault:$momentum,
    Graph_NoneByDefault:$weight_decay, UnitAttr:$nesterov);
  let results = (outs Variadic<Graph_NarrowTensor>:$results);
  let syntax = [{
    $parameters `gradients` $gradients (`momentum_buffers` $momentum_buffers^)? `lr` $lr
    (`found_inf` $found_inf^)? (`grad_scale` $grad_scale^)?
    (`coefficient` $coefficient^)? (`copies` `=` $copies^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_STEP_OPTIMIZERLISTS_TD
