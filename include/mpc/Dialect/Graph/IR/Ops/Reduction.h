// The ops of Reduction.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_REDUCTION_H
#define MPC_DIALECT_GRAPH_IR_OPS_REDUCTION_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/IR/PartialFolds.h"
#include "mpc/Dialect/Graph/IR/RealAttr.h"
#include "mpc/Interfaces/DimsOpInterfaces.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_REDUCTION_H
