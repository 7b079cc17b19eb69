// Family Random: bits of a counter, and what is made of them.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_RANDOM_TD
#define MPC_DIALECT_GRAPH_IR_OPS_RANDOM_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Interfaces/TrainingOpInterfaces.td"
include "mpc/Interfaces/DimsOpInterfaces.td"

def Graph_PhiloxOp : Graph_InferredOp<"philox", Clear, Unlisted, NoGradient,
                                      [HasBodies, CostlyBody]> {
  let summary = "random bits from a counter and a key: Philox4x32-10";
  let description = [{
    Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3 (2011): ten rounds
    that mix four words of counter under two words of key. Equal counters and
    keys have equal bits, on every machine; there is no state. A round, with
    hi and lo the halves of the 64-bit product of unsigned words, and the key
    raised by (0x9E3779B9, 0xBB67AE85) after each:

    `(c0, c1, c2, c3) = (hi(0xCD9E8D57 * c2) ^ c1 ^ k0, lo(0xCD9E8D57 * c2), hi(0xD2511F53 * c0) ^ c3 ^ k1, lo(0xD2511F53 * c0))`

    The four words are the results; kernels compute those that are read.

    - C1: the operands' shapes broadcast, and the results have the broadcast shape

    ```mlir
    %bits:4 = graph.philox %i, %step, %zero, %zero key %seed, %stream : (tensor<4x8xi32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>)
    ```
  }];
  let arguments = (ins Graph_I32Tensor:$c0, Graph_I32Tensor:$c1, Graph_I32Tensor:$c2,
                       Graph_I32Tensor:$c3, Graph_I32Tensor:$k0, Graph_I32Tensor:$k1);
  let results = (outs Graph_I32Tensor:$word0, Graph_I32Tensor:$word1,
                      Graph_I32Tensor:$word2, Graph_I32Tensor:$word3);
  let syntax = [{
    $c0 `,` $c1 `,` $c2 `,` $c3 `key` $k0 `,` $k1 attr-dict
    `:` functional-type(operands, results)
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
  let syntax = [{
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
  let syntax = "$input `,` $bits attr-dict `:` functional-type(operands, results)";
}

//===-- Distributions -----------------------------------------------------===//

/// An op that draws. Without a stream it is not pure (IsRandom), so that no two
/// become one before mpc-number-random has told them apart.
class Graph_DrawingOp<string mnemonic, Gradient gradient, list<Trait> traits>
  : Graph_AnyOp<mnemonic,
       [InSSARegion, BoundedTensors, KnownAttributes, IsRandom, CompositeAtTimes] # traits #
       [Clear, Unlisted, gradient]> {
  let hasVerifier = 1;
}

def Graph_DropoutOp : Graph_DrawingOp<"dropout", HasVjp,
                                      [AllTypesMatch<["input", "result"]>]> {
  let summary = "elements left out by chance in training, the others scaled up";
  let description = [{
    Each element becomes 0 with the probability `ratio`, and is divided by the
    probability of staying otherwise, so that the expected value stays
    (Srivastava et al., 2014, inverted). In the entry `forward`, which evaluates
    a model, it is its input. The gradient draws the same numbers again: no mask
    is kept. [Recipes](Recipes.md#dropout) tells of streams, steps and seeds.

    `result[i] = input[i] / (1 - ratio) if u[i] >= ratio else 0, where u is uniform on [0, 1)`

    - C1: `ratio` is in [0, 1)
    - C2: input and result have one type
    - C3: the key is the number of the step and the seed, and there is none without a stream

    ```mlir
    %y = graph.dropout %x ratio = 0.1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, F64Attr:$ratio, OptionalAttr<I32Attr>:$stream,
                       Variadic<Graph_I32Scalar>:$random_key);
  let results = (outs Graph_FloatTensor:$result);
  let syntax = [{
    $input `ratio` `=` custom<RealAttr>($ratio) (`stream` `=` $stream^)? (`key` $random_key^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    void evaluate();
  }];
  let hasFolder = 1;
}

/// Draws a tensor of a shape that stands on it.
class Graph_DistributionOp<string mnemonic, string meaning, string formula, string constraint,
                           string words, string element, list<Trait> traits = []>
    : Graph_DrawingOp<mnemonic, NoGradient, [IsResizable] # traits> {
  let description = meaning # [{ Elements are independent of each other; what they are
drawn from is told in [Recipes](Recipes.md#dropout). The entry `forward` draws, too.

`result[i] = }] # formula # [{`

- C1: }] # constraint # [{

- C2: the key is the number of the step and the seed, and there is none without a stream

```mlir
%y = graph.}] # mnemonic # " " # words # [{ : () -> tensor<4x8x}] # element # [{>
```
}];
}
def Graph_UniformOp : Graph_DistributionOp<"uniform",
    [{Numbers from `low` to `high`, which itself only rounding reaches. u has 32 bits, which
f32 rounds to 24.}], "low + (high - low) * u[i], where u is uniform on [0, 1)",
    "`low` is less than `high`, and both, and their difference, are in the range of the result's type",
    "low = -1.0 high = 1.0", "f32", [AlsoCalled<["rand"]>]> {
  let summary = "random numbers of a uniform distribution";
  let arguments = (ins F64Attr:$low, F64Attr:$high, OptionalAttr<I32Attr>:$stream,
                       Variadic<Graph_I32Scalar>:$random_key);
  let results = (outs Graph_FloatTensor:$result);
  let syntax = [{
    `low` `=` custom<RealAttr>($low) `high` `=` custom<RealAttr>($high) (`stream` `=` $stream^)? (`key` $random_key^)? attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_NormalOp : Graph_DistributionOp<"normal",
    [{Numbers of a normal distribution (Box and Muller, 1958). None of f32 is further from
the mean than 5.8 deviations, and none of f64 than 6.7.}],
    "mean + stddev * sqrt(-2 ln(1 - u[i])) * cos(2 pi v[i]), where u and v are uniform on [0, 1)",
    "`mean` and `stddev`, which is not negative, are in the range of the result's type",
    "mean = 0.0 stddev = 0.02", "f32", [AlsoCalled<["randn"]>]> {
  let summary = "random numbers of a normal distribution";
  let arguments = (ins F64Attr:$mean, F64Attr:$stddev, OptionalAttr<I32Attr>:$stream,
                       Variadic<Graph_I32Scalar>:$random_key);
  let results = (outs Graph_FloatTensor:$result);
  let syntax = [{
    `mean` `=` custom<RealAttr>($mean) `stddev` `=` custom<RealAttr>($stddev) (`stream` `=` $stream^)? (`key` $random_key^)? attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_BernoulliOp : Graph_DistributionOp<"bernoulli",
    "Flags that are true with probability `p`, to 32 bits.",
    "u[i] < p, where u is uniform on [0, 1)", "`p` is in [0, 1]", "p = 0.25", "i1"> {
  let summary = "random flags";
  let arguments = (ins F64Attr:$p, OptionalAttr<I32Attr>:$stream, Variadic<Graph_I32Scalar>:$random_key);
  let results = (outs Graph_BoolTensor:$result);
  let syntax = [{
    `p` `=` custom<RealAttr>($p) (`stream` `=` $stream^)? (`key` $random_key^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_RANDOM_TD
