// Options about where a program runs, which train and eval share.
#ifndef MPC_TOOLS_MPC_RUN_DEVICE_H
#define MPC_TOOLS_MPC_RUN_DEVICE_H

#include "Options.h"

namespace mpc::run {

struct DeviceChoice {
  std::optional<uint64_t> threads;                    ///< Target "cpu".
  std::optional<uint64_t> device, tuningMilliseconds; ///< Target "cuda".
  bool allowTf32 = false, nvtx = false;
  std::string plans; ///< File of chosen plans; "" if none.

  void declare(Options &options);
  /// Refuses options of another target than that of the program at `path`.
  void checkTarget(const std::string &path, std::string_view target) const;
};

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_DEVICE_H
