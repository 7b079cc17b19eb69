// What a graph of cuDNN's operations means, by NVIDIA's documentation of them,
// in f64 on host memory: an operation after the other, each tensor in a buffer
// of its own, virtual ones rounded to their types.
#ifndef MPC_TEST_RUNTIME_CUDA_FAKECUDNNMATH_H
#define MPC_TEST_RUNTIME_CUDA_FAKECUDNNMATH_H

#include <cstdint>
#include <cudnn_graph.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mpc::runtime::fake {

struct CudnnTensor {
  int64_t name = -1;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::vector<int64_t> shape, strides;
  bool isVirtual = false, isByValue = false;
};

enum class CudnnKind { Matmul, Convolution, Pointwise, Reduction, Reshape };

/// How the windows of a convolution lie, for each dim of space.
struct CudnnWindows {
  std::vector<int64_t> strides, low, high, dilations;
};

struct CudnnOperation {
  CudnnKind kind;
  cudnnPointwiseMode_t mode = CUDNN_POINTWISE_IDENTITY;
  cudnnReduceTensorOp_t fold = CUDNN_REDUCE_TENSOR_ADD;
  int64_t axis = -1;
  CudnnTensor x, result;
  std::optional<CudnnTensor> b = {}, condition = {};
  // Of a convolution, whose x is the input, b the weight and result the result,
  // whichever of them is written.
  cudnnBackendDescriptorType_t convolution =
      CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
  CudnnWindows windows = {};
};

/// Whether the three tensors of a convolution have the sizes that go together.
bool fitsWindows(const CudnnOperation &convolution);

/// Runs the operations on the memory behind `addresses`, by names of tensors.
/// What is wrong with them, if anything.
std::string runCudnn(const std::vector<CudnnOperation> &operations,
                     const std::map<int64_t, void *> &addresses);

} // namespace mpc::runtime::fake

#endif // MPC_TEST_RUNTIME_CUDA_FAKECUDNNMATH_H
