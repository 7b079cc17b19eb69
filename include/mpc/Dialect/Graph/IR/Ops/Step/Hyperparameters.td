// Hyperparameters of optimizers, as attributes of their ops: a default that two
// ops share, a single one and one on lists, stands here.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_STEP_HYPERPARAMETERS_TD
#define MPC_DIALECT_GRAPH_IR_OPS_STEP_HYPERPARAMETERS_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"

class Graph_Hyperparameter<string value>
    : DefaultValuedAttr<F64Attr, value>;

def Graph_Beta1 : Graph_Hyperparameter<"0.9">;
def Graph_Beta2 : Graph_Hyperparameter<"0.999">;
def Graph_AdamEpsilon : Graph_Hyperparameter<"1e-8">;
def Graph_NoneByDefault : Graph_Hyperparameter<"0.0">;

#endif // MPC_DIALECT_GRAPH_IR_OPS_STEP_HYPERPARAMETERS_TD
