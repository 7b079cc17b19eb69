// The first thing that grouping does: ops that are cheaper to compute again
// than to write and read are given to each of their users.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GROUP_COPYCHEAPOPS_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GROUP_COPYCHEAPOPS_H

#include "mpc/Dialect/Graph/Analysis/GroupingAnalysis.h"

namespace mpc::graph {

/// Of two kinds: ops that read no more than they make, as casts do and what is
/// added to a row; and ops of single numbers and indices alone, as those that
/// draw random words. Each kernel that reads the result then computes it.
void copyCheapOps(Block &block, const GroupingOptions &options);

/// `value` as the readers of other copies see it, too: a kernel rounds at a
/// cast, also to the type that a value has. Made in front of `user`.
Value roundForAll(Value value, Operation *user);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GROUP_COPYCHEAPOPS_H
