// The exec dialect: a program as the runtime sees it. See ExecDialect.td for
// what a module of it holds.
#ifndef MPC_DIALECT_EXEC_IR_EXECDIALECT_H
#define MPC_DIALECT_EXEC_IR_EXECDIALECT_H

#include "mlir/IR/Dialect.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Interfaces/LLVM.h"

#include "mpc/Dialect/Exec/IR/ExecEnums.h.inc"

#include "mpc/Dialect/Exec/IR/ExecDialect.h.inc"

namespace mpc::program {
enum class ElementType : uint8_t;
struct CallT;
} // namespace mpc::program

#include "mpc/Dialect/Exec/IR/ExecAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "mpc/Dialect/Exec/IR/ExecAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "mpc/Dialect/Exec/IR/ExecTypes.h.inc"

#endif // MPC_DIALECT_EXEC_IR_EXECDIALECT_H
