#include "mpc/Dialect/Exec/Analysis/MemoryMap.h"
#include "mlir/IR/BuiltinOps.h"
#include "mpc/Dialect/Exec/Analysis/Liveness.h"
#include "mpc/Text/Numbers.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"

using namespace mpc;
using namespace mpc::exec;

namespace {

enum RowIndex {
  Parameters,
  Masters,
  Copies,
  Compensation,
  Moments,
  Statistics,
  Accumulators,
  Scalars,
  Constants,
  Activations,
  Gradients,
  Workspace,
  Outputs,
  Gaps
};
constexpr StringRef kNames[] = {"parameters",    "master weights",
                                "weight copies", "compensation",
                                "moments",       "running statistics",
                                "accumulators",  "scalars",
                                "constants",     "activations",
                                "gradients",     "workspace",
                                "outputs",       "gaps"};

RowIndex rowOf(StateDeclOp state, const llvm::StringSet<> &copied) {
  switch (state.getRole()) {
  case graph::Role::Parameter:
    return copied.contains(state.getName()) ? Masters : Parameters;
  case graph::Role::WeightCopy:
    return Copies;
  case graph::Role::Compensation:
    return Compensation;
  case graph::Role::RunningStatistic:
    return Statistics;
  case graph::Role::Moment:
    return Moments;
  case graph::Role::Accumulator:
    return Accumulators;
  case graph::Role::Scaler:
  case graph::Role::Counter:
  case graph::Role::Hyperparameter:
  case graph::Role::LossScale:
  case graph::Role::StepCounter:
  case graph::Role::LearningRate:
  case graph::Role::RandomSeed:
  case graph::Role::RandomStep:
    return Scalars;
  }
  llvm_unreachable("all roles are listed");
}

RowIndex rowOf(AllocOp alloc) {
  switch (alloc.getCategory().value_or(Category::Workspace)) {
  case Category::Workspace:
    return Workspace;
  case Category::Activation:
    return Activations;
  case Category::Gradient:
    return Gradients;
  case Category::Output:
    return Outputs;
  }
  llvm_unreachable("all categories are listed");
}

void addStates(ModuleOp module, MemoryMap &map) {
  llvm::StringSet<> copied;
  for (auto state : module.getOps<StateDeclOp>())
    if (state.getRole() == graph::Role::WeightCopy)
      copied.insert(*state.getOf());
  for (auto state : module.getOps<StateDeclOp>()) {
    auto type = cast<mlir::MemRefType>(state.getType());
    int64_t bytes = alignUp(getBytes(type));
    if (state.getRole() == graph::Role::Parameter)
      map.parameters += type.getNumElements();
    map.rows[rowOf(state, copied)].bytes += bytes;
    map.stateBytes += bytes;
  }
}

void addConstants(ModuleOp module, MemoryMap &map) {
  for (auto entry : module.getOps<EntryOp>())
    for (auto constant : entry.getOps<ConstantOp>()) {
      int64_t end = constant.getOffset().value_or(0) +
                    alignUp(getBytes(constant.getBuffer().getType()));
      map.constantBytes = std::max(map.constantBytes, end);
    }
  map.rows[Constants].bytes = map.constantBytes;
}

void addArena(ModuleOp module, MemoryMap &map) {
  EntryOp largest;
  for (auto entry : module.getOps<EntryOp>())
    if (!largest || entry.getArena().value_or(0) > largest.getArena())
      largest = entry;
  if (!largest || !largest.getArena())
    return;
  map.largestEntry = largest.getSymName();
  map.arenaBytes = *largest.getArena();
  Liveness liveness(largest);
  map.largestLiveSet = liveness.getPeak().bytes;
  for (const LiveBuffer &live : liveness.buffers())
    if (live.isLiveAt(liveness.getPeak().time))
      map.rows[rowOf(live.alloc)].bytes += live.bytes;
  map.rows[Gaps].bytes = map.arenaBytes - map.largestLiveSet;
}

} // namespace

MemoryMap MemoryMap::get(ModuleOp module) {
  MemoryMap map;
  for (StringRef name : kNames)
    map.rows.push_back({name, 0});
  addStates(module, map);
  addConstants(module, map);
  addArena(module, map);
  return map;
}

void MemoryMap::print(llvm::raw_ostream &stream) const {
  auto line = [&](StringRef name, int64_t bytes) {
    stream << "  " << llvm::left_justify(name, 16)
           << llvm::right_justify(withCommas(bytes), 16);
    if (parameters)
      stream << llvm::format("%12.2f", static_cast<double>(bytes) /
                                           static_cast<double>(parameters));
    stream << "\n";
  };
  stream << "memory in bytes";
  if (parameters)
    stream << ", and per parameter (" << withCommas(parameters) << ")";
  stream << "\n";
  for (const Row &row : rows)
    if (row.bytes != 0)
      line(row.name, row.bytes);
  line("total", totalBytes());
  stream << "  arena of " << largestEntry << ": " << withCommas(arenaBytes)
         << ", largest live set: " << withCommas(largestLiveSet) << "\n";
}
