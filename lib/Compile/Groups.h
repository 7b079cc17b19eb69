// Parameter groups that options add to a model: parameters by a pattern, with
// other settings of their optimizer, its clip or its schedule.
#ifndef MPC_LIB_COMPILE_GROUPS_H
#define MPC_LIB_COMPILE_GROUPS_H

#include "mpc/Dialect/Graph/Training/SettingOverrides.h"

namespace mpc::compile {

/// Puts the groups of `text` in front of those that `training` has, which is
/// what holds for the rest of `parameters`, and for what a group does not say:
/// "NAME:SETTING=VALUE,...:REGEX;...", with `\;` for a `;` of an expression.
/// `rest`: the options that say how the rest trains, which must say something
/// to somebody. Answers what is wrong with it; `training` is then as it was.
std::optional<std::string> addGroups(StringRef text,
                                     const graph::SettingTexts &rest,
                                     ArrayRef<StringRef> parameters,
                                     graph::TrainingAttr &training);

} // namespace mpc::compile

#endif // MPC_LIB_COMPILE_GROUPS_H
