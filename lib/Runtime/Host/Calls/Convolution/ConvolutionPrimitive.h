// One oneDNN convolution of fixed shape, or one of its gradients, made for one
// thread.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_CONVOLUTION_CONVOLUTIONPRIMITIVE_H
#define MPC_LIB_RUNTIME_HOST_CALLS_CONVOLUTION_CONVOLUTIONPRIMITIVE_H

#include "../Dnnl/Dnnl.h"
#include "ConvolutionOperands.h"

#include <string>
#include <vector>

namespace mpc::runtime {

/// What distinguishes one convolution from another.
struct ConvolutionProblem {
  Written written;
  /// Of as many images as the primitive takes at once. A weight of format "any"
  /// is left to the library.
  dnnl_memory_desc_t input, weight, result;
  /// Of no dims: there is none.
  dnnl_memory_desc_t bias = {};
  /// Per dim of space. Dilations as the library counts them: 0 is none.
  dnnl_dims_t strides, dilations, low, high;
};

class ConvolutionPrimitive {
public:
  /// Unsupported problems give LibraryError with `unsupported` set.
  static Result<std::unique_ptr<ConvolutionPrimitive>>
  create(dnnl_engine_t engine, const ConvolutionProblem &problem,
         bool &unsupported);

  /// How the library wants the weight.
  const dnnl_memory_desc_t &weight() const { return weightDescription; }
  /// "jit:avx2"; lives as long as this.
  const char *implementation() const { return name; }
  uint64_t scratchBytes() const;
  /// As DnnlPrimitive.
  Status bind(dnnl_engine_t engine, uint32_t buffers, uint8_t *scratch,
              uint64_t stride);
  /// `bias` is null where there is none.
  dnnl_status_t run(uint32_t buffer, void *input, void *weight, void *bias,
                    void *result);

private:
  struct Arguments {
    DnnlStream stream;
    DnnlMemory input, weight, bias, result, scratch;
  };
  dnnl_status_t make(dnnl_engine_t engine, const ConvolutionProblem &problem);
  dnnl_status_t makeArguments(dnnl_engine_t engine, Arguments &own,
                              uint8_t *scratchMemory);

  Written written = Written::Result;
  DnnlDescription description;
  DnnlPrimitiveHandle primitive;
  dnnl_memory_desc_t input, weightDescription, bias, result, scratch;
  const char *name = "";
  std::vector<Arguments> arguments;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_CONVOLUTION_CONVOLUTIONPRIMITIVE_H
