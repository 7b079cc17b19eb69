// Family Probe: values looked at while a program runs. Only the entry `probe`
// of a program for diagnosis has such ops; a step pays nothing.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_STEP_PROBE_TD
#define MPC_DIALECT_GRAPH_IR_OPS_STEP_PROBE_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Interfaces/OptimizerOpInterface.td"

def Graph_ObserveOp : Graph_AnyOp<"observe", [Clear, Unlisted, NoGradient, RuntimeKernel,
                         MemoryEffects<[MemWrite]>]> {
  let summary = "counts of the elements of a value, by what they are";
  let description = [{
    The entry gets an output `name`: the numbers of `mpc::Observation`
    (mpc/Support/Observation.h) of `value`. Elements are counted as they are
    stored, so a value of 16 bits is seen rounded.

    `what` made the value: an op's name, perhaps with the reason of a cast, or
    `input`, `parameter` or a role of state. Observations are numbered in the
    order of the values, and `sources` are the numbers of those that the value was
    made from. `backward`: after the seed of the backward. `sink`: the loss
    or a gradient, whose infinities make a step be skipped.

    `row = [elements, inf, nan, zeros, largest finite |value|, smallest |value| > 0, losses per format, exponent histogram]`

    - C1: `name` and `what` are not empty
    - C2: `number` is not negative, and `sources` are numbers below it

    ```mlir
    graph.observe 2 %y as "matmul@m.mlir:3:8" made_by "graph.matmul" from [0, 1] backward sink : tensor<4x8xf16>
    ```
  }];
  let arguments = (ins I64Attr:$number, Graph_FloatTensor:$value, StrAttr:$name,
    StrAttr:$what, DenseI64ArrayAttr:$sources, UnitAttr:$backward, UnitAttr:$sink);
  let syntax = [{
    $number $value `as` $name `made_by` $what `from` $sources (`backward` $backward^)?
    (`sink` $sink^)? attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_STEP_PROBE_TD
