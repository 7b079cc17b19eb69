// Family Contraction: what the library does besides the product.
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "mpc/Interfaces/StridedShape.h"
#include "mpc/Interfaces/Target.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "mpc/Text/TypeText.h"

using namespace mpc;
using namespace mpc::graph;

bool MatmulOp::supportsEpilogue(const TargetDescription &target,
                                Epilogue epilogue) {
  bool isF64 = mlir::getElementTypeOrSelf(getType()).isF64();
  bool readsAux = epilogue == Epilogue::GeluTanhBackward;
  bool hasF64 = target.f64Epilogues || epilogue == Epilogue::Addend;
  return target.supports(epilogue) && (hasF64 || !isF64) &&
         (!readsAux || getType().getShape().back() % target.auxMultiple == 0);
}

/// Whether the last two dims are a matrix with dense rows or columns, as
/// oneDNN and cuBLASLt take it.
static bool isMatrix(const StridedShape &operand) {
  ArrayRef<int64_t> shape = ArrayRef(operand.shape).take_back(2),
                    strides = ArrayRef(operand.strides).take_back(2);
  auto lies = [&](size_t outer, size_t inner) {
    return (shape[inner] == 1 || strides[inner] == 1) &&
           (shape[outer] == 1 || strides[outer] >= shape[inner]);
  };
  return lies(0, 1) || lies(1, 0);
}

/// Whether one stride leads from each matrix to the next.
static bool isOneBatch(const StridedShape &operand) {
  int64_t next = -1; // the stride of an outer dim
  for (size_t dim = operand.shape.size() - 2; dim-- > 0;) {
    if (operand.shape[dim] == 1)
      continue;
    if (next >= 0 && operand.strides[dim] != next)
      return false;
    next = operand.strides[dim] * operand.shape[dim];
  }
  return true;
}

bool MatmulOp::computesIn(const TargetDescription &target, Type element) {
  std::optional<DType> type = parseDType(toString(element));
  return type && target.multiplies(*type);
}

bool MatmulOp::readsInPlace(const TargetDescription &target, unsigned index,
                            const StridedShape &operand) {
  if (index > 1) // a bias
    return false;
  auto type = cast<RankedTensorType>(getOperand(index).getType());
  int64_t begin = operand.offset * getStoredBytes({}, type.getElementType());
  if (type.getElementType().isBF16() && !target.readsBf16InPlace)
    return false;
  return isMatrix(operand) && (target.walksBatchDims || isOneBatch(operand)) &&
         begin % target.operandAlignment == 0;
}

double MatmulOp::countFlops() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  int64_t rank = lhs.getRank();
  int64_t depth = lhs.getDimSize(getTransposeLhs() ? rank - 2 : rank - 1);
  return 2.0 * static_cast<double>(depth) *
         static_cast<double>(getResult().getType().getNumElements());
}
