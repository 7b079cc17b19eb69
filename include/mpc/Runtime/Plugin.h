// What libmpcrt.so and a device plug-in (libmpcrt_cuda.so) agree on. The
// plug-in exports one C function, named kPluginSymbol:
//
//   extern "C" const mpc::runtime::Plugin *mpc_runtime_plugin();
//
// Everything after the version is C++ and holds only between builds of one
// version, so `version` is compared first. The plug-in has its own copy of
// MPCProgram and MPCSupport; classes cross only as virtual functions, and
// nothing asks for dynamic types. Once loaded a plug-in stays in the process,
// since the libraries under it do not bear being unloaded.
#ifndef MPC_RUNTIME_PLUGIN_H
#define MPC_RUNTIME_PLUGIN_H

#include "mpc/Program/Program.h"
#include "mpc/Runtime/DeviceOptions.h"
#include "mpc/Runtime/Executor.h"
#include "mpc/Runtime/Log.h"

#include <memory>

namespace mpc::runtime {

inline constexpr char kPluginSymbol[] = "mpc_runtime_plugin";
/// Raised with every change of Plugin, Executor, DeviceOptions, Status or the
/// schema. MPC_VERSION is the project's, by the build.
#define MPC_PLUGIN_VERSION "mpc " MPC_VERSION ", plug-in interface 6"

struct Plugin {
  const char *version; ///< MPC_PLUGIN_VERSION of its build
  /// `program` is verified, its code allowed, and lives longer than the
  /// executor. Must not throw. DeviceUnsupported: this machine cannot run it;
  /// the message says on one line what is missing, wanted and found.
  Result<std::unique_ptr<Executor>> (*create)(const program::Program &program,
                                              const DeviceOptions &options,
                                              const Log &log);
  /// A new id for RankOptions::uniqueId.
  Result<std::vector<uint8_t>> (*makeUniqueId)();
};

} // namespace mpc::runtime

#endif // MPC_RUNTIME_PLUGIN_H
