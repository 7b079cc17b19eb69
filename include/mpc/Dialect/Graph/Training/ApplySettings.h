// What texts of settings make of `graph.training`.
//
// Read the attribute, apply texts, build the attribute; its verifier judges the
// result.
#ifndef MPC_DIALECT_GRAPH_TRAINING_APPLYSETTINGS_H
#define MPC_DIALECT_GRAPH_TRAINING_APPLYSETTINGS_H

#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
#include "mpc/Dialect/Graph/Settings/SettingsTable.h"
#include "mpc/Dialect/Graph/Training/SettingTexts.h"

namespace mpc::graph {

//===-- The attribute -----------------------------------------------------===//

/// What `training` says, or the defaults when it is null.
TrainingSettings readSettings(TrainingAttr training);

/// The attribute, or failure after an error when a value is out of range.
FailureOr<TrainingAttr> buildTraining(const TrainingSettings &settings,
                                      MLIRContext *context,
                                      EmitError emitError);

/// Gives every hyperparameter that the optimizer takes and that is not set
/// its value: for those who show settings.
void setOwnDefaults(TrainingSettings &settings, MLIRContext *context);

//===-- Texts -------------------------------------------------------------===//

/// Sets what `texts` names, in the order of the table, so that presets give
/// way to what is given beside them. Fails with an error that names the
/// setting when a text is not a value of its kind.
LogicalResult applyTexts(TrainingSettings &settings, const SettingTexts &texts,
                         EmitError emitError);
/// The same, with errors that do not name the setting.
LogicalResult applyTextsUnnamed(TrainingSettings &settings,
                                const SettingTexts &texts, EmitError emitError);

/// What `setting` means, and for which optimizers.
std::string helpOf(const Setting &setting);

/// All values of a word; of a preset those that have a name; none of what is
/// no word.
std::vector<StringRef> wordsOf(const Setting &setting);

/// The setting that the text of a preset is a value of, where it is no word: a
/// loss-scale of 1024 says scale-init, and gives way to no other. Empty: none.
StringRef saidBy(const Setting &preset, StringRef text);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_TRAINING_APPLYSETTINGS_H
