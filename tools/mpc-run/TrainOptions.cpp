#include "TrainOptions.h"

#include "Failure.h"

using namespace mpc::run;

void TrainOptions::check() const {
  if (epochs && steps)
    throw usageError("train: expected '--epochs' or '--steps', but got "
                     "both");
  if (!weights.empty() && !resume.empty())
    throw usageError("train: expected '--weights' or '--resume', but "
                     "got both");
  if (!resume.empty() && (seed || noShuffle))
    throw usageError("train: '--resume' goes on with the seed and "
                     "order of its file; drop '--seed' and '--no-shuffle'");
  if ((!accuracy.empty() || evalEvery) && evalFiles.empty())
    throw usageError("train: '--accuracy' and '--eval-every' need "
                     "'--eval-input'");
  if (evalEvery == 0u)
    throw usageError("train: expected '--eval-every' of at least 1, but got 0");
  if (logEvery == 0u)
    throw usageError("train: expected '--log-every' of at least 1, but "
                     "got 0");
  if (scale && !(*scale > 0))
    throw usageError("train: expected a loss scale above 0 for '--scale', but "
                     "got " +
                     std::to_string(*scale));
  if (onOverflow != "ignore" && onOverflow != "explain")
    throw usageError("train: expected 'ignore' or 'explain' for "
                     "'--on-overflow', but got '" +
                     onOverflow + "'");
  device.check("train");
}

void TrainOptions::checkFiles(const std::string &model) const {
  NamePairs read = {{"MODEL.mpcx", model}};
  for (const auto &[name, path] : input.files)
    read.push_back({"--input", path});
  for (const auto &[name, path] : evalFiles)
    read.push_back({"--eval-input", path});
  checkDistinctFiles("train", read,
                     {{"--save", save},
                      {"--metrics", metrics},
                      {"--summary", summary},
                      {"--plans", device.plans}});
}

std::optional<std::string>
TrainOptions::parse(const std::vector<std::string> &arguments) {
  Options options("train",
                  "Trains until --epochs or --steps are reached, counted from "
                  "the very beginning\nwhen a run is resumed. An epoch is as "
                  "many whole steps as the data has; the\nsamples left over "
                  "come in other epochs.",
                  "MODEL.mpcx");
  input.declare(options);
  options.addCount("--epochs", "N", "passes over the data (1)", epochs);
  options.addCount("--steps", "N", "optimizer steps, instead of --epochs",
                   steps);
  options.addCount("--seed", "S", "of initial values and shuffling (0)", seed);
  options.addFlag("--no-shuffle", "take the samples in file order", noShuffle);
  options.addCount("--retry", "K",
                   "do a skipped step again at once, up to K times (0)", retry);
  options.addCount("--max-skips", "K",
                   "stop after K skipped steps in a row, 0 for never (20)",
                   maxSkips);
  options.addReal("--scale", "S", "set the loss scale before the first step",
                  scale);
  options.addReal("--lr", "V", "another learning rate than the program's", lr);
  device.declare(options);
  options.addText("--weights", "FILE", "begin with these parameters", weights);
  options.addText("--resume", "FILE", "go on where this --save ended", resume);
  options.addText("--save", "FILE", "write all state here at the end", save);
  options.addText("--on-overflow", "WHAT",
                  "at a skipped step: ignore it, or explain which op made the "
                  "first infinity (ignore)",
                  onOverflow);
  options.addText("--compiler", "FILE",
                  "the mpc-compile that explaining needs; found beside mpc-run "
                  "or on the PATH",
                  compiler);
  options.addText("--metrics", "FILE", "write one JSON line per step", metrics);
  options.addText("--summary", "FILE", "write the result as JSON", summary);
  options.addCount("--log-every", "N", "print a line every N steps", logEvery);
  options.addPairs("--eval-input", "NAME=FILE",
                   "test data, evaluated after epochs and at the end", '=',
                   evalFiles);
  options.addCount("--eval-every", "N", "every N epochs (1)", evalEvery);
  options.addPairs("--accuracy", "LOGITS:LABEL",
                   "with --eval-input: how often LABEL is the largest LOGITS",
                   ':', accuracy);
  std::optional<std::string> model = options.parse(arguments);
  if (!model)
    return model;
  check();
  return model;
}
