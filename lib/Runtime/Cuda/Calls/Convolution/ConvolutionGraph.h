// Convolutions and their gradients as graphs of one operation of cuDNN, and of
// another for a bias.
#ifndef MPC_LIB_RUNTIME_CUDA_CALLS_CONVOLUTION_CONVOLUTIONGRAPH_H
#define MPC_LIB_RUNTIME_CUDA_CALLS_CONVOLUTION_CONVOLUTIONGRAPH_H

#include "../../Cudnn/Plan.h"
#include "mpc/Program/Calls/Convolution.h"
#include "mpc/Runtime/DeviceOptions.h"

namespace mpc::runtime {

/// "bf16 convolution [64, 64, 56, 56] by [64, 64, 3, 3], for its weight".
std::string describe(const program::ConvolutionCall &call);

/// Why no graph is made of a call, for a message; empty: one is.
std::string findConvolutionObstacle(const program::ConvolutionCall &call);

/// What the bias is called in a graph, beside the sides.
constexpr int kBiasRole = 3;

/// The call has no obstacle. Roles are those of ConvolutionSide.
Graph makeConvolutionGraph(const program::ConvolutionCall &call);

/// What engines may not do to the numbers of a call. Sums are f32 (f64), of the
/// products of its elements and nothing else, in an order that is the same each
/// time: so nothing is rounded before it is multiplied or between additions,
/// and there is none of the transforms of Winograd and Fourier, by which an inf
/// reaches what it is no part of.
RefusedNotes getRefusedNotes(const program::ConvolutionCall &call,
                             const DeviceOptions &options);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CALLS_CONVOLUTION_CONVOLUTIONGRAPH_H
