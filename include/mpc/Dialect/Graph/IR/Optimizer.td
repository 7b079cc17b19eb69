// Family Optimizer: next parameter and moments from a gradient, all in f32
// (or f64). Whether the step is taken at all is decided by the select around
// the op, not by the op.
#ifndef MPC_DIALECT_GRAPH_IR_OPTIMIZER_TD
#define MPC_DIALECT_GRAPH_IR_OPTIMIZER_TD

include "mpc/Dialect/Graph/IR/GraphBase.td"

def Graph_SgdOp : Graph_Op<"sgd", Deny, Unlisted, NoGradient, [Composite,
    AllTypesMatch<["parameter", "gradient", "next_parameter"]>]> {
  let summary = "stochastic gradient descent, with momentum if it has a buffer";
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
}
def Graph_AdamWOp : Graph_Op<"adamw", Deny, Unlisted, NoGradient, [Composite,
    AllTypesMatch<["parameter", "gradient", "exp_avg", "exp_avg_sq",
                   "next_parameter", "next_exp_avg", "next_exp_avg_sq"]>]> {
  let summary = "Adam with decoupled weight decay (Loshchilov and Hutter, 2019)";
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
}

#endif // MPC_DIALECT_GRAPH_IR_OPTIMIZER_TD
