#include "Losses.h"
#include "mpc/Dialect/Graph/Settings/Patterns.h"
#include "mpc/Import/Onnx.h"
#include "llvm/ADT/STLExtras.h"

using namespace mpc;
using namespace mpc::onnx;

static std::optional<std::string> readLossText(Options &options,
                                               StringRef text) {
  options.loss = text.str();
  return findLossMistake(text);
}

static std::optional<std::string> readDims(Options &options, StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto [name, number] = part.rsplit('=');
    int64_t size = 0;
    if (name.empty() || number.getAsInteger(10, size) || size < 1 ||
        size > std::numeric_limits<int32_t>::max())
      return "expected NAME=SIZE[,NAME=SIZE...] with sizes from 1 to 2^31 - 1";
    for (const auto &[other, ignored] : options.dims)
      if (name == other)
        return "expected each name once, but got '" + name.str() + "' again";
    options.dims.emplace_back(name.str(), size);
  }
  return std::nullopt;
}

static std::optional<std::string> readFreeze(Options &options, StringRef text) {
  options.freeze = text.str();
  if (text.empty())
    return "expected a regular expression, but got an empty text";
  if (auto mistake = graph::findPatternMistake(text))
    return "expected a regular expression: " + *mistake;
  return std::nullopt;
}

static std::optional<std::string> readFrozen(Options &options, StringRef text) {
  options.frozen = text.str();
  if (text == "keep" || text == "train")
    return std::nullopt;
  return "expected 'keep' or 'train'";
}

static std::optional<std::string> readTrain(Options &options, StringRef text) {
  options.trainBatchNorm = true;
  if (text.empty() || text == "true")
    return std::nullopt;
  return "expected no value";
}

static std::optional<std::string> readVariance(Options &options,
                                               StringRef text) {
  options.batchNormVariance = text.str();
  if (text == "unbiased" || text == "population")
    return std::nullopt;
  return "expected 'unbiased' or 'population'";
}

ArrayRef<OptionRow> mpc::onnx::optionRows() {
  static const std::vector<OptionRow> rows = {
      {"loss", "LOSS:OUTPUT,TARGET",
       "of a .onnx: the loss to add, e.g. cross_entropy:logits,labels (with "
       "class_dim=1 behind, where classes are no last dim), or the output that "
       "is one",
       readLossText},
      {"dim", "NAME=SIZE,...",
       "of a .onnx: sizes of the dims that it leaves open", readDims},
      {"freeze",
       "REGEX",
       "of a .onnx: parameters of these names are not trained",
       readFreeze,
       {},
       /*isOfTraining=*/true},
      {"frozen",
       "keep|train",
       "of a .onnx: parameters that it says are not trained (mpc.export writes "
       "so) stay as they are, or are trained all the same",
       readFrozen,
       {"keep", "train"},
       /*isOfTraining=*/true},
      {"train-batch-norm", "",
       "of a .onnx: batch norms train that the file has as after training",
       readTrain},
      {"batch-norm-variance",
       "unbiased|population",
       "of a .onnx: the variance that batch norms keep; default: unbiased of "
       "PyTorch's files, population of others",
       readVariance,
       {"unbiased", "population"}}};
  return rows;
}
