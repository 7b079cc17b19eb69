#include "Sweeps.h"
#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include <bit>

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;

unsigned emit::countSweeps(graph::GroupOp group,
                           const graph::KernelShape &shape) {
  unsigned last = 0;
  for (const auto &[value, depth] : shape.depths)
    last = std::max(last, depth);
  for (const auto &[value, sweeps] : shape.sweeps)
    if (sweeps)
      last = std::max<unsigned>(last, std::bit_width(sweeps) - 1);
  auto yields = group.getBody().front().getTerminator()->getOperands();
  for (auto [number, value] : llvm::enumerate(yields))
    if (shape.isSweptResult(number))
      last = std::max(last, shape.depths.lookup(value) + 1);
  return last;
}

Sweeps::Sweeps(PointEvaluator &points, graph::GroupOp group,
               const graph::KernelShape &shape)
    : points(points), group(group), shape(shape),
      numSweeps(countSweeps(group, shape)) {}

SmallVector<ReductionOpInterface> Sweeps::getReductions(unsigned sweep) {
  SmallVector<ReductionOpInterface> reductions;
  for (Operation &op : group.getBody().front())
    if (auto reduction = dyn_cast<ReductionOpInterface>(op))
      if (llvm::is_contained(graph::getOpIndexing(&op).reduced, true) &&
          shape.depths.lookup(op.getResult(0)) == sweep)
        reductions.push_back(reduction);
  return reductions;
}

SmallVector<unsigned> Sweeps::getResults(unsigned sweep) const {
  SmallVector<unsigned> numbers;
  for (unsigned number = 0; number < shape.results.size(); ++number) {
    unsigned own = shape.isSweptResult(number)
                       ? shape.depths.lookup(points.getResult(number)) + 1
                       : 0;
    if (own == sweep)
      numbers.push_back(number);
  }
  return numbers;
}

void Sweeps::storeResults(Scope &scope, unsigned sweep) {
  SmallVector<unsigned> numbers = getResults(sweep);
  SmallVector<Value> values;
  for (unsigned number : numbers)
    values.push_back(points.get(points.getResult(number), scope));
  for (auto [number, value] : llvm::zip(numbers, values))
    points.store(number, value, scope);
}

void Sweeps::visitPoint(Scope &point, unsigned sweep,
                        MutableArrayRef<Value> accumulators) {
  point.sweep = sweep;
  for (auto [op, accumulator] : llvm::zip(getReductions(sweep), accumulators))
    accumulator = points.combine(op, accumulator, points.getFolded(op, point));
  storeResults(point, sweep);
}

SmallVector<unsigned> emit::getReducedDims(const graph::KernelShape &shape,
                                           bool withAxis) {
  SmallVector<unsigned> dims;
  for (unsigned dim = shape.numItemDims; dim < shape.dims.size(); ++dim)
    if (withAxis || int(dim) != shape.axis)
      dims.push_back(dim);
  return dims;
}

SmallVector<Value> emit::divideNumber(PointEvaluator &points,
                                      mlir::ImplicitLocOpBuilder &b,
                                      Value number, ArrayRef<int64_t> sizes) {
  SmallVector<Value> indices(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    indices[dim] = number;
    if (dim == 0)
      break;
    Value size = points.index(sizes[dim]);
    indices[dim] = arith::RemUIOp::create(b, number, size);
    number = arith::DivUIOp::create(b, number, size);
  }
  return indices;
}
