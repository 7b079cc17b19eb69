// Family Collective.
#include "mpc/Dialect/Graph/IR/Ops/Step/Collective.h"
#include "EntryBuilder.h"

using namespace mpc;

void mpc::convertAllReduce(graph::AllReduceOp op, EntryBuilder &entry) {
  SmallVector<Value> inputs = entry.buffers(op.getInputs());
  SmallVector<Value> outputs = entry.allocate(op.getResults());
  exec::AllReduceOp::create(entry.builder, op.getKindAttr(), inputs, outputs,
                            op.getGroupAttr());
}
