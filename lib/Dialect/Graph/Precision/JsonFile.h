// JSON files that options name: policies and profiles. Private to this room.
#ifndef MPC_LIB_DIALECT_GRAPH_PRECISION_JSONFILE_H
#define MPC_LIB_DIALECT_GRAPH_PRECISION_JSONFILE_H

#include "mpc/Interfaces/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace mpc::graph {

/// The content of the file `path`. The error goes on where "file X: " ends:
/// it cannot be read, is no JSON, or nested deeper than the parser may go.
llvm::Expected<llvm::json::Value> readJson(StringRef path);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_PRECISION_JSONFILE_H
