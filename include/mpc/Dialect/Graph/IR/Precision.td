// Family Precision: changes of number format, and loss scaling.
#ifndef MPC_DIALECT_GRAPH_IR_PRECISION_TD
#define MPC_DIALECT_GRAPH_IR_PRECISION_TD

include "mpc/Dialect/Graph/IR/GraphBase.td"

def Graph_CastOp : Graph_Op<"cast", Clear, Unlisted, HasVjp, [HasBody]> {
  let summary = "element type changed, value rounded to nearest even";
  let arguments = (ins Graph_Tensor:$input, OptionalAttr<StrAttr>:$reason);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input (`because` $reason^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The types of a cast were written by somebody: autocast leaves them.
    bool isRetypeable(unsigned) { return false; }
  }];
}
def Graph_ScaleOp : Graph_Op<"scale", Deny, Unlisted, NoGradient,
                             [Composite, AllTypesMatch<["input", "result"]>]> {
  let summary = "value multiplied by the loss scale; from here on it is scaled";
  let arguments = (ins Graph_WideTensor:$input, Graph_F32Scalar:$scale);
  let results = (outs Graph_WideTensor:$result);
  let assemblyFormat = "$input `,` $scale attr-dict `:` type($input) `,` type($scale)";
}
def Graph_UnscaleOp : Graph_InferredOp<"unscale", Deny, Unlisted, NoGradient,
                                       [Composite]> {
  let summary = "gradients divided by the loss scale, and whether one is inf or NaN";
  let arguments = (ins Graph_F32Scalar:$scale, Variadic<Graph_WideTensor>:$gradients);
  let results = (outs Variadic<Graph_WideTensor>:$unscaled, Graph_BoolScalar:$found_inf);
  let assemblyFormat = [{
    $scale `,` $gradients attr-dict `:` functional-type(operands, results)
  }];
}
def Graph_ScalerUpdateOp : Graph_InferredOp<"scaler_update", Deny, Unlisted, NoGradient,
                                            [Composite]> {
  let summary = "next loss scale and growth tracker";
  let arguments = (ins Graph_F32Scalar:$scale, Graph_I32Scalar:$growth_tracker,
    Graph_BoolScalar:$found_inf, F64Attr:$growth, F64Attr:$backoff, I64Attr:$interval);
  let results = (outs Graph_F32Scalar:$next_scale, Graph_I32Scalar:$next_growth_tracker);
  let assemblyFormat = [{
    $scale `,` $growth_tracker `,` $found_inf `growth` `=` $growth `backoff` `=` $backoff
    `interval` `=` $interval attr-dict `:` functional-type(operands, results)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_PRECISION_TD
