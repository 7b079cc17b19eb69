// Family Rounding: f32 to 16 bits by other rules than a cast.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_ROUNDING_TD
#define MPC_DIALECT_GRAPH_IR_OPS_ROUNDING_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"

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
  let assemblyFormat = [{
    $parameter `,` $next `,` $compensation attr-dict `:` functional-type(operands, results)
  }];
}
def Graph_StochasticRoundOp : Graph_Op<"stochastic_round", Deny, Unlisted, NoGradient,
    [Composite, AllShapesMatch<["input", "result"]>]> {
  let summary = "f32 rounded to one of its two bf16 neighbours by chance";
  let description = [{
    Up with the probability that makes the expected value the input, by bits
    from a counter, so that the same step rounds the same way on every machine
    and number of threads: `random_round` with the low bits of word 0 of
    `philox` of element index and step, keyed by seed and stream.

    `result[i] = random_round(input[i], philox(i, step, 0, 0; seed, stream))`

    - C1: input and result have one shape

    ```mlir
    %y = graph.stochastic_round %x step %step seed %seed stream = 3 : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xbf16>
    ```
  }];
  let arguments = (ins Graph_F32Tensor:$input, Graph_I32Scalar:$step,
                       Graph_I32Scalar:$seed, I32Attr:$stream);
  let results = (outs Graph_BF16Tensor:$result);
  let assemblyFormat = [{
    $input `step` $step `seed` $seed `stream` `=` $stream attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_RandomRoundOp : Graph_Op<"random_round", Deny, Unlisted, NoGradient,
    [HasBody, AllShapesMatch<["input", "bits", "result"]>]> {
  let summary = "f32 rounded to bf16, up if 16 random bits reach what is cut off";
  let description = [{
    The low 16 bits of `bits` are added to those of the number, which then are
    cut off: of 2^16 bits as many carry as the number is above its lower
    neighbour, so that the mean over all bits is the number. What bf16 has is
    returned as it is, inf and NaN too; no finite number becomes infinite.

    `result[i] = up if low(input[i]) + low(bits[i]) >= 2^16 and up is finite, down otherwise`

    - C1: input, bits and result have one shape

    ```mlir
    %y = graph.random_round %x, %bits : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xbf16>
    ```
  }];
  let arguments = (ins Graph_F32Tensor:$input, Graph_I32Tensor:$bits);
  let results = (outs Graph_BF16Tensor:$result);
  let assemblyFormat = "$input `,` $bits attr-dict `:` functional-type(operands, results)";
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_ROUNDING_TD
