#include "mpc/Dialect/Graph/Training/SettingOverrides.h"
#include "mlir/IR/Diagnostics.h"
#include "mpc/Dialect/Graph/Settings/Patterns.h"
#include "mpc/Dialect/Graph/Training/ApplySettings.h"
#include "llvm/Support/Threading.h"

using namespace mpc;
using namespace mpc::graph;

namespace {

bool isGiven(const SettingTexts &texts, StringRef name) {
  return findText(texts, name).has_value();
}

/// Overrides, with the errors of this thread kept as text.
class Attempt {
public:
  Attempt(TrainingAttr attribute, MLIRContext *context)
      : attribute(attribute), context(context) {}

  FailureOr<TrainingAttr> run(const SettingTexts &texts,
                              std::string *message = nullptr) const {
    FailureOr<TrainingAttr> result = failure();
    listen(message, [&](EmitError emitError) {
      TrainingSettings settings = readSettings(attribute);
      if (succeeded(applyTextsUnnamed(settings, texts, emitError)))
        result = buildTraining(settings, context, emitError);
    });
    return result;
  }

  /// Calls `work` with what its errors are emitted by.
  void listen(std::string *message, function_ref<void(EmitError)> work) const {
    uint64_t thread = llvm::get_threadid();
    mlir::ScopedDiagnosticHandler handler(context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            if (llvm::get_threadid() != thread)
                                              return failure();
                                            if (message)
                                              *message = diagnostic.str();
                                            return success();
                                          });
    work([&] { return mlir::emitError(mlir::UnknownLoc::get(context)); });
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
                       const TrainingSettings &settings, BuiltParts parts,
                       OverrideFailure &failure) {
  const SettingNeed *unmet = nullptr;
  for (const Setting &setting : trainingSettings()) {
    if (!isGiven(texts, setting.name))
      continue;
    const SettingNeed *need = findUnmet(needsOf(setting), settings, parts);
    if (!need || (unmet && unmet != need))
      continue;
    unmet = need;
    failure.blamed.push_back(setting.name);
  }
  if (unmet)
    failure.message = describeUnmet(*unmet);
  return unmet;
}

/// A word gives way to what is given beside it, a number says the same.
static bool findSaidTwice(const SettingTexts &texts, OverrideFailure &failure) {
  for (const Setting &setting : trainingSettings()) {
    std::optional<StringRef> text = findText(texts, setting.name);
    StringRef other = text ? saidBy(setting, *text) : StringRef();
    if (!isGiven(texts, other))
      continue;
    failure.blamed = {setting.name, other};
    failure.message = "expected one of them, but got both, and a " +
                      setting.name.str() + " that is a number says " +
                      other.str() + ": leave one out";
    return true;
  }
  return false;
}

/// A misspelt name would choose nothing.
static bool findUnmatched(const SettingTexts &texts,
                          const OverriddenModel &model, const Attempt &attempt,
                          OverrideFailure &failure) {
  for (const Setting &setting : trainingSettings()) {
    std::optional<StringRef> pattern = findText(texts, setting.name);
    if (!pattern || *pattern == kNoPattern || !holds<Pattern *>(setting))
      continue;
    ArrayRef<StringRef> names = setting.named == Named::Outputs
                                    ? ArrayRef(model.outputs)
                                    : ArrayRef(model.parameters);
    bool matches = true;
    attempt.listen(&failure.message, [&](EmitError emitError) {
      matches =
          succeeded(verifyMatch(*pattern, setting.named, names, emitError));
    });
    if (matches)
      continue;
    failure.blamed = {setting.name};
    return true;
  }
  return false;
}

FailureOr<TrainingAttr> graph::overrideTraining(const OverriddenModel &model,
                                                const SettingTexts &texts,
                                                MLIRContext *context,
                                                OverrideFailure &failure) {
  Attempt attempt(model.training, context);
  FailureOr<TrainingAttr> result = attempt.run(texts, &failure.message);
  if (succeeded(result) &&
      (findSaidTwice(texts, failure) ||
       findUnused(texts, readSettings(*result), model.parts, failure) ||
       findUnmatched(texts, model, attempt, failure)))
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
