#include "mpc/Interfaces/TensorBytes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mpc;

constexpr int64_t kTooMany = std::numeric_limits<int64_t>::max();

int64_t mpc::getElementBytes(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

int64_t mpc::getStoredBytes(ArrayRef<int64_t> shape, Type element) {
  if (llvm::is_contained(shape, 0)) // however large the other dims are
    return 0;
  int64_t bytes = getElementBytes(element);
  for (int64_t size : shape) {
    if (mlir::ShapedType::isDynamic(size))
      return 0;
    if (llvm::MulOverflow(bytes, size, bytes))
      return kTooMany;
  }
  return bytes;
}

int64_t mpc::getStoredBytes(mlir::ShapedType type) {
  return type.hasRank() ? getStoredBytes(type.getShape(), type.getElementType())
                        : 0;
}

int64_t mpc::addBytes(int64_t a, int64_t b) {
  int64_t sum = 0;
  return llvm::AddOverflow(a, b, sum) ? kTooMany : sum;
}

/// 0 of what is no tensor or buffer of numbers. Asked of each type of each op
/// after each pass, so it casts to classes: looking up an interface takes
/// longer than all the rest.
static int64_t getBoundedBytes(Type type) {
  auto getBytes = [](auto shaped) {
    Type element = shaped.getElementType();
    return element.isIntOrFloat() ? getStoredBytes(shaped.getShape(), element)
                                  : 0;
  };
  if (auto tensor = dyn_cast<mlir::RankedTensorType>(type))
    return getBytes(tensor);
  if (auto buffer = dyn_cast<mlir::MemRefType>(type))
    return getBytes(buffer);
  return 0;
}

LogicalResult
mpc::verifyTensorBytes(Type type,
                       function_ref<InFlightDiagnostic()> emitError) {
  if (getBoundedBytes(type) <= kMaxTensorBytes)
    return success();
  return emitError() << "expected a tensor of at most 2^"
                     << llvm::Log2_64(kMaxTensorBytes) << " bytes, but got "
                     << type;
}

LogicalResult mpc::verifyTensorBytes(Operation *op) {
  auto verify = [op](StringRef kind, mlir::TypeRange types) {
    for (auto [index, type] : llvm::enumerate(types))
      if (failed(verifyTensorBytes(type, [&, index = index] {
            return op->emitOpError(kind) << " #" << index << ": ";
          })))
        return failure();
    return success();
  };
  return success(succeeded(verify("operand", op->getOperandTypes())) &&
                 succeeded(verify("result", op->getResultTypes())));
}
