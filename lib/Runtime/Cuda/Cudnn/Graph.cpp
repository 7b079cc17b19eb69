#include "Graph.h"

#include <algorithm>
#include <deque>
#include <tuple>

using namespace mpc;
using namespace mpc::runtime;

TensorLayout TensorLayout::dense(std::vector<int64_t> shape) {
  TensorLayout made;
  made.strides.resize(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
    made.strides[i] = stride;
  made.shape = std::move(shape);
  return made;
}

TensorLayout TensorLayout::swapped(size_t a, size_t b) const {
  TensorLayout made = *this;
  std::swap(made.shape[a], made.shape[b]);
  std::swap(made.strides[a], made.strides[b]);
  return made;
}

Graph::Tensor Graph::add(TensorRecord record) {
  tensors.push_back(std::move(record));
  return static_cast<Tensor>(tensors.size() - 1);
}

Graph::Tensor Graph::addResult(std::span<const Tensor> operands) {
  std::vector<int64_t> shape = layout(operands[0]).shape;
  for (Tensor operand : operands)
    for (size_t i = 0; i < shape.size(); ++i)
      shape[i] = std::max(shape[i], layout(operand).shape[i]);
  return add({.layout = TensorLayout::dense(std::move(shape))});
}

Graph::Tensor Graph::memory(int role, cudnnDataType_t type,
                            TensorLayout layout) {
  return add({.type = type,
              .layout = std::move(layout),
              .place = Place::Memory,
              .role = role});
}

Graph::Tensor Graph::scalar(float value, size_t rank) {
  return add({.layout = TensorLayout::dense(std::vector<int64_t>(rank, 1)),
              .place = Place::Scalar,
              .value = value});
}

Graph::Tensor Graph::matmul(Tensor a, Tensor b) {
  std::vector<int64_t> shape = layout(a).shape;
  shape.back() = layout(b).shape.back();
  Tensor result = add({.layout = TensorLayout::dense(std::move(shape))});
  operations.push_back(Matmul{a, b, result});
  return result;
}

Graph::Tensor Graph::convolve(ConvolutionSide made, Tensor a, Tensor b,
                              TensorLayout layout, WindowLayout windows,
                              cudnnDataType_t compute) {
  Tensor third = add({.layout = std::move(layout)});
  Convolution op{made, a, b, third, std::move(windows), compute};
  if (made == ConvolutionSide::Input)
    std::tie(op.input, op.weight, op.result) = std::tuple(third, a, b);
  else if (made == ConvolutionSide::Weight)
    std::tie(op.weight, op.result) = std::tuple(third, b);
  operations.push_back(std::move(op));
  return third;
}

Graph::Tensor Graph::pointwise(cudnnPointwiseMode_t mode, Tensor x,
                               std::optional<Tensor> b) {
  Tensor operands[] = {x, b.value_or(x)};
  Tensor result = addResult(operands);
  operations.push_back(
      Pointwise{mode, CUDNN_DATA_FLOAT, x, b, std::nullopt, result});
  return result;
}

Graph::Tensor Graph::index(Tensor x, int64_t dim) {
  Tensor result = addResult({&x, 1});
  tensors[result].type = CUDNN_DATA_INT32;
  operations.push_back(Pointwise{CUDNN_POINTWISE_GEN_INDEX, CUDNN_DATA_FLOAT, x,
                                 std::nullopt, std::nullopt, result, dim});
  return result;
}

Graph::Tensor Graph::compare(cudnnPointwiseMode_t mode, Tensor a, Tensor b) {
  Tensor operands[] = {a, b};
  Tensor result = addResult(operands);
  tensors[result].type = CUDNN_DATA_BOOLEAN;
  operations.push_back(
      Pointwise{mode, CUDNN_DATA_BOOLEAN, a, b, std::nullopt, result});
  return result;
}

Graph::Tensor Graph::select(Tensor condition, Tensor x, Tensor other) {
  Tensor result = addResult({&x, 1});
  operations.push_back(Pointwise{CUDNN_POINTWISE_BINARY_SELECT,
                                 CUDNN_DATA_FLOAT, x, other, condition,
                                 result});
  return result;
}

Graph::Tensor Graph::reduce(cudnnReduceTensorOp_t op, Tensor x,
                            std::vector<int64_t> shape) {
  Tensor result = add({.layout = TensorLayout::dense(std::move(shape))});
  operations.push_back(Reduction{op, x, result});
  return result;
}

Graph::Tensor Graph::transpose(Tensor x) {
  size_t rank = layout(x).shape.size();
  Tensor result = add({.type = tensors[x].type,
                       .layout = layout(x).swapped(rank - 2, rank - 1)});
  operations.push_back(Reshape{x, result});
  return result;
}

void Graph::round(Tensor x, cudnnDataType_t type) { tensors[x].type = type; }

void Graph::store(Tensor x, int role, cudnnDataType_t type,
                  TensorLayout layout) {
  tensors[x] = {.type = type,
                .layout = std::move(layout),
                .place = Place::Memory,
                .role = role};
}

std::vector<std::pair<Graph::Tensor, int>> Graph::memories() const {
  std::vector<std::pair<Tensor, int>> found;
  for (Tensor i = 0; i < tensors.size(); ++i)
    if (tensors[i].place == Place::Memory)
      found.emplace_back(i, tensors[i].role);
  return found;
}

std::vector<std::pair<Graph::Tensor, const float *>> Graph::scalars() const {
  std::vector<std::pair<Tensor, const float *>> found;
  for (Tensor i = 0; i < tensors.size(); ++i)
    if (tensors[i].place == Place::Scalar)
      found.emplace_back(i, &tensors[i].value);
  return found;
}

//===----------------------------------------------------------------------===//
// As descriptors
//===----------------------------------------------------------------------===//

/// Makes descriptors of one graph. Operations hold those of their tensors.
struct Graph::Builder {
  const CudnnApi &api;
  std::vector<Descriptor> tensors;
  std::deque<Descriptor> parts; ///< what operations refer to

  Result<Descriptor> make(const TensorRecord &record, Tensor name) const;
  Result<Descriptor> make(const Matmul &op);
  Result<Descriptor> make(const Convolution &op);
  Result<Descriptor> make(const Pointwise &op);
  Result<Descriptor> make(const Reduction &op);
  Result<Descriptor> make(const Reshape &op);

  Result<const Descriptor *> keep(Result<Descriptor> part) {
    if (!part)
      return part.status();
    return &parts.emplace_back(std::move(*part));
  }
};

/// Vectors of 16 bytes are read and written.
static constexpr int64_t kAlignment = 16;

Result<Descriptor> Graph::Builder::make(const TensorRecord &record,
                                        Tensor name) const {
  const TensorLayout &layout = record.layout;
  return DescriptorBuilder(api, CUDNN_BACKEND_TENSOR_DESCRIPTOR, "a tensor")
      .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, int64_t(name))
      .set(CUDNN_ATTR_TENSOR_DATA_TYPE, record.type)
      .set(CUDNN_ATTR_TENSOR_DIMENSIONS, std::span(layout.shape))
      .set(CUDNN_ATTR_TENSOR_STRIDES, std::span(layout.strides))
      .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kAlignment)
      .set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, record.place == Place::Inside)
      .set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, record.place == Place::Scalar)
      .finish();
}

Result<Descriptor> Graph::Builder::make(const Matmul &op) {
  Result<const Descriptor *> how =
      keep(DescriptorBuilder(api, CUDNN_BACKEND_MATMUL_DESCRIPTOR, "a product")
               .set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT)
               .finish());
  if (!how)
    return how.status();
  return DescriptorBuilder(api, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR,
                           "a matrix product")
      .set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, tensors[op.a])
      .set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, tensors[op.b])
      .set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, tensors[op.result])
      .set(CUDNN_ATTR_OPERATION_MATMUL_DESC, **how)
      .finish();
}

/// The operation that makes a tensor of a convolution, and what the library
/// calls its attributes.
struct ConvolutionKind {
  cudnnBackendDescriptorType_t kind;
  cudnnBackendAttributeName_t how, alpha, beta, input, weight, result;
};

static ConvolutionKind getKind(ConvolutionSide made) {
#define MPC_CONVOLUTION_KIND(KIND, NAME, X, W, Y)                              \
  {                                                                            \
    CUDNN_BACKEND_OPERATION_CONVOLUTION_##KIND##_DESCRIPTOR,                   \
        CUDNN_ATTR_OPERATION_CONVOLUTION_##NAME##_CONV_DESC,                   \
        CUDNN_ATTR_OPERATION_CONVOLUTION_##NAME##_ALPHA,                       \
        CUDNN_ATTR_OPERATION_CONVOLUTION_##NAME##_BETA,                        \
        CUDNN_ATTR_OPERATION_CONVOLUTION_##NAME##_##X,                         \
        CUDNN_ATTR_OPERATION_CONVOLUTION_##NAME##_##W,                         \
        CUDNN_ATTR_OPERATION_CONVOLUTION_##NAME##_##Y                          \
  }
  switch (made) {
  case ConvolutionSide::Input:
    return MPC_CONVOLUTION_KIND(BACKWARD_DATA, BWD_DATA, DX, W, DY);
  case ConvolutionSide::Weight:
    return MPC_CONVOLUTION_KIND(BACKWARD_FILTER, BWD_FILTER, X, DW, DY);
  case ConvolutionSide::Result:
    break;
  }
  return MPC_CONVOLUTION_KIND(FORWARD, FORWARD, X, W, Y);
#undef MPC_CONVOLUTION_KIND
}

Result<Descriptor> Graph::Builder::make(const Convolution &op) {
  const WindowLayout &windows = op.windows;
  Result<const Descriptor *> how = keep(
      DescriptorBuilder(api, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR, "windows")
          .set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, op.compute)
          .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION)
          .set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS,
               static_cast<int64_t>(windows.strides.size()))
          .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, std::span(windows.low))
          .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, std::span(windows.high))
          .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, std::span(windows.dilations))
          .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES,
               std::span(windows.strides))
          .finish());
  if (!how)
    return how.status();
  ConvolutionKind kind = getKind(op.made);
  DescriptorBuilder made(api, kind.kind, "a convolution");
  made.set(kind.how, **how)
      .set(kind.input, tensors[op.input])
      .set(kind.weight, tensors[op.weight])
      .set(kind.result, tensors[op.result]);
  // Of the type that is computed in.
  if (op.compute == CUDNN_DATA_DOUBLE)
    made.set(kind.alpha, 1.0).set(kind.beta, 0.0);
  else
    made.set(kind.alpha, 1.0F).set(kind.beta, 0.0F);
  return made.finish();
}

Result<Descriptor> Graph::Builder::make(const Pointwise &op) {
  DescriptorBuilder mode(api, CUDNN_BACKEND_POINTWISE_DESCRIPTOR, "a function");
  mode.set(CUDNN_ATTR_POINTWISE_MODE, op.mode)
      .set(CUDNN_ATTR_POINTWISE_MATH_PREC, op.compute);
  if (op.axis >= 0)
    mode.set(CUDNN_ATTR_POINTWISE_AXIS, op.axis);
  Result<const Descriptor *> how = keep(mode.finish());
  if (!how)
    return how.status();
  DescriptorBuilder made(api, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
                         "a pointwise operation");
  made.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, **how)
      .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, tensors[op.x])
      .set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, tensors[op.result]);
  if (op.b)
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, tensors[*op.b]);
  if (op.condition)
    made.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, tensors[*op.condition]);
  return made.finish();
}

Result<Descriptor> Graph::Builder::make(const Reduction &op) {
  Result<const Descriptor *> how =
      keep(DescriptorBuilder(api, CUDNN_BACKEND_REDUCTION_DESCRIPTOR, "a fold")
               .set(CUDNN_ATTR_REDUCTION_OPERATOR, op.op)
               .set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT)
               .finish());
  if (!how)
    return how.status();
  return DescriptorBuilder(api, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR,
                           "a reduction")
      .set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, tensors[op.x])
      .set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, tensors[op.result])
      .set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, **how)
      .finish();
}

Result<Descriptor> Graph::Builder::make(const Reshape &op) {
  return DescriptorBuilder(api, CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR,
                           "a transpose")
      .set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, tensors[op.x])
      .set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, tensors[op.result])
      .finish();
}

Result<Descriptor> Graph::build(const CudnnApi &api) const {
  Builder builder{api, {}, {}};
  for (Tensor i = 0; i < tensors.size(); ++i) {
    Result<Descriptor> made = builder.make(tensors[i], i);
    if (!made)
      return made.status();
    builder.tensors.push_back(std::move(*made));
  }
  std::vector<Descriptor> made;
  for (const Operation &operation : operations) {
    Result<Descriptor> one =
        std::visit([&](const auto &op) { return builder.make(op); }, operation);
    if (!one)
      return one.status();
    made.push_back(std::move(*one));
  }
  return DescriptorBuilder(api, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR,
                           "a graph")
      .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, std::span<const Descriptor>(made))
      .finish();
}
