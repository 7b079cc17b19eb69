// mpc-run train: its command line, and what it prints.
#include "Commands.h"
#include "Failure.h"
#include "Interrupt.h"
#include "Progress.h"
#include "Ranks/Ranks.h"
#include "SharedOptions.h"

#include "mpc/Ranks/World.h"
#include "mpc/Support/Number.h"
#include "mpc/Train/Train.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::run;

namespace {

struct TrainCommand {
  train::TrainOptions options;
  std::optional<uint64_t> logEvery;
  std::optional<uint64_t> ranks;     ///< To be started.
  std::optional<uint64_t> restarts;  ///< Of all of them, after a fault.
  std::string onOverflow = "ignore"; ///< Or "explain".
  std::string compiler;              ///< The mpc-compile to use; "": found.
  bool noShuffle = false;

  static Options command();
  void declare(Options &table);
  /// What the table wrote beside `options`, and the program.
  void complete(const std::string &model);

private:
  void declareTraining(Options &table);
  void declareSaving(Options &table);
  /// What is told of a run, and measured beside it.
  void declareReports(Options &table);
  void declareTimes(Options &table);
};

} // namespace

//===-- Values of options -------------------------------------------------===//

/// "500": steps. "30s", "10min", "2h": time.
static std::optional<train::SaveInterval>
parseInterval(const std::string &text) {
  size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::optional<uint64_t> read =
      parseNumber<uint64_t>(std::string_view(text).substr(0, digits));
  uint64_t count = read.value_or(0);
  constexpr uint64_t most = uint64_t(1) << 32;
  if (count == 0 || count > most)
    return std::nullopt;
  std::string_view unit = std::string_view(text).substr(digits);
  using namespace std::chrono;
  auto number = static_cast<int64_t>(count);
  if (unit.empty())
    return train::SaveInterval{count, {}};
  if (unit == "s")
    return train::SaveInterval{{}, seconds(number)};
  if (unit == "min")
    return train::SaveInterval{{}, minutes(number)};
  if (unit == "h")
    return train::SaveInterval{{}, hours(number)};
  return std::nullopt;
}

/// "eval_loss", of which the least is the best, "eval_accuracy", of which the
/// largest is; ":min" or ":max" say otherwise.
static std::optional<train::BestRule> parseBest(const std::string &text) {
  size_t colon = text.find(':');
  train::BestRule rule;
  rule.metric = text.substr(0, colon);
  if (rule.metric != "eval_loss" && rule.metric != "eval_accuracy")
    return std::nullopt;
  rule.isLeastBest = rule.metric == "eval_loss";
  if (colon == std::string::npos)
    return rule;
  std::string direction = text.substr(colon + 1);
  if (direction != "min" && direction != "max")
    return std::nullopt;
  rule.isLeastBest = direction == "min";
  return rule;
}

//===-- The table ---------------------------------------------------------===//

Options TrainCommand::command() {
  return {"mpc-run", "train", "train a model on data from files", "MODEL.mpcx"};
}

void TrainCommand::declareTraining(Options &table) {
  table.beginGroup("Training");
  table.addCount("--epochs", "N", "passes over the data (1)", options.epochs)
      .excludes("--steps");
  table.addCount("--steps", "N", "optimizer steps, instead of --epochs",
                 options.steps);
  table.addCount("--seed", "S", "of initial values and shuffling (0)",
                 options.seed);
  table.addFlag(
      "--no-shuffle",
      "take the samples in file order, and windows one after the other",
      noShuffle);
  table.addCount("--retry", "K",
                 "do a skipped step again at once, up to K times (0)",
                 options.retry);
  table.addCount("--max-skips", "K",
                 "stop after K skipped steps in a row, 0 for never (20)",
                 options.maxSkips);
  table
      .addReal("--scale", "S", "set the loss scale before the first step",
               options.scale)
      .positive();
  table
      .addReal("--lr", "V", "another learning rate than the program's",
               options.lr)
      .atLeast(0);
}

void TrainCommand::declareSaving(Options &table) {
  table.beginGroup("State");
  table
      .addText("--weights", "FILE", "begin with these parameters",
               options.weights)
      .excludes("--resume");
  table.addText("--resume", "FOLDER|FILE",
                "go on where this --save or --save-dir ended; of a folder of "
                "steps at the newest that is complete",
                options.resume);
  train::SaveOptions &saving = options.saving;
  table.addText("--save", "FILE", "write all state here at the end",
                saving.file);
  table.addText("--save-dir", "FOLDER",
                "write all state to FOLDER/step-N at the end, each rank its "
                "share; with it, --save-every writes there, beside training",
                saving.folder);
  table
      .addFlag("--resume-if-saved",
               "go on from what --save or --save-dir has written, if it is "
               "there: for launchers that start a command again after a fault",
               saving.resumes)
      .needsOneOf({"--save", "--save-dir"});
  table
      .addChecked(
          "--save-every", "INTERVAL",
          "and while training goes on: every 500 steps, 30s, 10min, 2h",
          [&saving](const std::string &text) -> std::optional<std::string> {
            saving.every = parseInterval(text);
            if (saving.every)
              return std::nullopt;
            return "expected a number of steps (500) or a time (30s, 10min, "
                   "2h)";
          })
      .needsOneOf({"--save", "--save-dir"});
  table
      .addCount("--keep", "K",
                "of these the last K stay, with the step in their names (0; "
                "of --save-dir all)",
                saving.keep)
      .needs("--save-every");
  table
      .addChecked(
          "--save-best", "METRIC",
          "the best evaluation too, as FILE with 'best' in its name, "
          "by eval_loss or eval_accuracy; :min or :max after it",
          [&saving](const std::string &text) -> std::optional<std::string> {
            saving.best = parseBest(text);
            if (saving.best)
              return std::nullopt;
            return "expected eval_loss or eval_accuracy, and after it "
                   "nothing, ':min' or ':max'";
          })
      .needs("--save")
      .needs("--eval-input");
}

void TrainCommand::declareTimes(Options &table) {
  table.addText("--timeline", "FILE",
                "of target cpu: write when each kernel and library call of two "
                "steps ran, for Perfetto or chrome://tracing",
                options.timeline);
  table.addFlag("--timings",
                "of target cpu: print where the time of steps went, by kind, "
                "by line of the model and by record",
                options.timings);
  table
      .addReal("--copy-rate", "GB/S",
               "of both: what bytes are compared with (measured)",
               options.copyRate)
      .positive();
  table
      .addReal("--product-rate", "GFLOP/S",
               "of both: what operations of products are compared with "
               "(measured)",
               options.productRate)
      .positive();
}

void TrainCommand::declareReports(Options &table) {
  table.beginGroup("Reports");
  table
      .addText("--on-overflow", "WHAT",
               "at a skipped step: ignore it, or explain which op made the "
               "first infinity (ignore)",
               onOverflow)
      .oneOf({"ignore", "explain"});
  table.addText("--compiler", "FILE",
                "the mpc-compile that explaining needs; found beside mpc-run "
                "or on the PATH",
                compiler);
  table.addText("--metrics", "FILE", "write one JSON line per step",
                options.metrics);
  table.addText("--rank-metrics", "FILE",
                "the same of each rank, before means are made, as FILE with "
                "'rank-0' and so on in its name",
                options.rankMetrics);
  table.addText("--summary", "FILE", "write the result as JSON",
                options.summary);
  table.addPairs("--output", "NAME=FILE",
                 "write output NAME of the last step, a gradient (mpc-compile "
                 "--output-gradients), say: .npy, or bare values in .raw or "
                 ".bin",
                 '=', options.outputs);
  declareTimes(table);
  table.addCount("--log-every", "N", "print a line every N steps", logEvery)
      .atLeast(1);
  table.beginGroup("Evaluation");
  table.addPairs("--eval-input", "NAME=FILE",
                 "test data, evaluated after epochs or steps, and at the end",
                 '=', options.evalFiles);
  table.addCount("--eval-every", "N", "every N epochs (1)", options.evalEvery)
      .atLeast(1)
      .needs("--eval-input");
  table
      .addCount("--eval-steps", "N", "every N steps, in the place of epochs",
                options.evalSteps)
      .atLeast(1)
      .needs("--eval-input")
      .excludes("--eval-every");
  declareIgnored(options.data, table).needs("--eval-input");
  table
      .addPairs("--accuracy", "LOGITS:LABEL",
                "with --eval-input: how often LABEL is the largest of LOGITS, "
                "along their last dim; LABEL,class_dim=1 says another",
                ':', options.accuracy)
      .needs("--eval-input");
}

void TrainCommand::declare(Options &table) {
  table.setDetails("Trains until --epochs or --steps are reached, counted "
                   "from the very beginning when a run is resumed. An epoch "
                   "is as many whole steps as the data has; the samples left "
                   "over come in other epochs. Windows of a stream begin at "
                   "random places; an epoch is as many as do not overlap.");
  declareFiles(options.data, table);
  declareAugmentations(options.data, table);
  declareTraining(table);
  declareSaving(table);
  declareReports(table);
  declareDevice(options.device, table);
  table.beginGroup("Ranks");
  table
      .addCount("--ranks", "N",
                "start N ranks on this machine, which train together: each on "
                "its share of the samples, with the same gradients",
                ranks)
      .atLeast(1);
  table
      .addCount("--restarts", "K",
                "when a rank fails, start all again from what --save or "
                "--save-dir has, up to K times (0)",
                restarts)
      .needs("--ranks");
  table
      .addText("--shares", "WHICH",
               "of several ranks: each takes every N-th sample of the epoch's "
               "order (interleaved), or one of N parts of the files "
               "(contiguous) (interleaved)",
               options.ranks.shares)
      .oneOf({"interleaved", "contiguous"});
  table
      .addCount("--timeout", "SECONDS",
                "of several ranks, which torchrun, srun or mpirun may have "
                "started, too: how long one waits for another (30)",
                options.ranks.timeout)
      .atLeast(1)
      .atMost(mpc::ranks::kMostTimeout.count());
  table.addCount("--check-every", "N",
                 "of several ranks: every N steps compare their states, 0 for "
                 "never (100; on GPUs 1000)",
                 options.ranks.checkEvery);
  table
      .addText("--collectives", "BY",
               "of several ranks: what sums go by, gloo or mpi, of programs "
               "for processors, nccl, of those for GPUs (mpi where mpirun, or "
               "srun with MPI, has started the ranks, else gloo; nccl)",
               options.ranks.collectives)
      .oneOf({"gloo", "mpi", "nccl"});
}

void TrainCommand::complete(const std::string &model) {
  options.program = programFile(model);
  options.shuffle = !noShuffle;
  options.explainSkips = onOverflow == "explain";
  options.compiler = compilerOptions(compiler);
  options.stop = &stopFlag();
}

//===-- The command -------------------------------------------------------===//

cli::CommandInfo mpc::run::describeTrain() { return describe<TrainCommand>(); }

Exit mpc::run::runTrain(const Arguments &arguments) {
  TrainCommand command;
  std::optional<std::string> model = readInto(command, arguments);
  if (!model)
    return Exit::Ok;
  if (command.ranks)
    refuseMpi(command.options.ranks.collectives);
  command.complete(*model);
  if (command.ranks)
    return runRanks(
        {*command.ranks, command.restarts.value_or(0), command.options},
        arguments);
  Progress progress(command.logEvery.value_or(0),
                    command.options.evalSteps.has_value());
  auto result = require(train::train(command.options, progress));
  switch (result.end) {
  case train::TrainResult::Done:
    return Exit::Ok;
  case train::TrainResult::Interrupted:
    return Exit::Interrupted;
  case train::TrainResult::Stopped:
    throw Failure(Exit::Stopped, result.reason);
  }
  return Exit::Failed;
}
