// What lies in the work block of an entry when most of it is in use.
#ifndef MPC_DIALECT_EXEC_ANALYSIS_PEAKBUFFERS_H
#define MPC_DIALECT_EXEC_ANALYSIS_PEAKBUFFERS_H

#include "mpc/Dialect/Exec/IR/ExecOps.h"
#include <string>

namespace mpc::exec {

/// A buffer that is live at the peak, and the value that it holds then.
struct PeakBuffer {
  int64_t bytes;
  Category category;
  std::string value; ///< "gelu", or "gradient of graph.gelu"
  std::string place; ///< "m.mlir:7"; empty if it was written in no file.
  std::string type;  ///< "4x8xbf16"
};

struct PeakBuffers {
  SmallVector<PeakBuffer> buffers; ///< Largest first.
  std::string step;                ///< Which runs at that time.
  int64_t bytes = 0;               ///< Of all of them.

  /// Of a planned entry.
  static PeakBuffers get(EntryOp entry);

  /// The first `count` of the buffers, and how many more there are.
  void printLargest(size_t count, llvm::raw_ostream &stream) const;

  /// A table for people.
  void print(EntryOp entry, llvm::raw_ostream &stream) const;
};

/// The peaks of the entry with the largest work block, as a table; nothing if
/// no entry has one.
void printPeak(ModuleOp module, llvm::raw_ostream &stream);

} // namespace mpc::exec

#endif // MPC_DIALECT_EXEC_ANALYSIS_PEAKBUFFERS_H
