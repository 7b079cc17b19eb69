#include "MovedStatistics.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"

using namespace mpc;
using namespace mpc::graph;
using mlir::func::FuncOp;

SmallVector<MovedStatistic> graph::movedStatistics(FuncOp func) {
  llvm::StringMap<Marked> states;
  for (const Marked &state : markedArguments(func, kStateAttr))
    if (getRole(func, state.index) == Role::RunningStatistic)
      states.try_emplace(state.name, state);
  SmallVector<MovedStatistic> moved;
  for (const Marked &update : markedResults(func, kUpdatesAttr))
    if (auto state = states.find(update.name); state != states.end())
      moved.push_back({state->second, update.value});
  return moved;
}

SmallVector<MovingAverageOpInterface> graph::averagesOf(Value next) {
  SmallVector<MovingAverageOpInterface> averages;
  while (auto average = next.getDefiningOp<MovingAverageOpInterface>()) {
    averages.push_back(average);
    next = average.getMoved().get();
  }
  return averages;
}

SmallVector<mlir::OpOperand *> graph::statisticUses(FuncOp func) {
  SmallVector<mlir::OpOperand *> uses;
  for (const MovedStatistic &moved : movedStatistics(func)) {
    auto isSame = [](MovingAverageOpInterface average) {
      return average.isSameOnRanks();
    };
    if (auto add = moved.next.getDefiningOp<AddOp>())
      if (!llvm::all_of(averagesOf(add.getRhs()), isSame))
        uses.push_back(&add.getRhsMutable());
    for (MovingAverageOpInterface average : averagesOf(moved.next))
      if (!isSame(average))
        uses.push_back(&average.getTarget());
  }
  return uses;
}
