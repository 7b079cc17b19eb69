// What the declarations of every op family need; an interface that few have is
// included by the headers of their families.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_OPBASE_H
#define MPC_DIALECT_GRAPH_IR_OPS_OPBASE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Interfaces/AutocastOpInterface.h"
#include "mpc/Interfaces/DifferentiableOpInterface.h"
#include "mpc/Interfaces/KernelOpInterfaces.h"
#include "mpc/Interfaces/KnownAttributes.h"
#include "mpc/Interfaces/OtherNames.h"
#include "mpc/Interfaces/SSARegion.h"
#include "mpc/Interfaces/TensorBytes.h"

#endif // MPC_DIALECT_GRAPH_IR_OPS_OPBASE_H
