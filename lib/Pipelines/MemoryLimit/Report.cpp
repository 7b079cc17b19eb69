#include "Report.h"
#include "mpc/Dialect/Exec/Analysis/MemoryMap.h"
#include "mpc/Dialect/Exec/Analysis/PeakBuffers.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "mpc/Text/Numbers.h"
#include "mpc/Text/Places.h"
#include "llvm/Support/Format.h"

using namespace mpc;
using namespace mpc::memory_limit;
using graph::RecomputeCandidate;

namespace {

/// The values of one level that equal ops make.
struct Row {
  double bytesPerFlop = 0;
  SmallVector<Operation *> of = {};
  int64_t bytes = 0;
  double flops = 0;
};

SmallVector<Row> makeRows(ArrayRef<RecomputeCandidate> candidates) {
  SmallVector<Row> rows;
  for (const RecomputeCandidate &candidate : candidates) {
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

void printChunks(const Chosen &chosen, llvm::raw_ostream &stream) {
  int64_t chunks = chosen.choice.chunks;
  if (chunks == 1)
    return;
  const auto &[type, ops] =
      chosen.choices.getProducts()[chosen.choice.products];
  std::string place = describeLine(ops.front()->getLoc());
  stream << "  " << ops.front()->getName().stripDialect()
         << (place.empty() ? "" : " at ") << place
         << " and what is as large: " << chunks << " chunks of rows, "
         << withCommas(llvm::divideCeil(getStoredBytes(type), chunks)) << " of "
         << withCommas(getStoredBytes(type)) << " bytes each\n";
}

void printRecomputed(const Chosen &chosen, llvm::raw_ostream &stream) {
  if (chosen.choice.recomputed == 0)
    return;
  stream
      << "    values             bytes  operations    bytes/op  recomputed\n";
  double flops = 0;
  for (const Row &row : makeRows(chosen.choices.getCandidates().take_front(
           chosen.choice.recomputed))) {
    std::string place = describeLine(row.of.front()->getLoc());
    if (!place.empty())
      place = " at " + place + (row.of.size() > 1 ? ", ..." : "");
    stream << llvm::right_justify(std::to_string(row.of.size()), 10)
           << llvm::right_justify(withCommas(row.bytes), 18)
           << llvm::format("%12.3g%12.3g", row.flops, row.bytesPerFlop) << "  "
           << row.of.front()->getName().stripDialect() << place << "\n";
    flops += row.flops;
  }
  double all = chosen.choices.getStepFlops() + flops;
  stream << llvm::format("  operations of a step: %.3g, of which %.1f %% are "
                         "recomputed\n",
                         all, 100 * flops / all);
}

void printDropped(const Chosen &chosen, llvm::raw_ostream &stream) {
  for (const NamedOutput &output : chosen.dropped)
    stream << "  forward returns no '" << output.name << "', "
           << withCommas(output.bytes)
           << " bytes, as no step does; a program of --inference does\n";
}

} // namespace

void memory_limit::print(const Chosen &chosen, llvm::raw_ostream &stream) {
  stream << "memory limit of " << withCommas(chosen.limit) << " bytes: planned "
         << withCommas(chosen.before) << " bytes";
  if (!(Choice() < chosen.choice) && chosen.dropped.empty()) {
    stream << ", nothing is recomputed\n";
    return;
  }
  stream << ", with what is chosen " << withCommas(chosen.after) << "\n";
  printDropped(chosen, stream);
  printChunks(chosen, stream);
  printRecomputed(chosen, stream);
}

std::string memory_limit::describeNeed(ModuleOp planned) {
  constexpr unsigned kShown = 5;
  exec::MemoryMap map = exec::MemoryMap::get(planned);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "of these, " << withCommas(map.stateBytes + map.constantBytes)
         << " bytes are state and constants, and " << withCommas(map.arenaBytes)
         << " what lives at once";
  for (auto entry : planned.getOps<exec::EntryOp>()) {
    if (entry.getSymName() != map.largestEntry)
      continue;
    auto peak = exec::PeakBuffers::get(entry);
    if (!peak.step.empty())
      stream << " while this runs: " << peak.step;
    stream << "\n";
    peak.printLargest(kShown, stream);
  }
  return StringRef(text).rtrim().str();
}
