#include "Inputs.h"

#include "Failure.h"

#include "mpc/Data/TensorFile.h"
#include "mpc/Support/Links.h"

#include <set>

using namespace mpc;
using namespace mpc::train;

void mpc::train::checkDistinctFiles(const std::string &command,
                                    const NamePairs &read,
                                    const NamePairs &written) {
  NamePairs others = read;
  for (const auto &[option, path] : written) {
    for (const auto &[other, otherPath] : others)
      if (isSameFile(path, otherPath))
        throw badOptions(command + ": expected '" + option +
                         "' to name a file of its own, but '" + path +
                         "' is the file of '" + other + "' too");
    others.push_back({option, path});
  }
}

void mpc::train::checkTensorNames(const std::string &command,
                                  const NamePairs &outputs) {
  for (const auto &[name, path] : outputs) {
    if (path.empty())
      continue; // no file
    if (Result<data::TensorFile> kind = data::kindOfTensorFile(path); !kind)
      throw badOptions(command + ": --output " + name + ": " +
                       kind.status().message());
  }
}

void mpc::train::checkNamedOnce(const std::string &command,
                                const std::string &option,
                                const NamePairs &files) {
  std::set<std::string_view> names;
  for (const auto &[name, path] : files)
    if (!names.insert(name).second)
      throw badOptions(command + ": expected one '" + option + " " + name +
                       "=FILE', but got a second one, '" + path + "'");
}

data::Dataset mpc::train::loadDataset(const rt::Entry &entry,
                                      const NamePairs &files,
                                      const DataOptions &options,
                                      const DatasetUse &use) {
  std::vector<data::InputSpec> specs;
  for (const mpc_tensor_info &input : entry.inputs)
    specs.push_back({input.name, typeOf(input), shapeOf(input), labelsOf(input),
                     use.withoutLoss && input.loss_only});
  std::vector<data::InputFileChoice> choices;
  for (const auto &[name, path] : files)
    choices.push_back({name, path});
  data::DatasetOptions how;
  for (const WindowInput &window : options.windows)
    how.windows.push_back({window.input, window.offset});
  how.convertTypes = options.convert;
  how.allowNonFinite = options.allowNonFinite;
  how.labelInput = options.ignore;
  how.ignoredLabel = options.ignoredLabel;
  how.fileOption = use.fileOption;
  return requireInput(data::Dataset::load(std::move(specs), choices, how));
}

/// The file of an input; "": it has none.
static std::string fileOf(const std::string &input, const NamePairs &files) {
  for (const auto &[name, path] : files)
    if (name == input)
      return path;
  return "";
}

std::string mpc::train::describeSameWindows(const DataOptions &options) {
  for (const WindowInput &later : options.windows)
    for (const WindowInput &earlier : options.windows) {
      if (&earlier == &later)
        break;
      std::string path = fileOf(later.input, options.files);
      if (later.offset != earlier.offset || path.empty() ||
          !isSameFile(path, fileOf(earlier.input, options.files)))
        continue;
      return "'" + earlier.input + "' and '" + later.input +
             "' are the same windows of '" + path + "'; where '" + later.input +
             "' is what follows, it begins one later: '--window " +
             later.input + "=" + std::to_string(later.offset + 1) + "'";
    }
  return "";
}
