#include "mpc/Dialect/Graph/Analysis/Memory/ForwardPart.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

ForwardPart::ForwardPart(FuncOp step, FuncOp forward) {
  DenseSet<Attribute> outputs;
  for (unsigned index = 0; index < forward.getNumResults(); ++index)
    if (Attribute name = forward.getResultAttr(index, kOutputAttr))
      outputs.insert(name);
  SmallVector<Operation *> open;
  auto reach = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    if (maker && ops.insert(maker).second)
      open.push_back(maker);
  };
  Operation *terminator = step.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    Attribute output = step.getResultAttr(index, kOutputAttr);
    if (step.getResultAttr(index, kLossAttr) ||
        (output && outputs.contains(output)))
      reach(value);
  }
  while (!open.empty())
    for (Value operand : open.pop_back_val()->getOperands())
      reach(operand);
}

bool ForwardPart::isKept(Value value) const {
  return isMade(value) && llvm::any_of(value.getUsers(), [&](Operation *user) {
           return !contains(user) &&
                  !user->hasTrait<mlir::OpTrait::IsTerminator>();
         });
}
