#include "ExecutorChoice.h"
#include "../Host/HostExecutor.h"
#include "PluginLoader.h"
#include "mpc/Program/Names.h"

using namespace mpc;
using namespace mpc::runtime;

namespace {
/// An option, and whether the caller gave it.
struct Given {
  const char *name;
  bool given;
};
} // namespace

static Status refuse(std::span<const Given> options, const char *target) {
  for (const Given &option : options)
    if (option.given)
      return {StatusCode::InvalidArgument,
              std::string("option '") + option.name +
                  "' means nothing for a program of target '" + target +
                  "'; leave it out"};
  return {};
}

static Status checkHost(const DeviceOptions &device) {
  const Given options[] = {
      {"device", device.ordinal != 0},
      {"plugin", !device.pluginPath.empty()},
      {"stream", device.stream != nullptr},
      {"allow_nondeterministic", device.allowNondeterministic},
      {"allow_tf32", device.allowTf32},
      {"nvtx", device.nvtx},
      {"tuning_ms", device.tuningMilliseconds != 0},
      {"plans", !device.plans.empty()},
      {"nccl", device.ranks.given()},
      {"own_attention", device.ownAttention},
  };
  return refuse(options, "cpu");
}

static Status checkDevice(const HostOptions &host) {
  const Given options[] = {
      {"threads", host.threads != 0},
      {"allocator", host.allocator.has_value()},
      {"communicator", host.communicator != nullptr},
  };
  return refuse(options, "cuda");
}

static Status checkRanks(const RankOptions &ranks) {
  if (ranks.communicator && !ranks.uniqueId.empty())
    return {StatusCode::InvalidArgument,
            "expected an NCCL communicator or a unique id, but got both"};
  if (ranks.rank >= ranks.size)
    return {StatusCode::InvalidArgument,
            "expected a rank below the number of ranks, but got rank " +
                std::to_string(ranks.rank) + " of " +
                std::to_string(ranks.size)};
  return {};
}

/// A step that reduces nothing would train every rank for itself.
static Status checkGroup(const Program &program,
                         const SessionOptions &options) {
  uint32_t ranks = options.communicator ? options.communicator->size()
                                        : options.device.ranks.size;
  const auto *collectives = program.file()->collectives();
  if (ranks <= 1 || (collectives && collectives->size() != 0))
    return {};
  const auto *entries = program.file()->entries();
  for (uint32_t i = 0; entries && i < entries->size(); ++i)
    if (entries->Get(i)->name()->string_view() == program::kStepEntry)
      return {StatusCode::InvalidArgument,
              "expected a program that reduces its gradients, for a group of " +
                  std::to_string(ranks) +
                  " ranks, but this one reduces none; "
                  "compile it with --reduce=average"};
  return {};
}

Result<std::vector<uint8_t>>
runtime::makeUniqueId(const std::string &pluginPath) {
  Result<const Plugin *> plugin = loadPlugin(pluginPath);
  if (!plugin)
    return plugin.status();
  return (*plugin)->makeUniqueId();
}

Result<std::unique_ptr<Executor>>
runtime::makeExecutor(const Program &program, SessionOptions options) {
  if (Status status = checkGroup(program, options); !status.ok())
    return status;
  if (!program.isForDevice()) {
    if (Status status = checkHost(options.device); !status.ok())
      return status;
    Log log = std::move(options.log);
    return HostExecutor::create(program, std::move(options), log);
  }
  if (Status status = checkDevice(options); !status.ok())
    return status;
  if (Status status = checkRanks(options.device.ranks); !status.ok())
    return status;
  Result<const Plugin *> plugin = loadPlugin(options.device.pluginPath);
  if (!plugin)
    return plugin.status();
  return (*plugin)->create(*program.file(), options.device, options.log);
}
