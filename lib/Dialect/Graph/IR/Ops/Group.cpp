// Frames, groups and autocast regions: verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Dialect/Graph/IR/Ops/Region.h"
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
  if (isa<AutocastRegionOp, GroupOp>((*this)->getParentOp()))
    return success();
  return emitOpError("expects parent op to be one of 'graph.autocast_region, "
                     "graph.group'");
}

LogicalResult GroupOp::verifyRegions() {
  if (failed(verifySameTypes(*this, getInputs().getTypes(), // C1
                             getBody().getArgumentTypes(), "input",
                             "block argument")))
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
