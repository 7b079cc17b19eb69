// The exec dialect.
#ifndef MPC_DIALECT_EXEC_IR_EXECDIALECT_TD
#define MPC_DIALECT_EXEC_IR_EXECDIALECT_TD

include "mlir/IR/DialectBase.td"

def Exec_Dialect : Dialect {
  let name = "exec";
  let cppNamespace = "::mpc::exec";
  let summary = "a device program: kernels, and a straight line of calls on buffers";
  let description = [{
    A module of this dialect is a program as the runtime sees it. It holds

    - `exec.state_decl`: tensors that live as long as the session,
    - `exec.kernel`: what a generated kernel computes, named by its content,
    - `exec.entry`: something to run, a straight line of steps on buffers.

    Buffers are memrefs of static shape and identity layout. They come from
    `exec.input`, `exec.state`, `exec.constant` and `exec.alloc`; steps
    (`exec.launch`, `exec.call`, `exec.all_reduce`, `exec.multi_tensor`,
    `exec.copy`, `exec.fill`) read their `ins` and write their `outs`. Steps run in order, each after the
    one before it has finished; but for all-reduces, which a planned entry begins
    (`exec.all_reduce_start`) and waits for later (`exec.all_reduce_done`).

    Before `mpc-plan-buffers` every result has a buffer of its own and
    `exec.update` says which buffer becomes the next value of a state. After it
    every buffer has an offset and no `exec.update` is left.
  }];
  let dependentDialects = ["::mpc::graph::GraphDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

#endif // MPC_DIALECT_EXEC_IR_EXECDIALECT_TD
