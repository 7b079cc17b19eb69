// Family Elementwise: one element of the result from one element of each
// operand. Operands broadcast by NumPy's rule: shapes align at the last dim and
// a dim of size 1, or a missing one, repeats.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_ELEMENTWISE_TD
#define MPC_DIALECT_GRAPH_IR_OPS_ELEMENTWISE_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"

/// `formula` computes `result[i]` from `x = input[i]`.
class Graph_UnaryOp<string mnemonic, Autocast policy, AutocastLists lists,
                    string meaning, string formula, list<Trait> traits = [],
                    Type operand = Graph_FloatTensor>
    : Graph_Op<mnemonic, policy, lists, HasVjp,
               [HasBody, SameOperandsAndResultType] # traits> {
  let description = meaning # [{

`result[i] = }] # formula # [{ where x = input[i]`

- C1: input and result have one type

```mlir
%y = graph.}] # mnemonic # [{ %x : tensor<4x8xf32>
```
}];
  let arguments = (ins operand:$input);
  let results = (outs operand:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

/// `formula` computes `result[i]` from `a = lhs[i]` and `b = rhs[i]`.
class Graph_BinaryOp<string mnemonic, Autocast policy, AutocastLists lists,
                     string meaning, string formula, list<Trait> traits = [],
                     Type operand = Graph_NumberTensor>
    : Graph_InferredOp<mnemonic, policy, lists, HasVjp,
                       [HasBody, SameOperandsAndResultElementType] # traits> {
  let description = meaning # [{

`result[i] = }] # formula # [{ where a = lhs[i], b = rhs[i]`

- C1: the operands' shapes broadcast, and the result has the broadcast shape
- C2: operands and result have one element type

```mlir
%c = graph.}] # mnemonic # [{ %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
```
}];
  let arguments = (ins operand:$lhs, operand:$rhs);
  let results = (outs operand:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def Graph_AddOp : Graph_BinaryOp<"add", Infer, WidestInApex<TfInfer>,
    "The sum. Integers wrap around.", "a + b", [Commutative, IsEpilogue]> {
  let summary = "elementwise sum";
  let hasCanonicalizeMethod = 1;
}
def Graph_SubOp : Graph_BinaryOp<"sub", Infer, WidestInApex<TfInfer>,
    "The difference. Integers wrap around.", "a - b"> {
  let summary = "elementwise difference";
  let hasCanonicalizeMethod = 1;
}
def Graph_MulOp : Graph_BinaryOp<"mul", Infer, WidestInApex<TfInfer>,
    "The product. Integers wrap around.", "a * b", [Commutative]> {
  let summary = "elementwise product";
}
def Graph_DivOp : Graph_BinaryOp<"div", Infer, WidestInApex<TfInfer>,
    "The quotient, of floats only.", "a / b", [], Graph_FloatTensor> {
  let summary = "elementwise quotient";
  let extraClassDeclaration = "bool isSingularAtZero(unsigned index) { return index == 1; }";
}
def Graph_PowOp : Graph_BinaryOp<"pow", Deny,
    AutocastLists<Fp32, Fallthrough, Fp32, TfDeny, TfDeny>,
    "The power. A negative base with a fractional exponent is NaN; anything to the power 0 is 1.",
    "a ^ b", [CostlyBody], Graph_FloatTensor> {
  let summary = "elementwise power";
}
def Graph_MaximumOp : Graph_BinaryOp<"maximum", Promote, OnlyTensorFlow<TfClear>,
    "The larger value. NaN if one operand is NaN; -0 is less than 0.",
    "max(a, b)", [Commutative]> {
  let summary = "elementwise maximum";
}
def Graph_MinimumOp : Graph_BinaryOp<"minimum", Promote, OnlyTensorFlow<TfClear>,
    "The smaller value. NaN if one operand is NaN; -0 is less than 0.",
    "min(a, b)", [Commutative]> {
  let summary = "elementwise minimum";
}

def Graph_NegOp : Graph_UnaryOp<"neg", Clear, OnlyTensorFlow<TfClear>,
    "The opposite: the sign bit of a float is flipped. Integers wrap around.",
    "-x", [], Graph_NumberTensor> {
  let summary = "elementwise negation";
  let hasFolder = 1;
}
def Graph_AbsOp : Graph_UnaryOp<"abs", Clear, OnlyTensorFlow<TfClear>,
    "The magnitude: the sign bit of a float is cleared. Integers wrap around.",
    "|x|", [], Graph_NumberTensor> {
  let summary = "elementwise absolute value";
  let hasFolder = 1;
}
def Graph_ExpOp : Graph_UnaryOp<"exp", Deny,
    AutocastLists<Fp32, Fallthrough, Fp32, TfDeny, TfDeny>,
    "The exponential.", "e ^ x", [CostlyBody]> {
  let summary = "elementwise exponential";
}
def Graph_LogOp : Graph_UnaryOp<"log", DenyIO,
    AutocastLists<Fp32, Fallthrough, Fp32, TfInfer, TfInfer>,
    "The natural logarithm: -inf at 0, NaN below.", "ln(x)", [CostlyBody]> {
  let summary = "elementwise natural logarithm";
  let extraClassDeclaration = "bool isSingularAtZero(unsigned) { return true; }";
}
def Graph_SqrtOp : Graph_UnaryOp<"sqrt", Infer, OnlyTensorFlow<TfInfer>,
    "The square root, correctly rounded: NaN below 0, and -0 at -0.", "sqrt(x)"> {
  let summary = "elementwise square root";
  let hasFolder = 1;
}
def Graph_RsqrtOp : Graph_UnaryOp<"rsqrt", DenyIO,
    AutocastLists<Fp32, Fallthrough, Fp32, TfUnlisted, TfInfer>,
    "The reciprocal of the square root: inf at 0, NaN below.", "1 / sqrt(x)"> {
  let summary = "elementwise reciprocal of the square root";
  let extraClassDeclaration = "bool isSingularAtZero(unsigned) { return true; }";
}
def Graph_ErfOp : Graph_UnaryOp<"erf", DenyIO, OnlyTensorFlow<TfInfer>,
    "The Gaussian error function.", "2 / sqrt(pi) * integral_0^x e^(-t^2) dt", [CostlyBody]> {
  let summary = "elementwise error function";
}
def Graph_TanhOp : Graph_UnaryOp<"tanh", Infer, OnlyTensorFlow<TfInfer>,
    "The hyperbolic tangent.", "(e^x - e^-x) / (e^x + e^-x)", [CostlyBody, IsEpilogue]> {
  let summary = "elementwise hyperbolic tangent";
}
def Graph_SigmoidOp : Graph_UnaryOp<"sigmoid", Infer, OnlyTensorFlow<TfInfer>,
    "The logistic function.", "1 / (1 + e^-x)", [CostlyBody, IsEpilogue]> {
  let summary = "elementwise logistic function";
}
def Graph_ReluOp : Graph_UnaryOp<"relu", Clear, OnlyTensorFlow<TfClear>,
    "The rectifier. NaN stays NaN.", "max(x, 0)", [IsEpilogue]> {
  let summary = "elementwise rectifier";
  let hasFolder = 1;
}

def Graph_GeluOp : Graph_Op<"gelu", DenyIO,
    AutocastLists<Fallthrough, Fallthrough, Fp32, TfInfer, TfInfer>, HasVjp,
                            [HasBody, CostlyBody, IsEpilogue,
                             SameOperandsAndResultType]> {
  let summary = "elementwise Gaussian error linear unit";
  let description = [{
    The input times the normal distribution function of the input. Kind `erf`
    is the definition; kind `tanh` approximates the distribution function by
    (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2.

    `result[i] = x * (1 + erf(x / sqrt(2))) / 2 where x = input[i]`

    - C1: input and result have one type

    ```mlir
    %y = graph.gelu %x kind = <tanh> : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input,
    DefaultValuedAttr<Graph_GeluKindAttr, "::mpc::graph::GeluKind::Erf">:$kind);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$input (`kind` `=` $kind^)? attr-dict `:` type($result)";
}

def Graph_GeluBackwardOp : Graph_Op<"gelu_backward", DenyIO,
    AutocastLists<Fallthrough, Fallthrough, Fp32, TfInfer, TfInfer>, NoGradient,
                                    [HasBody, CostlyBody, IsEpilogue,
                                     SameOperandsAndResultType]> {
  let summary = "gradient of gelu: cotangent times derivative";
  let description = [{
    PyTorch's operator of this name: the gradient of `gelu` at `input`, of the
    same kind. One op, because some libraries apply it to a matrix product.

    `result[i] = cotangent[i] * gelu'(input[i])`

    - C1: operands and result have one type

    ```mlir
    %dx = graph.gelu_backward %dy, %x kind = <tanh> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$cotangent, Graph_FloatTensor:$input,
    DefaultValuedAttr<Graph_GeluKindAttr, "::mpc::graph::GeluKind::Erf">:$kind);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = [{
    $cotangent `,` $input (`kind` `=` $kind^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_CompareOp : Graph_InferredOp<"compare", Promote, WidestInApex<TfClear>, NoGradient,
                                       [HasBody, ComparesExactly,
                                        SameOperandsElementType]> {
  let summary = "elementwise comparison";
  let description = [{
    Whether the predicate (`eq ne lt le gt ge`) holds. Integers are signed. With
    a NaN, `ne` is true and every other predicate is false.

    `result[i] = lhs[i] <predicate> rhs[i]`

    - C1: the operands' shapes broadcast, and the result has the broadcast shape
    - C2: the operands have one element type

    ```mlir
    %less = graph.compare <lt> %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
    ```
  }];
  let arguments = (ins Graph_ComparePredicateAttr:$predicate,
                       Graph_NumberTensor:$lhs, Graph_NumberTensor:$rhs);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = [{
    $predicate $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Graph_SelectOp : Graph_InferredOp<"select", Promote, OnlyTensorFlow<TfClear>, HasVjp, [HasBody]> {
  let summary = "elementwise choice between two values";
  let description = [{
    One of two values, bit for bit; what is in the other does not matter, not
    even a NaN.

    `result[i] = condition[i] ? on_true[i] : on_false[i]`

    - C1: the operands' shapes broadcast, and the result has the broadcast shape
    - C2: both values have one element type

    ```mlir
    %y = graph.select %condition, %a, %b : (tensor<8xi1>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_BoolTensor:$condition, Graph_Tensor:$on_true,
                       Graph_Tensor:$on_false);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $on_true `,` $on_false attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

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
  let assemblyFormat = [{
    $c0 `,` $c1 `,` $c2 `,` $c3 `key` $k0 `,` $k1 attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_ELEMENTWISE_TD
