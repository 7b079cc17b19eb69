#include "StepNames.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Text/Places.h"

using namespace mpc;
using namespace mpc::target;

namespace {

/// The kind of a kernel and its first ops: "row: sub, exp, sum, ...".
std::string describeKernel(exec::KernelOp kernel) {
  constexpr unsigned kMostOps = 6;
  graph::GroupOp group = kernel.getGroup();
  std::string text = (stringifyGroupKind(group.getKind()) + ":").str();
  unsigned count = 0;
  for (Operation &op : group.getBody().front().without_terminator()) {
    if (op.hasTrait<mlir::OpTrait::ConstantLike>())
      continue;
    if (++count > kMostOps)
      return text + ", ...";
    text += count == 1 ? " " : ", ";
    text += op.getName().stripDialect();
  }
  return text;
}

} // namespace

std::string target::describeStep(Operation *step,
                                 mlir::SymbolTableCollection &symbols) {
  std::string text = step->getName().stripDialect().str();
  if (auto launch = dyn_cast<exec::LaunchOp>(step))
    if (auto kernel = symbols.lookupNearestSymbolFrom<exec::KernelOp>(
            launch, launch.getKernelAttr()))
      text = describeKernel(kernel);
  if (auto call = dyn_cast<exec::MultiTensorOp>(step))
    text = (text + ": " + stringifyMultiTensorKind(call.getKind())).str();
  if (std::string line = describeLine(step->getLoc()); !line.empty())
    text += " at " + line;
  return text;
}
