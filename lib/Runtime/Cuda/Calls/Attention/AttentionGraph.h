// Attention as a graph of cuDNN's operations: the one that its fused engines
// for attention recognize (scores, softmax by maximum and sum, a second
// product; NVIDIA, cuDNN's "Fused Flash Attention" patterns). Its scores are in
// no memory.
#ifndef MPC_LIB_RUNTIME_CUDA_CALLS_ATTENTION_ATTENTIONGRAPH_H
#define MPC_LIB_RUNTIME_CUDA_CALLS_ATTENTION_ATTENTIONGRAPH_H

#include "../../Cudnn/Graph.h"
#include "mpc/Program/Calls/Attention.h"

namespace mpc::runtime {

/// The tensors of the graph that lie in memory.
enum class AttentionRole {
  Query,
  Key,
  Value,
  Result,
  LogSumExp,
  Cotangent,
  QueryGradient,
  KeyGradient,
  ValueGradient,
  // Of backward, in the workspace.
  Deltas,    ///< f32 [batch, head, query]: sums of cotangent times result
  QuerySums, ///< f32 [batch, head, query, width]: sums of query gradients
};

/// Why no graph is made of a call, for a message; empty: one is.
std::string findAttentionObstacle(const program::AttentionCall &call);
/// Why a version (as cudnnGetVersion tells it) is not asked for a call that has
/// no obstacle. What is wrong in which one is known from NVIDIA's frontend.
std::string findVersionObstacle(const program::AttentionCall &call,
                                size_t version);

/// The call has no obstacle.
Graph makeForwardGraph(const program::AttentionCall &call);
/// All three gradients. How their sums are ordered is left to chance.
Graph makeBackwardGraph(const program::AttentionCall &call);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CALLS_ATTENTION_ATTENTIONGRAPH_H
