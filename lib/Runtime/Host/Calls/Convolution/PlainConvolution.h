// Convolutions by their definition, summed in f64.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_CONVOLUTION_PLAINCONVOLUTION_H
#define MPC_LIB_RUNTIME_HOST_CALLS_CONVOLUTION_PLAINCONVOLUTION_H

#include "mpc/Program/Calls/Convolution.h"
#include "mpc/Runtime/HostCall.h"

namespace mpc::runtime {

/// For f64, which oneDNN has none of, and for what else it does not take.
std::unique_ptr<HostCall> makePlainConvolution(const program::Call &call);

/// Whether windows reach far beyond the input, by dilation or padding: oneDNN
/// then takes as much memory as there are zeros, which nobody has counted.
bool isMostlyZeros(const program::ConvolutionCall &call);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_CONVOLUTION_PLAINCONVOLUTION_H
