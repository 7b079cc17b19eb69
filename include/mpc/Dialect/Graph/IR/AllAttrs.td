// All attributes of the graph dialect: their definitions, and the dialect's
// parser and printer, are made together; their declarations are not.
#ifndef MPC_DIALECT_GRAPH_IR_ALLATTRS_TD
#define MPC_DIALECT_GRAPH_IR_ALLATTRS_TD

include "mpc/Dialect/Graph/IR/GraphAttrs.td"
include "mpc/Dialect/Graph/IR/TrainingAttrs.td"

#endif // MPC_DIALECT_GRAPH_IR_ALLATTRS_TD
