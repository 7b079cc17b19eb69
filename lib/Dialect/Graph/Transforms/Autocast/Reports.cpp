#include "Reports.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Interfaces/Target.h"
#include "mpc/Text/TypeText.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::graph;
namespace remark = mlir::remark;

static constexpr StringRef kPass = "mpc-autocast";

/// The largest number of f32 stands for infinity in masks, as exporters write
/// them: that it stays f32 is as it should be, and nobody can choose another.
static bool isMask(const ConstantFinding &finding) {
  return finding.keptWide && std::abs(finding.range.value) ==
                                 double(std::numeric_limits<float>::max());
}

void graph::reportConstants(mlir::func::FuncOp func,
                            const PrecisionAnalysis &analysis) {
  DenseSet<std::pair<Operation *, Type>> reported;
  for (const ConstantFinding &finding : analysis.getFindings()) {
    if (!reported.insert({finding.constant, finding.type}).second)
      continue;
    std::string what = describe(finding.range, finding.type);
    StringRef user = finding.user->getName().getStringRef();
    bool isOwn = finding.constant == finding.user; // a number in an attribute
    if (finding.keptWide)
      remark::missed(finding.constant->getLoc(),
                     remark::RemarkOpts::name("constant")
                         .category(kPass)
                         .function(func.getName()))
          << what + ", stays f32";
    if (isMask(finding))
      continue;
    InFlightDiagnostic warning = mlir::emitWarning(finding.constant->getLoc());
    if (finding.keptWide) {
      warning << what << ": " << (isOwn ? "" : "it stays f32, and so does ")
              << user << (isOwn ? " stays f32" : "");
    } else {
      warning << what << " and " << user << " reads it in " << finding.type
              << ": choose a constant within the range of " << finding.type
              << ", deny the op, or use mode cheapest, which keeps it f32";
    }
    if (!isOwn)
      warning.attachNote(finding.user->getLoc()) << "used here";
  }
}

void graph::reportBanned(mlir::func::FuncOp func,
                         const PrecisionAnalysis &analysis) {
  if (analysis.getOptions().mode != PrecisionMode::Torch)
    return;
  for (Operation &op : func.getBody().front()) {
    const OpDecision &decision = analysis.lookup(&op);
    if (decision.word == stringifyTorchPolicy(TorchPolicy::Banned))
      remark::analysis(
          op.getLoc(),
          remark::RemarkOpts::name("banned").category(kPass).function(
              func.getName()))
          << (op.getName().getStringRef() +
              " is banned from autocast in PyTorch, where it is an error: it "
              "runs in f32, as in a region with autocast off")
                 .str();
  }
}

void graph::reportWidened(mlir::func::FuncOp func) {
  const TargetDescription &target = getTarget(func);
  llvm::MapVector<Type, int64_t> calls;
  for (auto call : func.getOps<LibraryCallOpInterface>()) {
    Type element = mlir::getElementTypeOrSelf(call->getOperand(0));
    calls[element] += !call.computesIn(target, element);
  }
  for (auto [element, number] : calls)
    if (number > 0)
      remark::analysis(
          func.getLoc(),
          remark::RemarkOpts::name("widened").category(kPass).function(
              func.getName()))
          << llvm::formatv("{0} library calls have {1} operands, which target "
                           "{2} widens to f32: results are those of {1}, but "
                           "it takes no less time than f32",
                           number, toString(element), target.name)
                 .str();
}
