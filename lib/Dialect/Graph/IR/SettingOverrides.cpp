#include "mpc/Dialect/Graph/IR/SettingOverrides.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Threading.h"

using namespace mpc;
using namespace mpc::graph;

namespace {

bool isGiven(const SettingTexts &texts, StringRef name) {
  auto text = texts.find(name);
  return text != texts.end() && !text->second.empty();
}

/// Overrides, with the errors of this thread kept as text.
class Attempt {
public:
  Attempt(TrainingAttr attribute, MLIRContext *context)
      : attribute(attribute), context(context) {}

  FailureOr<TrainingAttr> run(const SettingTexts &texts,
                              std::string *message = nullptr) const {
    uint64_t thread = llvm::get_threadid();
    mlir::ScopedDiagnosticHandler handler(context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            if (llvm::get_threadid() != thread)
                                              return failure();
                                            if (message)
                                              *message = diagnostic.str();
                                            return success();
                                          });
    auto emitError = [&] {
      return mlir::emitError(mlir::UnknownLoc::get(context));
    };
    TrainingSettings settings(attribute);
    if (failed(settings.applyUnnamed(texts, emitError)))
      return failure();
    return settings.build(context, emitError);
  }

private:
  TrainingAttr attribute;
  MLIRContext *context;
};

std::vector<StringRef> givenNames(const SettingTexts &texts) {
  std::vector<StringRef> names;
  for (const Setting &setting : trainingSettings())
    if (isGiven(texts, setting.name))
      names.push_back(setting.name);
  return names;
}

} // namespace

/// No option without effect. What a model says may be unused in silence: the
/// end of its schedule, say, where an option takes another.
static bool findUnused(const SettingTexts &texts,
                       const TrainingSettings &settings,
                       OverrideFailure &failure) {
  const SettingNeed *unmet = nullptr;
  for (const Setting &setting : trainingSettings()) {
    if (!setting.need || !isGiven(texts, setting.name) ||
        setting.need->isMet(settings) || (unmet && unmet != setting.need))
      continue;
    unmet = setting.need;
    failure.blamed.push_back(setting.name);
  }
  if (unmet)
    failure.message = ("expected " + unmet->what +
                       ", without which this has no effect: choose that, or "
                       "leave this out")
                          .str();
  return unmet;
}

FailureOr<TrainingAttr> graph::overrideTraining(TrainingAttr attribute,
                                                const SettingTexts &texts,
                                                MLIRContext *context,
                                                OverrideFailure &failure) {
  Attempt attempt(attribute, context);
  FailureOr<TrainingAttr> result = attempt.run(texts, &failure.message);
  if (succeeded(result) &&
      findUnused(texts, TrainingSettings(*result), failure))
    return mlir::failure();
  if (succeeded(result))
    return result;
  std::vector<StringRef> given = givenNames(texts);
  for (StringRef name : given) {
    SettingTexts others = texts;
    others.erase(name.str());
    if (succeeded(attempt.run(others)))
      failure.blamed.push_back(name);
  }
  // Several mistakes: the first that is one by itself.
  for (StringRef name : given)
    if (failure.blamed.empty() &&
        failed(attempt.run({{name.str(), texts.find(name)->second}},
                           &failure.message)))
      failure.blamed.push_back(name);
  if (failure.blamed.empty())
    failure.blamed = given;
  return mlir::failure();
}
