// Tensors of DLPack for the C++ interface (mpc-c/Runtime.hpp): owners of what
// goes out, views of memory that goes in. mpc-c/DLPack.h says what is taken and
// what belongs to whom. C++17, header only.
//
//   mpc::rt::TensorView x(images, MPC_F32, {64, 784});
//   mpc::rt::run(session, entry, {x.get(), theirs}); // of any library
//   auto logits = mpc::rt::outputTensor(session, entry, 0);
//   consume(logits->release()); // or keep it
#ifndef MPC_C_DLPACK_HPP
#define MPC_C_DLPACK_HPP

#include "mpc-c/DLPack.h"
#include "mpc-c/Runtime.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mpc::rt {

/// Memory of the caller's, row-major and dense, as a tensor that is read in
/// place, or written to. The memory must live as long as this is used.
class TensorView {
public:
  TensorView(void *data, mpc_type type, std::vector<int64_t> dims)
      : shape(std::make_unique<std::vector<int64_t>>(std::move(dims))) {
    tensor.version.major = MPC_DLPACK_MAJOR;
    tensor.version.minor = MPC_DLPACK_MINOR;
    tensor.tensor.data = data;
    tensor.tensor.device.kind = MPC_DLPACK_CPU;
    tensor.tensor.ndim = static_cast<int32_t>(shape->size());
    tensor.tensor.shape = shape->data();
    setType(type);
  }
  TensorView(const void *data, mpc_type type, std::vector<int64_t> dims)
      : TensorView(const_cast<void *>(data), type, std::move(dims)) {
    tensor.flags = MPC_DLPACK_READ_ONLY;
  }

  const mpc_dlpack *get() const { return &tensor; }

private:
  void setType(mpc_type type) {
    struct Row {
      uint8_t code, bits;
    };
    constexpr Row rows[] = {
        {MPC_DLPACK_FLOAT, 64},     {MPC_DLPACK_FLOAT, 32},
        {MPC_DLPACK_FLOAT, 16},     {MPC_DLPACK_BFLOAT, 16},
        {MPC_DLPACK_INT, 64},       {MPC_DLPACK_INT, 32},
        {MPC_DLPACK_BOOL, 8},       {MPC_DLPACK_FLOAT8_E4M3FN, 8},
        {MPC_DLPACK_FLOAT8_E5M2, 8}}; // in the order of mpc_type
    tensor.tensor.type.code = rows[type].code;
    tensor.tensor.type.bits = rows[type].bits;
    tensor.tensor.type.lanes = 1;
  }

  mpc_dlpack tensor = {};
  std::unique_ptr<std::vector<int64_t>> shape; ///< Stays where it is.
};

/// A tensor that was handed out. Move-only.
class OwnedTensor {
public:
  explicit OwnedTensor(mpc_dlpack *tensor) : tensor(tensor) {}

  const mpc_dltensor &operator*() const { return tensor->tensor; }
  const mpc_dltensor *operator->() const { return &tensor->tensor; }
  const mpc_dlpack *get() const { return tensor.get(); }
  /// For who calls its deleter.
  mpc_dlpack *release() { return tensor.release(); }

private:
  struct Delete {
    void operator()(mpc_dlpack *tensor) const { tensor->deleter(tensor); }
  };
  std::unique_ptr<mpc_dlpack, Delete> tensor;
};

/// Runs entry `entry` with its inputs in order; results are output's of the
/// session, or outputTensor's.
inline Status run(Session &session, uint32_t entry,
                  const std::vector<const mpc_dlpack *> &inputs) {
  return detail::call(detail::api().session_run_dlpack, session.get(), entry,
                      inputs.data(), static_cast<uint32_t>(inputs.size()));
}

/// The memory of output `index` of the last run of `entry`, read-only.
inline Expected<OwnedTensor> outputTensor(const Session &session,
                                          uint32_t entry, uint32_t index) {
  mpc_dlpack *tensor = nullptr;
  if (Status status = detail::call(detail::api().session_output_dlpack,
                                   session.get(), entry, index, &tensor);
      !status)
    return status;
  return OwnedTensor(tensor);
}

/// A copy of a state.
inline Expected<OwnedTensor> stateTensor(const Session &session,
                                         const std::string &name) {
  mpc_dlpack *tensor = nullptr;
  if (Status status = detail::call(detail::api().session_get_state_dlpack,
                                   session.get(), name.c_str(), &tensor);
      !status)
    return status;
  return OwnedTensor(tensor);
}

/// Copies a state into a tensor of the caller's.
inline Status readState(const Session &session, const std::string &name,
                        const mpc_dlpack *destination) {
  return detail::call(detail::api().session_read_state_dlpack, session.get(),
                      name.c_str(), destination);
}

/// Sets a state; what derives from it follows before the next run.
inline Status setState(Session &session, const std::string &name,
                       const mpc_dlpack *source) {
  return detail::call(detail::api().session_set_state_dlpack, session.get(),
                      name.c_str(), source);
}

} // namespace mpc::rt

#endif // MPC_C_DLPACK_HPP
