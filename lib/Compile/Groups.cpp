#include "Groups.h"
#include "mlir/IR/Diagnostics.h"
#include "mpc/CommandLine/Suggest.h"
#include "mpc/Dialect/Graph/Analysis/ParameterGroups.h"
#include "mpc/Dialect/Graph/Training/ApplySettings.h"

using namespace mpc;
using namespace mpc::compile;
using graph::Part;

namespace {

/// What one group says.
struct Given {
  StringRef name;
  std::string pattern;
  graph::SettingTexts settings;
  bool hasClip = false, hasSchedule = false;
};

bool isOfGroups(const graph::Setting &setting) {
  if (!setting.hasField())
    return setting.preset == graph::Preset::Optimizer;
  Part part = setting.field.part;
  return part == Part::OptimizerChoice || part == Part::Hyperparameters ||
         part == Part::Clip || part == Part::Schedule;
}

const graph::Setting *findSetting(StringRef name) {
  for (const graph::Setting &setting : graph::trainingSettings())
    if (isOfGroups(setting) && setting.name == name)
      return &setting;
  return nullptr;
}

std::string nearest(StringRef name) {
  std::vector<std::string> names;
  for (const graph::Setting &setting : graph::trainingSettings())
    if (isOfGroups(setting))
      names.push_back(setting.name.str());
  return cli::suggest(name.str(), names);
}

std::optional<std::string> readSetting(StringRef text, Given &group) {
  auto [name, value] = text.split('=');
  const graph::Setting *setting = findSetting(name);
  if (!setting || value.empty())
    return ("expected settings of the optimizer, its clip or its schedule, as "
            "in weight-decay=0, but got '" +
            text + "'" + (setting ? "" : nearest(name)))
        .str();
  if (!group.settings.try_emplace(name.str(), value.str()).second)
    return ("expected '" + name + "' once, but got it twice").str();
  if (setting->hasField()) {
    group.hasClip |= setting->field.part == Part::Clip;
    group.hasSchedule |= setting->field.part == Part::Schedule;
  }
  return std::nullopt;
}

/// Groups end at a `;`, but not at one behind a backslash.
SmallVector<StringRef> splitGroups(StringRef text) {
  SmallVector<StringRef> groups;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\\') {
      ++i; // What follows is meant as it is, a second one, too.
    } else if (text[i] == ';') {
      groups.push_back(text.slice(begin, i));
      begin = i + 1;
    }
  groups.push_back(text.substr(begin));
  return groups;
}

/// `\;` is `;`; everything else is the expression's own.
std::string readPattern(StringRef text) {
  std::string pattern;
  for (size_t i = 0; i < text.size(); ++i) {
    bool isEscape = text[i] == '\\' && i + 1 < text.size();
    if (!isEscape || text[i + 1] != ';')
      pattern += text[i];
    if (isEscape)
      pattern += text[++i];
  }
  return pattern;
}

/// NAME:SETTING=VALUE,...:REGEX, in which the expression may have colons.
std::optional<std::string> readGroup(StringRef text, Given &group) {
  SmallVector<StringRef> parts, settings;
  text.split(parts, ':', /*MaxSplit=*/2);
  if (parts.size() != 3 || parts[1].empty())
    return ("expected NAME:SETTING=VALUE,...:REGEX, as in "
            "no_decay:weight-decay=0:.*bias, but got '" +
            text + "'" +
            (parts.size() == 1 ? "; a ';' in REGEX is written '\\;'" : ""))
        .str();
  group.name = parts[0];
  group.pattern = readPattern(parts[2]);
  parts[1].split(settings, ',');
  for (StringRef setting : settings)
    if (auto mistake = readSetting(setting, group))
      return mistake;
  return std::nullopt;
}

/// The rest's settings with those of the group on top. What is wrong with them
/// does not say of which group; what is wrong with the group itself does.
graph::ParameterGroupAttr build(const Given &group,
                                graph::TrainingAttr training,
                                graph::EmitError emitError) {
  graph::TrainingSettings settings = graph::readSettings(training);
  settings.groups = {};
  MLIRContext *context = training.getContext();
  auto ofGroup = [&] {
    return emitError() << "group '" << group.name << "': ";
  };
  if (failed(graph::applyTextsUnnamed(settings, group.settings, ofGroup)))
    return {};
  auto own = graph::buildTraining(settings, context, ofGroup);
  if (failed(own))
    return {};
  return graph::ParameterGroupAttr::getChecked(
      emitError, context, group.name, StringRef(group.pattern),
      own->getOptimizer(), group.hasClip ? own->getClip() : graph::ClipAttr(),
      group.hasSchedule ? own->getSchedule() : graph::ScheduleAttr());
}

std::optional<std::string> findEmpty(ArrayRef<StringRef> parameters,
                                     graph::TrainingAttr training) {
  graph::ParameterGroups groups(training, parameters);
  for (const graph::ParameterGroups::Group &group : groups.getGroups())
    if (group.settings && group.parameters.empty())
      return ("group '" + group.name + "': '" + group.settings.getPattern() +
              "' matches the whole name of no parameter that is trained and "
              "that an earlier group leaves")
          .str();
  return std::nullopt;
}

/// What `rest` says of the optimizer for nobody: groups take all parameters,
/// and each says that itself. An optimizer and its rate are what groups start
/// from.
std::optional<std::string> findUnused(ArrayRef<Given> given,
                                      const graph::SettingTexts &rest,
                                      ArrayRef<StringRef> parameters,
                                      graph::TrainingAttr training) {
  graph::ParameterGroups groups(training, parameters);
  if (!groups.getGroups().back().parameters.empty())
    return std::nullopt;
  for (const graph::Setting &setting : graph::trainingSettings()) {
    std::string name = setting.name.str();
    bool isOwn =
        setting.hasField() && (setting.field.part == Part::OptimizerChoice ||
                               setting.field.part == Part::Hyperparameters);
    if (isOwn && name != "optimizer" && name != "lr" && rest.contains(name) &&
        llvm::all_of(given, [&](const Given &group) {
          return group.settings.contains(name);
        }))
      return "expected a parameter that takes --" + name + "=" +
             rest.find(name)->second +
             ", but the groups take all and say it themselves, so that "
             "it has no effect: leave it out here, or out of a group";
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> compile::addGroups(StringRef text,
                                              const graph::SettingTexts &rest,
                                              ArrayRef<StringRef> parameters,
                                              graph::TrainingAttr &training) {
  if (!training.getOptimizer())
    return "expected an optimizer, of which groups have other settings: give "
           "'--optimizer' and '--lr'";
  MLIRContext *context = training.getContext();
  std::string said;
  mlir::ScopedDiagnosticHandler handler(context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          said = diagnostic.str();
                                          return success();
                                        });
  auto emitError = [&] {
    return mlir::emitError(mlir::UnknownLoc::get(context));
  };
  SmallVector<Attribute> groups;
  std::vector<Given> given;
  for (StringRef one : splitGroups(text)) {
    Given &group = given.emplace_back();
    if (auto mistake = readGroup(one, group))
      return mistake;
    graph::ParameterGroupAttr made = build(group, training, emitError);
    if (!made)
      return said;
    groups.push_back(made);
  }
  if (training.getGroups())
    llvm::append_range(groups, training.getGroups());
  graph::TrainingSettings settings = graph::readSettings(training);
  settings.groups = mlir::ArrayAttr::get(context, groups);
  auto whole = graph::buildTraining(settings, context, emitError);
  if (failed(whole))
    return said;
  if (auto mistake = findEmpty(parameters, *whole))
    return mistake;
  if (auto mistake = findUnused(given, rest, parameters, *whole))
    return mistake;
  training = *whole;
  return std::nullopt;
}
