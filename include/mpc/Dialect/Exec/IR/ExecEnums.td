// What enums of the exec dialect are made with. Their words are those of the
// program file.
#ifndef MPC_DIALECT_EXEC_IR_EXECENUMS_TD
#define MPC_DIALECT_EXEC_IR_EXECENUMS_TD

include "mlir/IR/EnumAttr.td"
include "mpc/Dialect/Exec/IR/ExecDialect.td"

class Exec_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mpc::exec";
  let genSpecializedAttr = 0;
}
class Exec_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<Exec_Dialect, info, mnemonic>;

#endif // MPC_DIALECT_EXEC_IR_EXECENUMS_TD
