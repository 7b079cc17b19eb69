// A computation as cuDNN takes it: tensors, and operations between them. What
// no tensor in memory holds stays inside of the kernels that the library finds
// for the whole.
//
//   Graph graph;
//   Graph::Tensor x = graph.memory(kX, CUDNN_DATA_HALF, layout);
//   Graph::Tensor y = graph.pointwise(CUDNN_POINTWISE_EXP, x);
//   graph.store(y, kY, CUDNN_DATA_HALF, layout);
//
// A description alone: nothing is called before `build`, nothing here fails.
#ifndef MPC_LIB_RUNTIME_CUDA_CUDNN_GRAPH_H
#define MPC_LIB_RUNTIME_CUDA_CUDNN_GRAPH_H

#include "Descriptor.h"

#include <optional>
#include <variant>

namespace mpc::runtime {

/// Where the elements of a tensor lie: strides in elements.
struct TensorLayout {
  std::vector<int64_t> shape, strides;

  static TensorLayout dense(std::vector<int64_t> shape);
  /// With two dims in each other's place.
  TensorLayout swapped(size_t a, size_t b) const;
};

/// How the windows of a convolution lie: a number for each dim of space.
struct WindowLayout {
  std::vector<int64_t> strides, low, high, dilations;
};

/// The tensors of a convolution: the third is made of the other two.
enum class ConvolutionSide { Input, Weight, Result };

class Graph {
public:
  /// Its name in this graph; the library's "unique id" of it.
  using Tensor = uint32_t;

  // Tensors that are there. `role`: what the caller calls it.
  Tensor memory(int role, cudnnDataType_t type, TensorLayout layout);
  /// A number, handed over with the addresses. `rank`: of what it meets.
  Tensor scalar(float value, size_t rank);

  // Operations. Results are f32, dense, and in no memory.
  /// [..., m, k] times [..., k, n]. A head of `b` may serve several of `a`.
  Tensor matmul(Tensor a, Tensor b);
  /// One of input [batch, channels, space...], weight [results, channels of a
  /// group, kernel...] and result [batch, results, space...] of a convolution
  /// whose kernel is not turned around: `made`, which lies so, from the other
  /// two in that order.
  Tensor convolve(ConvolutionSide made, Tensor a, Tensor b, TensorLayout layout,
                  WindowLayout windows, cudnnDataType_t compute);
  /// Operands of extent 1 are repeated.
  Tensor pointwise(cudnnPointwiseMode_t mode, Tensor x,
                   std::optional<Tensor> b = std::nullopt);
  /// Where `x` stands along a dim, as i32.
  Tensor index(Tensor x, int64_t dim);
  /// Whether a compares to b, as a boolean.
  Tensor compare(cudnnPointwiseMode_t mode, Tensor a, Tensor b);
  /// `x` where `condition` holds, else `other`.
  Tensor select(Tensor condition, Tensor x, Tensor other);
  /// To `shape`, whose extents are those of x or divide them.
  Tensor reduce(cudnnReduceTensorOp_t op, Tensor x, std::vector<int64_t> shape);
  /// The last two dims in each other's place, by strides alone.
  Tensor transpose(Tensor x);

  /// What an operation hands to the next one is rounded to `type`.
  void round(Tensor x, cudnnDataType_t type);
  /// The result of an operation is written to memory.
  void store(Tensor x, int role, cudnnDataType_t type, TensorLayout layout);

  const TensorLayout &layout(Tensor x) const { return tensors[x].layout; }
  /// Tensors in memory and their roles: what addresses are needed for.
  std::vector<std::pair<Tensor, int>> memories() const;
  /// Scalars and their values, which live as long as the graph.
  std::vector<std::pair<Tensor, const float *>> scalars() const;

  /// The graph as the library's descriptor of it.
  Result<Descriptor> build(const CudnnApi &api) const;

private:
  enum class Place { Inside, Memory, Scalar };
  struct TensorRecord {
    cudnnDataType_t type = CUDNN_DATA_FLOAT;
    TensorLayout layout;
    Place place = Place::Inside;
    int role = 0;    ///< of one in memory
    float value = 0; ///< of a scalar
  };

  struct Matmul {
    Tensor a, b, result;
  };
  struct Pointwise {
    cudnnPointwiseMode_t mode;
    cudnnDataType_t compute;
    Tensor x;
    std::optional<Tensor> b, condition;
    Tensor result;
    int64_t axis = -1; ///< of an index
  };
  struct Reduction {
    cudnnReduceTensorOp_t op;
    Tensor x, result;
  };
  struct Reshape {
    Tensor x, result;
  };
  struct Convolution {
    ConvolutionSide made;
    Tensor input, weight, result;
    WindowLayout windows;
    cudnnDataType_t compute;
  };
  using Operation =
      std::variant<Matmul, Convolution, Pointwise, Reduction, Reshape>;
  struct Builder;

  Tensor add(TensorRecord record);
  /// A dense f32 result of the operands' common shape.
  Tensor addResult(std::span<const Tensor> operands);

  std::vector<TensorRecord> tensors;
  std::vector<Operation> operations;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CUDNN_GRAPH_H
