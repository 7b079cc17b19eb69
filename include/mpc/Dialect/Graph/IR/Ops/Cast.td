// Family Cast: the element type changed. Most stages name this op, few any other:
// its own record keeps theirs from being compiled again.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_CAST_TD
#define MPC_DIALECT_GRAPH_IR_OPS_CAST_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"

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

#endif // MPC_DIALECT_GRAPH_IR_OPS_CAST_TD
