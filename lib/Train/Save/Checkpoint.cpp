#include "Checkpoint.h"

#include "../Failure.h"
#include "Shard.h"
#include "StoredStates.h"

#include "mpc/Program/ParameterGroups.h"
#include "mpc/Support/Number.h"
#include "mpc/Train/Format.h"

#include <cstdio>
#include <set>

using namespace mpc;
using namespace mpc::train;

/// As many digits as bring the number back.
static std::string formatExactly(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.17g", number);
  return text;
}

std::string BestEvaluation::describe() const {
  return rule + " " + formatLoss(value) + " at step " + std::to_string(step);
}

rt::Metadata mpc::train::describePosition(const Position &position) {
  rt::Metadata metadata = {
      {"seed", std::to_string(position.seed)},
      {"batches", std::to_string(position.steps)},
      {"batches_per_epoch", std::to_string(position.stepsPerEpoch)},
      {"shuffled", position.isShuffled ? "1" : "0"}};
  if (position.isContiguous)
    metadata["contiguous_shares"] = std::to_string(position.ranks);
  if (!position.augmentations.empty())
    metadata["augmentations"] = position.augmentations;
  if (position.best) {
    metadata["best_of"] = position.best->rule;
    metadata["best"] = formatExactly(position.best->value);
    metadata["best_step"] = std::to_string(position.best->step);
  }
  return metadata;
}

std::string mpc::train::describeGroups(const rt::Program &program) {
  std::string groups;
  for (uint32_t i = 0, count = program.info().num_settings; i < count; ++i) {
    const char *key = nullptr, *value = nullptr;
    rt::api().program_setting(program.get(), i, &key, &value);
    program::addGroup(groups, key, value);
  }
  return groups;
}

static void checkGroups(const rt::Metadata &metadata,
                        const rt::Program &program, const std::string &path) {
  auto said = metadata.find(program::kGroupsKey);
  std::string own = describeGroups(program);
  if (said != metadata.end() && !program::takesGroups(own, said->second))
    throw badInput(program::describeOtherGroups(path, own, said->second) +
                   "; --weights takes its parameters alone");
}

void mpc::train::saveCheckpoint(data::OutputFile file,
                                const rt::Session &session,
                                const Position &position) {
  saveStates(session, std::move(file), describePosition(position));
}

static std::string typeMismatch(const std::string &path,
                                const mpc_state_info &state,
                                const data::StoredTensor &tensor) {
  return "'" + path + "': expected " +
         std::string(getInfo(typeOf(state)).name) + " for '" + state.name +
         "', but got " + std::string(getInfo(*tensor.type).name);
}

template <typename Number>
static Number readNumber(const rt::Metadata &metadata, const std::string &path,
                         const std::string &key) {
  auto found = metadata.find(key);
  if (found != metadata.end())
    if (std::optional<Number> number = parseNumber<Number>(found->second))
      return *number;
  throw badInput("'" + path + "': expected a number '" + key +
                 "' in its metadata, as mpc-run train --save writes it, but "
                 "got " +
                 (found == metadata.end()
                      ? "none"
                      : "'" + train::printable(found->second) + "'") +
                 "; '--weights' takes its parameters alone");
}

/// A number of no more than `most`.
static uint64_t readCount(const rt::Metadata &metadata, const std::string &path,
                          const std::string &key, uint64_t most) {
  auto count = readNumber<uint64_t>(metadata, path, key);
  if (count > most)
    throw badInput("'" + path + "': expected '" + key +
                   "' in its metadata to be at most " + std::to_string(most) +
                   ", but got " + std::to_string(count));
  return count;
}

static Position readPosition(const rt::Metadata &metadata,
                             const std::string &path) {
  Position position;
  position.seed = readNumber<uint64_t>(metadata, path, "seed");
  position.steps = readCount(metadata, path, "batches", kMostSteps);
  position.stepsPerEpoch =
      readNumber<uint64_t>(metadata, path, "batches_per_epoch");
  position.isShuffled = readCount(metadata, path, "shuffled", 1) == 1;
  position.isContiguous = metadata.contains("contiguous_shares");
  if (position.isContiguous)
    position.ranks = readCount(metadata, path, "contiguous_shares", INT32_MAX);
  if (auto rule = metadata.find("best_of"); rule != metadata.end())
    position.best = {rule->second, readNumber<double>(metadata, path, "best"),
                     readCount(metadata, path, "best_step", position.steps)};
  if (auto model = metadata.find("model"); model != metadata.end())
    position.model = model->second;
  if (auto augmentations = metadata.find("augmentations");
      augmentations != metadata.end())
    position.augmentations = augmentations->second;
  return position;
}

/// Fails if the tensors are not just those that `program` has states for.
static void checkNames(const StoredStates &stored,
                       const std::vector<mpc_state_info> &states) {
  std::string missing, others;
  auto note = [](std::string &names, std::string_view name) {
    names += (names.empty() ? "'" : ", '") + std::string(name) + "'";
  };
  std::set<std::string_view> known;
  for (const mpc_state_info &state : states) {
    known.insert(state.name);
    if (!stored.tensors().contains(state.name))
      note(missing, state.name);
  }
  for (const auto &[name, tensor] : stored.tensors())
    if (!known.contains(name))
      note(others, name);
  if (missing.empty() && others.empty())
    return;
  throw badInput("'" + stored.path() +
                 "': its tensors are not those of the program" +
                 (missing.empty() ? "" : "; missing: " + missing) +
                 (others.empty() ? "" : "; not of this program: " + others) +
                 "; '--weights' takes its parameters alone");
}

/// What loadStates does with one file, after Session::init.
static void setStates(const StoredStates &stored, const rt::Program &program,
                      rt::Session &session) {
  std::vector<mpc_state_info> states = savedStates(program);
  checkNames(stored, states);
  for (const mpc_state_info &state : states)
    if (const data::StoredTensor &tensor = stored.find(state);
        *tensor.type != typeOf(state))
      throw badInput(typeMismatch(stored.path(), state, tensor));
  for (const mpc_state_info &state : states)
    try {
      setState(session, state, stored.find(state).bytes);
    } catch (const Failure &failure) {
      throw Failure(failure.fault,
                    "'" + stored.path() + "': " + failure.what());
    }
  require(session.refresh());
}

Position mpc::train::resumeCheckpoint(const CheckpointFiles &files,
                                      const rt::Program &program,
                                      rt::Session &session) {
  if (!files.manifest)
    return readPosition(loadStates(session, files.path), files.path);
  rt::Metadata metadata = files.manifest->metadata;
  checkGroups(metadata, program, files.path);
  setStates(StoredStates(files), program, session);
  metadata["model"] = files.manifest->model;
  return readPosition(metadata, files.path);
}

bool mpc::train::holdsBest(const std::string &path, const Position &position) {
  Result<data::Metadata> metadata = data::readSafetensorsMetadata(path);
  if (!metadata)
    return false;
  try {
    Position saved = readPosition({metadata->begin(), metadata->end()}, path);
    return saved.best && saved.best == position.best &&
           saved.best->step == saved.steps && saved.seed == position.seed;
  } catch (const Failure &) { // of an application, say
    return false;
  }
}

static data::Tensor readWeight(const StoredStates &file,
                               const mpc_state_info &state,
                               const WeightOptions &options) {
  const std::string &path = file.path();
  const data::StoredTensor &stored = file.find(state);
  if (*stored.type != typeOf(state) && !options.convert)
    throw badInput(typeMismatch(path, state, stored) +
                   "; --convert converts it");
  std::optional<data::ElementFormat> format = data::formatOf(*stored.type);
  if (!format)
    throw badInput(typeMismatch(path, state, stored));
  std::string what = "'" + path + "': tensor '" + state.name + "'";
  data::Tensor tensor{
      *format, stored.shape, {stored.bytes.begin(), stored.bytes.end()}};
  if (*stored.type != typeOf(state))
    tensor = requireInput(data::convert(tensor, typeOf(state), what));
  std::optional<uint64_t> bad = data::findNonFinite(tensor);
  if (bad && !options.allowNonFinite)
    throw badInput(what + ": expected finite values, but got " +
                   data::valueAsText(tensor, *bad) + " at element " +
                   std::to_string(*bad) + "; --allow-non-finite accepts it");
  return tensor;
}

/// What a model computes with that was trained elsewhere, too.
static bool isWeight(const mpc_state_info &state) {
  return state.role == MPC_PARAMETER || state.role == MPC_RUNNING_STATISTIC;
}

void mpc::train::loadWeights(const std::string &path,
                             const rt::Program &program, rt::Session &session,
                             const WeightOptions &options) {
  StoredStates file(openCheckpoint(path), options.isOver);
  std::vector<std::pair<mpc_state_info, data::Tensor>> weights;
  for (const mpc_state_info &state : program.states())
    if (isWeight(state))
      weights.emplace_back(state, readWeight(file, state, options));
  for (const auto &[state, tensor] : weights)
    setState(session, state, tensor.bytes);
  require(session.refresh());
}
