// Purpose: a program that needs no more than so many bytes.
// Algorithm: first the largest products are made in chunks of rows, since that
// costs next to nothing: those of the largest type of which that saves
// something, in twice as many, as long as it does. Then values are recomputed:
// candidates in the order in which they pay. Plans of the whole program say how
// many: of eight numbers of them, and where none fits of ever nearer ones
// around the best; between one that fits and one that does not by halves. More
// is nearly always less memory, but not always, so the number that is found
// fits and need not be the least that does. Where nothing fits, twice as many
// chunks, and the same again.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mpc/Dialect/Exec/Analysis/MemoryMap.h"
#include "mpc/Dialect/Graph/Analysis/RecomputeAnalysis.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/Transforms/Signature.h"
#include "mpc/Interfaces/KernelOpInterfaces.h"
#include "mpc/Interfaces/TensorBytes.h"
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

// Parts of fewer bytes save nothing any more that is worth their kernels.
constexpr int64_t kMostChunks = 64;
// Types of products that are tried: the logits, and what may be larger.
constexpr size_t kMostProducts = 3;

/// What is done to a step.
struct Choice {
  int64_t chunks = 1;    ///< Of rows of these products:
  size_t products = 0;   ///< The number of their type.
  size_t recomputed = 0; ///< Candidates, in their order.

  bool operator<(const Choice &other) const {
    return std::tie(chunks, products, recomputed) <
           std::tie(other.chunks, other.products, other.recomputed);
  }
};

/// Products whose results have one type.
struct Products {
  RankedTensorType type;
  SmallVector<Operation *> ops;
};

/// The choice for all entries that train. Entries of one model have alike
/// candidates and products.
class Chooser {
public:
  Chooser(ModuleOp module, ArrayRef<FuncOp> steps, FuncOp forward)
      : module(module), steps(steps) {
    for (FuncOp step : steps) {
      analyses.emplace_back(step, forward);
      addProducts(step);
    }
    addProducts(forward);
    products.truncate(std::min(products.size(), kMostProducts));
  }

  LogicalResult run(int64_t limit);
  void print(int64_t limit, llvm::raw_ostream &stream) const;
  /// The same for the program.
  mlir::DictionaryAttr describe(int64_t limit) const;

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
  void addProducts(FuncOp entry);
  SmallVector<Row> makeRows() const;
  void mark(Choice choice);
  FailureOr<int64_t> plan(Choice choice);
  /// The same with as many chunks as chosen.
  FailureOr<int64_t> plan(size_t recomputed) {
    return plan({chosen.chunks, chosen.products, recomputed});
  }
  LogicalResult chooseChunks(int64_t limit);
  LogicalResult reduce(size_t tooFew, size_t enough, int64_t limit);
  FailureOr<bool> searchCandidates(int64_t limit);
  FailureOr<bool> search(int64_t limit);
  size_t findBest() const;
  std::pair<const Choice, int64_t> findLeast() const;
  LogicalResult report(int64_t limit);
  void printChunks(llvm::raw_ostream &stream) const;

  ModuleOp module;
  SmallVector<FuncOp> steps;               ///< The first is `step`.
  std::vector<RecomputeAnalysis> analyses; ///< By step.
  SmallVector<Products> products; ///< Of all entries, the largest first.
  DenseSet<Operation *> marked;
  std::map<Choice, int64_t> plans; ///< Bytes.
  /// Of each plan the entry with the largest work block.
  std::map<Choice, StringRef> largestEntries;
  Choice chosen;
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
    Chooser chooser(module, steps, forwards.front());
    if (failed(chooser.run(bytes)))
      return signalPassFailure();
    module->setAttr(graph::kMemoryLimitAttr, chooser.describe(bytes));
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

/// The largest first, and of equals the first that was found.
void Chooser::addProducts(FuncOp entry) {
  for (Operation &op : entry.getBody().front()) {
    if (!op.hasTrait<SumsProducts>())
      continue;
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    auto *place = llvm::find_if(
        products, [&](const Products &like) { return like.type == type; });
    if (place == products.end()) {
      place = llvm::find_if(products, [&](const Products &like) {
        return getStoredBytes(like.type) < getStoredBytes(type);
      });
      place = products.insert(place, {type, {}});
    }
    place->ops.push_back(&op);
  }
}

/// These, and no others.
void Chooser::mark(Choice choice) {
  mlir::Builder builder(module.getContext());
  for (auto [number, like] : llvm::enumerate(products))
    for (Operation *op : like.ops)
      if (choice.chunks > 1 && number == choice.products)
        op->setAttr(graph::kChunksAttr,
                    builder.getI64IntegerAttr(choice.chunks));
      else
        op->removeAttr(graph::kChunksAttr);
  for (Operation *op : marked)
    op->removeAttr(graph::kRecomputeAttr);
  marked.clear();
  for (const RecomputeAnalysis &analysis : analyses)
    for (const RecomputeCandidate &candidate :
         analysis.getCandidates().take_front(choice.recomputed))
      for (Operation *op : candidate.ops)
        if (!op->hasAttr(graph::kRecomputeAttr))
          marked.insert(op);
  for (Operation *op : marked)
    op->setAttr(graph::kRecomputeAttr, builder.getUnitAttr());
}

FailureOr<int64_t> Chooser::plan(Choice choice) {
  auto [known, isNew] = plans.try_emplace(choice, 0);
  if (!isNew)
    return known->second;
  mark(choice);
  Silence silence(module.getContext());
  mlir::OwningOpRef<ModuleOp> copy = module.clone();
  mlir::PassManager pm(module.getContext());
  pm.enableVerifier(false);
  buildPipeline(pm, Stage::Simplify, Stage::Exec, {});
  if (failed(pm.run(*copy)))
    return failure();
  exec::MemoryMap map = exec::MemoryMap::get(*copy);
  largestEntries[choice] = map.largestEntry;
  return known->second = map.totalBytes();
}

/// Of the first products that save something so, twice as many until it fits or
/// saves nothing more.
LogicalResult Chooser::chooseChunks(int64_t limit) {
  for (size_t next = 0; next < products.size() && chosen.chunks == 1; ++next)
    for (Choice choice{2, next};
         choice.chunks <= kMostChunks && plans.at(chosen) > limit;
         choice.chunks *= 2) {
      FailureOr<int64_t> bytes = plan(choice);
      if (failed(bytes))
        return failure();
      if (*bytes >= plans.at(chosen))
        break;
      chosen = choice;
    }
  return success();
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
  chosen.recomputed = enough;
  return success();
}

/// Numbers of candidates that lie ever nearer around the best.
FailureOr<bool> Chooser::searchCandidates(int64_t limit) {
  size_t first = 0, all = candidates().size(), last = all;
  for (size_t step = llvm::divideCeil(all, 8); step > 0;
       step = step == 1 ? 0 : llvm::divideCeil(step, 4)) {
    for (size_t before = first; before < last; before += step) {
      size_t count = std::min(before + step, last);
      FailureOr<int64_t> bytes = plan(count);
      if (failed(bytes))
        return failure();
      if (*bytes > limit)
        continue;
      if (failed(reduce(before, count, limit)))
        return failure();
      return true;
    }
    size_t best = findBest();
    first = best - std::min(best, step);
    last = std::min(best + step, all);
  }
  return false;
}

/// The number of candidates of the smallest plan with as many chunks as chosen.
size_t Chooser::findBest() const {
  std::pair<int64_t, size_t> best{INT64_MAX, 0};
  for (const auto &[choice, bytes] : plans)
    if (choice.chunks == chosen.chunks && choice.products == chosen.products)
      best = std::min(best, {bytes, choice.recomputed});
  return best.second;
}

FailureOr<bool> Chooser::search(int64_t limit) {
  if (failed(chooseChunks(limit)))
    return failure();
  if (plans.at(chosen) <= limit)
    return true;
  FailureOr<bool> fits = searchCandidates(limit);
  // With less to keep the product may be the most again.
  while (succeeded(fits) && !*fits && 2 * chosen.chunks <= kMostChunks) {
    int64_t least = findLeast().second;
    FailureOr<int64_t> bytes =
        plan({2 * chosen.chunks, chosen.products, findBest()});
    if (failed(bytes))
      return failure();
    if (*bytes >= least)
      break;
    chosen.chunks *= 2;
    fits = searchCandidates(limit);
  }
  return fits;
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

/// The smallest plan.
std::pair<const Choice, int64_t> Chooser::findLeast() const {
  return *llvm::min_element(
      plans, [](const auto &a, const auto &b) { return a.second < b.second; });
}

LogicalResult Chooser::report(int64_t limit) {
  mark({});
  auto [choice, least] = findLeast();
  return steps.front().emitError("expected a memory limit of at least ")
         << least << " bytes, which entry '" << largestEntries.at(choice)
         << "' needs when as much as pays is made in chunks of rows, or "
         << "computed again in the backward (" << plans.at({})
         << " without), but got " << limit;
}

/// One row for the values of one level that equal ops make.
SmallVector<Chooser::Row> Chooser::makeRows() const {
  SmallVector<Row> rows;
  for (const RecomputeCandidate &candidate :
       candidates().take_front(chosen.recomputed)) {
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

void Chooser::printChunks(llvm::raw_ostream &stream) const {
  if (chosen.chunks == 1)
    return;
  const auto &[type, ops] = products[chosen.products];
  std::string place = describeLine(ops.front()->getLoc());
  stream << "  " << ops.front()->getName().stripDialect()
         << (place.empty() ? "" : " at ") << place
         << " and what is as large: " << chosen.chunks << " chunks of rows, "
         << withCommas(llvm::divideCeil(getStoredBytes(type), chosen.chunks))
         << " of " << withCommas(getStoredBytes(type)) << " bytes each\n";
}

mlir::DictionaryAttr Chooser::describe(int64_t limit) const {
  mlir::Builder builder(module.getContext());
  auto number = [&](StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  };
  return builder.getDictionaryAttr(
      {number("limit", limit), number("chunks", chosen.chunks),
       number("recomputed", int64_t(chosen.recomputed))});
}

void Chooser::print(int64_t limit, llvm::raw_ostream &stream) const {
  stream << "memory limit of " << withCommas(limit) << " bytes: planned "
         << withCommas(plans.at({})) << " bytes";
  if (!(Choice() < chosen)) {
    stream << ", nothing is recomputed\n";
    return;
  }
  stream << ", with what is chosen " << withCommas(plans.at(chosen)) << "\n";
  printChunks(stream);
  if (chosen.recomputed == 0)
    return;
  stream
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
