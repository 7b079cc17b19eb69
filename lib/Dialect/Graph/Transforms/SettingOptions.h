// Settings of `graph.training` as options of a pass.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_SETTINGOPTIONS_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_SETTINGOPTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mpc/Dialect/Graph/Training/ApplySettings.h"
#include "mpc/Dialect/Graph/Transforms/DescribeModel.h"
#include "llvm/Support/CommandLine.h"
#include <deque>

namespace mpc::graph {

/// Adds to the pass `Base` an option for every setting of `kinds`, or for all
/// settings when none is named.
template <typename Base, SettingKind... kinds>
class WithSettings : public Base {
public:
  WithSettings() { addOptions(); }
  template <typename Options>
  explicit WithSettings(Options options) : Base(std::move(options)) {
    addOptions();
  }
  WithSettings(const WithSettings &other) : Base(other) { addOptions(); }

protected:
  /// Gives the option of one setting a value, as the command line would.
  void setOption(StringRef name, const std::string &text) {
    for (auto &option : options)
      if (option->getArgStr() == name)
        option->setValue(text);
  }

  /// What `func` says, overridden by the options; an error at `func`, naming
  /// the options, if that cannot be. `parts` are built of it.
  FailureOr<TrainingAttr> effectiveTraining(mlir::func::FuncOp func,
                                            BuiltParts parts = {}) {
    SettingTexts texts;
    for (auto &option : options)
      texts[option->getArgStr().str()] = option->getValue();
    OverrideFailure failure;
    FailureOr<TrainingAttr> training = overrideTraining(
        describeModel(func, parts), texts, func.getContext(), failure);
    if (succeeded(training))
      return training;
    if (failure.blamed.empty()) // what no option has set
      return func.emitError(failure.message);
    InFlightDiagnostic error =
        func.emitError() << (failure.blamed.size() > 1 ? "options" : "option");
    for (StringRef name : failure.blamed)
      error << (name == failure.blamed.front() ? " '" : ", '") << name << "="
            << texts[name.str()] << "'";
    return error << ": " << failure.message;
  }

private:
  using Option = Base::template Option<std::string>;

  void addOptions() {
    for (const Setting &setting : trainingSettings())
      if (sizeof...(kinds) == 0 || ((setting.kind == kinds) || ...))
        options.push_back(std::make_unique<Option>(
            *this, setting.name,
            llvm::cl::desc(helps.emplace_back(helpOf(setting))),
            llvm::cl::init("")));
  }

  std::deque<std::string> helps; ///< Options refer to them.
  std::vector<std::unique_ptr<Option>> options;
};

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_SETTINGOPTIONS_H
