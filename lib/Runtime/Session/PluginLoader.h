// Finds and loads the plug-in for a device.
#ifndef MPC_LIB_RUNTIME_SESSION_PLUGINLOADER_H
#define MPC_LIB_RUNTIME_SESSION_PLUGINLOADER_H

#include "mpc/Runtime/Plugin.h"

namespace mpc::runtime {

/// Loads `path`; if that is empty what $MPC_CUDA_PLUGIN names; if that is not
/// set libmpcrt_cuda.so beside this library, else where the loader searches.
/// DeviceUnsupported says on one line what was looked for or does not fit.
Result<const Plugin *> loadPlugin(const std::string &path);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_SESSION_PLUGINLOADER_H
