// The operands of exec.call as text, `ins(lhs %x : type, ...) outs(...)`: what
// its assembly format calls. Private to this room.
#ifndef MPC_LIB_DIALECT_EXEC_IR_CALLSYNTAX_H
#define MPC_LIB_DIALECT_EXEC_IR_CALLSYNTAX_H

#include "mlir/IR/OpImplementation.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::exec {

using UnresolvedOperands =
    SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;

mlir::ParseResult parseCallOperands(mlir::OpAsmParser &parser,
                                    UnresolvedOperands &inputs,
                                    SmallVectorImpl<Type> &inputTypes,
                                    UnresolvedOperands &outputs,
                                    SmallVectorImpl<Type> &outputTypes,
                                    mlir::DenseI32ArrayAttr &roles);
void printCallOperands(mlir::OpAsmPrinter &printer, Operation *call,
                       mlir::OperandRange inputs, mlir::TypeRange inputTypes,
                       mlir::OperandRange outputs, mlir::TypeRange outputTypes,
                       mlir::DenseI32ArrayAttr roles);

} // namespace mpc::exec

#endif // MPC_LIB_DIALECT_EXEC_IR_CALLSYNTAX_H
