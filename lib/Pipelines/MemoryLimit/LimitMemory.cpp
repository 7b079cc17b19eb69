// Purpose: a program that needs no more than so many bytes.
// Before: entries at stage `simplify`. After: marks for mpc-chunk-rows and
// mpc-recompute on what is to be done so that the program fits; and a table of
// it. Algorithm: Choices.h says what can be done, ChoiceSearch.h looks for what
// fits, and asks TrialPlan.h for bytes. Nothing is estimated. Where it is
// `forward` that does not fit, it is made without outputs that no step returns
// (ForwardOutputs.h), and the search begins again: first without all of them,
// then, if that fits, by halves for how many of the largest it takes.
#include "ChoiceSearch.h"
#include "Choices.h"
#include "ForwardOutputs.h"
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
    if (failed(choose(steps, forwards.front())))
      signalPassFailure();
  }

private:
  struct Found {
    std::optional<Choice> choice; ///< None keeps the limit.
    PlannedBytes least;           ///< The smallest plan.
    int64_t before;               ///< Bytes with nothing done,
    int64_t after;                ///< and with the choice.
    size_t plans;
    SmallVector<NamedOutput> dropped = {}; ///< From `forward`.
  };

  FailureOr<Found> search(Choices &choices) {
    auto plan = [&](const Choice &choice) {
      choices.mark(choice);
      return planCopy(getOperation());
    };
    ChoiceSearch search(plan, choices.getProducts().size(),
                        choices.getCandidates().size());
    FailureOr<std::optional<Choice>> choice = search.run(bytes);
    if (failed(choice))
      return failure();
    choices.mark(choice->value_or(search.getLeast().first));
    return Found{
        *choice, search.getLeast().second, search.getPlan(Choice()).bytes,
        search.getPlan(choice->value_or(Choice())).bytes, search.getNumPlans()};
  }

  /// The entries, and what can be done to them.
  struct Entries {
    ArrayRef<FuncOp> steps;
    FuncOp forward;
    std::unique_ptr<Choices> choices = {};

    void findChoices() { choices = std::make_unique<Choices>(steps, forward); }
    /// Makes `forward` what `whole` is without `dropped`.
    void replaceForward(FuncOp whole, ArrayRef<NamedOutput> dropped) {
      choices->mark(Choice());
      choices.reset(); // has ops of the old one
      FuncOp made = whole.clone();
      forward->getBlock()->getOperations().insert(forward->getIterator(), made);
      forward.erase();
      forward = made;
      dropOutputs(forward, dropped);
      findChoices();
    }
  };

  /// Where `forward` needs too much, without outputs that it alone has. What
  /// nobody asks a step for, a run that trains and evaluates its loss does not
  /// need.
  FailureOr<Found> search(Entries &entries) {
    entries.findChoices();
    FailureOr<Found> whole = search(*entries.choices);
    if (failed(whole) || whole->choice ||
        whole->least.entry != program::kForwardEntry)
      return whole;
    SmallVector<NamedOutput> outputs =
        findForwardOnly(entries.steps, entries.forward);
    if (outputs.empty())
      return whole;
    FailureOr<Found> found = searchDropped(entries, outputs);
    if (failed(found))
      return failure();
    found->before = whole->before;
    found->plans += whole->plans;
    return found;
  }

  /// Without as few of `outputs` as fit, from the first on; without all of them
  /// if nothing does.
  FailureOr<Found> searchDropped(Entries &entries,
                                 ArrayRef<NamedOutput> outputs) {
    entries.choices->mark(Choice());
    mlir::OwningOpRef<FuncOp> whole = entries.forward.clone();
    std::optional<Found> found;
    size_t tooFew = 0, enough = outputs.size(), plans = 0;
    for (size_t count = enough; count > tooFew; count = (tooFew + enough) / 2) {
      entries.replaceForward(*whole, outputs.take_front(count));
      FailureOr<Found> next = search(*entries.choices);
      if (failed(next))
        return failure();
      plans += next->plans;
      bool fits = next->choice.has_value();
      if (fits || !found) {
        found = std::move(*next);
        found->dropped = llvm::to_vector(outputs.take_front(count));
      }
      if (!found->choice)
        break;
      (fits ? enough : tooFew) = count;
    }
    if (found->choice) {
      entries.replaceForward(*whole, found->dropped);
      entries.choices->mark(*found->choice);
    }
    found->plans = plans;
    return *found;
  }

  LogicalResult choose(ArrayRef<FuncOp> steps, FuncOp original) {
    Entries entries{steps, original};
    FailureOr<Found> found = search(entries);
    if (failed(found))
      return failure();
    FuncOp forward = entries.forward;
    FuncOp step = steps.front();
    mlir::remark::analysis(
        step.getLoc(),
        mlir::remark::RemarkOpts::name("planned").category("mpc-limit-memory"))
        << mlir::remark::metric("plans", found->plans)
        << mlir::remark::metric("bytes", found->least.bytes);
    if (!found->choice)
      return refuse(step, forward, *found);
    describe(*found->choice);
    if (report)
      print({*entries.choices, *found->choice, bytes, found->before,
             found->after, found->dropped},
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

  /// With the marks of the least.
  LogicalResult refuse(FuncOp step, FuncOp forward, const Found &found) {
    const PlannedBytes &least = found.least;
    InFlightDiagnostic error =
        step.emitError("expected a memory limit of at least ")
        << least.bytes << " bytes, which entry '" << least.entry
        << "' needs when as much as pays is made in chunks of rows, or "
        << "computed again in the backward (" << found.before
        << " without), but got " << int64_t(bytes);
    (void)planCopy(getOperation(), [&](ModuleOp planned) {
      error.attachNote(step.getLoc()) << describeNeed(planned);
      if (onRefusal)
        onRefusal(planned);
    });
    for (FuncOp entry : graph::entryFunctions(getOperation(), least.entry))
      if (std::string outputs =
              describeLargeOutputs(entry, forward, least.arena);
          !outputs.empty())
        error.attachNote(entry.getLoc()) << outputs;
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
