// One oneDNN product of fixed shape, made for one thread: RAII over its C API.
//
// Where memory is short that API throws (what std::map and Xbyak throw inside
// it) or goes on with a null pointer. So every call that allocates is caught,
// and what makes objects checks first that there is memory to make them in
// (docs/Limits.md says what is left).
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_DNNLPRIMITIVE_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_DNNLPRIMITIVE_H

#include "mpc/Program/Program.h"

#include <dnnl.h>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

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
using DnnlPrimitiveHandle =
    DnnlHandle<dnnl_primitive_t, dnnl_primitive_destroy>;

/// What distinguishes one product from another. Strides in elements.
struct DnnlProduct {
  dnnl_data_type_t operandType, resultType;
  int64_t rows, columns, inner;
  int64_t lhsRow, lhsInner, rhsInner, rhsColumn, resultRow;
  bool hasBias;
  program::Epilogue epilogue;
};

class DnnlPrimitive {
public:
  /// Unsupported types give LibraryError with `unsupported` set.
  static Result<std::unique_ptr<DnnlPrimitive>>
  create(dnnl_engine_t engine, const DnnlProduct &product, bool &unsupported);

  uint64_t scratchBytes() const;
  /// Makes the argument objects of each of `buffers`; the scratch of buffer i
  /// is at scratch + i * stride.
  Status bind(dnnl_engine_t engine, uint32_t buffers, uint8_t *scratch,
              uint64_t stride);
  /// Runs on the caller's thread, which must be in the state of OneThread.
  dnnl_status_t run(uint32_t buffer, const void *lhs, const void *rhs,
                    void *result, const void *bias);

private:
  struct Arguments {
    DnnlStream stream;
    DnnlMemory lhs, rhs, result, bias, scratch;
  };
  dnnl_status_t make(dnnl_engine_t engine, const DnnlProduct &product);
  dnnl_status_t makeArguments(dnnl_engine_t engine, Arguments &own,
                              uint8_t *scratchMemory);

  DnnlPrimitiveHandle primitive;
  dnnl_memory_desc_t lhs, rhs, result, bias, scratch;
  bool hasBias = false;
  std::vector<Arguments> arguments;
};

/// Whether memory for making objects of oneDNN is there, with room to spare.
dnnl_status_t checkMemory();

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

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_DNNLPRIMITIVE_H
