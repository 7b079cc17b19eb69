#include "mpc/Runtime/Plugin.h"
#include "CudaExecutor.h"

using namespace mpc;
using namespace mpc::runtime;

static Result<std::unique_ptr<Executor>>
createExecutor(const program::Program &program, const DeviceOptions &options,
               const Log &log) {
  return CudaExecutor::create(getPlatform(), program, options, log);
}

extern "C" __attribute__((visibility("default"))) const Plugin *
mpc_runtime_plugin() {
  static constexpr Plugin plugin = {MPC_PLUGIN_VERSION, createExecutor};
  return &plugin;
}
