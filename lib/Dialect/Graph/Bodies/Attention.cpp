// Family Attention: when it is a call, and what its library can do.
#include "mpc/Dialect/Graph/IR/Ops/Attention.h"
#include "mpc/Interfaces/StridedShape.h"
#include "mpc/Interfaces/Target.h"
#include "mpc/Support/SeenKeys.h"
#include "mpc/Text/TypeText.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::getElementTypeOrSelf;

namespace {
bool isAttended(const TargetDescription &target, Type element) {
  std::optional<DType> type = parseDType(toString(element));
  return type && target.attends(*type);
}

/// Whether the target has a call for the op.
template <typename Op> bool isCall(Op op) {
  const TargetDescription &target = getTarget(op);
  auto widthOf = [](Value rows) {
    return cast<RankedTensorType>(rows.getType()).getShape().back();
  };
  return isAttended(target, getElementTypeOrSelf(op.getQuery())) &&
         std::max(widthOf(op.getQuery()), widthOf(op.getValue())) <=
             target.maxAttentionWidth;
}

/// Whether it is known what the op draws from, if it draws.
template <typename Op> bool isSeeded(Op op) {
  return !op.draws() || !op.getRandomKey().empty();
}

bool beginsAligned(const TargetDescription &target, Value value,
                   const StridedShape &lies) {
  int64_t width = getStoredBytes({}, getElementTypeOrSelf(value));
  return lies.offset * width % target.operandAlignment == 0;
}

bool hasDenseRows(const StridedShape &lies) {
  return lies.shape.back() == 1 || lies.strides.back() == 1;
}

/// Tensors with a dense width; the mask, whose elements are read one by one,
/// any.
template <typename Op>
bool isReadInPlace(const TargetDescription &target, Op op, unsigned index,
                   const StridedShape &lies) {
  if (!beginsAligned(target, op->getOperand(index), lies))
    return false;
  bool isMask =
      op.getMask() && index == op.getMaskMutable().begin()->getOperandNumber();
  return isMask || hasDenseRows(lies);
}

/// Every engine writes rows of a dense width wherever they begin.
bool isWrittenInPlace(const TargetDescription &target, Value result,
                      const StridedShape &lies) {
  return beginsAligned(target, result, lies) && hasDenseRows(lies);
}

/// `ofQueries` products as wide as queries and `ofValues` as wide as values, of
/// each key that a query sees.
template <typename Op>
double countProducts(Op op, double ofQueries, double ofValues) {
  ArrayRef<int64_t> query = op.getQuery().getType().getShape(),
                    value = op.getValue().getType().getShape();
  double pairs = countSeenPairs(query[1], value[1], op.getCausal(),
                                int64_t(op.getWindow().value_or(0)));
  double products = ofQueries * static_cast<double>(query.back()) +
                    ofValues * static_cast<double>(value.back());
  return 2 * static_cast<double>(query[0]) * static_cast<double>(query[2]) *
         pairs * products;
}
} // namespace

bool ScaledDotProductAttentionOp::isComposite() {
  return isSeeded(*this) && (getResult().use_empty() || !isCall(*this));
}
bool ScaledDotProductAttentionOp::supportsEpilogue(const TargetDescription &,
                                                   Epilogue) {
  return false;
}
bool ScaledDotProductAttentionOp::readsInPlace(const TargetDescription &target,
                                               unsigned index,
                                               const StridedShape &lies) {
  return isReadInPlace(target, *this, index, lies);
}
bool ScaledDotProductAttentionOp::writesInPlace(const TargetDescription &target,
                                                unsigned index,
                                                const StridedShape &lies) {
  bool isDense = getOperation()->getResult(index) == getLogsumexp();
  return !isDense && isWrittenInPlace(target, getResult(), lies);
}
/// Operands are widened as they are packed.
bool ScaledDotProductAttentionOp::computesIn(const TargetDescription &target,
                                             Type element) {
  return isAttended(target, element) && getComputeType(element) == element;
}

bool ScaledDotProductAttentionBackwardOp::isComposite() {
  return isSeeded(*this) && (getMaskGradient() || !isCall(*this));
}
bool ScaledDotProductAttentionBackwardOp::supportsEpilogue(
    const TargetDescription &, Epilogue) {
  return false;
}
bool ScaledDotProductAttentionBackwardOp::readsInPlace(
    const TargetDescription &target, unsigned index, const StridedShape &lies) {
  bool isDense = index == getLogsumexpMutable().getOperandNumber();
  return !isDense && isReadInPlace(target, *this, index, lies);
}
bool ScaledDotProductAttentionBackwardOp::writesInPlace(
    const TargetDescription &target, unsigned index, const StridedShape &lies) {
  return isWrittenInPlace(target, getOperation()->getResult(index), lies);
}
bool ScaledDotProductAttentionBackwardOp::computesIn(
    const TargetDescription &target, Type element) {
  return isAttended(target, element) && getComputeType(element) == element;
}

double ScaledDotProductAttentionOp::countFlops() {
  return countProducts(*this, 1, 1);
}
double ScaledDotProductAttentionBackwardOp::countFlops() {
  return countProducts(*this, 3, 2);
}
