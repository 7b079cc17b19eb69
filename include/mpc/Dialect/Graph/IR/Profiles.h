// Profiles: what users of another system mean by one word, as settings of ours
// (docs/Precision.md has the table). A profile is a preset: what is given
// beside it wins.
//
// Besides the named ones there is jmp's policy string behind "jmp:", such as
//   jmp:params=float32,compute=float16,output=float32
// Keys are params, compute and output, or p, c and o. Types are float32, f32,
// full; float16, f16, half; bfloat16, bf16. What is missing follows, as in jmp:
// params is f32, compute is params, output is compute; a type alone is all
// three.
#ifndef MPC_DIALECT_GRAPH_IR_PROFILES_H
#define MPC_DIALECT_GRAPH_IR_PROFILES_H

#include "mpc/Dialect/Graph/IR/TrainingSettings.h"

namespace mpc::graph {

/// One named profile: values of the settings that it sets.
struct Profile {
  StringRef name;
  StringRef precision, autocast, lists;
  bool keepNormalization;
  StringRef output, master;
  StringRef lossScale; ///< A word of the setting loss-scale.
  StringRef source;    ///< Whose defaults these are.
  /// Of that system's optimizers, for hyperparameters that nobody gives.
  ArrayRef<HyperparameterDefault> hyperparameters = {};
};

ArrayRef<Profile> profiles();

/// Sets what the profile `text` stands for; an error lists all of them, or
/// names the part of a jmp string that is wrong.
LogicalResult applyProfile(TrainingSettings &settings, StringRef text,
                           TrainingSettings::EmitError emitError);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_PROFILES_H
