// Shard 0 of the generated op definitions.
#include "mlir/IR/OpImplementation.h"
#include "mpc/Dialect/Graph/IR/GraphOps.h"
#include "mpc/Dialect/Graph/IR/RealAttr.h"

#define GET_OP_DEFS_0
#include "mpc/Dialect/Graph/IR/GraphOps.cpp.inc"
