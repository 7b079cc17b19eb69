#include "Inputs.h"

#include "Failure.h"

#include "mpc/Data/TensorFile.h"
#include "mpc/Support/Links.h"
#include "mpc/Support/Number.h"

#include <filesystem>
#include <set>

using namespace mpc;
using namespace mpc::run;

/// Terminals, pipes and devices do not count.
static bool isSameFile(const std::string &a, const std::string &b) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (a.empty() || b.empty())
    return false;
  if (fs::exists(a, error) && fs::exists(b, error))
    return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  std::optional<std::string> first = canonicalPath(a);
  return first && first == canonicalPath(b);
}

void mpc::run::checkDistinctFiles(const std::string &command,
                                  const NamePairs &read,
                                  const NamePairs &written) {
  NamePairs others = read;
  for (const auto &[option, path] : written) {
    for (const auto &[other, otherPath] : others)
      if (isSameFile(path, otherPath))
        throw usageError(command + ": expected '" + option +
                         "' to name a file of its own, but '" + path +
                         "' is the file of '" + other + "' too");
    others.push_back({option, path});
  }
}

void mpc::run::checkTensorNames(const std::string &command,
                                const NamePairs &outputs) {
  for (const auto &[name, path] : outputs)
    if (Result<data::TensorFile> kind = data::kindOfTensorFile(path); !kind)
      throw usageError(command + ": --output " + name + ": " +
                       kind.status().message());
}

void mpc::run::checkNamedOnce(const std::string &command,
                              const std::string &option,
                              const NamePairs &files) {
  std::set<std::string_view> names;
  for (const auto &[name, path] : files)
    if (!names.insert(name).second)
      throw usageError(command + ": expected one '" + option + " " + name +
                       "=FILE', but got a second one, '" + path + "'");
}

void InputOptions::declareFiles(Options &options) {
  options.beginGroup("Data");
  options.addPairs("--input", "NAME=FILE",
                   "data for input NAME: .npy, or bare values in .raw or .bin",
                   '=', files);
  options.addFlag("--convert", "convert data of another element type", convert);
  options.addFlag("--allow-non-finite", "accept NaN and infinity in data",
                  allowNonFinite);
}

cli::Option &InputOptions::declareIgnored(Options &options) {
  return options.addChecked(
      "--ignore", "NAME[=VALUE]",
      "labels in input NAME that are VALUE (what the loss ignores) do not "
      "count; pads the last batch",
      [this](const std::string &text) { return readIgnored(text); });
}

std::optional<std::string> InputOptions::readIgnored(const std::string &text) {
  size_t equals = text.find('=');
  ignore = text.substr(0, equals);
  if (equals == std::string::npos)
    return std::nullopt;
  ignoredLabel =
      parseNumber<int64_t>(std::string_view(text).substr(equals + 1));
  if (!ignoredLabel)
    return "expected a whole number after '='";
  return std::nullopt;
}

data::Dataset mpc::run::loadDataset(const EntryFacts &entry,
                                    const NamePairs &files,
                                    const InputOptions &options,
                                    const DatasetUse &use) {
  std::vector<data::InputSpec> specs;
  for (const InputFacts &input : entry.inputs)
    specs.push_back({input.name, input.type, input.shape, input.labels,
                     use.withoutLoss && input.lossOnly});
  std::vector<data::InputFileChoice> choices;
  for (const auto &[name, path] : files)
    choices.push_back({name, path});
  data::DatasetOptions how;
  how.convertTypes = options.convert;
  how.allowNonFinite = options.allowNonFinite;
  how.labelInput = options.ignore;
  how.ignoredLabel = options.ignoredLabel;
  how.fileOption = use.fileOption;
  return requireInput(data::Dataset::load(std::move(specs), choices, how));
}
