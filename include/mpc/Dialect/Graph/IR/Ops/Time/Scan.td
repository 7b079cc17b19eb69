// Not a family but a frame: a body that runs once for each step of time.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_TIME_SCAN_TD
#define MPC_DIALECT_GRAPH_IR_OPS_TIME_SCAN_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"

def Graph_ScanOp : Graph_Op<"scan", Clear, Unlisted, NoGradient,
    [IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">, AttrSizedOperandSegments]> {
  let summary = "a body that runs once for each step of time";
  let description = [{
    The body takes what is carried from the step before, at first the operands
    behind `carry`; then the elements of this step of the sequences behind `each`,
    whose first dim is time; then what stands behind `with`, the same in every step.
    It yields what is carried on, then elements of the results that are sequences.
    Results are what is carried after the last step, then those sequences. If
    `reverse`, time runs from the last step to the first.

    `shifts` has a number for each sequence: its body sees the element that many
    steps of time later, and where there is none that of `edges`, which stand in the
    order of the sequences that need one.

    A kernel of the body is one kernel of all steps. The body has the types that it
    says, whatever the precision of the model. The gradient is a scan in the other
    direction, which runs the body again from what was carried into a step: the
    forward keeps what it carries, and nothing of the body. Recurrent ops, which keep
    their gates, are made of this op when their gradients are there.

    `results[t] = body(carried from t - 1, sequences[t + shifts], constants)`

    - C1: there is a step or more, and sequences have so many in their first dim
    - C2: `shifts` are -1, 0 or 1, one for each sequence; there is an edge for each that is not 0, like an element of the sequence
    - C3: arguments of the body have the types of what it takes
    - C4: yielded values have the types of what is carried, and of the elements of results
    - C5: no scan is in another's body
    - C6: nothing in the body is random: draw a sequence in front of the scan
    - C7: nothing in the body has running statistics

    ```mlir
    %last, %sums = graph.scan steps = 8 carry %zero each %x : (tensor<4xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
    ^bb0(%before: tensor<4xf32>, %now: tensor<4xf32>):
      %sum = graph.add %before, %now : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      graph.yield %sum, %sum : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$carried, Variadic<Graph_Tensor>:$sequences,
    Variadic<Graph_Tensor>:$edges, Variadic<Graph_Tensor>:$constants, I64Attr:$steps,
    OptionalAttr<DenseI64ArrayAttr>:$shifts, UnitAttr:$reverse);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let syntax = [{
    `steps` `=` $steps (`reverse` $reverse^)? (`carry` $carried^)? (`each` $sequences^)?
    (`shifts` `=` $shifts^)? (`edges` $edges^)? (`with` $constants^)?
    attr-dict-with-keyword `:` functional-type(operands, results) custom<YieldingBody>($body)
  }];
  let extraClassDeclaration = [{
    /// AutocastOpInterface: the body says the types.
    bool isRetypeable(unsigned) { return false; }
    bool takesMixedTypes() { return true; }
    /// How many steps of time later sequence `number` is seen.
    int64_t getShift(unsigned number) { return getShifts() ? (*getShifts())[number] : 0; }
    /// What stands in the place of an element that sequence `number` does not have, or null.
    ::mlir::Value getEdge(unsigned number);
    /// Results that are sequences.
    ::mlir::ResultRange getStacked() { return getResults().drop_front(getCarried().size()); }
    ::mpc::graph::YieldOp getYield();
  }];
  let hasRegionVerifier = 1;
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_TIME_SCAN_TD
