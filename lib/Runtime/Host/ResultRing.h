// The small outputs of the last runs of an entry, so that an application reads
// results one step late in the same way on every target.
#ifndef MPC_LIB_RUNTIME_HOST_RESULTRING_H
#define MPC_LIB_RUNTIME_HOST_RESULTRING_H

#include "Interpreter.h"
#include "mpc/Runtime/Executor.h"

namespace mpc::runtime {

class ResultRing {
public:
  explicit ResultRing(const program::Entry &entry);
  /// Copies what the entry's last run has left. Allocates nothing.
  void keep(const EntryTable &table);
  /// Output `index` of the run that was `age` ago.
  std::span<const uint8_t> find(uint32_t index, uint32_t age) const;

private:
  struct Part {
    const program::Arg *source;
    uint64_t offset, bytes; ///< within a slot
  };
  std::vector<Part> parts; ///< by output; no bytes: it is not small
  uint64_t slotBytes = 0;
  std::vector<uint8_t> slots; ///< kResultRuns of them
  uint32_t last = 0;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_RESULTRING_H
