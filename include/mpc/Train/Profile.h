// In which range the values of a model lie, as `mpc-run profile` finds it: what
// mpc-compile --precision-profile reads. docs/Diagnosis.md has the schema.
#ifndef MPC_TRAIN_PROFILE_H
#define MPC_TRAIN_PROFILE_H

#include "mpc/Train/Observer.h"
#include "mpc/Train/Options.h"
#include "mpc/Train/Status.h"

namespace mpc::train {

struct Profile {
  uint64_t values = 0; ///< That were observed,
  uint64_t steps = 0;  ///< in as many steps.
  std::string worst;   ///< A table of those that lose most in 16 bits.
};

/// Trains for some steps, or runs a model that has none, observes each step
/// before it happens, and writes the profile.
Expected<Profile> profile(const ProfileOptions &options, Observer &observer);

} // namespace mpc::train

#endif // MPC_TRAIN_PROFILE_H
