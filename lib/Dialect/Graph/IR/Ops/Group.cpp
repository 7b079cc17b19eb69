// Frames, groups and autocast regions: verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/IR/Ops/Region.h"
#include "mpc/Dialect/Graph/IR/Ops/Time/Scan.h"
#include "mpc/Interfaces/StridedShape.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::graph;

static LogicalResult verifySameTypes(Operation *op, TypeRange expected,
                                     TypeRange found, StringRef expectedName,
                                     StringRef foundName) {
  if (expected == found)
    return success();
  if (expected.size() != found.size())
    return op->emitOpError("expected as many ")
           << foundName << "s as " << expectedName << "s, but got "
           << found.size() << " and " << expected.size();
  for (auto [index, types] : llvm::enumerate(llvm::zip(expected, found)))
    if (auto [want, got] = types; want != got)
      return op->emitOpError("expected ")
             << foundName << " " << index << " of type " << want << " like its "
             << expectedName << ", but got " << got;
  return success();
}

// Not a trait: it would make the records of the two know each other.
LogicalResult YieldOp::verify() {
  if (isa<AutocastRegionOp, GroupOp, ScanOp>((*this)->getParentOp()))
    return success();
  return emitOpError("expects parent op to be one of 'graph.autocast_region, "
                     "graph.group, graph.scan'");
}

static ArrayRef<int64_t> shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

bool GroupOp::isDense(unsigned number) {
  return !getStrides() ||
         cast<mlir::DenseI64ArrayAttr>((*getStrides())[number]).empty();
}

SmallVector<int64_t> GroupOp::getStridesOf(unsigned number) {
  if (!isDense(number))
    return SmallVector<int64_t>(
        cast<mlir::DenseI64ArrayAttr>((*getStrides())[number]).asArrayRef());
  return getDenseShape(shapeOf(getResult(number))).strides;
}

int64_t GroupOp::getReach(unsigned number) {
  int64_t reach = 1;
  for (auto [size, stride] :
       llvm::zip(shapeOf(getResult(number)), getStridesOf(number)))
    reach += (size - 1) * stride;
  return reach;
}

static LogicalResult verifyStrides(GroupOp op) {
  if (!op.getStrides())
    return success();
  bool fits = op.getStrides()->size() == op.getNumResults() &&
              op.getKind() != GroupKind::Library;
  for (auto [result, strides] : llvm::zip(op.getResults(), *op.getStrides())) {
    ArrayRef<int64_t> own = cast<mlir::DenseI64ArrayAttr>(strides).asArrayRef();
    fits &= own.empty() ||
            (own.size() == shapeOf(result).size() &&
             llvm::all_of(own, [](int64_t stride) { return stride >= 0; }));
  }
  if (fits)
    return success();
  return op.emitOpError("expected a kernel, and for each of its ")
         << op.getNumResults()
         << " results as many strides of 0 or more as it has dims, or none, "
            "but got "
         << *op.getStrides();
}

LogicalResult GroupOp::verifyRegions() {
  if (failed(verifySameTypes(*this, getInputs().getTypes(), // C1
                             getBody().getArgumentTypes(), "input",
                             "block argument")) ||
      failed(verifyStrides(*this))) // C3
    return failure();
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  return verifySameTypes(*this, getResultTypes(), // C2
                         yield.getResults().getTypes(), "result",
                         "yielded value");
}

LogicalResult AutocastRegionOp::verifyRegions() {
  Block &body = getBody().front();
  if (body.getNumArguments()) // C1
    return emitOpError("expected a body without arguments, but got ")
           << body.getNumArguments();
  auto yield = cast<YieldOp>(body.getTerminator());
  return verifySameTypes(*this, getResultTypes(), // C2
                         yield.getResults().getTypes(), "result",
                         "yielded value");
}
