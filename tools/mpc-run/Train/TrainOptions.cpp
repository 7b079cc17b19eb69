#include "TrainOptions.h"

#include "../Failure.h"
#include "../Save/OutputFiles.h"

#include <filesystem>

using namespace mpc::run;

void TrainOptions::check() const {
  if (!resume.empty() && (seed || noShuffle))
    throw usageError("train: '--resume' goes on with the seed and "
                     "order of its file; drop '--seed' and '--no-shuffle'");
  if (saving.best && saving.best->metric == "eval_accuracy" && accuracy.empty())
    throw usageError("train: '--save-best=eval_accuracy' needs '--accuracy'");
}

/// Files beside a device or pipe are nobody's wish, a link to a device is
/// another device, and who reads a pipe takes one state, not one behind the
/// other.
static void checkIsFile(const SaveOptions &saving) {
  std::error_code error;
  auto status = std::filesystem::status(saving.file, error);
  if (!std::filesystem::exists(status) ||
      std::filesystem::is_regular_file(status))
    return;
  auto refuse = [&](const std::string &option, const std::string &does) {
    throw usageError("train: '" + option + "' " + does + " '" + saving.file +
                     "', but that is a device, a pipe or a folder; "
                     "expected '--save' with the name of a file");
  };
  if (saving.keep)
    refuse("--keep", "makes files beside");
  if (saving.best)
    refuse("--save-best", "makes a file beside");
  if (saving.every)
    refuse("--save-every", "replaces the state in");
}

/// The step is not known yet of which a file would take the place of another.
static void checkStepFiles(const SaveOptions &saving, const NamePairs &others) {
  for (const auto &[option, path] : others)
    if (path != saving.file && saving.makesStepFile(path))
      throw usageError("train: expected '" + option +
                       "' to name a file of its own, but '" + path +
                       "' is one that '--keep' makes of '" + saving.file + "'");
}

std::vector<WrittenFile> TrainOptions::files() const {
  std::vector<WrittenFile> list;
  for (const auto &[option, path] : saving.files())
    list.push_back({option, path, WrittenFile::Replaced});
  list.push_back({"--summary", summary, WrittenFile::Replaced});
  list.push_back({"--plans", device.plans, WrittenFile::Shared});
  for (const auto &[name, path] : outputs)
    list.push_back({"--output " + name, path, WrittenFile::Replaced});
  list.push_back({"--metrics", metrics, WrittenFile::Grown});
  return list;
}

NamePairs TrainOptions::replacedFiles() const {
  NamePairs list;
  for (const WrittenFile &file : files())
    if (file.use != WrittenFile::Grown)
      list.push_back({file.option, file.path});
  return list;
}

void TrainOptions::checkFiles(const std::string &model) const {
  checkIsFile(saving);
  NamePairs read = {{"MODEL.mpcx", model}};
  for (const auto &[name, path] : input.files)
    read.push_back({"--input", path});
  for (const auto &[name, path] : evalFiles)
    read.push_back({"--eval-input", path});
  NamePairs written;
  for (const WrittenFile &file : files())
    written.push_back({file.option, file.path});
  checkNamedOnce("train", "--input", input.files);
  checkNamedOnce("train", "--eval-input", evalFiles);
  checkDistinctFiles("train", read, written);
  checkStepFiles(saving, read);
  checkStepFiles(saving, written);
  checkTensorNames("train", outputs);
  checkWritable(replacedFiles()); // of others opening them tells
}

FileLocks TrainOptions::lockFiles() const {
  std::vector<std::string> own, shared;
  for (const WrittenFile &file : files())
    (file.use == WrittenFile::Shared ? shared : own).push_back(file.path);
  return FileLocks(own, shared);
}

void TrainOptions::checkLocks() const {
  std::vector<std::string> all;
  for (const WrittenFile &file : files())
    all.push_back(file.path);
  FileLocks({}, all);
}

Options TrainOptions::command() {
  return {"mpc-run", "train", "train a model on data from files", "MODEL.mpcx"};
}

void TrainOptions::declareReports(Options &options) {
  options.beginGroup("Reports");
  options
      .addText("--on-overflow", "WHAT",
               "at a skipped step: ignore it, or explain which op made the "
               "first infinity (ignore)",
               onOverflow)
      .oneOf({"ignore", "explain"});
  options.addText("--compiler", "FILE",
                  "the mpc-compile that explaining needs; found beside mpc-run "
                  "or on the PATH",
                  compiler);
  options.addText("--metrics", "FILE", "write one JSON line per step", metrics);
  options.addText("--summary", "FILE", "write the result as JSON", summary);
  options.addPairs(
      "--output", "NAME=FILE",
      "write output NAME of the last step, a gradient (mpc-compile "
      "--output-gradients), say: .npy, or bare values in .raw or "
      ".bin",
      '=', outputs);
  options.addCount("--log-every", "N", "print a line every N steps", logEvery)
      .atLeast(1);
  options.beginGroup("Evaluation");
  options.addPairs("--eval-input", "NAME=FILE",
                   "test data, evaluated after epochs and at the end", '=',
                   evalFiles);
  options.addCount("--eval-every", "N", "every N epochs (1)", evalEvery)
      .atLeast(1)
      .needs("--eval-input");
  input.declareIgnored(options).needs("--eval-input");
  options
      .addPairs("--accuracy", "LOGITS:LABEL",
                "with --eval-input: how often LABEL is the largest LOGITS", ':',
                accuracy)
      .needs("--eval-input");
}

void TrainOptions::declare(Options &options) {
  options.setDetails("Trains until --epochs or --steps are reached, counted "
                     "from the very beginning when a run is resumed. An epoch "
                     "is as many whole steps as the data has; the samples left "
                     "over come in other epochs.");
  input.declareFiles(options);
  options.beginGroup("Training");
  options.addCount("--epochs", "N", "passes over the data (1)", epochs)
      .excludes("--steps");
  options.addCount("--steps", "N", "optimizer steps, instead of --epochs",
                   steps);
  options.addCount("--seed", "S", "of initial values and shuffling (0)", seed);
  options.addFlag("--no-shuffle", "take the samples in file order", noShuffle);
  options.addCount("--retry", "K",
                   "do a skipped step again at once, up to K times (0)", retry);
  options.addCount("--max-skips", "K",
                   "stop after K skipped steps in a row, 0 for never (20)",
                   maxSkips);
  options
      .addReal("--scale", "S", "set the loss scale before the first step",
               scale)
      .positive();
  options.addReal("--lr", "V", "another learning rate than the program's", lr)
      .atLeast(0);
  options.beginGroup("State");
  options.addText("--weights", "FILE", "begin with these parameters", weights)
      .excludes("--resume");
  options.addText("--resume", "FILE", "go on where this --save ended", resume);
  saving.declare(options);
  declareReports(options);
  device.declare(options);
}

std::string TrainOptions::describeEnd() const {
  if (steps)
    return "'--steps " + std::to_string(*steps) + "'";
  if (epochs)
    return "'--epochs " + std::to_string(*epochs) + "'";
  return "one epoch";
}

std::optional<std::string>
TrainOptions::parse(const std::vector<std::string> &arguments) {
  std::optional<std::string> model = readInto(*this, arguments);
  if (model)
    check();
  return model;
}
