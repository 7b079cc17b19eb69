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

SmallVector<MovingAverageOp> graph::averagesOf(Value next) {
  SmallVector<MovingAverageOp> averages;
  while (auto average = next.getDefiningOp<MovingAverageOp>()) {
    averages.push_back(average);
    next = average.getRunning();
  }
  return averages;
}

SmallVector<mlir::OpOperand *> graph::statisticUses(FuncOp func) {
  SmallVector<mlir::OpOperand *> uses;
  for (const MovedStatistic &moved : movedStatistics(func)) {
    if (auto add = moved.next.getDefiningOp<AddOp>())
      uses.push_back(&add.getRhsMutable());
    for (MovingAverageOp average : averagesOf(moved.next))
      uses.push_back(&average.getStatisticMutable());
  }
  return uses;
}
