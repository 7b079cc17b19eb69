// Purpose: a program that needs no more than so many bytes.
// Algorithm: candidates in the order in which they pay, cut into levels of
// equal price. Level by level more of them are marked, until a plan of the
// whole program fits; then a binary search in the last level for the fewest.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Dialect/Exec/Analysis/MemoryMap.h"
#include "mpc/Dialect/Graph/Analysis/RecomputeAnalysis.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Pipelines/Passes.h"
#include "mpc/Pipelines/Pipelines.h"
#include "mpc/Program/Names.h"
#include "mpc/Text/Numbers.h"
#include "mpc/Text/Places.h"
#include "llvm/Support/Format.h"
#include <map>

namespace mpc {
#define GEN_PASS_DEF_LIMITMEMORY
#include "mpc/Pipelines/Passes.h.inc"
} // namespace mpc

using namespace mpc;
using graph::RecomputeAnalysis;
using graph::RecomputeCandidate;
using mlir::func::FuncOp;

namespace {

/// The choice for all entries that train: how many candidates of each, in their
/// order. Entries of one model have alike ones.
class Chooser {
public:
  Chooser(ModuleOp module, ArrayRef<FuncOp> steps, FuncOp forward)
      : module(module) {
    for (FuncOp step : steps)
      analyses.emplace_back(step, forward);
  }

  LogicalResult run(int64_t limit);
  void print(int64_t limit, llvm::raw_ostream &stream) const;

private:
  struct Row {
    double bytesPerFlop = 0;
    SmallVector<Operation *> of = {};
    int64_t bytes = 0;
    double flops = 0;
  };
  ArrayRef<RecomputeCandidate> candidates() const {
    return analyses.front().getCandidates();
  }
  SmallVector<size_t> findLevels() const;
  SmallVector<Row> makeRows() const;
  void mark(size_t count);
  FailureOr<int64_t> plan(size_t count);
  LogicalResult reduce(size_t tooFew, size_t enough, int64_t limit);
  FailureOr<bool> search(int64_t limit);
  LogicalResult report(int64_t limit);

  ModuleOp module;
  std::vector<RecomputeAnalysis> analyses; ///< By step; the first is `step`.
  DenseSet<Operation *> marked;
  std::map<size_t, int64_t> plans; ///< Bytes by number of candidates.
  size_t chosen = 0;
};

/// What is said about the module is said when it is compiled, not when it is
/// planned; what goes wrong is said at once.
struct Silence final : mlir::ScopedDiagnosticHandler {
  explicit Silence(MLIRContext *context)
      : ScopedDiagnosticHandler(context, [](mlir::Diagnostic &diagnostic) {
          return success(diagnostic.getSeverity() !=
                         mlir::DiagnosticSeverity::Error);
        }) {}
};

struct LimitMemory final : mpc::impl::LimitMemoryBase<LimitMemory> {
  using Base::Base;
  llvm::raw_ostream *report = nullptr;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<FuncOp> steps;
    for (StringRef entry : {program::kStepEntry, program::kAccumulateEntry})
      llvm::append_range(steps, graph::entryFunctions(module, entry));
    auto forwards = graph::entryFunctions(module, program::kForwardEntry);
    if (steps.empty() || forwards.empty())
      return;
    Chooser chooser(module, steps, forwards.front());
    if (failed(chooser.run(bytes)))
      return signalPassFailure();
    if (report)
      chooser.print(bytes, *report);
  }
};

} // namespace

std::unique_ptr<mlir::Pass>
mpc::createLimitMemory(const LimitMemoryOptions &options,
                       llvm::raw_ostream *report) {
  auto pass = std::make_unique<LimitMemory>(options);
  pass->report = report;
  return pass;
}

/// How many candidates there are up to the end of each level.
SmallVector<size_t> Chooser::findLevels() const {
  SmallVector<size_t> ends;
  for (size_t next = 1; next <= candidates().size(); ++next)
    if (next == candidates().size() ||
        candidates()[next].bytesPerFlop() !=
            candidates()[next - 1].bytesPerFlop())
      ends.push_back(next);
  return ends;
}

/// The first `count` candidates, and no others.
void Chooser::mark(size_t count) {
  for (Operation *op : marked)
    op->removeAttr(graph::kRecomputeAttr);
  marked.clear();
  for (const RecomputeAnalysis &analysis : analyses)
    for (const RecomputeCandidate &candidate :
         analysis.getCandidates().take_front(count))
      marked.insert(candidate.ops.begin(), candidate.ops.end());
  for (Operation *op : marked)
    op->setAttr(graph::kRecomputeAttr,
                mlir::UnitAttr::get(module.getContext()));
}

FailureOr<int64_t> Chooser::plan(size_t count) {
  auto [known, isNew] = plans.try_emplace(count, 0);
  if (!isNew)
    return known->second;
  mark(count);
  Silence silence(module.getContext());
  mlir::OwningOpRef<ModuleOp> copy = module.clone();
  mlir::PassManager pm(module.getContext());
  pm.enableVerifier(false);
  buildPipeline(pm, Stage::Simplify, Stage::Exec, {});
  if (failed(pm.run(*copy)))
    return failure();
  return known->second = exec::MemoryMap::get(*copy).totalBytes();
}

/// As few as fit, between `enough`, which do, and `tooFew`, which do not.
LogicalResult Chooser::reduce(size_t tooFew, size_t enough, int64_t limit) {
  while (enough - tooFew > 1) {
    size_t middle = (tooFew + enough) / 2;
    FailureOr<int64_t> bytes = plan(middle);
    if (failed(bytes))
      return failure();
    (*bytes <= limit ? enough : tooFew) = middle;
  }
  chosen = enough;
  return success();
}

/// Levels one after the other, until one fits. A plan inside of a level may be
/// smaller than those at its ends, so if none fits, every number in the two
/// levels around the smallest is tried.
FailureOr<bool> Chooser::search(int64_t limit) {
  SmallVector<size_t> ends{0};
  llvm::append_range(ends, findLevels());
  size_t smallest = 0;
  for (size_t level = 1; level < ends.size(); ++level) {
    FailureOr<int64_t> bytes = plan(ends[level]);
    if (failed(bytes))
      return failure();
    if (*bytes <= limit) {
      if (failed(reduce(ends[level - 1], ends[level], limit)))
        return failure();
      return true;
    }
    if (*bytes < plans.at(ends[smallest]))
      smallest = level;
  }
  size_t first = ends[smallest == 0 ? 0 : smallest - 1],
         last = ends[std::min(smallest + 1, ends.size() - 1)];
  for (chosen = first; chosen <= last; ++chosen) {
    FailureOr<int64_t> bytes = plan(chosen);
    if (failed(bytes))
      return failure();
    if (*bytes <= limit)
      return true;
  }
  return false;
}

LogicalResult Chooser::run(int64_t limit) {
  FailureOr<int64_t> before = plan(0);
  if (failed(before))
    return failure();
  if (*before > limit) {
    FailureOr<bool> fits = search(limit);
    if (failed(fits))
      return failure();
    if (!*fits)
      return report(limit);
  }
  mark(chosen);
  return success();
}

LogicalResult Chooser::report(int64_t limit) {
  mark(0);
  int64_t least = plans.at(0);
  for (auto [count, bytes] : plans)
    least = std::min(least, bytes);
  return module.emitError("expected a memory limit of at least ")
         << least << " bytes, which the program needs when as much as pays is "
         << "computed again in the backward (" << plans.at(0)
         << " when nothing is), but got " << limit;
}

/// One row for the values of one level that equal ops make.
SmallVector<Chooser::Row> Chooser::makeRows() const {
  SmallVector<Row> rows;
  for (const RecomputeCandidate &candidate : candidates().take_front(chosen)) {
    Operation *op = candidate.ops.back();
    auto *row = llvm::find_if(rows, [&](const Row &row) {
      return row.of.back()->getName() == op->getName() &&
             row.bytesPerFlop == candidate.bytesPerFlop();
    });
    if (row == rows.end())
      row = rows.insert(row, Row{candidate.bytesPerFlop()});
    row->of.push_back(op);
    row->bytes += candidate.bytes;
    row->flops += candidate.flops;
  }
  return rows;
}

void Chooser::print(int64_t limit, llvm::raw_ostream &stream) const {
  stream << "memory limit of " << withCommas(limit) << " bytes: planned "
         << withCommas(plans.at(0)) << " bytes";
  if (chosen == 0) {
    stream << ", nothing is recomputed\n";
    return;
  }
  stream
      << ", with what is recomputed " << withCommas(plans.at(chosen)) << "\n"
      << "    values             bytes  operations    bytes/op  recomputed\n";
  double flops = 0;
  for (const Row &row : makeRows()) {
    std::string place = describeLine(row.of.front()->getLoc());
    if (!place.empty())
      place = " at " + place + (row.of.size() > 1 ? ", ..." : "");
    stream << llvm::right_justify(std::to_string(row.of.size()), 10)
           << llvm::right_justify(withCommas(row.bytes), 18)
           << llvm::format("%12.3g%12.3g", row.flops, row.bytesPerFlop) << "  "
           << row.of.front()->getName().stripDialect() << place << "\n";
    flops += row.flops;
  }
  double before = analyses.front().getStepFlops();
  stream << llvm::format("  operations of a step: %.3g, of which %.1f %% are "
                         "recomputed\n",
                         before + flops, 100 * flops / (before + flops));
}
