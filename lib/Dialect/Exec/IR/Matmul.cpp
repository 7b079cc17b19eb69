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

MemRefType typeOf(Value buffer) { return cast<MemRefType>(buffer.getType()); }

LogicalResult verifyCounts(MatmulOp op) {
  size_t inputs = op.getInputs().size();
  if (inputs < 2 || inputs > 3 || (op.getDerivative() && inputs != 3))
    return op.emitOpError() // [matmul-c1]
           << "expected lhs, rhs and "
           << (op.getDerivative() ? "an aux" : "at most a bias") << ", but got "
           << inputs << " inputs";
  bool hasSums = op.getBiasGradient() != BiasGradient::None;
  size_t expected = 1 + size_t(op.getAux()) + size_t(hasSums);
  if (op.getOutputs().size() != expected) // [matmul-c5]
    return op.emitOpError("expected ")
           << expected << " outputs, but got " << op.getOutputs().size();
  if ((op.getAux() || op.getDerivative()) &&
      (op.getEpilogue() == Epilogue::None ||
       (op.getAux() && op.getDerivative()))) // [matmul-c3]
    return op.emitOpError("expected an epilogue with either aux or derivative");
  return success();
}

LogicalResult verifyProduct(MatmulOp op) {
  MemRefType lhs = typeOf(op.getInputs()[0]), rhs = typeOf(op.getInputs()[1]);
  MemRefType result = typeOf(op.getResultBuffer());
  if (lhs.getRank() < 2 || rhs.getRank() < 2 || result.getRank() < 2)
    return op.emitOpError("expected matrices, but got ") // [matmul-c2]
           << lhs << ", " << rhs << " and " << result;

  auto [rows, inner] = matrixOf(lhs, op.getTransposeLhs());
  auto [rhsInner, columns] = matrixOf(rhs, op.getTransposeRhs());
  FailureOr<graph::Shape> shape =
      graph::broadcastShapes({batchOf(lhs), batchOf(rhs)});
  if (succeeded(shape))
    shape->append({rows, columns});
  if (inner == rhsInner && succeeded(shape) &&
      ArrayRef<int64_t>(*shape) == result.getShape())
    return success();
  return op.emitOpError("expected shapes of a matrix product, but got ")
         << lhs << ", " << rhs << " and " << result; // [matmul-c2]
}

LogicalResult verifyRow(MatmulOp op, Value row, int64_t size, StringRef what) {
  Type element = typeOf(op.getResultBuffer()).getElementType();
  if (typeOf(row).getNumElements() == size &&
      typeOf(row).getElementType() == element)
    return success();
  return op.emitOpError("expected a ")
         << what << " of " << size << " elements of type " << element
         << ", but got " << row.getType();
}

LogicalResult verifySums(MatmulOp op, Value sums) {
  MemRefType result = typeOf(op.getResultBuffer());
  if (result.getRank() != 2) // [matmul-c4]
    return op.emitOpError("expected a matrix beside a bias gradient, but got ")
           << result;
  bool ofLhs = op.getBiasGradient() == BiasGradient::OfLhs;
  return verifyRow(op, sums, result.getDimSize(ofLhs ? 0 : 1), "bias gradient");
}
} // namespace

LogicalResult MatmulOp::verify() {
  if (failed(verifyCounts(*this)) || failed(verifyProduct(*this)))
    return failure();
  MemRefType result = typeOf(getResultBuffer());
  if (Value bias = getBias();
      bias && failed(verifyRow( // [matmul-c1]
                  *this, bias, result.getShape().back(), "bias")))
    return failure();
  if (Value aux = getAuxBuffer(); aux && aux.getType() != result)
    return emitOpError("expected an aux of the result's type ") // [matmul-c3]
           << result << ", but got " << aux.getType();
  if (Value sums = getBiasGradientBuffer()) // [matmul-c4]
    return verifySums(*this, sums);
  return success();
}
