#include "mpc/Interfaces/KernelOpInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mpc;

#include "mpc/Interfaces/KernelOpInterfaces.cpp.inc"

LogicalResult mpc::verifyKernelBody(Operation *op) {
  auto shapeOf = [](Value value) {
    return cast<mlir::ShapedType>(value.getType()).getShape();
  };
  for (Value result : op->getResults())
    if (shapeOf(result) != shapeOf(op->getResult(0)))
      return op->emitOpError("expected results of one shape, but got ")
             << op->getResult(0).getType() << " and " << result.getType();
  return success();
}

Type mpc::getComputeType(Type storage) {
  if (isa<FloatType>(storage) && storage.getIntOrFloatBitWidth() < 32)
    return mlir::Float32Type::get(storage.getContext());
  return storage;
}
