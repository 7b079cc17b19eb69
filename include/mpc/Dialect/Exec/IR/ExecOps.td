// The ops of the exec dialect: declarations, buffers, and what becomes of them.
// Steps stand in ExecSteps.td.
#ifndef MPC_DIALECT_EXEC_IR_EXECOPS_TD
#define MPC_DIALECT_EXEC_IR_EXECOPS_TD

include "mpc/Dialect/Exec/IR/ExecBase.td"
include "mpc/Dialect/Exec/IR/ExecSteps.td"

//===-- Declarations -------------------------------------------------------===//

def Exec_StateDeclOp : Exec_Op<"state_decl", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "tensor that lives as long as the session";
  let description = [{
    `init` says how the tensor gets its first value; a state without it is
    derived by the entry `init`. Role, `of` and `init` are those of
    `#graph.state`. The planner adds the offset in the state block.

    C1. A weight copy, a moment and a compensation name their parameter. The role
        has such a first value: none of a weight copy, zero of an accumulator
        or a compensation, no random one of any but a parameter.
    C2. The role has such a type: a scale or a rate is one f32, a counter one
        i32, and parameters and what belongs to them are floats.
    C3. Only a weight copy has no `init`: all else that a step changes would be
    missing from checkpoints, which leave out what `init` computes.

    C4. The tensor is not above the limit of bytes.

    ```mlir
    exec.state_decl "w.exp_avg" moment of "w" : memref<4x8xf32> init #graph.zeros
    ```
  }];
  let arguments = (ins StrAttr:$name, Graph_RoleAttr:$role, OptionalAttr<StrAttr>:$of,
                       OptionalAttr<AnyAttr>:$init, TypeAttrOf<Exec_Buffer>:$type,
                       OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = [{
    $name `` $role (`of` $of^)? (`offset` `=` $offset^)? attr-dict `:` $type (`init` $init^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = "::mpc::graph::StateFacts getFacts();";
}

def Exec_KernelOp : Exec_Op<"kernel", [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock,
                                       HasParent<"::mlir::ModuleOp">]> {
  let summary = "what one generated kernel computes";
  let description = [{
    The body holds one `graph.group` on the block arguments. The kernel's
    pointers are the operands of the group, then its results. Its work is
    `extent` items, of which one thread takes at least `grain` at a time; it
    reads and writes `reads` and `writes` bytes.
    `in_place` lists pairs (operand, result) that may be the same memory.
    `strict` rounds after every op, else only casts and results are rounded.

    C1. The body is one group, not of kind library, on all block arguments in
        order.
    C2. `extent` and `grain` are positive.
    C3. `in_place` holds pairs of indices of an operand and a result of equal
        bytes.

    ```mlir
    exec.kernel @k_neg extent = 4 grain = 1 reads = 128 writes = 128 in_place = [0, 0] {
    ^bb0(%x: tensor<4x8xf32>):
      %y = graph.group #graph.group_kind<row> %x : (tensor<4x8xf32>) -> tensor<4x8xf32> {
      ^bb0(%a: tensor<4x8xf32>):
        %b = graph.neg %a : tensor<4x8xf32>
        graph.yield %b : tensor<4x8xf32>
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$extent, I64Attr:$grain,
    I64Attr:$reads, I64Attr:$writes,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$in_place, UnitAttr:$strict);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `extent` `=` $extent `grain` `=` $grain `reads` `=` $reads
    `writes` `=` $writes (`in_place` `=` $in_place^)?
    (`strict` $strict^)? attr-dict-with-keyword custom<Body>($body)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The one op of the body.
    ::mpc::graph::GroupOp getGroup();
  }];
}

def Exec_EntryOp : Exec_Op<"entry", [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock,
                                     HasParent<"::mlir::ModuleOp">]> {
  let summary = "straight line of steps that the runtime runs by name";
  let description = [{
    `arena` is the bytes of the work block that the entry needs, set by the
    planner. Outputs are found where `exec.output` says until the next run.

    ```mlir
    exec.entry @forward {
      %x = exec.input "x" : memref<4x8xf32>
      %y = exec.alloc : memref<4x8xf32>
      exec.copy %x to %y : memref<4x8xf32>
      exec.output "y" %y : memref<4x8xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<I64Attr>:$arena);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name (`arena` `=` $arena^)? attr-dict-with-keyword custom<Body>($body)";
}

//===-- Buffers ------------------------------------------------------------===//

class Exec_BufferOp<string mnemonic, list<Trait> traits = []>
    : Exec_Op<mnemonic, traits> {
  let results = (outs Exec_Buffer:$buffer);
}

def Exec_InputOp : Exec_BufferOp<"input", [Pure, HasParent<"EntryOp">]> {
  let summary = "the caller's tensor of this name, read only";
  let description = [{
    Inputs are numbered in the order in which they stand in the entry. What
    they must hold, and whether only the loss depends on them, goes with them
    into the program.

    C1. `classes` is a #graph.classes, on a buffer of i32 or i64.

    ```mlir
    exec.entry @e {
      %x = exec.input "x" : memref<4x8xf32>
      %y = exec.input "label" loss_only : memref<4xi32> classes #graph.classes<count = 10, ignored = -100>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<AnyAttr>:$classes, UnitAttr:$loss_only);
  let builders = [
    OpBuilder<(ins "::mlir::Type":$buffer, "::mlir::StringAttr":$name), [{
      build($_builder, $_state, buffer, name, /*classes=*/nullptr, /*loss_only=*/false);
    }]>
  ];
  let assemblyFormat = [{
    $name (`loss_only` $loss_only^)? attr-dict `:` type($buffer) (`classes` $classes^)?
  }];
  let hasVerifier = 1;
}
def Exec_StateOp : Exec_BufferOp<"state", [Pure, HasParent<"EntryOp">]> {
  let summary = "the memory of a state tensor";
  let description = [{
    What a state holds outlives the run.

    ```mlir
    exec.state_decl "w" parameter : memref<8xf32> init #graph.zeros
    exec.entry @e {
      %w = exec.state "w" : memref<8xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let assemblyFormat = "$name attr-dict `:` type($buffer)";
}
def Exec_ConstantOp : Exec_BufferOp<"constant", [Pure, HasParent<"EntryOp">]> {
  let summary = "elements known at compile time, read only";
  let description = [{
    C1. `value` has the shape and element type of the buffer.

    C2. A resource has as many bytes as its type, an i1 being one byte, 0 or 1.

    ```mlir
    exec.entry @e {
      %c = exec.constant : memref<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
    }
    ```
  }];
  let arguments = (ins ElementsAttr:$value, OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = "(`offset` `=` $offset^)? attr-dict `:` type($buffer) `=` $value";
  let hasVerifier = 1;
}
def Exec_AllocOp : Exec_BufferOp<"alloc", [Pure, HasParent<"EntryOp">]> {
  let summary = "memory of the entry's work block";
  let description = [{
    Without offset the planner still has to place it. It holds nothing until a
    step writes it.

    ```mlir
    exec.entry @e {
      %a = exec.alloc as activation offset = 256 : memref<4x8xf32>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<Exec_CategoryAttr>:$category,
                       OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = [{
    (`as` `` $category^)? (`offset` `=` $offset^)? attr-dict `:` type($buffer)
  }];
}
def Exec_RenewOp : Exec_Op<"renew", [HasParent<"EntryOp">]> {
  let summary = "the memory of a value that nobody reads again, for the next one";
  let description = [{
    What is written through the result replaces what the source holds; whoever
    reads the source after that reads the wrong value, and `mpc-verify-exec` says
    so. The planner makes one wherever it gives a value the memory of another:
    the next value of a state, and a result in place of an operand.

    C1. Source and result are dense and have equally many bytes.

    ```mlir
    exec.state_decl "w" parameter : memref<8xf32> init #graph.zeros
    exec.entry @e {
      %w = exec.state "w" : memref<8xf32>
      %n = exec.renew %w : memref<8xf32> to memref<8xf32>
      exec.fill %n : memref<8xf32>
    }
    ```
  }];
  let arguments = (ins Exec_Buffer:$source);
  let results = (outs Exec_Buffer:$buffer);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($buffer)";
  let hasVerifier = 1;
}

def Exec_ViewOp : Exec_Op<"view", [Pure, Exec_InEntryOrLoop]> {
  let summary = "the same memory under another shape, or a part of it";
  let description = [{
    C1. Source and result have the same element type, and the same number of
        elements if the result is dense.
    C2. No element of a strided result lies outside of the source.

    Only library calls read strided buffers; they and launches write such.

    ```mlir
    exec.entry @e {
      %a = exec.alloc : memref<4x8xf32>
      %v = exec.view %a : memref<4x8xf32> to memref<32xf32>
      %t = exec.view %a : memref<4x8xf32> to memref<8x4xf32, strided<[1, 8]>>
    }
    ```
  }];
  let arguments = (ins Exec_Buffer:$source);
  let results = (outs Exec_StridedBuffer:$buffer);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($buffer)";
  let hasVerifier = 1;
}

//===-- Results ------------------------------------------------------------===//

def Exec_UpdateOp : Exec_Op<"update", [HasParent<"EntryOp">]> {
  let summary = "a buffer that becomes the next value of a state";
  let description = [{
    Only before `mpc-plan-buffers`, which lets the value be computed in place.
    The state keeps its old value for all steps that read it, wherever they
    stand: it is the planner's task to order them.

    ```mlir
    exec.entry @e {
      %n = exec.alloc : memref<8xf32>
      exec.fill %n : memref<8xf32>
      exec.update "w" = %n : memref<8xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, Exec_Buffer:$value);
  let assemblyFormat = "$name `=` $value attr-dict `:` type($value)";
}
def Exec_OutputOp : Exec_Op<"output", [HasParent<"EntryOp">]> {
  let summary = "where the caller finds an output after a run";
  let description = [{
    ```mlir
    exec.entry @e {
      %y = exec.alloc : memref<8xf32>
      exec.fill %y : memref<8xf32>
      exec.output "y" %y : memref<8xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$name, Exec_Buffer:$value);
  let assemblyFormat = "$name $value attr-dict `:` type($value)";
}

#endif // MPC_DIALECT_EXEC_IR_EXECOPS_TD
