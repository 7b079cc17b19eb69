// In which range the values of a model lie, over many steps, as JSON that
// mpc-compile --precision-profile reads. docs/Diagnosis.md has the schema.
#ifndef MPC_LIB_TRAIN_DIAGNOSIS_RANGEPROFILE_H
#define MPC_LIB_TRAIN_DIAGNOSIS_RANGEPROFILE_H

#include "Probe.h"

#include <nlohmann/json.hpp>

namespace mpc::train {

class RangeProfile {
public:
  /// Raised with every change that an older mpc-compile would misunderstand.
  static constexpr int kVersion = 1;

  /// Takes in what one run has observed; `facts` must outlive the profile.
  void add(const std::vector<ObservedValue> &values);

  /// The loss scale of the steps, if they had one: gradients are that much
  /// larger. The last one counts.
  std::optional<double> lossScale;

  nlohmann::ordered_json toJson(const std::string &model,
                                uint64_t numSteps) const;
  /// A table of the `count` tensors that lose most in 16 bits.
  std::string describeWorst(size_t count) const;

private:
  std::vector<ObservedValue> totals;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_DIAGNOSIS_RANGEPROFILE_H
