// Family Collective.
#include "mpc/Dialect/Graph/IR/Ops/Step/Collective.h"
#include "EntryBuilder.h"
#include "mpc/Dialect/Graph/IR/GraphDialect.h"

using namespace mpc;

void mpc::convertAllReduce(graph::AllReduceOp op, EntryBuilder &entry) {
  SmallVector<Value> inputs = entry.buffers(op.getInputs());
  SmallVector<Value> outputs = entry.allocate(op.getResults());
  exec::AllReduceOp::create(entry.builder, op.getKindAttr(), inputs, outputs,
                            op.getGroupAttr());
}

/// In a program for one rank, results lie where inputs do.
void mpc::convertSumOverRanks(graph::SumOverRanksOp op, EntryBuilder &entry) {
  auto func = op->getParentOfType<mlir::func::FuncOp>();
  SmallVector<Value> inputs = entry.buffers(op.getInputs());
  if (func->hasAttr(graph::kSingleRankAttr)) {
    for (auto [result, input] : llvm::zip_equal(op.getResults(), inputs))
      entry.bind(result, input);
    return;
  }
  SmallVector<Value> outputs = entry.allocate(op.getResults());
  exec::AllReduceOp::create(entry.builder, graph::ReduceKind::Sum, inputs,
                            outputs, op.getGroup());
}
