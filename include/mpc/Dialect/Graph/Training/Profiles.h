// Profiles: what users of another system mean by one word, as settings of ours
// (docs/Precision.md has the table). A profile is a preset: what is given
// beside it wins.
//
// Besides the named ones there is jmp's policy string after "jmp:", such as
//   jmp:params=float32,compute=float16,output=float32
// Keys are params, compute and output, or p, c and o. Types are float32, f32,
// full; float16, f16, half; bfloat16, bf16. What is missing follows, as in jmp:
// params is f32, compute is params, output is compute; a type alone is all
// three.
#ifndef MPC_DIALECT_GRAPH_TRAINING_PROFILES_H
#define MPC_DIALECT_GRAPH_TRAINING_PROFILES_H

#include "mpc/Dialect/Graph/Settings/SettingsTable.h"

namespace mpc::graph {

/// A hyperparameter of an optimizer that a system has another default for than
/// the optimizer's op here.
struct HyperparameterDefault {
  StringRef optimizer, hyperparameter;
  double value;
};

/// One named profile: values of the settings that it sets.
struct Profile {
  StringRef name;
  Precision precision;
  PrecisionMode autocast;
  TorchLists lists;
  bool keepNormalization;
  OutputType output;
  MasterType master;
  StringRef lossScale; ///< A word of the setting loss-scale.
  StringRef source;    ///< Whose defaults these are.
  /// Of that system's optimizers, for hyperparameters that nobody gives.
  ArrayRef<HyperparameterDefault> hyperparameters = {};
};

ArrayRef<Profile> profiles();

/// Sets what the profile `text` stands for; an error lists all of them, or
/// names the part of a jmp string that is wrong.
LogicalResult applyProfile(TrainingSettings &settings, StringRef text,
                           EmitError emitError);

/// Of the optimizers of the profile `text`, which has been applied.
ArrayRef<HyperparameterDefault> hyperparameterDefaultsOf(StringRef text);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_TRAINING_PROFILES_H
