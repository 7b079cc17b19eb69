#include "StepNames.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mpc;
using namespace mpc::target;

namespace {

/// The first place in a file that `location` mentions, if any.
mlir::FileLineColLoc findFileLocation(Location location) {
  mlir::FileLineColLoc found;
  location->walk([&](Location inner) {
    found = dyn_cast<mlir::FileLineColLoc>(inner);
    return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return found;
}

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

/// A path may be any bytes; what shows it writes JSON.
std::string describeLine(mlir::FileLineColLoc where) {
  return llvm::json::fixUTF8(
             llvm::sys::path::filename(where.getFilename().getValue())) +
         ":" + std::to_string(where.getLine());
}

} // namespace

std::string target::describePlace(Location location) {
  mlir::FileLineColLoc where = findFileLocation(location);
  if (!where)
    return "";
  return describeLine(where) + ":" + std::to_string(where.getColumn());
}

std::string target::describeStep(Operation *step,
                                 mlir::SymbolTableCollection &symbols) {
  std::string text = step->getName().stripDialect().str();
  if (auto launch = dyn_cast<exec::LaunchOp>(step))
    if (auto kernel = symbols.lookupNearestSymbolFrom<exec::KernelOp>(
            launch, launch.getKernelAttr()))
      text = describeKernel(kernel);
  if (auto call = dyn_cast<exec::MultiTensorOp>(step))
    text = (text + ": " + stringifyMultiTensorKind(call.getKind())).str();
  if (mlir::FileLineColLoc where = findFileLocation(step->getLoc()))
    text += " at " + describeLine(where);
  return text;
}
