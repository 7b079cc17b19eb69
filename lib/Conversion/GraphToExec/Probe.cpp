// Family Probe: an observation writes a row, which is an output of the entry.
#include "mpc/Dialect/Graph/IR/Ops/Step/Probe.h"
#include "EntryBuilder.h"
#include "mpc/Interfaces/Target.h"
#include "mpc/Support/Observation.h"

using namespace mpc;

LogicalResult mpc::convertObserve(graph::ObserveOp op, EntryBuilder &entry) {
  if (StringRef target = graph::getTarget(op).name; target != "cpu")
    return op.emitOpError("expected target 'cpu', where values are observed, "
                          "but got '")
           << target << "'";
  Value row = entry.allocate(
      mlir::MemRefType::get({kObservedNumbers}, entry.builder.getF64Type()));
  exec::ObserveOp::create(entry.builder, op.getNumberAttr(),
                          entry.buffer(op.getValue()), row, op.getNameAttr(),
                          op.getWhatAttr(), op.getSourcesAttr(),
                          op.getBackwardAttr(), op.getSinkAttr());
  exec::OutputOp::create(entry.builder, op.getNameAttr(), row);
  return success();
}
