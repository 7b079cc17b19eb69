// Descriptors of cuDNN's backend: everything that it is told is one, made of
// attributes and finalized once.
//
//   Result<Descriptor> product =
//       DescriptorBuilder(api, CUDNN_BACKEND_MATMUL_DESCRIPTOR, "a product")
//           .set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT)
//           .finish();
#ifndef MPC_LIB_RUNTIME_CUDA_CUDNN_DESCRIPTOR_H
#define MPC_LIB_RUNTIME_CUDA_CUDNN_DESCRIPTOR_H

#include "../Api/CudnnApi.h"

#include <span>
#include <utility>
#include <vector>

namespace mpc::runtime {

/// Owns one descriptor of the library.
class Descriptor {
public:
  Descriptor() = default;
  Descriptor(const CudnnApi &api, cudnnBackendDescriptor_t handle)
      : api(&api), handle(handle) {}
  Descriptor(Descriptor &&other) noexcept
      : api(other.api), handle(std::exchange(other.handle, nullptr)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(api, other.api);
    std::swap(handle, other.handle);
    return *this;
  }
  ~Descriptor() {
    if (handle)
      (void)api->cudnnBackendDestroyDescriptor(handle);
  }

  cudnnBackendDescriptor_t get() const { return handle; }

  /// A number that the library says of a finalized descriptor.
  Result<int64_t> readNumber(cudnnBackendAttributeName_t attribute) const;
  /// What it says of how an engine computes.
  Result<std::vector<cudnnBackendNumericalNote_t>> readNotes() const;
  /// Its descriptors of a type, the library's favourite first.
  Result<std::vector<Descriptor>>
  readList(cudnnBackendAttributeName_t attribute,
           cudnnBackendDescriptorType_t type) const;

private:
  const CudnnApi *api = nullptr;
  cudnnBackendDescriptor_t handle = nullptr;
};

/// What the library calls the type of an attribute's values.
template <typename Value> struct AttributeType;
#define MPC_ATTRIBUTE_TYPE(Value, type)                                        \
  template <> struct AttributeType<Value> {                                    \
    static constexpr cudnnBackendAttributeType_t value = CUDNN_TYPE_##type;    \
  };
MPC_ATTRIBUTE_TYPE(int64_t, INT64)
MPC_ATTRIBUTE_TYPE(int32_t, INT32)
MPC_ATTRIBUTE_TYPE(bool, BOOLEAN)
MPC_ATTRIBUTE_TYPE(char, CHAR)
MPC_ATTRIBUTE_TYPE(float, FLOAT)
MPC_ATTRIBUTE_TYPE(double, DOUBLE)
MPC_ATTRIBUTE_TYPE(void *, VOID_PTR)
MPC_ATTRIBUTE_TYPE(cudnnDataType_t, DATA_TYPE)
MPC_ATTRIBUTE_TYPE(cudnnPointwiseMode_t, POINTWISE_MODE)
MPC_ATTRIBUTE_TYPE(cudnnReduceTensorOp_t, REDUCTION_OPERATOR_TYPE)
MPC_ATTRIBUTE_TYPE(cudnnConvolutionMode_t, CONVOLUTION_MODE)
MPC_ATTRIBUTE_TYPE(cudnnBackendHeurMode_t, HEUR_MODE)
#undef MPC_ATTRIBUTE_TYPE

/// Makes a descriptor; the first failure is what `finish` answers.
class DescriptorBuilder {
public:
  /// `what`: for messages, "a tensor".
  DescriptorBuilder(const CudnnApi &api, cudnnBackendDescriptorType_t type,
                    const char *what);

  template <typename Value>
  DescriptorBuilder &set(cudnnBackendAttributeName_t attribute,
                         std::span<const Value> values) {
    return set(attribute, AttributeType<Value>::value, values.size(),
               static_cast<const void *>(values.data()));
  }
  template <typename Value>
  DescriptorBuilder &set(cudnnBackendAttributeName_t attribute,
                         const Value &value) {
    return set(attribute, std::span<const Value>(&value, 1));
  }
  DescriptorBuilder &set(cudnnBackendAttributeName_t attribute,
                         const Descriptor &value) {
    return set(attribute, std::span<const Descriptor>(&value, 1));
  }
  DescriptorBuilder &set(cudnnBackendAttributeName_t attribute,
                         std::span<const Descriptor> values);

  /// The finalized descriptor.
  Result<Descriptor> finish();

private:
  DescriptorBuilder &set(cudnnBackendAttributeName_t attribute,
                         cudnnBackendAttributeType_t type, size_t count,
                         const void *values);

  const CudnnApi &api;
  const char *what;
  Descriptor made;
  Status failure;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CUDNN_DESCRIPTOR_H
