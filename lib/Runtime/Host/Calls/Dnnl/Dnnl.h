// oneDNN's C API with RAII, and without surprises where memory is short: there
// it throws (what std::map and Xbyak throw inside it) or goes on with a null
// pointer. So every call that allocates is caught, and what makes objects
// checks first that there is memory to make them in (docs/Limits.md says what
// is left).
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_DNNL_DNNL_H
#define MPC_LIB_RUNTIME_HOST_CALLS_DNNL_DNNL_H

#include "mpc/Support/Status.h"

#include <dnnl.h>
#include <memory>
#include <new>
#include <type_traits>

namespace mpc::runtime {

template <auto Destroy> struct DnnlDelete {
  template <typename T> void operator()(T *object) const {
    (void)Destroy(object);
  }
};
template <typename Handle, auto Destroy>
using DnnlHandle =
    std::unique_ptr<std::remove_pointer_t<Handle>, DnnlDelete<Destroy>>;
using DnnlEngine = DnnlHandle<dnnl_engine_t, dnnl_engine_destroy>;
using DnnlStream = DnnlHandle<dnnl_stream_t, dnnl_stream_destroy>;
using DnnlMemory = DnnlHandle<dnnl_memory_t, dnnl_memory_destroy>;
using DnnlAttributes =
    DnnlHandle<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy>;
using DnnlDescription =
    DnnlHandle<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy>;
using DnnlPrimitiveHandle =
    DnnlHandle<dnnl_primitive_t, dnnl_primitive_destroy>;

/// Whether memory for making objects of oneDNN is there, with room to spare.
dnnl_status_t checkMemory();

/// Whether oneDNN multiplies bf16 by instructions for it (AVX512-BF16, AMX).
/// On AVX-512 without them it has kernels that do the same by others, at 2.6 to
/// 2.9 times what a product of f32 takes. ONEDNN_MAX_CPU_ISA counts.
bool multipliesBFloat();

/// The answer of `call`, which calls oneDNN; what it throws becomes one.
template <typename Call> dnnl_status_t callDnnl(const Call &call) noexcept {
  try {
    return call();
  } catch (const std::bad_alloc &) {
    return dnnl_out_of_memory;
  } catch (...) { // Xbyak has errors of its own, for executable memory
    return dnnl_runtime_error;
  }
}

/// LibraryError: "matmul 64x784x512 f32: oneDNN answered 2 (...)".
Status dnnlFailure(const std::string &what, dnnl_status_t status);

// What follows throws as oneDNN does: to be called inside of callDnnl.

dnnl_status_t makeEngine(DnnlEngine &engine);
dnnl_status_t makeStream(DnnlStream &stream, dnnl_engine_t engine);
/// `data` may be null, and set later.
dnnl_status_t makeMemory(DnnlMemory &memory,
                         const dnnl_memory_desc_t &description,
                         dnnl_engine_t engine, void *data);
/// The caller's scratch memory, and arithmetic as asked for, which no
/// environment variable may lower.
dnnl_status_t makeAttributes(DnnlAttributes &attributes);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_DNNL_DNNL_H
