#include "OnlineSum.h"
#include "../../Common/Approximations.h"
#include "../../Common/Formula.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"

using namespace mpc;
using namespace mpc::emit;
using mlir::getElementTypeOrSelf;
namespace arith = mlir::arith;

Value OnlineSum::buildElement(mlir::ImplicitLocOpBuilder &b, Value x,
                              Value reference) {
  Value element;
  buildApproximately(b, isApproximate, [&] {
    element =
        buildFrom(b, sum->getOperand(0),
                  {{max->getOperand(0), x}, {max->getResult(0), reference}});
  });
  return element;
}

static bool isExpOfDifference(OnlineSum pair) {
  Type type =
      getComputeType(getElementTypeOrSelf(pair.max->getResult(0).getType()));
  Block scratch;
  mlir::Location loc = pair.sum.getLoc();
  Value x = scratch.addArgument(type, loc);
  Value reference = scratch.addArgument(type, loc);
  mlir::ImplicitLocOpBuilder b(loc, pair.sum.getContext());
  b.setInsertionPointToEnd(&scratch);
  Value element = pair.buildElement(b, x, reference);
  auto power = element ? element.getDefiningOp<mlir::math::ExpOp>() : nullptr;
  auto difference =
      power ? power.getOperand().getDefiningOp<arith::SubFOp>() : nullptr;
  return difference && difference.getLhs() == x &&
         difference.getRhs() == reference;
}

SmallVector<OnlineSum> emit::findOnlineSums(Block &body,
                                            const graph::KernelShape &shape) {
  SmallVector<ReductionOpInterface> maxima, sums;
  for (Operation &op : body)
    if (auto reduction = dyn_cast<ReductionOpInterface>(op))
      if (llvm::is_contained(graph::getOpIndexing(&op).reduced, true) &&
          isa<FloatType>(getElementTypeOrSelf(op.getResult(0).getType()))) {
        if (reduction.getCombiner() == ReductionCombiner::Max)
          maxima.push_back(reduction);
        if (reduction.getCombiner() == ReductionCombiner::Add)
          sums.push_back(reduction);
      }
  Approximations approximations(body, shape);
  SmallVector<OnlineSum> found;
  for (ReductionOpInterface sum : sums)
    for (ReductionOpInterface max : maxima) {
      bool follows = shape.depths.lookup(sum->getResult(0)) ==
                     shape.depths.lookup(max->getResult(0)) + 1;
      // A change of type on the way into a reduction rounds.
      bool sameTypes = getElementTypeOrSelf(sum->getOperand(0)) ==
                           getElementTypeOrSelf(sum->getResult(0)) &&
                       getElementTypeOrSelf(max->getOperand(0)) ==
                           getElementTypeOrSelf(max->getResult(0)) &&
                       getElementTypeOrSelf(max->getResult(0)) ==
                           getElementTypeOrSelf(sum->getResult(0));
      if (follows && sameTypes && isExpOfDifference({max, sum})) {
        found.push_back({max, sum, approximations.allow(sum)});
        break;
      }
    }
  return found;
}
