#include "StepOutputs.h"

#include "../Failure.h"

#include "mpc/Data/TensorFile.h"

using namespace mpc;
using namespace mpc::run;

/// Says what there is instead.
static Failure noOutput(const EntryFacts &step, const std::string &name) {
  std::string list;
  for (const TensorFacts &output : step.outputs)
    list += (list.empty() ? "'" : ", '") + output.name + "'";
  return badInput("the step has no output '" + name + "'; it has " + list +
                  (name.starts_with("gradient.")
                       ? ", and gradients too if compiled with "
                         "'--output-gradients'"
                       : ""));
}

StepOutputs::StepOutputs(const EntryFacts &step, const NamePairs &files)
    : step(step) {
  for (const auto &[name, path] : files) {
    std::optional<uint32_t> index = step.findOutput(name);
    if (!index)
      throw noOutput(step, name);
    outputs.push_back({*index, path, {}});
  }
}

void StepOutputs::read(const Session &session) {
  if (!isUnread)
    return;
  for (Output &output : outputs) {
    std::span<const std::byte> bytes = session.output(step, output.index);
    output.bytes.assign(bytes.begin(), bytes.end());
  }
  isUnread = false;
  wasRead = true;
}

void StepOutputs::write(OutputFiles &files) const {
  if (!wasRead)
    return;
  for (const Output &output : outputs) {
    const TensorFacts &facts = step.outputs[output.index];
    requireWritten(data::writeTensor(
        files.take(output.path),
        {*data::formatOf(facts.type), facts.shape, output.bytes}));
  }
}
