#include "Settings.h"

#include "../Failure.h"

#include "mpc/Program/Names.h"

using namespace mpc;
using namespace mpc::run;

//===-- Steps that are skipped --------------------------------------------===//

/// `option` is for programs that skip steps.
static void checkSkips(const Program &program, const char *option) {
  if (!program.entry(program::kStepEntry).findOutput(program::kFoundInfOutput))
    throw usageError("train: '" + std::string(option) +
                     "' needs steps that are skipped, but '" + program.path() +
                     "' checks for no infinity; compile it with --loss-scale");
}

/// What is done again must not be done already.
static void checkRetry(const Program &program) {
  if (program.groups().empty())
    return;
  throw usageError(
      "train: '--retry' needs steps that are skipped whole, but '" +
      program.path() +
      "' has parameter groups, of which some may be skipped and "
      "others updated");
}

void mpc::run::checkSkipOptions(const TrainOptions &options,
                                const Program &program) {
  if (options.retry)
    checkSkips(program, "--retry");
  if (options.retry.value_or(0) > 0)
    checkRetry(program);
  if (options.maxSkips)
    checkSkips(program, "--max-skips");
  if (options.explainsOverflow())
    checkSkips(program, "--on-overflow=explain");
  if (!options.compiler.empty()) // also explains why training stopped
    checkSkips(program, "--compiler");
}

StopRules mpc::run::makeStopRules(const TrainOptions &options,
                                  const Program &program) {
  StopRules rules;
  rules.maxSkips = options.maxSkips.value_or(rules.maxSkips);
  std::string atFloor = program.setting("scale-on-floor").value_or("hold");
  rules.atFloor = atFloor == "error"  ? AtFloor::Error
                  : atFloor == "warn" ? AtFloor::Warn
                                      : AtFloor::Hold;
  rules.isScaleStatic = program.setting("loss-scale") == "static";
  return rules;
}

//===-- Rates -------------------------------------------------------------===//

/// A value that the runtime refuses is the option's.
static void setState(Session &session, const StateFacts &state,
                     const std::string &option, double value) {
  try {
    session.setScalarState(state, value);
  } catch (const Failure &failure) {
    if (failure.code != Exit::BadInput)
      throw;
    throw usageError("train: '" + option + "': " + failure.what());
  }
}

static Failure noScale(const Program &program) {
  std::string others;
  for (const StateFacts &state : program.states())
    if (state.role == MPC_LOSS_SCALE)
      others += (others.empty() ? "'" : ", '") + state.name + "'";
  std::string text =
      "train: '--scale' sets the loss scale, but '" + program.path() + "' has ";
  if (others.empty())
    return usageError(text + "none; compile it with --loss-scale");
  return usageError(text + "one for each loss (" + others +
                    "); compile it with --scale-scope=shared for one, or with "
                    "another --scale-init");
}

/// "'decay', 'head'".
static std::string listGroups(const Program &program) {
  std::string names;
  for (const std::string &group : program.groups())
    names += (names.empty() ? "'" : ", '") + group + "'";
  return names;
}

/// Where groups take all parameters, nothing has the rate that --lr sets.
static const StateFacts &findRate(const Program &program) {
  if (const StateFacts *rate = program.findState(MPC_LEARNING_RATE))
    return *rate;
  std::string groups = listGroups(program);
  if (groups.empty())
    throw usageError("train: '--lr' needs a learning rate, but '" +
                     program.path() + "' has none");
  throw usageError("train: '--lr' is for parameters that are in no group, but "
                   "'" +
                   program.path() +
                   "' trains none; groups keep their rates: " + groups);
}

void mpc::run::applyRates(const TrainOptions &options, const Program &program,
                          Session &session) {
  if (options.lr && *options.lr != 0 && static_cast<float>(*options.lr) == 0)
    throw usageError("train: '--lr': expected a number that is not 0 in f32, "
                     "or 0 itself");
  if (options.lr)
    setState(session, findRate(program), "--lr", *options.lr);
  if (options.scale) {
    const StateFacts *scale = program.findState(MPC_LOSS_SCALE);
    if (!scale)
      throw noScale(program);
    setState(session, *scale, "--scale", *options.scale);
  }
  if (options.lr || options.scale)
    session.refresh();
}

std::string mpc::run::describeOtherRates(const TrainOptions &options,
                                         const Program &program) {
  std::string names = listGroups(program);
  if (!options.lr || names.empty())
    return "";
  return "warning: '--lr' is for parameters that are in no group; groups keep "
         "their rates: " +
         names;
}
