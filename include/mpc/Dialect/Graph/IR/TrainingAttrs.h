// The attributes of how a model is trained, apart from those of ops: whoever
// does not ask how to train need not be recompiled when a setting changes.
#ifndef MPC_DIALECT_GRAPH_IR_TRAININGATTRS_H
#define MPC_DIALECT_GRAPH_IR_TRAININGATTRS_H

#include "mpc/Dialect/Graph/IR/GraphDialect.h"
#include "mpc/Dialect/Graph/Settings/TrainingSettings.h"

#define GET_ATTRDEF_CLASSES
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h.inc"

namespace mpc::graph {

/// Whether `function` wants each result rounded as its op says. One that says
/// nothing does not.
bool roundsStrictly(Operation *function);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_IR_TRAININGATTRS_H
