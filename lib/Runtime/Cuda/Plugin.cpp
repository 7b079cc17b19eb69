#include "mpc/Runtime/Plugin.h"
#include "CudaExecutor.h"
#include "Nccl/NcclCommunicator.h"

using namespace mpc;
using namespace mpc::runtime;

static Result<std::unique_ptr<Executor>>
createExecutor(const program::Program &program, const DeviceOptions &options,
               const Log &log) {
  return CudaExecutor::create(getPlatform(), program, options, log);
}

static Result<std::vector<uint8_t>> makeRankId() {
  Result<const NcclApi *> library = getPlatform().openNccl();
  if (!library)
    return library.status();
  return makeUniqueId(**library);
}

extern "C" __attribute__((visibility("default"))) const Plugin *
mpc_runtime_plugin() {
  static constexpr Plugin plugin = {MPC_PLUGIN_VERSION, createExecutor,
                                    makeRankId};
  return &plugin;
}
