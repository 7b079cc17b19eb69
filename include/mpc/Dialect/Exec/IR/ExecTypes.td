// Types of the exec dialect, besides memrefs.
#ifndef MPC_DIALECT_EXEC_IR_EXECTYPES_TD
#define MPC_DIALECT_EXEC_IR_EXECTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mpc/Dialect/Exec/IR/ExecDialect.td"

def Exec_Ticket : TypeDef<Exec_Dialect, "Ticket"> {
  let mnemonic = "ticket";
  let summary = "work that a step has begun, and another one waits for";
  let builderCall = "$_builder.getType<::mpc::exec::TicketType>()";
}

#endif // MPC_DIALECT_EXEC_IR_EXECTYPES_TD
