#include "Settings.h"

#include "../Failure.h"
#include "../Inputs.h"

#include "mpc/Program/Names.h"
#include "mpc/Ranks/Processors.h"
#include "mpc/Support/Number.h"

#include <cmath>
#include <unistd.h>

using namespace mpc;
using namespace mpc::train;

//===-- Among each other --------------------------------------------------===//

/// `option` was given without `other`.
static Failure lacks(const std::string &option, const std::string &other) {
  return badOptions("train: '" + option + "' needs '" + other + "'");
}

static void checkSaving(const TrainOptions &options) {
  const SaveOptions &saving = options.saving;
  if (saving.file.empty() && saving.folder.empty() && saving.every)
    throw lacks("--save-every", "--save' or '--save-dir");
  if (saving.file.empty() && saving.best)
    throw lacks("--save-best", "--save");
  if (saving.file.empty() && saving.folder.empty() && saving.resumes)
    throw lacks("--resume-if-saved", "--save' or '--save-dir");
  if (saving.keep && !saving.every)
    throw lacks("--keep", "--save-every");
  if (saving.keep == uint64_t(0) && !saving.folder.empty())
    throw badOptions("train: '--keep': expected 1 or more with '--save-dir', "
                     "but got 0");
  if (saving.best && options.evalFiles.empty())
    throw lacks("--save-best", "--eval-input");
  if (!saving.best)
    return;
  if (saving.best->metric != "eval_loss" &&
      saving.best->metric != "eval_accuracy")
    throw badOptions("train: '--save-best': expected eval_loss or "
                     "eval_accuracy, but got '" +
                     saving.best->metric + "'");
  if (saving.best->metric == "eval_accuracy" && options.accuracy.empty())
    throw badOptions("train: '--save-best=eval_accuracy' needs '--accuracy'");
}

static void checkRates(const TrainOptions &options) {
  for (auto [option, rate] : {std::pair("--copy-rate", options.copyRate),
                              std::pair("--product-rate", options.productRate)})
    if (rate && !options.timings && options.timeline.empty())
      throw lacks(option, "--timings' or '--timeline");
    else if (rate && !(*rate > 0 && std::isfinite(*rate)))
      throw badOptions(std::string("train: '") + option +
                       "': expected a finite number above 0");
}

static void checkNumbers(const TrainOptions &options) {
  if (options.evalEvery == uint64_t(0))
    throw badOptions("train: '--eval-every': expected 1 or more, but got 0");
  if (options.evalSteps == uint64_t(0))
    throw badOptions("train: '--eval-steps': expected 1 or more, but got 0");
  const std::optional<SaveInterval> &every = options.saving.every;
  if (every && (every->steps ? *every->steps == 0 : every->time.count() <= 0))
    throw badOptions("train: '--save-every': expected more than nothing");
  if (options.lr && !(*options.lr >= 0 && std::isfinite(*options.lr)))
    throw badOptions("train: '--lr': expected a finite number of 0 or more");
  if (options.scale && !(*options.scale > 0 && std::isfinite(*options.scale)))
    throw badOptions("train: '--scale': expected a finite number above 0");
}

void mpc::train::checkOptions(const TrainOptions &options) {
  if (!options.resume.empty() &&
      (options.seed || !options.shuffle || !options.ranks.shares.empty()))
    throw badOptions(
        "train: '--resume' goes on with the seed and order of its file; drop "
        "'--seed', '--no-shuffle' and '--shares'");
  if (!options.resume.empty() && !options.weights.empty())
    throw badOptions("train: '--weights' and '--resume' exclude each other");
  if (options.steps && options.epochs)
    throw badOptions("train: '--steps' and '--epochs' exclude each other");
  if (options.evalFiles.empty() && !options.accuracy.empty())
    throw lacks("--accuracy", "--eval-input");
  if (options.evalFiles.empty() && options.evalEvery)
    throw lacks("--eval-every", "--eval-input");
  if (options.evalFiles.empty() && options.evalSteps)
    throw lacks("--eval-steps", "--eval-input");
  if (options.evalEvery && options.evalSteps)
    throw badOptions("train: '--eval-every' and '--eval-steps' exclude each "
                     "other");
  checkSaving(options);
  checkRates(options);
  checkNumbers(options);
}

void mpc::train::checkLaunched(const RankOptions &options,
                               const ranks::Launch &launch) {
  if (launch.launcher != ranks::Launcher::None)
    return; // One rank alone may be what a launcher was asked for.
  for (auto [option, isGiven] :
       {std::pair("--collectives", !options.collectives.empty()),
        std::pair("--shares", !options.shares.empty()),
        std::pair("--timeout", options.timeout.has_value()),
        std::pair("--check-every", options.checkEvery.has_value())})
    if (isGiven)
      throw badOptions(std::string("train: '") + option +
                       "' is for several ranks, but this is one process: "
                       "start some by '--ranks', torchrun, mpirun or srun, or "
                       "leave it out");
}

std::string mpc::train::describeEnd(const TrainOptions &options) {
  if (options.steps)
    return "'--steps " + std::to_string(*options.steps) + "'";
  if (options.epochs)
    return "'--epochs " + std::to_string(*options.epochs) + "'";
  return "one epoch";
}

std::string mpc::train::describeNothingToDo(const TrainOptions &options,
                                            uint64_t step, uint64_t lastStep) {
  bool isGiven = options.steps || options.epochs;
  return "nothing to do: " +
         (options.resume.empty() ? "training" : "'" + options.resume + "'") +
         " is at step " + std::to_string(step) + ", and " +
         describeEnd(options) + " ends at step " + std::to_string(lastStep) +
         "; " + (isGiven ? "raise it" : "give '--epochs' or '--steps'") +
         " to go on" +
         (options.outputs.empty() ? "" : ". '--output' writes nothing") +
         (options.timeline.empty() ? "" : ". '--timeline' writes nothing") +
         (options.evalFiles.empty()
              ? ""
              : ". '--eval-input' is not evaluated; mpc-run eval does");
}

//===-- Steps that are skipped --------------------------------------------===//

/// `option` is for programs that skip steps.
static void checkSkips(const rt::Program &program, const char *option) {
  if (!requireEntry(program, program::kStepEntry)
           .findOutput(program::kFoundInfOutput))
    throw badOptions("train: '" + std::string(option) +
                     "' needs steps that are skipped, but '" + program.path() +
                     "' checks for no infinity; compile it with --loss-scale");
}

/// What is done again must not be done already.
static void checkRetry(const rt::Program &program) {
  if (program.groups().empty())
    return;
  throw badOptions(
      "train: '--retry' needs steps that are skipped whole, but '" +
      program.path() +
      "' has parameter groups, of which some may be skipped and "
      "others updated");
}

void mpc::train::checkSkipOptions(const TrainOptions &options,
                                  const rt::Program &program) {
  if (options.retry)
    checkSkips(program, "--retry");
  if (options.retry.value_or(0) > 0)
    checkRetry(program);
  if (options.maxSkips)
    checkSkips(program, "--max-skips");
  if (options.explainSkips)
    checkSkips(program, "--on-overflow=explain");
  if (!options.compiler.path.empty()) // also explains why training stopped
    checkSkips(program, "--compiler");
}

StopRules mpc::train::makeStopRules(const TrainOptions &options,
                                    const rt::Program &program) {
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
static void setRate(rt::Session &session, const mpc_state_info &state,
                    const std::string &option, double value) {
  try {
    setScalarState(session, state, value);
  } catch (const Failure &failure) {
    if (failure.fault != Fault::Input)
      throw;
    throw badOptions("train: '" + option + "': " + failure.what());
  }
}

static Failure noScale(const rt::Program &program) {
  std::string others;
  for (const mpc_state_info &state : program.states())
    if (state.role == MPC_LOSS_SCALE)
      others += (others.empty() ? "'" : ", '") + std::string(state.name) + "'";
  std::string text =
      "train: '--scale' sets the loss scale, but '" + program.path() + "' has ";
  if (others.empty())
    return badOptions(text + "none; compile it with --loss-scale");
  return badOptions(text + "one for each loss (" + others +
                    "); compile it with --scale-scope=shared for one, or with "
                    "another --scale-init");
}

/// "'decay', 'head'".
static std::string listGroups(const rt::Program &program) {
  std::string names;
  for (const std::string &group : program.groups())
    names += (names.empty() ? "'" : ", '") + group + "'";
  return names;
}

/// Where groups take all parameters, nothing has the rate that --lr sets.
static mpc_state_info findRate(const rt::Program &program) {
  if (auto rate = program.findState(MPC_LEARNING_RATE))
    return *rate;
  std::string groups = listGroups(program);
  if (groups.empty())
    throw badOptions("train: '--lr' needs a learning rate, but '" +
                     program.path() + "' has none");
  throw badOptions("train: '--lr' is for parameters that are in no group, but "
                   "'" +
                   program.path() +
                   "' trains none; groups keep their rates: " + groups);
}

void mpc::train::applyRates(const TrainOptions &options,
                            const rt::Program &program, rt::Session &session) {
  if (options.lr && *options.lr != 0 && static_cast<float>(*options.lr) == 0)
    throw badOptions("train: '--lr': expected a number that is not 0 in f32, "
                     "or 0 itself");
  if (options.lr)
    setRate(session, findRate(program), "--lr", *options.lr);
  if (options.scale) {
    auto scale = program.findState(MPC_LOSS_SCALE);
    if (!scale)
      throw noScale(program);
    setRate(session, *scale, "--scale", *options.scale);
  }
  if (options.lr || options.scale)
    require(session.refresh());
}

static std::string describeOtherRates(const TrainOptions &options,
                                      const rt::Program &program) {
  std::string names = listGroups(program);
  if (!options.lr || names.empty())
    return "";
  return "'--lr' is for parameters that are in no group; groups keep "
         "their rates: " +
         names;
}

/// Whether nothing but a person changes the value of `state`.
static bool isRate(const mpc_state_info &state, bool isScaleStatic) {
  return state.role == MPC_LEARNING_RATE ||
         (state.role == MPC_LOSS_SCALE && isScaleStatic);
}

static std::string describeResumedRates(const TrainOptions &options,
                                        const rt::Program &program,
                                        const rt::Session &session) {
  if (options.resume.empty())
    return "";
  bool isScaleStatic = program.setting("loss-scale") == "static";
  std::string others;
  for (const mpc_state_info &state : program.states()) {
    bool isScale = state.role == MPC_LOSS_SCALE;
    // That of a group or of one loss is no option's.
    bool hasOption = std::string_view(state.of).empty();
    bool isSet = hasOption && (isScale ? options.scale : options.lr);
    if (isSet || !isRate(state, isScaleStatic))
      continue;
    auto value = static_cast<float>(scalarState(session, state));
    auto compiled =
        static_cast<float>(state.init == MPC_INIT_ZEROS ? 0 : state.init_a);
    if (value != compiled)
      others += (others.empty() ? "'" : ", '") + std::string(state.name) +
                "' is " + formatNumber(value) + ", not " +
                formatNumber(compiled) + " (" +
                (!hasOption ? "no option sets it"
                 : isScale  ? "'--scale' sets it"
                            : "'--lr' sets it") +
                ")";
  }
  if (others.empty())
    return "";
  return "'" + options.resume +
         "' has other rates than the program was compiled with, and training "
         "goes on with those of the checkpoint: " +
         others;
}

/// mpirun binds a rank to a core, and all of its threads with it.
static std::string describeBoundThreads(const TrainOptions &options) {
  uint64_t asked = options.device.threads.value_or(0);
  uint32_t usable = ranks::ownProcessors().count();
  long all = sysconf(_SC_NPROCESSORS_ONLN);
  if (usable == 0 || asked <= usable || usable >= all)
    return "";
  return "'--threads=" + std::to_string(asked) +
         "', but this process is bound to " + std::to_string(usable) + " of " +
         std::to_string(all) +
         " processors, which its threads share; mpirun does so, unless it is "
         "told '--bind-to none'";
}

std::vector<std::string> mpc::train::findWarnings(const TrainOptions &options,
                                                  const rt::Program &program,
                                                  const rt::Session &session) {
  std::vector<std::string> warnings = {
      describeOtherRates(options, program),
      describeResumedRates(options, program, session),
      describeSameWindows(options.data), describeBoundThreads(options)};
  std::erase(warnings, "");
  return warnings;
}
