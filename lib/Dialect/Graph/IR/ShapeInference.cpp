#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::graph;

FailureOr<Shape> graph::broadcastShapes(ArrayRef<ArrayRef<int64_t>> shapes) {
  size_t rank = 0;
  for (ArrayRef<int64_t> shape : shapes)
    rank = std::max(rank, shape.size());
  Shape result(rank, 1);
  for (ArrayRef<int64_t> shape : shapes) {
    size_t lead = rank - shape.size();
    for (auto [i, size] : llvm::enumerate(shape)) {
      int64_t &out = result[lead + i];
      if (out != size && out != 1 && size != 1)
        return failure();
      if (size != 1)
        out = size;
    }
  }
  return result;
}

LogicalResult graph::inferBroadcast(std::optional<Location> loc,
                                    ValueRange operands, Type element,
                                    SmallVectorImpl<Type> &types) {
  SmallVector<ArrayRef<int64_t>> shapes;
  for (Value operand : operands)
    shapes.push_back(cast<RankedTensorType>(operand.getType()).getShape());
  FailureOr<Shape> shape = broadcastShapes(shapes);
  if (failed(shape))
    return mlir::emitOptionalError(
        loc, "expected operand shapes to broadcast, but got ",
        llvm::join(llvm::map_range(shapes, toString), " and "));
  types.push_back(RankedTensorType::get(*shape, element));
  return success();
}

Shape graph::reducedShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims,
                          bool keepDims) {
  Shape result;
  for (auto [i, size] : llvm::enumerate(shape)) {
    bool reduced = llvm::is_contained(dims, static_cast<int64_t>(i));
    if (!reduced)
      result.push_back(size);
    else if (keepDims)
      result.push_back(1);
  }
  return result;
}

int64_t graph::countReduced(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= shape[dim];
  return count;
}

bool graph::areValidDims(ArrayRef<int64_t> dims, int64_t rank) {
  int64_t previous = -1;
  for (int64_t dim : dims) {
    if (dim <= previous || dim >= rank)
      return false;
    previous = dim;
  }
  return true;
}

std::string graph::toString(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  return llvm::join(
      llvm::map_range(shape, [](int64_t n) { return std::to_string(n); }), "x");
}
