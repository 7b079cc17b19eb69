// Family Activation: the nonlinear functions between the layers of a model, one
// element at a time.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_ACTIVATION_TD
#define MPC_DIALECT_GRAPH_IR_OPS_ACTIVATION_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"

def Graph_SigmoidOp : Graph_UnaryOp<"sigmoid", Infer, OnlyTensorFlow<TfInfer>,
    "The logistic function.", "1 / (1 + e^-x)", [CostlyBody, IsEpilogue]> {
  let summary = "elementwise logistic function";
}
def Graph_ReluOp : Graph_UnaryOp<"relu", Clear, OnlyTensorFlow<TfClear>,
    "The rectifier. NaN stays NaN.", "max(x, 0)", [IsEpilogue]> {
  let summary = "elementwise rectifier";
  let hasFolder = 1;
}
def Graph_SiluOp : Graph_UnaryOp<"silu", DenyIO, OnlyTensorFlow<TfInfer>,
    "The sigmoid linear unit, also known as swish. NaN at -inf, as in PyTorch.",
    "x / (1 + e^-x)", [CostlyBody, AlsoCalled<["swish"]>]> {
  let summary = "elementwise sigmoid linear unit";
}
def Graph_MishOp : Graph_UnaryOp<"mish", DenyIO, OnlyTensorFlow<TfInfer>,
    "The input times the hyperbolic tangent of its softplus. NaN at -inf, as in PyTorch.",
    "x * tanh(ln(1 + e^x))", [CostlyBody]> {
  let summary = "elementwise mish";
}
def Graph_HardsigmoidOp : Graph_UnaryOp<"hardsigmoid", Infer, OnlyTensorFlow<TfInfer>,
    "The logistic function of three straight lines. The gradient is 0 at the kinks.",
    "min(max(x + 3, 0), 6) / 6"> {
  let summary = "elementwise piecewise linear logistic function";
}
def Graph_HardswishOp : Graph_UnaryOp<"hardswish", Infer, OnlyTensorFlow<TfInfer>,
    "The input times its hardsigmoid. The gradient is 0 at -3 and 1 at 3. NaN at -inf, as in PyTorch.",
    "x * min(max(x + 3, 0), 6) / 6"> {
  let summary = "elementwise sigmoid linear unit of straight lines";
}

/// A unary op with a number: `parameter` is its name, `value` its default,
/// `constraint` what C2 asks of it.
class Graph_ParametricOp<string mnemonic, Autocast policy, AutocastLists lists, string meaning,
                         string formula, string parameter, string value, string constraint,
                         list<Trait> traits = []>
    : Graph_Op<mnemonic, policy, lists, HasVjp,
               [HasBody, SameOperandsAndResultType] # traits> {
  let description = meaning # [{

`result[i] = }] # formula # [{ where x = input[i]`

- C1: input and result have one type
- C2: `}] # parameter # "` is " # constraint # [{

```mlir
%y = graph.}] # mnemonic # " %x " # parameter # [{ = 2.5e-01 : tensor<4x8xf32>
```
}];
  let arguments = !dag(ins, [Graph_FloatTensor, DefaultValuedAttr<F64Attr, value>],
                       ["input", parameter]);
  let results = (outs Graph_FloatTensor:$result);
  let syntax = "$input (`" # parameter # "` `=` custom<RealAttr>($" # parameter #
                       ")^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def Graph_LeakyReluOp : Graph_ParametricOp<"leaky_relu", Infer, OnlyTensorFlow<TfInfer>,
    "The rectifier with a slope for negative numbers, which is also the gradient at 0.",
    "x if x > 0, else negative_slope * x", "negative_slope", "1e-2", "finite"> {
  let summary = "elementwise rectifier that lets some through";
}
def Graph_EluOp : Graph_ParametricOp<"elu", DenyIO, OnlyTensorFlow<TfInfer>,
    "The exponential linear unit: it goes to `-alpha` for negative numbers. The gradient at 0 is `alpha`.",
    "x if x > 0, else alpha * (e^x - 1)", "alpha", "1.0", "finite", [CostlyBody]> {
  let summary = "elementwise exponential linear unit";
}
def Graph_SoftplusOp : Graph_ParametricOp<"softplus", DenyIO,
    AutocastLists<Fp32, Fallthrough, Fp32, TfInfer, TfInfer>,
    "The smooth rectifier. It does not overflow where the exponential would.",
    "ln(1 + e^(beta * x)) / beta", "beta", "1.0", "finite and greater than 0", [CostlyBody]> {
  let summary = "elementwise smooth rectifier";
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
  let syntax = "$input (`kind` `=` $kind^)? attr-dict `:` type($result)";
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
  let syntax = [{
    $cotangent `,` $input (`kind` `=` $kind^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_ACTIVATION_TD
