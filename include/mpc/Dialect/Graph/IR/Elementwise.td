// Family Elementwise: one element of the result from one element of each
// operand. Operands broadcast by NumPy's rule: shapes align at the last dim and
// a dim of size 1, or a missing one, repeats.
#ifndef MPC_DIALECT_GRAPH_IR_ELEMENTWISE_TD
#define MPC_DIALECT_GRAPH_IR_ELEMENTWISE_TD

include "mpc/Dialect/Graph/IR/GraphBase.td"

class Graph_UnaryOp<string mnemonic, Autocast policy, TorchAutocast torch,
                    list<Trait> traits = [], Type operand = Graph_FloatTensor>
    : Graph_Op<mnemonic, policy, torch, HasVjp,
               [HasBody, SameOperandsAndResultType] # traits> {
  let arguments = (ins operand:$input);
  let results = (outs operand:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

class Graph_BinaryOp<string mnemonic, Autocast policy, TorchAutocast torch,
                     list<Trait> traits = [], Type operand = Graph_NumberTensor>
    : Graph_InferredOp<mnemonic, policy, torch, HasVjp,
                       [HasBody, SameOperandsAndResultElementType] # traits> {
  let arguments = (ins operand:$lhs, operand:$rhs);
  let results = (outs operand:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Graph_AddOp : Graph_BinaryOp<"add", Infer, Unlisted, [Commutative, IsEpilogue]> {
  let summary = "elementwise sum";
}
def Graph_SubOp : Graph_BinaryOp<"sub", Infer, Unlisted> {
  let summary = "elementwise difference";
}
def Graph_MulOp : Graph_BinaryOp<"mul", Infer, Unlisted, [Commutative]> {
  let summary = "elementwise product";
}
def Graph_DivOp : Graph_BinaryOp<"div", Infer, Unlisted, [], Graph_FloatTensor> {
  let summary = "elementwise quotient";
}
def Graph_PowOp : Graph_BinaryOp<"pow", Deny, TorchAutocast<Fp32, Fallthrough>, [CostlyBody],
                                 Graph_FloatTensor> {
  let summary = "elementwise power";
}
def Graph_MaximumOp : Graph_BinaryOp<"maximum", Promote, Unlisted, [Commutative]> {
  let summary = "elementwise maximum";
}
def Graph_MinimumOp : Graph_BinaryOp<"minimum", Promote, Unlisted, [Commutative]> {
  let summary = "elementwise minimum";
}

def Graph_NegOp : Graph_UnaryOp<"neg", Clear, Unlisted, [], Graph_NumberTensor> {
  let summary = "elementwise negation";
}
def Graph_AbsOp : Graph_UnaryOp<"abs", Clear, Unlisted, [], Graph_NumberTensor> {
  let summary = "elementwise absolute value";
}
def Graph_ExpOp : Graph_UnaryOp<"exp", Deny, TorchAutocast<Fp32, Fallthrough>, [CostlyBody]> {
  let summary = "elementwise exponential";
}
def Graph_LogOp : Graph_UnaryOp<"log", DenyIO, TorchAutocast<Fp32, Fallthrough>, [CostlyBody]> {
  let summary = "elementwise natural logarithm";
}
def Graph_SqrtOp : Graph_UnaryOp<"sqrt", Infer, Unlisted> {
  let summary = "elementwise square root";
}
def Graph_RsqrtOp : Graph_UnaryOp<"rsqrt", DenyIO, TorchAutocast<Fp32, Fallthrough>> {
  let summary = "elementwise reciprocal of the square root";
}
def Graph_ErfOp : Graph_UnaryOp<"erf", DenyIO, Unlisted, [CostlyBody]> {
  let summary = "elementwise error function";
}
def Graph_TanhOp : Graph_UnaryOp<"tanh", Infer, Unlisted, [CostlyBody, IsEpilogue]> {
  let summary = "elementwise hyperbolic tangent";
}
def Graph_SigmoidOp : Graph_UnaryOp<"sigmoid", Infer, Unlisted, [CostlyBody, IsEpilogue]> {
  let summary = "elementwise logistic function";
}
def Graph_ReluOp : Graph_UnaryOp<"relu", Clear, Unlisted, [IsEpilogue]> {
  let summary = "elementwise rectifier";
}

def Graph_GeluOp : Graph_Op<"gelu", DenyIO, Unlisted, HasVjp,
                            [HasBody, CostlyBody, IsEpilogue,
                             SameOperandsAndResultType]> {
  let summary = "elementwise Gaussian error linear unit";
  let arguments = (ins Graph_FloatTensor:$input,
    DefaultValuedAttr<Graph_GeluKindAttr, "::mpc::graph::GeluKind::Erf">:$kind);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$input (`kind` `=` $kind^)? attr-dict `:` type($result)";
}

def Graph_CompareOp : Graph_InferredOp<"compare", Promote, Unlisted, NoGradient,
                                       [HasBody, SameOperandsElementType]> {
  let summary = "elementwise comparison";
  let arguments = (ins Graph_ComparePredicateAttr:$predicate,
                       Graph_NumberTensor:$lhs, Graph_NumberTensor:$rhs);
  let results = (outs Graph_BoolTensor:$result);
  let assemblyFormat = [{
    $predicate $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_SelectOp : Graph_InferredOp<"select", Promote, Unlisted, HasVjp, [HasBody]> {
  let summary = "elementwise choice between two values";
  let arguments = (ins Graph_BoolTensor:$condition, Graph_Tensor:$on_true,
                       Graph_Tensor:$on_false);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $on_true `,` $on_false attr-dict `:` functional-type(operands, results)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_ELEMENTWISE_TD
