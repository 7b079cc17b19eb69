// Family Constant: a tensor known at compile time.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_CONSTANT_TD
#define MPC_DIALECT_GRAPH_IR_OPS_CONSTANT_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Interfaces/DimsOpInterfaces.td"

def Graph_ConstantOp : Graph_InferredOp<"constant", Clear, Unlisted, NoGradient,
                                        [ConstantLike, IsResizable, Graph_NamesResults,
                                         AlsoCalled<["zeros", "ones", "full"]>]> {
  let summary = "tensor known at compile time";
  let description = [{
    The literal tensor. Weights are never constants: they are parameters.

    `result = value`

    - C1: the result has the value's type
    - C2: a resource has as many bytes as its type, an i1 being one byte, 0 or 1

    ```mlir
    %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$result);
  let syntax = "attr-dict $value";
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_CONSTANT_TD
