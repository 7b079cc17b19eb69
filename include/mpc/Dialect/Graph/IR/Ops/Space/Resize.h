// The ops of Resize.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_SPACE_RESIZE_H
#define MPC_DIALECT_GRAPH_IR_OPS_SPACE_RESIZE_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/IR/Ops/Space/Taps.h"
#include "mpc/Dialect/Graph/IR/Ops/Space/Windows.h"
#include "mpc/Dialect/Graph/IR/RealAttr.h"
#include "mpc/Interfaces/DimsOpInterfaces.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Space/Resize.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_SPACE_RESIZE_H
