// How passes ask a step what it does to buffers, without naming steps.
#ifndef MPC_DIALECT_EXEC_IR_EXECINTERFACES_TD
#define MPC_DIALECT_EXEC_IR_EXECINTERFACES_TD

include "mlir/IR/OpBase.td"

def StepOpInterface : OpInterface<"StepOpInterface"> {
  let cppNamespace = "::mpc::exec";
  let description = [{
    An op that the runtime executes as one record: it reads buffers, then writes
    others from the first to the last byte, each at once or all of its parts.

    `exec.launch` fits; `exec.alloc`, which only names memory, does not.

    Some work goes on beside the steps that follow: a step begins it, another
    one waits for its end. In between nobody may write what it reads, or touch
    what it writes. Both tell the same buffers.
  }];
  let methods = [
    InterfaceMethod<"The buffers that are read.",
      "::mlir::ValueRange", "getReads">,
    InterfaceMethod<"The buffers that are written, whole, or views of their parts.",
      "::mlir::ValueRange", "getWrites">,
    InterfaceMethod<[{
      Whether read `read` and write `write` may be the same memory: the step is
      then done with an element before it overwrites it. `symbols` finds what
      the step refers to.
    }], "bool", "canShare", (ins "::mlir::SymbolTableCollection &":$symbols,
                                 "unsigned":$read, "unsigned":$write)>,
    InterfaceMethod<"Of a step that waits: the one that has begun the work.",
      "::mpc::exec::StepOpInterface", "getBegun", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return nullptr;">
  ];
}

def CallKindAttrInterface : AttrInterface<"CallKindAttrInterface"> {
  let cppNamespace = "::mpc::exec";
  let description = [{
    A kind of library call with its options, as `exec.call` has it.
  }];
  let methods = [
    InterfaceMethod<"Gives `call` these options, as the program file has them.",
      "void", "setOptions", (ins "::mpc::program::CallT &":$call)>
  ];
}

#endif // MPC_DIALECT_EXEC_IR_EXECINTERFACES_TD
