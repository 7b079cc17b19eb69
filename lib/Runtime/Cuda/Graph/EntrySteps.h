// The records of an entry, resolved for a device: addresses instead of offsets,
// kernels and plans instead of numbers, and what each waits for.
#ifndef MPC_LIB_RUNTIME_CUDA_GRAPH_ENTRYSTEPS_H
#define MPC_LIB_RUNTIME_CUDA_GRAPH_ENTRYSTEPS_H

#include "../Calls/CallLibraries.h"
#include "../Collectives.h"
#include "../Layout.h"
#include "../Modules.h"
#include "MultiTensorTables.h"
#include "Queue.h"

namespace mpc::runtime {

/// What the entries of a session share. All of it outlives them.
struct Machine {
  const CudaApi &api;
  const program::Program &program;
  const Device &device;
  const Modules &modules;
  const Layout &layout;
  uint8_t *block;            ///< device memory
  MultiTensorTables *tables; ///< used by prepare only
  const CallLibraries &libraries;
  Collectives *collectives; ///< null: a single rank
};

class EntrySteps {
public:
  static Result<EntrySteps> prepare(const Machine &machine, uint32_t entry);
  /// Puts every record into `queue`. A failure names the record.
  Status issue(Queue &queue) const;
  bool empty() const { return steps.empty(); }
  /// Its library calls, to be prepared before they are issued.
  std::vector<const CallLibraries::MadeCall *> calls() const;
  /// Whether a record of it connects ranks.
  bool hasCollectives() const { return connected; }
  const char *name() const { return entryName.c_str(); }

private:
  struct Step {
    std::string name; ///< for people
    std::vector<uint32_t> after;
    std::function<Status(Queue &)> issue;
    std::shared_ptr<CallLibraries::MadeCall> call; ///< of a Call, used by issue
  };
  std::string entryName;
  std::vector<Step> steps;
  bool connected = false;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_GRAPH_ENTRYSTEPS_H
