// The ops of Random.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_RANDOM_H
#define MPC_DIALECT_GRAPH_IR_OPS_RANDOM_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/IR/RealAttr.h"
#include "mpc/Interfaces/DimsOpInterfaces.h"
#include "mpc/Interfaces/TrainingOpInterfaces.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Random.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_RANDOM_H
