// Family Activation: folders; see Elementwise.cpp for what is exact.
#include "mpc/Dialect/Graph/IR/Ops/Activation.h"
#include "ConstantFolding.h"

using namespace mpc;
using namespace mpc::graph;

OpFoldResult ReluOp::fold(FoldAdaptor adaptor) {
  if (getInput().getDefiningOp<ReluOp>())
    return getInput();
  return foldNumbers(
      adaptor.getOperands(), getType(),
      [](ArrayRef<APFloat> v) {
        return std::optional(
            llvm::maximum(v[0], APFloat::getZero(v[0].getSemantics())));
      },
      [](ArrayRef<APInt>) -> std::optional<APInt> { return std::nullopt; });
}
