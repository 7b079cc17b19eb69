// Family Contraction: type inference, verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "Bias.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"

using namespace mpc;
using namespace mpc::graph;

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto lhs = cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = cast<RankedTensorType>(adaptor.getRhs().getType());
  if (lhs.getRank() < 2 || rhs.getRank() < 2)
    return mlir::emitOptionalError(
        loc, "expected operands of rank 2 or more, but got ",
        toString(lhs.getShape()), " and ", toString(rhs.getShape()));
  ArrayRef<int64_t> a = lhs.getShape(), b = rhs.getShape();
  int64_t rows = a[a.size() - 2], inner = a[a.size() - 1];
  int64_t innerRhs = b[b.size() - 2], cols = b[b.size() - 1];
  if (adaptor.getTransposeLhs())
    std::swap(rows, inner);
  if (adaptor.getTransposeRhs())
    std::swap(innerRhs, cols);
  if (inner != innerRhs)
    return mlir::emitOptionalError(
        loc, "expected contracting dimensions to match, but got ", inner,
        " and ", innerRhs, " in ", toString(a), " and ", toString(b));
  FailureOr<Shape> shape = broadcastShapes({a.drop_back(2), b.drop_back(2)});
  if (failed(shape))
    return mlir::emitOptionalError(
        loc, "expected batch dimensions to broadcast, but got ",
        toString(a.drop_back(2)), " and ", toString(b.drop_back(2)));
  shape->append({rows, cols});
  if (std::optional<Type> dtype = adaptor.getDtype();
      dtype && dtype->isF64() != lhs.getElementType().isF64())
    return mlir::emitOptionalError(
        loc, "expected dtype f64 exactly for f64 operands, but got dtype ",
        *dtype, " and operands of ", lhs.getElementType());
  if (failed(
          checkBias(loc, adaptor.getBias(), cols, "column", adaptor.getLhs())))
    return failure();
  types.push_back(RankedTensorType::get(
      *shape, adaptor.getDtype().value_or(lhs.getElementType())));
  return success();
}

bool MatmulOp::isRetypeable(unsigned index) {
  return isProductOperandRetypeable(*this, index);
}
