#include "mpc/Interfaces/KernelOpInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mpc;

#include "mpc/Interfaces/KernelOpInterfaces.cpp.inc"

Type mpc::getComputeType(Type storage) {
  if (isa<FloatType>(storage) && storage.getIntOrFloatBitWidth() < 32)
    return mlir::Float32Type::get(storage.getContext());
  return storage;
}
