#include "StepNames.h"
#include "mpc/Dialect/Graph/IR/Ops/Group.h"
#include "mpc/Program/Calls.h"
#include "mpc/Program/Names.h"
#include "mpc/Program/RecordName.h"
#include "mpc/Text/Phases.h"
#include "mpc/Text/Places.h"

using namespace mpc;
using namespace mpc::target;

namespace {

/// The kind of a kernel and its first ops: "row: sub, exp, sum, ...".
std::string describeKernel(exec::KernelOp kernel) {
  constexpr unsigned kMostOps = 6;
  graph::GroupOp group = kernel.getGroup();
  std::string text = (stringifyGroupKind(group.getKind()) + ":").str();
  unsigned count = 0;
  for (Operation &op : group.getBody().front().without_terminator()) {
    if (op.hasTrait<mlir::OpTrait::ConstantLike>())
      continue;
    if (++count > kMostOps)
      return text + ", ...";
    text += count == 1 ? " " : ", ";
    text += op.getName().stripDialect();
  }
  return text;
}

/// "matmul 64x784x10, bias".
std::string describeCall(exec::CallOp call) {
  flatbuffers::FlatBufferBuilder builder;
  program::CallT table = call.describe();
  builder.Finish(program::CreateCall(builder, &table));
  return describe(
      *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer()));
}

std::string describeWork(Operation *step,
                         mlir::SymbolTableCollection &symbols) {
  if (auto launch = dyn_cast<exec::LaunchOp>(step))
    if (auto kernel = symbols.lookupNearestSymbolFrom<exec::KernelOp>(
            launch, launch.getKernelAttr()))
      return describeKernel(kernel);
  if (auto call = dyn_cast<exec::CallOp>(step))
    return describeCall(call);
  std::string name = step->getName().stripDialect().str();
  if (auto list = dyn_cast<exec::MultiTensorOp>(step))
    return (name + ": " + stringifyMultiTensorKind(list.getKind())).str();
  return name;
}

} // namespace

std::string target::describeStep(Operation *step,
                                 mlir::SymbolTableCollection &symbols) {
  std::string work = describeWork(step, symbols),
              place = describeLine(step->getLoc()), phase;
  // What makes derived states is a part of no step.
  if (step->getParentOfType<exec::EntryOp>().getSymName() !=
      StringRef(program::kInitEntry))
    phase = describePhase(step->getLoc());
  return program::RecordName{work, phase, place}.text();
}
