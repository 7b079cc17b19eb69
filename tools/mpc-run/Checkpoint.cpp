#include "Checkpoint.h"

#include "Failure.h"
#include "mpc/Data/Safetensors.h"

#include <charconv>

using namespace mpc;
using namespace mpc::run;

constexpr const char *kFormat = "mpc checkpoint 1";

void mpc::run::saveCheckpoint(const std::string &path, const Program &program,
                              const Session &session,
                              const Position &position) {
  std::vector<data::Bytes> contents;
  std::vector<data::TensorToStore> tensors;
  contents.reserve(program.states().size()); // the tensors point into it
  for (const StateFacts &state : program.states()) {
    if (!state.isSaved())
      continue;
    contents.push_back(session.getState(state));
    tensors.push_back({state.name, state.type, state.shape, contents.back()});
  }
  requireWritten(data::writeSafetensors(
      path, std::move(tensors),
      {{"format", kFormat},
       {"model", program.info().model},
       {"seed", std::to_string(position.seed)},
       {"batches", std::to_string(position.steps)},
       {"batches_per_epoch", std::to_string(position.stepsPerEpoch)},
       {"shuffled", position.isShuffled ? "1" : "0"}}));
}

/// The tensor for `state`, its type and shape checked.
static const data::StoredTensor &findTensor(const data::Safetensors &file,
                                            const std::string &path,
                                            const StateFacts &state) {
  auto found = file.tensors.find(state.name);
  if (found == file.tensors.end())
    throw badInput("'" + path + "': expected a tensor '" + state.name +
                   "', but the file has none");
  const data::StoredTensor &tensor = found->second;
  if (tensor.shape != state.shape || !tensor.type)
    throw badInput(
        "'" + path + "': expected " +
        data::describe(state.shape, std::string(getInfo(state.type).name)) +
        " for '" + state.name + "', but got " +
        data::describe(tensor.shape, tensor.dtype));
  return tensor;
}

static std::string typeMismatch(const std::string &path,
                                const StateFacts &state,
                                const data::StoredTensor &tensor) {
  return "'" + path + "': expected " + std::string(getInfo(state.type).name) +
         " for '" + state.name + "', but got " +
         std::string(getInfo(*tensor.type).name);
}

static uint64_t readNumber(const data::Safetensors &file,
                           const std::string &path, const std::string &key) {
  uint64_t value = 0;
  auto found = file.metadata.find(key);
  if (found != file.metadata.end()) {
    const std::string &text = found->second;
    const char *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && stop == end)
      return value;
  }
  throw badInput(
      "'" + path + "': expected a number '" + key +
      "' in its metadata, but got " +
      (found == file.metadata.end() ? "none" : "'" + found->second + "'"));
}

Position mpc::run::resumeCheckpoint(const std::string &path,
                                    const Program &program, Session &session) {
  data::Safetensors file = requireInput(data::readSafetensors(path));
  auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != kFormat)
    throw badInput("'" + path + "': expected a checkpoint of mpc-run train " +
                   "--save, but its metadata has no format '" + kFormat +
                   "'; --weights reads the weights of any file");
  Position position;
  position.seed = readNumber(file, path, "seed");
  position.steps = readNumber(file, path, "batches");
  position.stepsPerEpoch = readNumber(file, path, "batches_per_epoch");
  position.isShuffled = readNumber(file, path, "shuffled") != 0;

  std::vector<std::pair<const StateFacts *, const data::StoredTensor *>> found;
  for (const StateFacts &state : program.states()) {
    if (!state.isSaved())
      continue;
    const data::StoredTensor &tensor = findTensor(file, path, state);
    if (*tensor.type != state.type)
      throw badInput(typeMismatch(path, state, tensor));
    found.emplace_back(&state, &tensor);
  }
  for (auto [state, tensor] : found)
    session.setState(*state, tensor->bytes);
  session.refresh();
  return position;
}

static data::Tensor readWeight(const data::Safetensors &file,
                               const std::string &path, const StateFacts &state,
                               const WeightOptions &options) {
  const data::StoredTensor &stored = findTensor(file, path, state);
  if (*stored.type != state.type && !options.convert)
    throw badInput(typeMismatch(path, state, stored) +
                   "; --convert converts it");
  std::optional<data::ElementFormat> format = data::formatOf(*stored.type);
  if (!format)
    throw badInput(typeMismatch(path, state, stored));
  std::string what = "'" + path + "': tensor '" + state.name + "'";
  data::Tensor tensor{
      *format, stored.shape, {stored.bytes.begin(), stored.bytes.end()}};
  if (*stored.type != state.type)
    tensor = requireInput(data::convert(tensor, state.type, what));
  std::optional<uint64_t> bad = data::findNonFinite(tensor);
  if (bad && !options.allowNonFinite)
    throw badInput(what + ": expected finite values, but got " +
                   data::valueAsText(tensor, *bad) + " at element " +
                   std::to_string(*bad) + "; --allow-non-finite accepts it");
  return tensor;
}

void mpc::run::loadWeights(const std::string &path, const Program &program,
                           Session &session, const WeightOptions &options) {
  data::Safetensors file = requireInput(data::readSafetensors(path));
  std::vector<std::pair<const StateFacts *, data::Tensor>> weights;
  for (const StateFacts &state : program.states())
    if (state.role == MPC_PARAMETER)
      weights.emplace_back(&state, readWeight(file, path, state, options));
  for (const auto &[state, tensor] : weights)
    session.setState(*state, tensor.bytes);
  session.refresh();
}
