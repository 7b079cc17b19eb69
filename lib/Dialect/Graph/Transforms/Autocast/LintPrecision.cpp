// Purpose: say what is legal in 16 bits and likely to go wrong
// (PrecisionLint.h), each at its op and with the way out. Changes nothing.
#include "mpc/Dialect/Graph/Precision/PrecisionLint.h"
#include "mpc/Dialect/Graph/Transforms/Passes.h"

namespace mpc::graph {
#define GEN_PASS_DEF_LINTPRECISION
#include "mpc/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace mpc::graph

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

namespace {
struct LintPrecision final : impl::LintPrecisionBase<LintPrecision> {
  using Base::Base;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (severity != "warning" && severity != "error" && severity != "off") {
      getOperation().emitError()
          << "expected lint to be warning, error or off, but got '" << severity
          << "'";
      return signalPassFailure();
    }
    if (severity == "off")
      return;
    for (auto func : getOperation().getOps<FuncOp>())
      if (!func.isExternal() && func->hasAttr(kAutocastAttr) &&
          failed(report(func)))
        return signalPassFailure();
  }

private:
  LogicalResult report(FuncOp func) {
    PolicyRules rules;
    auto options = readAutocastRecord(func, rules);
    if (failed(options))
      return failure();
    LintLimits limits{sumElements, chainLength};
    auto findings = lintPrecision(func, **options, limits);
    for (const LintFinding &finding : findings) {
      InFlightDiagnostic diagnostic = severity == "error"
                                          ? finding.op->emitError()
                                          : finding.op->emitWarning();
      diagnostic << "lint: " << finding.problem << ": " << finding.fix;
      if (finding.cause)
        diagnostic.attachNote(finding.cause->getLoc()) << "used here";
    }
    return failure(severity == "error" && !findings.empty());
  }
};
} // namespace
