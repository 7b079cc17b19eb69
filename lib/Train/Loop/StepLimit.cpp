#include "StepLimit.h"

#include "../Failure.h"
#include "Settings.h"

using namespace mpc;
using namespace mpc::train;

namespace {

/// What a run has counted so far.
struct Count {
  uint64_t steps;
  std::string state; ///< That is ahead of the position; "" if none is.
};

} // namespace

/// The runtime keeps counters, which are i32, from being negative.
static Count findCount(const rt::Program &program, const rt::Session &session,
                       const Position &position) {
  Count count{position.steps, ""};
  for (const mpc_state_info &state : program.states()) {
    bool counts = state.role == MPC_COUNTER || state.role == MPC_STEP_COUNTER;
    if (!counts || state.type != MPC_I32)
      continue;
    auto value = static_cast<uint64_t>(scalarState(session, state));
    if (value > count.steps)
      count = {value, state.name};
  }
  return count;
}

/// The option that was given, as it could be.
static std::string describeMost(const TrainOptions &options,
                                const Position &position, uint64_t steps) {
  uint64_t epochs = steps / position.stepsPerEpoch;
  if (options.epochs && epochs > 0)
    return "'--epochs " + std::to_string(epochs) + "'";
  return "'--steps " + std::to_string(steps) + "'";
}

/// `last`: nothing if not even 64 bits hold it.
static Failure tooManySteps(const TrainOptions &options,
                            const Position &position, const Count &count,
                            std::optional<uint64_t> last) {
  std::string text = "train: " + describeEnd(options) + " ends at step " +
                     (last ? std::to_string(*last) : "2^64 or later");
  if (last && !count.state.empty())
    text += ", " + std::to_string(*last - position.steps) +
            " from here, but state '" + count.state + "' is at " +
            std::to_string(count.steps) + " already, and";
  else
    text += ", but";
  text += " steps are counted up to " + std::to_string(kMostSteps);
  if (count.steps < kMostSteps) {
    uint64_t left = kMostSteps - count.steps;
    text += "; ask for at most " +
            describeMost(options, position, position.steps + left);
  }
  return badOptions(text + "; '--weights' begins a new count with the "
                           "parameters of another run");
}

uint64_t mpc::train::findLastStep(const TrainOptions &options,
                                  const rt::Program &program,
                                  const rt::Session &session,
                                  const Position &position) {
  std::optional<uint64_t> last = options.steps;
  uint64_t product = 0;
  if (!last && !__builtin_mul_overflow(options.epochs.value_or(1),
                                       position.stepsPerEpoch, &product))
    last = product;
  if (last && *last <= position.steps)
    return *last; // nothing is left to do
  Count count = findCount(program, session, position);
  if (!last || count.steps > kMostSteps ||
      *last - position.steps > kMostSteps - count.steps)
    throw tooManySteps(options, position, count, last);
  return *last;
}
