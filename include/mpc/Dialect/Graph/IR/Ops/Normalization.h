// The ops of Normalization.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_NORMALIZATION_H
#define MPC_DIALECT_GRAPH_IR_OPS_NORMALIZATION_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/IR/Ops/Space/Windows.h"
#include "mpc/Interfaces/DimsOpInterfaces.h"
#include "mpc/Interfaces/TrainingOpInterfaces.h"

namespace mpc::graph {

inline int64_t countChannels(RankedTensorType input, bool channelsLast) {
  return input.getDimSize(channelDimOf(input.getRank(), channelsLast));
}
/// Values of a channel in a sample.
inline int64_t countSpace(RankedTensorType input, bool channelsLast) {
  return input.getNumElements() / input.getDimSize(0) /
         countChannels(input, channelsLast);
}

} // namespace mpc::graph

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Normalization.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_NORMALIZATION_H
