// Family LossScale: the loss scale, from the seed of the backward pass to the
// next scale.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_STEP_LOSSSCALE_TD
#define MPC_DIALECT_GRAPH_IR_OPS_STEP_LOSSSCALE_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"

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
  let syntax = "$input `,` $scale attr-dict `:` type($input) `,` type($scale)";
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
  let syntax = [{
    $scale `,` $gradients attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def Graph_ScalerUpdateOp : Graph_InferredOp<"scaler_update", Deny, Unlisted, NoGradient,
                                            [Composite, Graph_NamesResults]> {
  let summary = "next loss scale and its trackers";
  let description = [{
    One state machine for the scalers of the field (docs/LossScaling.md says
    which attributes make which). It counts finite steps from `-delay`; at
    `interval` the scale grows, to `ceiling` at most, and with `growth_guard`
    never to infinity. A step that is not finite starts the count again and, when
    `hysteresis` such steps have come, shrinks the scale, to `floor` at least.
    The count of what hysteresis still forgives is full again after every finite
    step (`refill = "clean"`, Apex) or where the scale grows (`"growth"`,
    Megatron). `floor` and `ceiling` 0 mean none. Products are exact and rounded
    to f32 once.

    `next_scale = found_inf ? (next_hysteresis_tracker > 0 ? scale : max(scale * backoff, floor)) : growth_tracker + 1 >= interval ? min(scale * growth, ceiling) : scale`

    `next_growth_tracker = found_inf ? -delay : growth_tracker + 1 >= interval ? 0 : growth_tracker + 1`

    `next_hysteresis_tracker = found_inf ? max(hysteresis_tracker - 1, 0) : refilled ? hysteresis : hysteresis_tracker`

    `at_floor` says that the scale had to shrink but was at its floor: the
    gradients overflow at the smallest scale.

    - C1: `growth` is finite and greater than 1
    - C2: `backoff` is in (0, 1)
    - C3: `interval` is 1 or more and fits the tracker
    - C4: `hysteresis` is 1 or more and fits its tracker
    - C5: the hysteresis tracker and its next value exist if `hysteresis` > 1, and only then
    - C6: `refill` is "growth" or "clean"
    - C7: `delay` is 0 or more and fits the tracker
    - C8: `floor` and `ceiling` are 0 or more, finite in f32, and in this order if there is a ceiling

    ```mlir
    %s, %t, %l = graph.scaler_update %scale, %tracker, %found_inf growth = 2.0 backoff = 0.5 interval = 2000 : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
    %u, %v, %m, %w = graph.scaler_update %scale, %tracker, %found_inf, %left growth = 2.0 backoff = 0.5 interval = 1000 {hysteresis = 2 : i64, floor = 1.0 : f64} : (tensor<f32>, tensor<i32>, tensor<i1>, tensor<i32>) -> (tensor<f32>, tensor<i32>, tensor<i1>, tensor<i32>)
    ```
  }];
  let arguments = (ins Graph_F32Scalar:$scale, Graph_I32Scalar:$growth_tracker,
    Graph_BoolScalar:$found_inf, Optional<Graph_I32Scalar>:$hysteresis_tracker,
    F64Attr:$growth, F64Attr:$backoff, I64Attr:$interval,
    DefaultValuedAttr<I64Attr, "1">:$hysteresis,
    DefaultValuedStrAttr<StrAttr, "growth">:$refill,
    DefaultValuedAttr<I64Attr, "0">:$delay,
    DefaultValuedAttr<F64Attr, "0.0">:$floor,
    DefaultValuedAttr<F64Attr, "0.0">:$ceiling,
    DefaultValuedAttr<BoolAttr, "true">:$growth_guard);
  let results = (outs Graph_F32Scalar:$next_scale, Graph_I32Scalar:$next_growth_tracker,
    Graph_BoolScalar:$at_floor, Optional<Graph_I32Scalar>:$next_hysteresis_tracker);
  let syntax = [{
    $scale `,` $growth_tracker `,` $found_inf (`,` $hysteresis_tracker^)?
    `growth` `=` $growth `backoff` `=` $backoff `interval` `=` $interval
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_STEP_LOSSSCALE_TD
