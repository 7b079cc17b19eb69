// Family Elementwise: one element of the result from one element of each
// operand. Operands broadcast by NumPy's rule: shapes align at the last dim and
// a dim of size 1, or a missing one, repeats.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_ELEMENTWISE_TD
#define MPC_DIALECT_GRAPH_IR_OPS_ELEMENTWISE_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"

/// `formula` computes `result[i]` from `a = lhs[i]` and `b = rhs[i]`.
class Graph_BinaryOp<string mnemonic, Autocast policy, AutocastLists lists,
                     string meaning, string formula, list<Trait> traits = [],
                     Type operand = Graph_NumberTensor, Gradient gradient = HasVjp,
                     string element = "f32">
    : Graph_InferredOp<mnemonic, policy, lists, gradient,
                       [HasBody, SameOperandsAndResultElementType] # traits> {
  let description = meaning # [{

`result[i] = }] # formula # [{ where a = lhs[i], b = rhs[i]`

- C1: the operands' shapes broadcast, and the result has the broadcast shape
- C2: operands and result have one element type

```mlir
%c = graph.}] # mnemonic # [{ %a, %b : (tensor<4x8x}] # element # [{>, tensor<8x}] # element # [{>) -> tensor<4x8x}] # element # [{>
```
}];
  let arguments = (ins operand:$lhs, operand:$rhs);
  let results = (outs operand:$result);
  let syntax = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
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
def Graph_Expm1Op : Graph_UnaryOp<"expm1", Deny,
    AutocastLists<Fp32, Fallthrough, Fp32, TfDeny, TfDeny>,
    "The exponential minus one, with all digits near 0.", "e ^ x - 1", [CostlyBody]> {
  let summary = "elementwise exponential minus one";
}
def Graph_Log1pOp : Graph_UnaryOp<"log1p", DenyIO,
    AutocastLists<Fp32, Fallthrough, Fallthrough, TfInfer, TfInfer>,
    "The natural logarithm of one plus the input, with all digits near 0: -inf at -1, NaN below.",
    "ln(1 + x)", [CostlyBody]> {
  let summary = "elementwise natural logarithm of one plus the input";
}
def Graph_SinOp : Graph_UnaryOp<"sin", DenyIO, Unlisted,
    "The sine of an angle in radians, of any size: NaN at infinity.", "sin(x)", [CostlyBody]> {
  let summary = "elementwise sine";
}
def Graph_CosOp : Graph_UnaryOp<"cos", DenyIO, Unlisted,
    "The cosine of an angle in radians, of any size: NaN at infinity.", "cos(x)", [CostlyBody]> {
  let summary = "elementwise cosine";
}
def Graph_ReciprocalOp : Graph_UnaryOp<"reciprocal", DenyIO,
    AutocastLists<Fp32, Fallthrough, Fp32, TfInfer, TfInfer>,
    "The reciprocal, correctly rounded: inf at 0, -inf at -0.", "1 / x"> {
  let summary = "elementwise reciprocal";
  let hasFolder = 1;
  let extraClassDeclaration = "bool isSingularAtZero(unsigned) { return true; }";
}

/// The result jumps, and has the gradient 0 everywhere, as in PyTorch.
class Graph_StepFunctionOp<string mnemonic, string meaning, string formula>
    : Graph_UnaryOp<mnemonic, Clear, OnlyTensorFlow<TfClear>,
                    meaning # " The gradient is 0.", formula, [ComparesExactly]> {
  let hasFolder = 1;
}
def Graph_FloorOp : Graph_StepFunctionOp<"floor",
    "The largest whole number that is not greater. -0, infinities and NaN stay.",
    "max {n whole, n <= x}"> {
  let summary = "elementwise rounding down";
}
def Graph_CeilOp : Graph_StepFunctionOp<"ceil",
    "The smallest whole number that is not less: -0 between -1 and 0. Infinities and NaN stay.",
    "min {n whole, n >= x}"> {
  let summary = "elementwise rounding up";
}
def Graph_RoundOp : Graph_StepFunctionOp<"round",
    "The nearest whole number; of two, the even one. -0, infinities and NaN stay.",
    "n whole, |n - x| <= 1/2, n even if |n - x| = 1/2"> {
  let summary = "elementwise rounding to the nearest whole number";
}
def Graph_SignOp : Graph_StepFunctionOp<"sign",
    "Minus one below 0, one above it. 0 for 0, -0 and NaN, as in PyTorch.",
    "[x > 0] - [x < 0]"> {
  let summary = "elementwise sign";
}

def Graph_ClampOp : Graph_Op<"clamp", Clear, OnlyTensorFlow<TfClear>, HasVjp,
                             [HasBody, SameOperandsAndResultType]> {
  let summary = "elementwise restriction to a range";
  let description = [{
    The input, but not less than `min` and not greater than `max`; one of them
    may be missing. NaN stays NaN. The bounds are rounded to the element type;
    if `min` is greater than `max`, every number becomes `max`. The gradient
    passes where the input lies strictly between the bounds, as in PyTorch.

    `result[i] = min(max(x, min), max) where x = input[i]`

    - C1: input and result have one type
    - C2: there is a `min` or a `max`
    - C3: both are finite in f32 (f64 for f64), and 0 only if they are written so

    ```mlir
    %y = graph.clamp %x min = -1.0e+00 max = 6.0e+00 : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Graph_FloatTensor:$input, OptionalAttr<F64Attr>:$min,
                       OptionalAttr<F64Attr>:$max);
  let results = (outs Graph_FloatTensor:$result);
  let syntax = [{
    $input (`min` `=` custom<RealAttr>($min)^)? (`max` `=` custom<RealAttr>($max)^)?
    attr-dict `:` type($result)
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::llvm::APFloat> getRoundedNumbers();
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Graph_CompareOp : Graph_InferredOp<"compare", Promote, WidestInApex<TfClear>, NoGradient,
                                       [HasBody, ComparesExactly, SameOperandsElementType,
                                        AlsoCalled<["less", "greater", "equal"]>]> {
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
  let syntax = [{
    $predicate $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

/// Whether the input is what `meaning` says.
class Graph_ClassifyOp<string mnemonic, string meaning, string formula>
    : Graph_InferredOp<mnemonic, Clear, OnlyTensorFlow<TfClear>, NoGradient,
                       [HasBody, ComparesExactly]> {
  let description = meaning # [{

`result[i] = }] # formula # [{ where x = input[i]`

- C1: the result has the input's shape

```mlir
%bad = graph.}] # mnemonic # [{ %x : (tensor<4x8xf32>) -> tensor<4x8xi1>
```
}];
  let arguments = (ins Graph_FloatTensor:$input);
  let results = (outs Graph_BoolTensor:$result);
  let syntax = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}
def Graph_IsNanOp : Graph_ClassifyOp<"is_nan", "Whether the element is not a number.", "x != x"> {
  let summary = "elementwise test for NaN";
}
def Graph_IsInfOp : Graph_ClassifyOp<"is_inf", "Whether the element is inf or -inf.", "|x| = inf"> {
  let summary = "elementwise test for infinity";
}

def Graph_LogicalAndOp : Graph_BinaryOp<"logical_and", Clear, Unlisted,
    "Whether both are true.", "a and b", [Commutative], Graph_BoolTensor, NoGradient, "i1"> {
  let summary = "elementwise conjunction";
}
def Graph_LogicalOrOp : Graph_BinaryOp<"logical_or", Clear, Unlisted,
    "Whether one of them is true, or both.", "a or b", [Commutative], Graph_BoolTensor,
    NoGradient, "i1"> {
  let summary = "elementwise disjunction";
}
def Graph_LogicalNotOp : Graph_UnaryOp<"logical_not", Clear, Unlisted,
    "Whether it is false.", "not x", [], Graph_BoolTensor, NoGradient, "i1"> {
  let summary = "elementwise negation of flags";
  let hasFolder = 1;
}

def Graph_SelectOp : Graph_InferredOp<"select", Promote, OnlyTensorFlow<TfClear>, HasVjp,
                                      [HasBody, AlsoCalled<["where", "masked_fill"]>]> {
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
  let syntax = [{
    $condition `,` $on_true `,` $on_false attr-dict `:` functional-type(operands, results)
  }];
  let hasFolder = 1;
}

def Graph_StopGradientOp : Graph_UnaryOp<"stop_gradient", Clear, OnlyTensorFlow<TfClear>,
    [{The input itself, which to gradients is a constant: what lies before it gets none of
what comes behind, and a parameter that reaches the loss in no other way is not trained.
`mpc-differentiate` puts the input in its place, once the backward is built.}],
    "x", [AlsoCalled<["detach", "no_grad"]>], Graph_Tensor, StopsGradient> {
  let summary = "the input, without a gradient";
  let hasFolder = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_ELEMENTWISE_TD
