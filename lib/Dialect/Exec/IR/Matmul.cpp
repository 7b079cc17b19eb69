// The verifier of exec.matmul.
#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::exec;
using mlir::MemRefType;

namespace {
/// The last two dims, swapped if `transpose`.
std::pair<int64_t, int64_t> matrixOf(MemRefType type, bool transpose) {
  int64_t rows = type.getShape().end()[-2], columns = type.getShape().back();
  return transpose ? std::pair(columns, rows) : std::pair(rows, columns);
}

ArrayRef<int64_t> batchOf(MemRefType type) {
  return type.getShape().drop_back(2);
}
} // namespace

LogicalResult MatmulOp::verify() {
  if (getInputs().size() < 2 || getInputs().size() > 3) // [matmul-c1]
    return emitOpError("expected lhs, rhs and at most a bias, but got ")
           << getInputs().size() << " inputs";
  auto typeOf = [&](unsigned i) {
    return cast<MemRefType>(getInputs()[i].getType());
  };
  MemRefType lhs = typeOf(0), rhs = typeOf(1), result = getOutput().getType();
  if (lhs.getRank() < 2 || rhs.getRank() < 2 || result.getRank() < 2)
    return emitOpError("expected matrices, but got ") // [matmul-c2]
           << lhs << ", " << rhs << " and " << result;

  auto [rows, inner] = matrixOf(lhs, getTransposeLhs());
  auto [rhsInner, columns] = matrixOf(rhs, getTransposeRhs());
  FailureOr<graph::Shape> shape =
      graph::broadcastShapes({batchOf(lhs), batchOf(rhs)});
  if (succeeded(shape))
    shape->append({rows, columns});
  if (inner != rhsInner || failed(shape) ||
      ArrayRef<int64_t>(*shape) != result.getShape()) // [matmul-c2]
    return emitOpError("expected shapes of a matrix product, but got ")
           << lhs << ", " << rhs << " and " << result;

  if (getInputs().size() == 3 && // [matmul-c1]
      (typeOf(2).getNumElements() != columns ||
       typeOf(2).getElementType() != result.getElementType()))
    return emitOpError("expected a bias of ")
           << columns << " elements of type " << result.getElementType()
           << ", but got " << typeOf(2);
  return success();
}
