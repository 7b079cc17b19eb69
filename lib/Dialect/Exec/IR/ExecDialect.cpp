#include "mpc/Dialect/Exec/IR/ExecDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mpc;
using namespace mpc::exec;

#include "mpc/Dialect/Exec/IR/ExecDialect.cpp.inc"
#include "mpc/Dialect/Exec/IR/ExecEnums.cpp.inc"

#include "mpc/Dialect/Exec/IR/ExecAttrInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "mpc/Dialect/Exec/IR/ExecAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "mpc/Dialect/Exec/IR/ExecTypes.cpp.inc"

#include "mpc/Dialect/Exec/IR/ExecInterfaces.cpp.inc"

void ExecDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "mpc/Dialect/Exec/IR/ExecOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mpc/Dialect/Exec/IR/ExecAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "mpc/Dialect/Exec/IR/ExecTypes.cpp.inc"
      >();
}
