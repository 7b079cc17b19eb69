// The passes on the exec dialect.
#ifndef MPC_DIALECT_EXEC_TRANSFORMS_PASSES_TD
#define MPC_DIALECT_EXEC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

class Exec_Pass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  let dependentDialects = ["::mpc::exec::ExecDialect"];
}

def PlanBuffers : Exec_Pass<"mpc-plan-buffers"> {
  let summary = "Update states in place and give every buffer its place in memory";
  let description = [{
    For each entry, in this order:

    1. *Order*. All steps that read the old value of a state come before the
       step that makes its next value. If one depends on that step, it is an
       error that names both.
    2. *Donation*. The buffer of an `exec.update` becomes the state's memory. A
       step that cannot work in place on the state gets a copy after it, and a
       remark says so.
    3. *Order for the peak*. A step that frees more than it makes runs as soon as
       it can, if that makes the largest live set smaller; else steps stay as
       they are.
    4. *Overlap*. An all-reduce begins where its last gradient is there
       (`exec.all_reduce_start`), and what needs it runs behind the start of the
       next one (`exec.all_reduce_done`): each bucket travels while the
       gradients of the next one are computed. A remark tells how many steps run
       beside buckets.
    5. *Reuse*. A result takes the buffer of an operand that dies in the step,
       where the step allows it and the bytes are equal.
    6. *Placement*. Each buffer goes into the smallest gap that it fits among
       the buffers that live at the same time; offsets are multiples of 256
       bytes. The largest buffers go first; where that needs more than is ever
       live at once, other orders are tried (by start, by end, by lifetime, by
       bytes times lifetime, and the best of them with what did not fit moved
       forward), and the best is kept. A remark tells which.

    States and constants get offsets in their own blocks.

    ```mlir
    %w = exec.state "w" : memref<8xf32>
    %n = exec.alloc : memref<8xf32>
    exec.launch @k ins(%w : memref<8xf32>) outs(%n : memref<8xf32>)
    exec.update "w" = %n : memref<8xf32>
    ```
    becomes
    ```mlir
    %w = exec.state "w" : memref<8xf32>
    %n = exec.renew %w : memref<8xf32> to memref<8xf32>
    exec.launch @k ins(%w : memref<8xf32>) outs(%n : memref<8xf32>)
    ```
  }];
}

def VerifyExec : Pass<"mpc-verify-exec", "::mlir::ModuleOp"> {
  let summary = "Check a planned program again, from its offsets";
  let description = [{
    No update is left; every state, constant and buffer has an offset that is a
    multiple of 256 and lies in its block; states lie apart, and constants that
    are not equal; nothing writes an input or a constant; a step shares memory
    between a read and a write only where it allows that, and between two writes
    never; states are declared with the type that entries use. Then the steps
    are followed one by one: whatever a step or an output reads must have been
    written, and nothing else since over any of its bytes. Between a step that
    begins work and the one that waits for it, nothing writes what the work
    reads, and nothing touches what it writes. That asks no analysis of the
    planner.
  }];
}

def PrintMemory : Pass<"mpc-print-memory", "::mlir::ModuleOp"> {
  let summary = "Print the memory map of a planned program";
  let description = [{
    On standard error, for tests and people. Changes nothing.
  }];
  let options = [
    Option<"peak", "peak", "bool", "false",
      "also what lies in the largest work block when most of it is in use: bytes, category, type, value and source line">
  ];
}

#endif // MPC_DIALECT_EXEC_TRANSFORMS_PASSES_TD
