// Overriding `graph.training` from a command line, and who is to blame when
// that fails.
//
// The attribute's verifier judges settings together and knows fields only.
// Which options made it fail is found by leaving them out: an option is to
// blame if the rest can be taken without it. So `--schedule=linear` is, for a
// model without total steps, and `--warmup-steps=5` beside it is not. An option
// that is right but has no effect (SettingNeeds.h), that says what another one
// says, or that names what the model does not have, fails, too, and is to
// blame.
#ifndef MPC_DIALECT_GRAPH_TRAINING_SETTINGOVERRIDES_H
#define MPC_DIALECT_GRAPH_TRAINING_SETTINGOVERRIDES_H

#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Settings/SettingNeeds.h"
#include "mpc/Dialect/Graph/Training/SettingTexts.h"

namespace mpc::graph {

/// What settings are for.
struct OverriddenModel {
  TrainingAttr training;             ///< What it says itself; null: nothing.
  SmallVector<StringRef> parameters; ///< That are trained.
  SmallVector<StringRef> outputs;    ///< Beside the loss.
  BuiltParts parts = {};             ///< What is built of it.
};

struct OverrideFailure {
  /// Names of settings, in the order of the table; none if none was given.
  std::vector<StringRef> blamed;
  /// What the verifier said, or what the blamed ones lack or do not match.
  std::string message;
};

/// What `model` says, or the defaults, with `texts` on top of it.
FailureOr<TrainingAttr> overrideTraining(const OverriddenModel &model,
                                         const SettingTexts &texts,
                                         MLIRContext *context,
                                         OverrideFailure &failure);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_TRAINING_SETTINGOVERRIDES_H
