// Not a family but a frame: the ops that one kernel or library call executes.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_GROUP_TD
#define MPC_DIALECT_GRAPH_IR_OPS_GROUP_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mpc/Dialect/Graph/IR/Ops/OpBase.td"

def Graph_GroupOp : Graph_Op<"group", Clear, Unlisted, NoGradient,
    [IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "ops executed as one kernel or one library call";
  let description = [{
    Operands are the tensors that the kernel reads, results those it writes;
    block argument i is operand i. Values inside exist in registers only. The
    kind says what executes it: `row` and `column` are generated kernels that
    run along rows or down columns, `move` is a copy by an index map, `library`
    is a call. A result that is a part of another tensor is written with the
    `strides` of that; those of a dense one are an empty list.

    `results = body(inputs)`

    - C1: block arguments have the types of the inputs
    - C2: yielded values have the types of the results
    - C3: there are `strides` for each result, none of them negative, for each dim or none, and not of a library's

    ```mlir
    %y = graph.group <row> %x : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%value: tensor<4x8xf32>):
      %0 = graph.exp %value : tensor<4x8xf32>
      %1 = graph.neg %0 : tensor<4x8xf32>
      graph.yield %1 : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, Graph_GroupKindAttr:$kind,
                       OptionalAttr<TypedArrayAttrBase<DenseI64ArrayAttr, "lists of strides">>:$strides);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let syntax = [{
    $kind ($inputs^)? (`strides` `=` $strides^)? attr-dict-with-keyword `:` functional-type(operands, results) custom<YieldingBody>($body)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$inputs, "::mpc::graph::GroupKind":$kind), [{
      build($_builder, $_state, results, inputs, kind, /*strides=*/nullptr);
    }]>
  ];
  let extraClassDeclaration = [{
    /// How result `number` is written, in elements.
    ::llvm::SmallVector<int64_t> getStridesOf(unsigned number);
    bool isDense(unsigned number);
    /// Elements from the first to the end of the last one that is written.
    int64_t getReach(unsigned number);
  }];
  let hasRegionVerifier = 1;
}
def Graph_YieldOp : Graph_Op<"yield", Clear, Unlisted, NoGradient,
    [Terminator, ReturnLike]> {
  let summary = "results of a group or region";
  let description = [{
    Ends the body of a group, of a scan or of an autocast region; value i becomes
    result i of the op around it.

    `results of the op around = results`

    - C1: the types are those of the op's results, of a scan those of one step

    ```mlir
    %y = graph.group <row> %x : (tensor<8xf32>) -> tensor<8xf32> {
    ^bb0(%value: tensor<8xf32>):
      graph.yield %value : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$results);
  let syntax = "($results^ `:` type($results))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange{}); }]>];
  let hasVerifier = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_GROUP_TD
