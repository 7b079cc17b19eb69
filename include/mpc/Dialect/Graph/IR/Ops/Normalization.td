// Family Normalization: rows rescaled by their own statistics.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_NORMALIZATION_TD
#define MPC_DIALECT_GRAPH_IR_OPS_NORMALIZATION_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"

/// `formula` computes `result[i]` from `x = input[i]`, j running along `dim`.
class Graph_SoftmaxLikeOp<string mnemonic, string meaning, string formula>
    : Graph_InferredOp<mnemonic, DenyIO,
        AutocastLists<Fp32SetOptDtype, Fallthrough, Fp32, TfInfer, TfInfer>,
                       HasVjp, [Composite]> {
  let description = meaning # [{ The largest input of the row is subtracted first, so that
nothing overflows; arithmetic is f32 (f64 if input or result is). `dtype` is the
element type of the result, by default the input's.

`result[i] = }] # formula # [{ where x = input[i], j runs along dim`

- C1: `dim` is less than the rank
- C2: the result has the input's shape

```mlir
%y = graph.}] # mnemonic # [{ %x dim = 1 dtype = f32 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
```
}];
  let arguments = (ins Graph_FloatTensor:$input, I64Attr:$dim,
                       Graph_DTypeAttr:$dtype);
  let results = (outs Graph_FloatTensor:$result);
  let syntax = [{
    $input `dim` `=` $dim (`dtype` `=` $dtype^)? attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_SoftmaxOp : Graph_SoftmaxLikeOp<"softmax",
    "Exponentials divided by their sum along a dim.", "e^x / sum_j e^input[j]"> {
  let summary = "exponentials that sum to one along a dim";
}
def Graph_LogSoftmaxOp : Graph_SoftmaxLikeOp<"log_softmax",
    "The logarithm of softmax, without its underflow.", "x - ln(sum_j e^input[j])"> {
  let summary = "logarithm of softmax along a dim";
}

def Graph_LayerNormOp : Graph_InferredOp<"layer_norm", DenyIO,
    AutocastLists<Fp32, Fallthrough, Fp32, TfUnlisted, TfUnlisted>, HasVjp,
    [Composite, AttrSizedOperandSegments]> {
  let summary = "rows with mean 0 and variance 1, then scaled and shifted";
  let description = [{
    A row is the dims from `first_dim` on. Mean and (biased) variance are those
    of the row, in f32 (f64 for f64). A missing weight is 1, a missing bias 0.
    Weight and bias may be wider or narrower than the input, as those that a
    model keeps in f32 beside a 16-bit input.

    `result[r, i] = (input[r, i] - mean_r) / sqrt(variance_r + epsilon) * weight[i] + bias[i]`

    - C1: `first_dim` is less than the rank
    - C2: weight and bias have the shape of a row
    - C3: the result has the input's type, and no operand is f64 unless all are
    - C4: `epsilon` is finite and not negative

    ```mlir
    %y = graph.layer_norm %x weight %w bias %b first_dim = 1 epsilon = 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, Optional<Graph_FloatTensor>:$weight,
                       Optional<Graph_FloatTensor>:$bias, I64Attr:$first_dim,
                       DefaultValuedAttr<F64Attr, "1e-5">:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let syntax = [{
    $input (`weight` $weight^)? (`bias` $bias^)? `first_dim` `=` $first_dim
    (`epsilon` `=` custom<RealAttr>($epsilon)^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// AutocastOpInterface: Apex O2 and its like keep it f32.
    static bool isNormalization() { return true; }
    bool takesMixedTypes() { return true; }
  }];
  let hasVerifier = 1;
}

def Graph_RmsNormOp : Graph_InferredOp<"rms_norm", DenyIO,
    AutocastLists<Fp32, Fallthrough, Fallthrough, TfUnlisted, TfUnlisted>, HasVjp,
    [Composite]> {
  let summary = "rows with mean square 1, then scaled";
  let description = [{
    A row is the dims from `first_dim` on. Its mean square is taken in f32 (f64
    for f64) in every precision; nothing is subtracted. A missing weight is 1;
    it may be wider or narrower than the input. PyTorch's default epsilon is
    that of the type; here it is a number, 1e-5 if it is not given.

    `result[r, i] = input[r, i] / sqrt(mean_j input[r, j]^2 + epsilon) * weight[i]`

    - C1: `first_dim` is less than the rank
    - C2: the weight has the shape of a row
    - C3: the result has the input's type, and no operand is f64 unless all are
    - C4: `epsilon` is finite and not negative

    ```mlir
    %y = graph.rms_norm %x weight %w first_dim = 1 epsilon = 1.0e-6 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, Optional<Graph_FloatTensor>:$weight,
                       I64Attr:$first_dim, DefaultValuedAttr<F64Attr, "1e-5">:$epsilon);
  let results = (outs Graph_FloatTensor:$result);
  let syntax = [{
    $input (`weight` $weight^)? `first_dim` `=` $first_dim
    (`epsilon` `=` custom<RealAttr>($epsilon)^)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// AutocastOpInterface: as layer_norm, it is kept f32 with its kind.
    static bool isNormalization() { return true; }
    bool takesMixedTypes() { return true; }
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_NORMALIZATION_TD
