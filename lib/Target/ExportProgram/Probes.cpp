#include "Probes.h"
#include "ProgramTypes.h"
#include "StepNames.h"
#include "mpc/Text/Places.h"

using namespace mpc;

namespace {

/// The numbers of the outputs of `entry` by the memory that they lie in.
DenseMap<Value, uint32_t> numberOutputs(exec::EntryOp entry) {
  DenseMap<Value, uint32_t> numbers;
  for (auto [index, output] : llvm::enumerate(entry.getOps<exec::OutputOp>()))
    numbers[output.getValue()] = index;
  return numbers;
}

} // namespace

LogicalResult target::addProbes(program::ProgramT &program,
                                exec::EntryOp entry) {
  SmallVector<exec::ObserveOp> observations(entry.getOps<exec::ObserveOp>());
  llvm::sort(observations, [](exec::ObserveOp a, exec::ObserveOp b) {
    return a.getNumber() < b.getNumber();
  });
  DenseMap<Value, uint32_t> outputs = numberOutputs(entry);
  DenseMap<int64_t, uint32_t> places;
  for (exec::ObserveOp op : observations) {
    auto probe = std::make_unique<program::ProbeT>();
    auto output = outputs.find(op.getRow());
    if (output == outputs.end() || places.contains(op.getNumber()))
      return op.emitOpError("expected a number of its own and a row that is "
                            "an output");
    probe->output = output->second;
    probe->what = op.getWhat().str();
    probe->location = describePlace(op.getLoc());
    probe->type = exec::getProgramType(op.getValue().getType());
    probe->shape = shapeOf(op.getValue().getType());
    for (int64_t read : op.getSources()) {
      auto place = places.find(read);
      if (place == places.end())
        return op.emitOpError("expected to read an observation of the entry, "
                              "but there is no number ")
               << read;
      probe->reads.push_back(place->second);
    }
    probe->backward = op.getBackward();
    probe->sink = op.getSink();
    places[op.getNumber()] = program.probes.size();
    program.probes.push_back(std::move(probe));
  }
  return success();
}
