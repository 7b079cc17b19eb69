#include "OverflowExplanation.h"

#include "../Failure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace mpc;
using namespace mpc::train;

using Values = std::vector<ObservedValue>;

static bool isBad(const ObservedValue &value) {
  return value.seen.nonFinite() > 0;
}

/// Everything bad that a bad loss or gradient was made from, themselves too.
static std::vector<bool> findCauses(const Values &values) {
  std::vector<bool> reached(values.size());
  std::vector<size_t> open;
  auto visit = [&](size_t i) {
    if (isBad(values[i]) && !reached[i]) {
      reached[i] = true;
      open.push_back(i);
    }
  };
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].facts->isSink)
      visit(i);
  while (!open.empty()) {
    size_t i = open.back();
    open.pop_back();
    for (uint32_t read : values[i].facts->reads)
      visit(read);
  }
  return reached;
}

namespace {

/// How far the largest element is from the largest finite number.
double headroom(const ObservedValue &value) {
  return value.seen.largest == 0
             ? INFINITY
             : getInfo(value.facts->type).maxFinite / value.seen.largest;
}

bool readsAny(const Values &values, size_t index, auto isSuch) {
  return std::ranges::any_of(values[index].facts->reads, [&](uint32_t read) {
    return isSuch(values[read]);
  });
}

void findNearOverflow(const Values &values, OverflowExplanation &result) {
  constexpr double factor = 8;
  constexpr size_t most = 5;
  for (size_t i = 0; i < values.size(); ++i)
    if (!isBad(values[i]) && headroom(values[i]) < factor)
      result.nearOverflow.push_back(i);
  std::ranges::sort(result.nearOverflow, {}, [&](size_t i) {
    return std::pair(headroom(values[i]), i);
  });
  if (result.nearOverflow.size() > most)
    result.nearOverflow.resize(most);
}

void findProducers(const Values &values, const std::vector<bool> &causes,
                   OverflowExplanation &result) {
  auto hasNan = [](const ObservedValue &value) { return value.seen.nan > 0; };
  for (size_t i = 0; i < values.size(); ++i) {
    if (!causes[i])
      continue;
    bool isProducer = !readsAny(values, i, isBad);
    if (isProducer && result.first)
      result.others.push_back(i);
    else if (isProducer)
      result.first = i;
    if (hasNan(values[i]) && !readsAny(values, i, hasNan) && !result.firstNan)
      result.firstNan = i;
  }
  result.reachesSink = result.first.has_value();
  if (result.firstNan == result.first)
    result.firstNan.reset();
}

} // namespace

OverflowExplanation
mpc::train::explainOverflow(const std::vector<ObservedValue> &values) {
  OverflowExplanation result;
  findProducers(values, findCauses(values), result);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!isBad(values[i]))
      continue;
    const ProbeFacts &facts = *values[i].facts;
    (facts.isBackward ? result.badBackward : result.badForward) += 1;
    if (facts.isSink)
      result.sinks.push_back(i);
    if (!result.first && !facts.reads.empty() && !readsAny(values, i, isBad))
      result.first = i;
  }
  findNearOverflow(values, result);
  return result;
}

bool OverflowExplanation::isLossBad(const Values &values) const {
  return std::ranges::any_of(
      sinks, [&](size_t i) { return !values[i].facts->isBackward; });
}

//===-- For people --------------------------------------------------------===//

namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

std::string shapeOf(const ProbeFacts &facts) {
  std::string text;
  for (int64_t size : facts.shape)
    text += std::to_string(size) + "x";
  return text + std::string(getInfo(facts.type).name);
}

std::string placeOf(const ProbeFacts &facts) {
  return facts.location.empty() ? "" : " at " + facts.location;
}

/// "3 inf, 1 NaN of 64".
std::string countsOf(const Observation &seen) {
  std::string text;
  if (seen.infinite > 0)
    text = number(seen.infinite) + " inf";
  if (seen.nan > 0)
    text += (text.empty() ? "" : ", ") + number(seen.nan) + " NaN";
  return text + " of " + number(seen.elements);
}

std::string describeValue(const ObservedValue &value) {
  return "'" + value.facts->name + "', " + shapeOf(*value.facts);
}

std::string describeFirst(const Values &values, size_t first) {
  const ObservedValue &value = values[first];
  const ProbeFacts &facts = *value.facts;
  std::string text = "  first: " + facts.what + placeOf(facts) + ", " +
                     (facts.isBackward ? "backward" : "forward") + "\n";
  text += "    made " + describeValue(value) + ": " + countsOf(value.seen) +
          ", largest finite magnitude " + number(value.seen.largest) + "\n";
  for (uint32_t read : facts.reads)
    text += "    from " + describeValue(values[read]) + ": largest magnitude " +
            number(values[read].seen.largest) + "\n";
  return text;
}

std::string list(const Values &values, const std::vector<size_t> &numbers) {
  constexpr size_t most = 8;
  std::string text;
  for (size_t i = 0; i < std::min(most, numbers.size()); ++i)
    text += (i ? ", '" : "'") + values[numbers[i]].facts->name + "'";
  if (numbers.size() > most)
    text += " and " + std::to_string(numbers.size() - most) + " more";
  return text;
}

/// What to do about it.
std::string advise(const OverflowExplanation &explanation,
                   const Values &values) {
  const ProbeFacts &first = *values[*explanation.first].facts;
  if (first.reads.empty())
    return "  it came with the data or the state: no op is to blame\n";
  if (!first.isBackward)
    return "  the forward overflows, which no loss scale cures: run this op in "
           "f32 (policy Deny), or make its inputs smaller\n";
  return "  the backward overflows: a smaller loss scale cures it; if it "
         "happens at every scale, run this op in f32 (policy Deny)\n";
}

} // namespace

std::string mpc::train::describe(const OverflowExplanation &explanation,
                                 const Values &values) {
  if (!explanation.first)
    return "  every value of the replay is finite: the update, or another "
           "rank, "
           "made it\n";
  std::string text = describeFirst(values, *explanation.first);
  if (explanation.firstNan) {
    const ObservedValue &value = values[*explanation.firstNan];
    text += "  first NaN: " + value.facts->what + placeOf(*value.facts) + ", " +
            describeValue(value) + ": " + countsOf(value.seen) + "\n";
  }
  if (!explanation.others.empty())
    text += "  independent of it: " + list(values, explanation.others) + "\n";
  text += "  not finite then: " + std::to_string(explanation.badForward) +
          " values of the forward, " + std::to_string(explanation.badBackward) +
          " of the backward";
  text +=
      explanation.sinks.empty()
          ? "; none of them reaches the loss or a gradient\n"
          : "; of loss and gradients " + list(values, explanation.sinks) + "\n";
  for (size_t i : explanation.nearOverflow)
    text += "  near overflow: " + describeValue(values[i]) +
            ": largest magnitude " + number(values[i].seen.largest) + "\n";
  return text + advise(explanation, values);
}

//===-- Watching ----------------------------------------------------------===//

/// Whether groups of parameters are skipped one by one: each then counts its
/// own steps.
static bool skipsInGroups(const rt::Program &program) {
  std::vector<mpc_state_info> states = program.states();
  return std::ranges::count_if(states, [](const mpc_state_info &state) {
           return state.role == MPC_STEP_COUNTER;
         }) > 1;
}

/// What a step changes beside parameters and their moments, or reads.
static bool isScalar(mpc_role role) {
  switch (role) {
  case MPC_SCALER:
  case MPC_LOSS_SCALE:
  case MPC_COUNTER:
  case MPC_STEP_COUNTER:
  case MPC_HYPERPARAMETER:
  case MPC_LEARNING_RATE:
  case MPC_RANDOM_SEED:
  case MPC_RANDOM_STEP:
    return true;
  default:
    return false;
  }
}

void OverflowWatch::beforeStep(const rt::Session &session) {
  bool keepsParameters = skipsInGroups(program);
  for (const mpc_state_info &state : program.states()) {
    if (isScalar(state.role) ||
        (keepsParameters && state.role == MPC_PARAMETER))
      before[state.name] = getState(session, state);
  }
}

void OverflowWatch::useScale(double scale) {
  if (auto state = program.findState(MPC_LOSS_SCALE))
    before[state->name] = asState(*state, scale);
}

/// The number that the first of `count` micro-batches drew by.
double OverflowWatch::firstDraw(const rt::Session &session,
                                const mpc_state_info &state,
                                size_t count) const {
  if (auto kept = before.find(std::string_view(state.name));
      kept != before.end())
    return asNumber(DType::I32, kept->second);
  return scalarState(session, state) - double(count);
}

OverflowWatch::Replay
OverflowWatch::replay(const rt::Session &session,
                      std::span<const data::Batch> batches) {
  if (!probe)
    probe =
        std::make_unique<Probe>(compileProbe(program, file, compiler), threads);
  std::string text;
  auto draws = program.findState(MPC_RANDOM_STEP);
  double first = draws ? firstDraw(session, *draws, batches.size()) : 0;
  for (size_t i = 0; i < batches.size(); ++i) {
    if (draws) // Each micro-batch has drawn its own.
      before[draws->name] = asState(*draws, first + double(i));
    Values values = probe->run(program, session, before, batches[i]);
    OverflowExplanation explanation = explainOverflow(values);
    if (!explanation.reachesSink && i + 1 < batches.size())
      continue;
    if (batches.size() > 1)
      text += "  in micro-batch " + std::to_string(i + 1) + " of " +
              std::to_string(batches.size()) + ":\n";
    return {text + describe(explanation, values), explanation.reachesSink};
  }
  return {text, false};
}

std::string OverflowWatch::explain(const rt::Session &session,
                                   std::span<const data::Batch> batches) {
  return replay(session, batches).text;
}

std::string OverflowWatch::explainLate(const rt::Session &session,
                                       std::span<const data::Batch> batches) {
  Replay after = replay(session, batches);
  if (!after.isBad)
    return "the step is not replayed: another has run meanwhile, in which "
           "every value is finite; '--on-overflow=explain' reads each step at "
           "once, and names the op";
  after.text.pop_back(); // others end the line
  return "replay of the step after it:\n" + after.text;
}
