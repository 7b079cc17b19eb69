// Family Precision: changes of number format, and loss scaling.
#ifndef MPC_DIALECT_GRAPH_IR_PRECISION_TD
#define MPC_DIALECT_GRAPH_IR_PRECISION_TD

include "mpc/Dialect/Graph/IR/GraphBase.td"

def Graph_CastOp : Graph_Op<"cast", Clear, Unlisted, HasVjp,
                            [HasBody, SameOperandsAndResultShape]> {
  let summary = "element type changed, value rounded to nearest even";
  let description = [{
    To a float: rounded to nearest even, overflowing to inf; i1 becomes 0 or 1.
    Float to integer: rounded toward zero, unspecified outside the integer's
    range. Integer to integer: the low bits, or the sign extended. To i1:
    whether the value is not zero. A cast with a reason was put in by a pass and
    may be taken out by one; a cast without is the user's and stays.

    `result[i] = round(input[i])`

    - C1: input and result have one shape

    ```mlir
    %y = graph.cast %x because "matmul is Allow" : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    ```
  }];
  let arguments = (ins Graph_Tensor:$input, OptionalAttr<StrAttr>:$reason);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input (`because` $reason^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The types of a cast were written by somebody: autocast leaves them.
    bool isRetypeable(unsigned) { return false; }
  }];
  let hasFolder = 1;
}
def Graph_ScaleOp : Graph_Op<"scale", Deny, Unlisted, NoGradient,
                             [Composite, AllTypesMatch<["input", "result"]>]> {
  let summary = "value multiplied by the loss scale; from here on it is scaled";
  let description = [{
    Multiplies the seed of the backward pass, so that small gradients do not
    vanish in 16 bits. Everything that depends on it is scaled until `unscale`.

    `result[i] = input[i] * scale`

    - C1: input and result have one type

    ```mlir
    %y = graph.scale %x, %scale : tensor<f32>, tensor<f32>
    ```
  }];
  let arguments = (ins Graph_WideTensor:$input, Graph_F32Scalar:$scale);
  let results = (outs Graph_WideTensor:$result);
  let assemblyFormat = "$input `,` $scale attr-dict `:` type($input) `,` type($scale)";
}
def Graph_UnscaleOp : Graph_InferredOp<"unscale", Deny, Unlisted, NoGradient,
                                       [Composite, Graph_NamesResults]> {
  let summary = "gradients divided by the loss scale, and whether one is inf or NaN";
  let description = [{
    PyTorch's `_amp_foreach_non_finite_check_and_unscale_`: one finite check
    over all gradients, before they are multiplied by the reciprocal of the
    scale.

    `unscaled_t[i] = gradient_t[i] * (1 / scale), found_inf = any_t,i not finite(gradient_t[i])`

    - C1: there is at least one gradient
    - C2: each unscaled gradient has the type of its gradient

    ```mlir
    %u:2, %found_inf = graph.unscale %scale, %g1, %g2 : (tensor<f32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<i1>)
    ```
  }];
  let arguments = (ins Graph_F32Scalar:$scale, Variadic<Graph_WideTensor>:$gradients);
  let results = (outs Variadic<Graph_WideTensor>:$unscaled, Graph_BoolScalar:$found_inf);
  let assemblyFormat = [{
    $scale `,` $gradients attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def Graph_ScalerUpdateOp : Graph_InferredOp<"scaler_update", Deny, Unlisted, NoGradient,
                                            [Composite, Graph_NamesResults]> {
  let summary = "next loss scale and growth tracker";
  let description = [{
    PyTorch's `_amp_update_scale_`. After a step that is not finite the scale
    shrinks and the tracker starts again. After `interval` finite steps in a row
    the scale grows, unless that would overflow, and the tracker starts again.

    `next_scale = found_inf ? scale * backoff : growth_tracker + 1 == interval and finite(scale * growth) ? scale * growth : scale`

    - C1: `growth` is finite and greater than 1
    - C2: `backoff` is in (0, 1)
    - C3: `interval` is 1 or more and fits the tracker

    ```mlir
    %s, %t = graph.scaler_update %scale, %tracker, %found_inf growth = 2.0 backoff = 0.5 interval = 2000 : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>)
    ```
  }];
  let arguments = (ins Graph_F32Scalar:$scale, Graph_I32Scalar:$growth_tracker,
    Graph_BoolScalar:$found_inf, F64Attr:$growth, F64Attr:$backoff, I64Attr:$interval);
  let results = (outs Graph_F32Scalar:$next_scale, Graph_I32Scalar:$next_growth_tracker);
  let assemblyFormat = [{
    $scale `,` $growth_tracker `,` $found_inf `growth` `=` $growth `backoff` `=` $backoff
    `interval` `=` $interval attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_PRECISION_TD
