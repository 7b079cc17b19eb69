#include "StepOutputs.h"

#include "../Failure.h"

#include "mpc/Data/TensorFile.h"
#include "mpc/Program/Names.h"

using namespace mpc;
using namespace mpc::train;

/// Says what there is instead.
static Failure noStepOutput(const rt::Program &program, const rt::Entry &step,
                            const std::string &name) {
  std::optional<rt::Entry> forward = findEntry(program, program::kForwardEntry);
  bool isDropped = forward && forward->findOutput(name);
  return badInput("the step has no output '" + name + "'; it has " +
                  listNames(step.outputs) +
                  (isDropped ? ", since it was compiled with '--drop-outputs'"
                   : name.starts_with("gradient.")
                       ? ", and gradients too if compiled with "
                         "'--output-gradients'"
                       : describeLeftOut(program)));
}

StepOutputs::StepOutputs(const rt::Program &program, const rt::Entry &step,
                         const NamePairs &files)
    : step(step) {
  for (const auto &[name, path] : files) {
    std::optional<uint32_t> index = step.findOutput(name);
    if (!index)
      throw noStepOutput(program, step, name);
    outputs.push_back({*index, path, {}});
  }
}

void StepOutputs::read(const rt::Session &session) {
  if (!isUnread)
    return;
  for (Output &output : outputs) {
    std::span<const std::byte> bytes = readOutput(session, step, output.index);
    output.bytes.assign(bytes.begin(), bytes.end());
  }
  isUnread = false;
  wasRead = true;
}

void StepOutputs::write(OutputFiles &files) const {
  if (!wasRead)
    return;
  for (const Output &output : outputs) {
    const mpc_tensor_info &facts = step.outputs[output.index];
    requireWritten(data::writeTensor(
        files.take(output.path),
        {*data::formatOf(typeOf(facts)), shapeOf(facts), output.bytes}));
  }
}
