// Family Shape: elements made from nothing, or moved, never computed.
#ifndef MPC_DIALECT_GRAPH_IR_SHAPE_TD
#define MPC_DIALECT_GRAPH_IR_SHAPE_TD

include "mpc/Dialect/Graph/IR/GraphBase.td"

def Graph_ConstantOp : Graph_InferredOp<"constant", Clear, Unlisted, NoGradient,
                                        [ConstantLike]> {
  let summary = "tensor known at compile time";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}
def Graph_IotaOp : Graph_Op<"iota", Clear, Unlisted, NoGradient, [IsMovement]> {
  let summary = "index along a dim";
  let arguments = (ins I64Attr:$dim);
  let results = (outs Graph_IntTensor:$result);
  let assemblyFormat = "`dim` `=` $dim attr-dict `:` type($result)";
}
def Graph_ReshapeOp : Graph_Op<"reshape", Clear, Unlisted, HasVjp,
                               [IsMovement, SameOperandsAndResultElementType]> {
  let summary = "same elements in row-major order, other shape";
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}
def Graph_TransposeOp : Graph_InferredOp<"transpose", Clear, Unlisted, HasVjp,
                                         [IsMovement, SameOperandsAndResultElementType]> {
  let summary = "dims permuted: dim i of the result is dim permutation[i] of the input";
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `permutation` `=` $permutation attr-dict `:` functional-type(operands, results)
  }];
}
def Graph_BroadcastOp : Graph_Op<"broadcast", Clear, Unlisted, HasVjp,
                                 [IsMovement, SameOperandsAndResultElementType]> {
  let summary = "elements repeated along new dims or dims of size 1 (NumPy's rule)";
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}
def Graph_SliceOp : Graph_InferredOp<"slice", Clear, Unlisted, HasVjp,
                                     [IsMovement, SameOperandsAndResultElementType]> {
  let summary = "box [offsets, offsets + sizes) of the input";
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$offsets,
                       DenseI64ArrayAttr:$sizes);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `offsets` `=` $offsets `sizes` `=` $sizes attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_PadOp : Graph_InferredOp<"pad", Clear, Unlisted, HasVjp,
                                   [IsMovement, SameOperandsAndResultElementType]> {
  let summary = "zeros added before and after each dim";
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $input `low` `=` $low `high` `=` $high attr-dict
    `:` functional-type(operands, results)
  }];
}
def Graph_ConcatOp : Graph_InferredOp<"concat", Promote,
    TorchAutocast<Fallthrough, TorchPromote>, HasVjp,
    [IsMovement, SameOperandsAndResultElementType]> {
  let summary = "inputs laid behind each other along a dim";
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $inputs `dim` `=` $dim attr-dict `:` functional-type(operands, results)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_SHAPE_TD
