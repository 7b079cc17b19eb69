// The dialect of Example.td.
#ifndef MPC_TEST_TOOLS_FOREIGN_OPT_EXAMPLE_H
#define MPC_TEST_TOOLS_FOREIGN_OPT_EXAMPLE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mpc/Interfaces/AutocastOpInterface.h"
#include "mpc/Interfaces/DifferentiableOpInterface.h"
#include "mpc/Interfaces/KernelOpInterfaces.h"

#include "ExampleDialect.h.inc"

#define GET_OP_CLASSES
#include "ExampleOps.h.inc"

#endif // MPC_TEST_TOOLS_FOREIGN_OPT_EXAMPLE_H
