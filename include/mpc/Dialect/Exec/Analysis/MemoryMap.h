// The memory of a planned program by what it is for.
//
// Every byte is counted once: the rows add up to state + constants + arena.
// The rows of the arena are those of the entry with the largest one, at the
// time when most of it is live; what is not live then is the row "gaps".
#ifndef MPC_DIALECT_EXEC_ANALYSIS_MEMORYMAP_H
#define MPC_DIALECT_EXEC_ANALYSIS_MEMORYMAP_H

#include "mpc/Dialect/Exec/IR/ExecOps.h"

namespace mpc::exec {

struct MemoryMap {
  struct Row {
    StringRef name;
    int64_t bytes;
  };
  /// Parameters, master weights, weight copies, compensation, moments,
  /// accumulators, scalars, constants, activations, gradients, workspace,
  /// outputs, gaps; each, even if empty.
  SmallVector<Row> rows;
  int64_t stateBytes = 0;
  int64_t constantBytes = 0;
  int64_t arenaBytes = 0;     ///< Of the entry with the largest arena.
  int64_t largestLiveSet = 0; ///< Of that entry: the least it could need.
  StringRef largestEntry;
  /// Elements of all parameters: bytes divided by it are the arithmetic of
  /// mixed precision (2 for a copy, 4 for a master, 8 for Adam's moments, ...).
  int64_t parameters = 0;

  int64_t totalBytes() const { return stateBytes + constantBytes + arenaBytes; }

  /// The map of a module that mpc-plan-buffers has planned.
  static MemoryMap get(ModuleOp module);

  /// A table for people: one line per row that is not empty, and the total, in
  /// bytes and in bytes per parameter.
  void print(llvm::raw_ostream &stream) const;
};

} // namespace mpc::exec

#endif // MPC_DIALECT_EXEC_ANALYSIS_MEMORYMAP_H
