#include "Sweeps.h"

using namespace mpc;
using namespace mpc::emit;
namespace arith = mlir::arith;

void Sweeps::storeResults(Scope &scope, unsigned sweep) {
  ArrayRef<unsigned> numbers = plan.getResults(sweep);
  SmallVector<Value> values;
  for (unsigned number : numbers)
    values.push_back(points.get(points.getResult(number), scope));
  for (auto [number, value] : llvm::zip(numbers, values))
    points.store(number, value, scope);
}

void Sweeps::foldPoint(Scope &point, unsigned sweep,
                       MutableArrayRef<Value> accumulators) {
  point.sweep = sweep;
  points.forEach(plan.getReductions(sweep), accumulators,
                 [&](ReductionOpInterface op, MutableArrayRef<Value> own) {
                   points.combine(op, own, points.getFolded(op, point));
                 });
}

/// Parts come before results, which may lie where an operand does.
void Sweeps::visitPoint(Scope &point, unsigned sweep,
                        MutableArrayRef<Value> accumulators) {
  foldPoint(point, sweep, accumulators);
  for (unsigned number : plan.getPartials(sweep))
    points.addToPart(number, point);
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
