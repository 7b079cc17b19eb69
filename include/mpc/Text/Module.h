// Modules as text.
#ifndef MPC_TEXT_MODULE_H
#define MPC_TEXT_MODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mpc/Interfaces/LLVM.h"
#include <string>

namespace mpc {

/// `module` with the places of its ops, for those that go on from text.
std::string printModule(mlir::ModuleOp module);

} // namespace mpc

#endif // MPC_TEXT_MODULE_H
