// What keeps a state where a step is skipped, read off the ops.
//
// A next value has the form `select skip, old, next`, where skip is one flag or
// the or of several, `select a, a, b`. Selects may be nested.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_UPDATE_SKIPPROOF_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_UPDATE_SKIPPROOF_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "llvm/ADT/SetVector.h"

namespace mpc::graph {

using Flags = llvm::SmallSetVector<Value, 4>;

/// How a next value comes about.
struct KeptValue {
  KeptValue(Value old, Value next);

  /// Each of them, if set, makes the next value the old one, bit for bit.
  Flags flags;
  /// The next value where no flag is set.
  Value taken;
};

/// The flags of which `condition` is the or; itself if it is none.
Flags flagsOf(Value condition);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_UPDATE_SKIPPROOF_H
