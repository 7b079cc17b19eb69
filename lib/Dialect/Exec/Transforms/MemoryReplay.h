// Who wrote the bytes that a step reads: the steps of a planned entry, followed
// one by one, without asking the analyses that planned it.
//
// A *value* is what a buffer holds between two writes of its memory: each
// alloc, each renew and the first content of each state is one. Memory
// remembers per byte of the work block, and per state, which value was written
// last.
#ifndef MPC_LIB_DIALECT_EXEC_TRANSFORMS_MEMORYREPLAY_H
#define MPC_LIB_DIALECT_EXEC_TRANSFORMS_MEMORYREPLAY_H

#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace mpc::exec {

/// Where a buffer of a planned entry lies.
struct Memory {
  enum class Block { Work, State, Other };
  Block block;
  StringRef state = {};       ///< Of block State.
  int64_t begin = 0, end = 0; ///< Of block Work, in bytes.

  static Memory of(Value buffer);

  bool isWritable() const { return block != Block::Other; }
  /// Whether a write of one of them changes the other.
  bool overlaps(const Memory &other) const;
  /// Of memory that is writable.
  bool operator==(const Memory &other) const;
};

class MemoryReplay {
public:
  /// Fails, after an error on `op`, unless all of `buffer` holds the value that
  /// it stands for.
  LogicalResult read(Operation *op, Value buffer);
  /// From here on `buffer` holds what `op` writes.
  void write(Operation *op, Value buffer);

private:
  struct Written {
    int64_t end; ///< Of bytes in the work block.
    Value value;
    Operation *by;
  };
  LogicalResult reportUnwritten(Operation *op, Value buffer);
  LogicalResult reportOverwritten(Operation *op, Value value, Operation *by);
  LogicalResult readWork(Operation *op, const Memory &memory, Value value);
  LogicalResult readState(Operation *op, const Memory &memory, Value value);

  /// By the offset of the first byte; apart from each other.
  std::map<int64_t, Written> work;
  /// By name; none while it holds what it held before the run.
  llvm::StringMap<Written> states;
};

/// What was begun and not waited for yet. Until then nobody else may write what
/// it reads, or touch what it writes.
class WorkUnderWay {
public:
  explicit WorkUnderWay(EntryOp entry);

  /// Fails, after an error on `step`, if it touches what it may not.
  LogicalResult verify(StepOpInterface step) const;
  /// Whether `step` is one that somebody waits for; it is under way then.
  bool begin(StepOpInterface step);
  void end(StepOpInterface step);

private:
  struct Work {
    Operation *step;
    SmallVector<Memory> reads, writes;
  };
  DenseSet<Operation *> awaited;
  SmallVector<Work> all;
};

} // namespace mpc::exec

#endif // MPC_LIB_DIALECT_EXEC_TRANSFORMS_MEMORYREPLAY_H
