// Calls that tell the emulation's MemoryChecker which bytes a kernel reads and
// writes. Private to the emulation.
#ifndef MPC_TEST_EMULATION_ACCESSREPORTS_H
#define MPC_TEST_EMULATION_ACCESSREPORTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::emulation {

/// Calls "emulation.<entry>" with numbers of type index; its result, if it has
/// one.
Value callEntry(mlir::ImplicitLocOpBuilder &b, ModuleOp host, StringRef entry,
                ValueRange args, bool hasResult);

/// The address of the element of `memref` at `indices`, as a number.
Value buildAddress(mlir::ImplicitLocOpBuilder &b, Value memref,
                   ValueRange indices);

/// Puts a report before each load and store of `function`. Emits an error on
/// an op whose accesses are not known.
LogicalResult reportAccesses(mlir::func::FuncOp function, ModuleOp host);

} // namespace mpc::emulation

#endif // MPC_TEST_EMULATION_ACCESSREPORTS_H
