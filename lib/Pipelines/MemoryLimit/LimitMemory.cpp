// Purpose: a program that needs no more than so many bytes.
// Before: entries at stage `simplify`. After: marks for mpc-chunk-rows and
// mpc-recompute on what is to be done so that the program fits; and a table of
// it. Algorithm: Choices.h says what can be done, ChoiceSearch.h looks for what
// fits, and asks TrialPlan.h for bytes. Nothing is estimated.
#include "ChoiceSearch.h"
#include "Choices.h"
#include "Report.h"
#include "TrialPlan.h"
#include "mlir/IR/Remarks.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Pipelines/Passes.h"
#include "mpc/Program/Names.h"

namespace mpc {
#define GEN_PASS_DEF_LIMITMEMORY
#include "mpc/Pipelines/Passes.h.inc"
} // namespace mpc

using namespace mpc;
using namespace mpc::memory_limit;
using mlir::func::FuncOp;

namespace {

struct LimitMemory final : mpc::impl::LimitMemoryBase<LimitMemory> {
  using Base::Base;
  llvm::raw_ostream *report = nullptr;
  std::function<void(ModuleOp)> onRefusal;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<FuncOp> steps;
    for (StringRef entry : {program::kStepEntry, program::kAccumulateEntry})
      llvm::append_range(steps, graph::entryFunctions(module, entry));
    auto forwards = graph::entryFunctions(module, program::kForwardEntry);
    if (bytes < 1) {
      module.emitError("expected a memory limit in bytes, as in 4000000, "
                       "512MiB or 1.5GiB");
      return signalPassFailure();
    }
    if (steps.empty() || forwards.empty()) {
      module.emitError("expected entries that train beside 'forward', which a "
                       "memory limit is for, but there are none");
      return signalPassFailure();
    }
    Choices choices(steps, forwards.front());
    if (failed(choose(choices, steps.front())))
      signalPassFailure();
  }

private:
  LogicalResult choose(Choices &choices, FuncOp step) {
    auto plan = [&](const Choice &choice) {
      choices.mark(choice);
      return planCopy(getOperation());
    };
    ChoiceSearch search(plan, choices.getProducts().size(),
                        choices.getCandidates().size());
    FailureOr<std::optional<Choice>> found = search.run(bytes);
    if (failed(found))
      return failure();
    mlir::remark::analysis(
        step.getLoc(),
        mlir::remark::RemarkOpts::name("planned").category("mpc-limit-memory"))
        << mlir::remark::metric("plans", search.getNumPlans())
        << mlir::remark::metric("bytes", search.getLeast().second.bytes);
    int64_t before = search.getPlan(Choice()).bytes;
    choices.mark(found->value_or(search.getLeast().first));
    if (!*found)
      return refuse(step, search.getLeast().second, before);
    describe(**found);
    if (report)
      print({choices, **found, bytes, before, search.getPlan(**found).bytes},
            *report);
    return success();
  }

  /// For the program, which tells what was done.
  void describe(const Choice &choice) {
    mlir::Builder builder(&getContext());
    auto number = [&](StringRef name, int64_t value) {
      return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
    };
    getOperation()->setAttr(
        graph::kMemoryLimitAttr,
        builder.getDictionaryAttr(
            {number("limit", bytes), number("chunks", choice.chunks),
             number("recomputed", int64_t(choice.recomputed))}));
  }

  /// With the marks of `least`.
  LogicalResult refuse(FuncOp step, const PlannedBytes &least, int64_t before) {
    InFlightDiagnostic error =
        step.emitError("expected a memory limit of at least ")
        << least.bytes << " bytes, which entry '" << least.entry
        << "' needs when as much as pays is made in chunks of rows, or "
        << "computed again in the backward (" << before << " without), but got "
        << int64_t(bytes);
    (void)planCopy(getOperation(), [&](ModuleOp planned) {
      error.attachNote(step.getLoc()) << describeNeed(planned);
      if (onRefusal)
        onRefusal(planned);
    });
    return error;
  }
};

} // namespace

std::unique_ptr<mlir::Pass>
mpc::createLimitMemory(const LimitMemoryOptions &options,
                       llvm::raw_ostream *report,
                       std::function<void(ModuleOp)> onRefusal) {
  auto pass = std::make_unique<LimitMemory>(options);
  pass->report = report;
  pass->onRefusal = std::move(onRefusal);
  return pass;
}
