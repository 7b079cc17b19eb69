// The steps of an entry: what the runtime executes as one record each.
#ifndef MPC_DIALECT_EXEC_IR_EXECSTEPS_TD
#define MPC_DIALECT_EXEC_IR_EXECSTEPS_TD

include "mpc/Dialect/Exec/IR/ExecBase.td"

class Exec_StepOp<string mnemonic, list<Trait> traits = [], Trait parent = HasParent<"EntryOp">>
    : Exec_Op<mnemonic, traits # [DeclareOpInterfaceMethods<StepOpInterface>, parent]>;

/// What may stand in the body of a loop, too.
def Exec_InEntryOrLoop : ParentOneOf<["EntryOp", "LoopOp"]>;

def Exec_LaunchOp : Exec_StepOp<"launch", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>], Exec_InEntryOrLoop> {
  let summary = "one run of a generated kernel over its whole extent";
  let description = [{
    C1. The symbol is an `exec.kernel`.
    C2. Shapes and element types of `inputs` and `outputs` are those of the
        kernel's group, and strides of outputs those that it writes with.

    ```mlir
    exec.kernel @k_neg extent = 4 grain = 1 reads = 128 writes = 128 {
    ^bb0(%x: tensor<4x8xf32>):
      %y = graph.group #graph.group_kind<row> %x : (tensor<4x8xf32>) -> tensor<4x8xf32> {
      ^bb0(%a: tensor<4x8xf32>):
        %b = graph.neg %a : tensor<4x8xf32>
        graph.yield %b : tensor<4x8xf32>
      }
    }
    exec.entry @e {
      %x = exec.input "x" : memref<4x8xf32>
      %y = exec.alloc : memref<4x8xf32>
      exec.launch @k_neg ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Exec_Buffer>:$inputs,
                       Variadic<Exec_StridedBuffer>:$outputs);
  let assemblyFormat = [{
    $kernel (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)` attr-dict
  }];
}
def Exec_CallOp : Exec_StepOp<"call", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>], Exec_InEntryOrLoop> {
  let summary = "work that a library does";
  let description = [{
    The kind says what is done, with its options; each operand says what it is to
    the call. What a kind takes is the same here and in the program file: its
    checks are those of `lib/Program/Calls`. Outputs that are views of one buffer
    are parts that lie apart and make up all of it.

    `tail`: a kernel that does all that stands beside the plain call (for a
    product bias, function and sums, not the addend), after it, where the result
    goes: the way to take where the library has no algorithm for both. `tail_buffers` are the
    numbers of the buffers (inputs, then outputs) that are the kernel's operands
    and results; of an input that is a view of a whole buffer, that buffer.

    C1. Operands have the roles, types, shapes and strides that the kind asks
        for, on some target.
    C2. The tail is an `exec.kernel`, its buffers are like its operands and
        results, and results are outputs. Where an operand and a result are one
        buffer, they are a pair of the kernel's `in_place`.

    ```mlir
    exec.entry @e {
      %x = exec.input "x" : memref<4x8xf32>
      %w = exec.input "w" : memref<8x16xf32>
      %b = exec.input "b" : memref<16xf32>
      %y = exec.alloc : memref<4x16xf32>
      exec.call #exec.matmul<epilogue = relu> ins(lhs %x : memref<4x8xf32>, rhs %w : memref<8x16xf32>, bias %b : memref<16xf32>) outs(result %y : memref<4x16xf32>)
    }
    ```
  }];
  let arguments = (ins Exec_CallKindAttr:$kind, Variadic<Exec_StridedBuffer>:$inputs,
    Variadic<Exec_StridedBuffer>:$outputs, DenseI32ArrayAttr:$roles,
    OptionalAttr<FlatSymbolRefAttr>:$tail,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$tail_buffers);
  let assemblyFormat = [{
    $kind custom<CallOperands>($inputs, type($inputs), $outputs, type($outputs), $roles)
    (`tail` `=` $tail^ $tail_buffers)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Buffer `number` of `tail_buffers`: an operand, or the buffer that it
    /// views all of; null if it views a part.
    ::mlir::Value getTailBuffer(int64_t number);
    /// The call as the program file has it, but for its tail.
    ::mpc::program::CallT describe();
  }];
}
def Exec_MultiTensorOp : Exec_StepOp<"multi_tensor", [AttrSizedOperandSegments]> {
  let summary = "operation on lists of tensors by a kernel of the runtime";
  let description = [{
    `n` is the number of gradients. Scalars are there if the attribute says so.

    | kind | ins | outs |
    |---|---|---|
    | `unscale_l2norm` | [scale], n gradients | found_inf, norm |
    | `adamw` | [found_inf], [scale], [coefficient], lr, step, n parameters, n gradients, n exp_avg, n exp_avg_sq | n parameters, n exp_avg, n exp_avg_sq, [n copies] |
    | `sgd` | [found_inf], [scale], [coefficient], lr, n parameters, n gradients, [n momentum buffers] | n parameters, [n momentum buffers], [n copies] |

    A gradient counts as gradient / scale * coefficient. Where found_inf is set,
    results are the old values. A result may be the memory of the operand that
    it is the next value of. Buffers of momentum are there if `momentum` is not 0.

    C1. Inputs and outputs are as many as the kind and the attributes ask for,
        with at least one gradient.
    C2. Scalars have the types above: i1 for found_inf, i32 for step, else f32.
    C3. Tensors are f32 but for gradients and copies, which have one type of 16
        or 32 and one of 16 bits; those of one parameter have one shape.

    ```mlir
    exec.entry @e {
      %lr = exec.input "lr" : memref<f32>
      %inf = exec.input "found_inf" : memref<i1>
      %p = exec.state "w" : memref<8xf32>
      %g = exec.input "g" : memref<8xf16>
      exec.multi_tensor sgd ins(%inf, %lr, %p, %g : memref<i1>, memref<f32>, memref<8xf32>, memref<8xf16>) outs(%p : memref<8xf32>) has_found_inf {weight_decay = 0.1 : f64}
    }
    ```
  }];
  let arguments = (ins Exec_MultiTensorKindAttr:$kind, Variadic<Exec_Buffer>:$inputs,
    Variadic<Exec_Buffer>:$outputs, UnitAttr:$has_found_inf, UnitAttr:$has_scale,
    UnitAttr:$has_coefficient, UnitAttr:$has_copies,
    DefaultValuedAttr<F64Attr, "0.0">:$beta1, DefaultValuedAttr<F64Attr, "0.0">:$beta2,
    DefaultValuedAttr<F64Attr, "0.0">:$epsilon, DefaultValuedAttr<F64Attr, "0.0">:$weight_decay,
    DefaultValuedAttr<F64Attr, "0.0">:$momentum, UnitAttr:$nesterov);
  let assemblyFormat = [{
    $kind `ins` `(` $inputs `:` type($inputs) `)` `outs` `(` $outputs `:` type($outputs) `)`
    (`has_found_inf` $has_found_inf^)? (`has_scale` $has_scale^)?
    (`has_coefficient` $has_coefficient^)? (`has_copies` $has_copies^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Scalars in front of the lists.
    unsigned getNumScalars();
    /// Lists of tensors among the inputs and the outputs; gradients are list 1
    /// of an optimizer and list 0 of the norm.
    unsigned getNumInputLists();
    unsigned getNumOutputLists();
    /// How many tensors a list has.
    unsigned getCount() { return (getInputs().size() - getNumScalars()) / getNumInputLists(); }
    /// Input and output list `index`; outputs of the norm are not lists.
    ::mlir::ValueRange getInputList(unsigned index) {
      return getInputs().slice(getNumScalars() + index * getCount(), getCount());
    }
    ::mlir::ValueRange getOutputList(unsigned index) {
      return getOutputs().slice(index * getCount(), getCount());
    }
  }];
}
def Exec_AllReduceOp : Exec_StepOp<"all_reduce", [AttrSizedOperandSegments]> {
  let summary = "each buffer combined over the ranks of a group";
  let description = [{
    C1. Input i and output i have one type, and all have one element type.

    ```mlir
    exec.entry @e {
      %g = exec.input "g" : memref<8xf32>
      %r = exec.alloc as gradient : memref<8xf32>
      exec.all_reduce <average> ins(%g : memref<8xf32>) outs(%r : memref<8xf32>) group = "data"
    }
    ```
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Variadic<Exec_Buffer>:$inputs,
    Variadic<Exec_Buffer>:$outputs, StrAttr:$group);
  let assemblyFormat = [{
    $kind `ins` `(` $inputs `:` type($inputs) `)` `outs` `(` $outputs `:` type($outputs) `)`
    `group` `=` $group attr-dict
  }];
  let hasVerifier = 1;
}
def Exec_AllReduceStartOp : Exec_StepOp<"all_reduce_start", [AttrSizedOperandSegments]> {
  let summary = "all-reduce that goes on beside the steps that follow";
  let description = [{
    Made of `exec.all_reduce` by `mpc-plan-buffers`.

    C1. As of `exec.all_reduce`.
    C2. One `exec.all_reduce_done` waits for the ticket.

    ```mlir
    exec.entry @e {
      %g = exec.input "g" : memref<8xf32>
      %x = exec.input "x" : memref<8xf32>
      %r = exec.alloc as gradient : memref<8xf32>
      %y = exec.alloc : memref<8xf32>
      %t = exec.all_reduce_start <average> ins(%g : memref<8xf32>) outs(%r : memref<8xf32>) group = "data"
      exec.copy %x to %y : memref<8xf32>
      exec.all_reduce_done %t
    }
    ```
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Variadic<Exec_Buffer>:$inputs,
    Variadic<Exec_Buffer>:$outputs, StrAttr:$group);
  let results = (outs Exec_Ticket:$ticket);
  let assemblyFormat = [{
    $kind `ins` `(` $inputs `:` type($inputs) `)` `outs` `(` $outputs `:` type($outputs) `)`
    `group` `=` $group attr-dict
  }];
  let hasVerifier = 1;
}
def Exec_AllReduceDoneOp : Exec_Op<"all_reduce_done", [HasParent<"EntryOp">,
    DeclareOpInterfaceMethods<StepOpInterface, ["getBegun"]>]> {
  let summary = "wait for an all-reduce to end";
  let description = [{
    C1. The ticket is that of an `exec.all_reduce_start`.

    ```mlir
    exec.entry @e {
      %g = exec.input "g" : memref<8xf32>
      %r = exec.alloc as gradient : memref<8xf32>
      %t = exec.all_reduce_start <average> ins(%g : memref<8xf32>) outs(%r : memref<8xf32>) group = "data"
      exec.all_reduce_done %t
    }
    ```
  }];
  let arguments = (ins Exec_Ticket:$ticket);
  let assemblyFormat = "$ticket attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mpc::exec::AllReduceStartOp getStart();
  }];
}
def Exec_LoopOp : Exec_StepOp<"loop", [AttrSizedOperandSegments, IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "the same steps again and again, on other parts of the same buffers";
  let description = [{
    To all others one step, which reads all inputs and writes all outputs; in the
    program file its steps stand one after the other, `steps` times, from the first
    number to the last or, if `reverse`, back. Argument i of the body lies where
    `places`[i] says (`#exec.place`).

    C1. There is a place for each argument of the body, whose buffer and edge are
        operands; a shift is -1, 0 or 1; an edge is there exactly where there can
        be no slice: with a shift that leaves the buffer, or with the last `turn`.
    C2. An edge has as many bytes as the argument, a slice so many or more, which
        nobody uses; what slices are taken of has `steps` of them, or two if they
        take turns.
    C3. The body has launches, calls, copies and views. What they write is a part of
        an output, and what they read of an output has been written, by the body
        before or by the step before.

    ```mlir
    exec.entry @e {
      %x = exec.input "x" : memref<3x8xf32>
      %y = exec.alloc : memref<3x8xf32>
      exec.loop steps = 3 ins(%x : memref<3x8xf32>) outs(%y : memref<3x8xf32>)
          places = [#exec.place<buffer = 0, mode = slice>, #exec.place<buffer = 1, mode = slice>] {
      ^bb0(%a: memref<8xf32>, %b: memref<8xf32>):
        exec.copy %a to %b : memref<8xf32>
      }
    }
    ```
  }];
  let arguments = (ins I64Attr:$steps, UnitAttr:$reverse, Variadic<Exec_StridedBuffer>:$inputs,
    Variadic<Exec_Buffer>:$outputs, Exec_PlacesAttr:$places);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `steps` `=` $steps (`reverse` $reverse^)? (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)` `places` `=` $places attr-dict-with-keyword custom<Body>($body)
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Where an argument lies in a step: in an operand, so many of its slices
    /// further; in all of it if there is no slice.
    struct Place {
      ::mlir::Value operand;
      ::std::optional<int64_t> slice;
    };
    /// The place of argument `number` in the step that runs as number `turn`.
    Place getPlace(unsigned number, int64_t turn);
    ::mpc::exec::PlaceAttr getPlaceAttr(unsigned number) {
      return ::mlir::cast<::mpc::exec::PlaceAttr>(getPlaces()[number]);
    }
  }];
}
def Exec_CopyOp : Exec_StepOp<"copy", [AllTypesMatch<["source", "target"]>], Exec_InEntryOrLoop> {
  let summary = "bytes of one buffer copied to another";
  let description = [{
    ```mlir
    exec.entry @e {
      %x = exec.input "x" : memref<8xf32>
      %y = exec.alloc : memref<8xf32>
      exec.copy %x to %y : memref<8xf32>
    }
    ```
  }];
  let arguments = (ins Exec_Buffer:$source, Exec_Buffer:$target);
  let assemblyFormat = "$source `to` $target attr-dict `:` type($source)";
}
def Exec_FillOp : Exec_StepOp<"fill"> {
  let summary = "buffer set to zero bytes";
  let description = [{
    ```mlir
    exec.entry @e {
      %y = exec.alloc : memref<8xf32>
      exec.fill %y : memref<8xf32>
    }
    ```
  }];
  let arguments = (ins Exec_Buffer:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}
def Exec_ObserveOp : Exec_StepOp<"observe"> {
  let summary = "counts of the elements of a buffer, by what they are";
  let description = [{
    Writes the numbers of `mpc::Observation` (mpc/Support/Observation.h) of
    `value` to `row`. The other attributes are those of `graph.observe`. Target
    `cpu` only: probes run on the processor.

    C1. `value` has float elements, and `row` is one row of f64 of as many
        numbers as an observation has.

    ```mlir
    exec.entry @probe {
      %x = exec.input "x" : memref<4x8xf16>
      %r = exec.alloc : memref<291xf64>
      exec.observe 0 %x to %r as "x" made_by "input" from [] : memref<4x8xf16>, memref<291xf64>
      exec.output "x" %r : memref<291xf64>
    }
    ```
  }];
  let arguments = (ins I64Attr:$number, Exec_Buffer:$value, Exec_Buffer:$row, StrAttr:$name,
    StrAttr:$what, DenseI64ArrayAttr:$sources, UnitAttr:$backward, UnitAttr:$sink);
  let assemblyFormat = [{
    $number $value `to` $row `as` $name `made_by` $what `from` $sources (`backward` $backward^)?
    (`sink` $sink^)? attr-dict `:` type($value) `,` type($row)
  }];
  let hasVerifier = 1;
}

#endif // MPC_DIALECT_EXEC_IR_EXECSTEPS_TD
