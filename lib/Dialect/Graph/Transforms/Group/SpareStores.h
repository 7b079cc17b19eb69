// What a kernel writes for one other that could as well compute it.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GROUP_SPARESTORES_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GROUP_SPARESTORES_H

#include "mpc/Dialect/Graph/Analysis/GroupingAnalysis.h"

namespace mpc::graph {

/// The gradient of a normalization reads its cotangent twice, for sums and
/// after them, which are two kernels. Where the cotangent is computed, as
/// through an activation, the first kernel would write it for the second, in
/// f32, though what it is computed from is in memory, in 16 bits. Such values
/// are computed again where they are read, by copies of the ops that make them:
/// elementwise ones, of which one may be costly, if what is read instead is at
/// most three quarters of what is no more written and read. `sets` are those of
/// `block`; whether one of them would be another now.
bool spareStores(Block &block, ArrayRef<OpSet> sets);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GROUP_SPARESTORES_H
