// Groups with an attention, forward or backward, become calls of that kind.
#include "mpc/Dialect/Graph/IR/Ops/Attention.h"
#include "CallBuilder.h"

using namespace mpc;
using program::OperandRole;

namespace {
template <typename Op> Attribute getKind(Op op, bool backward) {
  auto softcap = op.getSoftcap() ? op.getSoftcap()->convertToDouble() : 0;
  auto dropout = op.getDropout() ? op.getDropout()->convertToDouble() : 0;
  int64_t window = op.getWindow() ? int64_t(*op.getWindow()) : 0;
  return exec::AttentionAttr::get(op.getContext(), backward, op.getCausal(),
                                  window, {op.getScaleOrDefault()}, {softcap},
                                  {dropout}, op.getStream().value_or(0));
}

/// The call reads `inside` where it lies.
LogicalResult read(CallBuilder &call, OperandRole role, Value inside) {
  FailureOr<CallBuilder::Operand> operand = call.find(inside);
  if (failed(operand))
    return failure();
  call.read(role, *operand);
  return success();
}

/// A mask with the dims of the scores: those that broadcast have stride 0.
LogicalResult readMask(CallBuilder &call, Value mask,
                       ArrayRef<int64_t> scores) {
  if (!mask)
    return success();
  FailureOr<CallBuilder::Operand> operand = call.find(mask);
  if (failed(operand))
    return failure();
  StridedShape &lies = operand->lies;
  size_t missing = scores.size() - lies.shape.size();
  lies.shape.insert(lies.shape.begin(), missing, 1);
  lies.strides.insert(lies.strides.begin(), missing, 0);
  for (auto [size, stride, wanted] :
       llvm::zip_equal(lies.shape, lies.strides, scores))
    if (size != wanted) {
      size = wanted;
      stride = 0;
    }
  call.read(OperandRole::Mask, *operand);
  return success();
}

template <typename Op> LogicalResult readScores(CallBuilder &call, Op op) {
  auto query = cast<RankedTensorType>(op.getQuery().getType());
  int64_t keys = cast<RankedTensorType>(op.getKey().getType()).getDimSize(1);
  int64_t scores[] = {query.getDimSize(0), query.getDimSize(2),
                      query.getDimSize(1), keys};
  return failure(failed(read(call, OperandRole::Query, op.getQuery())) ||
                 failed(read(call, OperandRole::Key, op.getKey())) ||
                 failed(read(call, OperandRole::Value, op.getValue())) ||
                 failed(readMask(call, op.getMask(), scores)));
}

/// The numbers that it draws from, after all other operands that are read.
template <typename Op> void readRandomKey(CallBuilder &call, Op op) {
  if (op.getRandomKey().empty())
    return;
  call.read(OperandRole::RandomStep, op.getRandomKey()[0]);
  call.read(OperandRole::RandomSeed, op.getRandomKey()[1]);
}

/// The call writes `inside`, if the group yields it, or what it is a part of.
void writeUsed(CallBuilder &call, OperandRole role, Value inside) {
  if (!inside.use_empty())
    call.write(role, inside);
}

LogicalResult convertForward(graph::GroupOp group, EntryBuilder &entry,
                             graph::ScaledDotProductAttentionOp op) {
  CallBuilder call(group, entry);
  if (failed(readScores(call, op)))
    return failure();
  readRandomKey(call, op);
  call.write(OperandRole::Result, op.getResult());
  writeUsed(call, OperandRole::LogSumExp, op.getLogsumexp());
  return call.create(getKind(op, /*backward=*/false), {op.getResult()});
}

LogicalResult convertBackward(graph::GroupOp group, EntryBuilder &entry,
                              graph::ScaledDotProductAttentionBackwardOp op) {
  CallBuilder call(group, entry);
  if (failed(readScores(call, op)) ||
      failed(read(call, OperandRole::Result, op.getResult())) ||
      failed(read(call, OperandRole::LogSumExp, op.getLogsumexp())) ||
      failed(read(call, OperandRole::Cotangent, op.getCotangent())))
    return failure();
  readRandomKey(call, op);
  writeUsed(call, OperandRole::QueryGradient, op.getQueryGradient());
  writeUsed(call, OperandRole::KeyGradient, op.getKeyGradient());
  writeUsed(call, OperandRole::ValueGradient, op.getValueGradient());
  return call.create(getKind(op, /*backward=*/true), {op.getQueryGradient()});
}
} // namespace

bool mpc::isAttention(Operation *op) {
  return isa<graph::ScaledDotProductAttentionOp,
             graph::ScaledDotProductAttentionBackwardOp>(op);
}

LogicalResult mpc::convertAttention(graph::GroupOp group, EntryBuilder &entry) {
  for (Operation &op : group.getBody().front().without_terminator()) {
    if (auto forward = dyn_cast<graph::ScaledDotProductAttentionOp>(op))
      return convertForward(group, entry, forward);
    if (auto backward =
            dyn_cast<graph::ScaledDotProductAttentionBackwardOp>(op))
      return convertBackward(group, entry, backward);
  }
  return group.emitOpError("expected an attention");
}
