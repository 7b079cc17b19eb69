// Follows what a NaN among the folded elements does to the values of a group.
// Pointwise ops are asked for their bodies, not for their names.
#include "Maxima.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"

using namespace mpc;
using namespace mpc::emit;
using mlir::getElementTypeOrSelf;
namespace arith = mlir::arith;
namespace math = mlir::math;
using Values = llvm::SmallDenseSet<Value>;

/// Whether the result is NaN if those of the operands are that `areNaN` has.
static bool isNaN(Operation &op, const Values &areNaN) {
  auto has = [&](Value value) { return areNaN.contains(value); };
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return has(select.getTrueValue()) && has(select.getFalseValue());
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::NegFOp, arith::ExtFOp, arith::TruncFOp, math::ExpOp,
             math::LogOp>(op) &&
         llvm::any_of(op.getOperands(), has);
}

static bool haveOneShape(Value x, Value y) {
  return cast<RankedTensorType>(x.getType()).getShape() ==
         cast<RankedTensorType>(y.getType()).getShape();
}

/// Adds the results of a pointwise `op` that are NaN.
static void addPointwise(Operation &op, Values &areNaN) {
  auto body = dyn_cast<KernelBodyOpInterface>(op);
  if (!body) { // A cast. What moves elements is not followed.
    Value from = op.getOperand(0), to = op.getResult(0);
    Type element = getElementTypeOrSelf(to); // An integer is not NaN.
    if (areNaN.contains(from) && haveOneShape(from, to) &&
        isa<FloatType>(element) && getElementTypeOrSelf(from) != element)
      areNaN.insert(to);
    return;
  }
  Block scratch;
  mlir::ImplicitLocOpBuilder b(op.getLoc(), op.getContext());
  b.setInsertionPointToEnd(&scratch);
  Values inside;
  SmallVector<Value> args;
  for (Value operand : op.getOperands()) {
    Type type = getComputeType(getElementTypeOrSelf(operand));
    args.push_back(scratch.addArgument(type, op.getLoc()));
    if (areNaN.contains(operand))
      inside.insert(args.back());
  }
  SmallVector<Value> results = body.buildBodies(b, args);
  for (Operation &step : scratch)
    if (step.getNumResults() == 1 && isNaN(step, inside))
      inside.insert(step.getResult(0));
  for (auto [result, built] : llvm::zip_equal(op.getResults(), results))
    if (inside.contains(built))
      areNaN.insert(result);
}

namespace {
/// What a NaN among the elements of a maximum reaches.
struct Reached {
  Values elements;  ///< NaN where the folded element is.
  Values rows;      ///< NaN wherever one of the folded elements is.
  Values dependent; ///< Of the maximum.

  void add(Operation &op, ReductionOpInterface max);
};
} // namespace

static bool hasAny(ValueRange operands, const Values &values) {
  return llvm::any_of(operands,
                      [&](Value value) { return values.contains(value); });
}

void Reached::add(Operation &op, ReductionOpInterface max) {
  if (hasAny(op.getOperands(), dependent))
    dependent.insert(op.result_begin(), op.result_end());
  auto form = graph::getOpForm(&op);
  if (form == graph::OpForm::Pointwise) {
    if (hasAny(op.getOperands(), elements))
      addPointwise(op, elements);
    if (hasAny(op.getOperands(), rows))
      addPointwise(op, rows);
    return;
  }
  auto sum = dyn_cast<ReductionOpInterface>(op);
  if (!sum || sum.getCombiner() != ReductionCombiner::Add)
    return;
  // Of one shape, so that both meet the same elements wherever they go.
  bool isBeside = sum.getReducedDims() == max.getReducedDims();
  for (auto [operand, result] :
       llvm::zip_equal(op.getOperands(), op.getResults())) {
    bool isRow = isBeside && elements.contains(operand) &&
                 haveOneShape(result, max->getResult(0));
    if (isRow || rows.contains(operand))
      rows.insert(result);
  }
}

bool emit::mayPassOverNaN(ReductionOpInterface reduction) {
  if (reduction.getCombiner() != ReductionCombiner::Max ||
      !isa<FloatType>(getElementTypeOrSelf(reduction->getResult(0))))
    return false;
  Block &body = *reduction->getBlock();
  Reached reached;
  reached.elements.insert(reduction->getOperand(0));
  reached.dependent.insert(reduction->getResult(0));
  for (Operation &op : body.without_terminator())
    reached.add(op, reduction);
  return llvm::all_of(body.getTerminator()->getOperands(), [&](Value result) {
    return !reached.dependent.contains(result) || reached.rows.contains(result);
  });
}
