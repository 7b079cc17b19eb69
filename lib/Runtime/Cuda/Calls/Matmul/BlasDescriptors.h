// cuBLASLt's descriptors as objects, made from a BlasProduct, and its answers
// as Status.
#ifndef MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_BLASDESCRIPTORS_H
#define MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_BLASDESCRIPTORS_H

#include "../../Api/CublasLtApi.h"
#include "BlasProduct.h"

#include <array>
#include <memory>

namespace mpc::runtime {

/// "cublasLtMatmul: CUBLAS_STATUS_NOT_SUPPORTED (15)": OutOfMemory where memory
/// is what it wants, else LibraryError.
Status makeStatus(const CublasLtApi &api, cublasStatus_t status,
                  std::string_view what);

template <typename Handle>
using BlasHandle =
    std::unique_ptr<std::remove_pointer_t<Handle>, cublasStatus_t (*)(Handle)>;

/// The addresses of one product, on the device. Null where the product has no
/// such argument.
struct MatmulPointers {
  const void *lhs = nullptr, *rhs = nullptr;
  void *result = nullptr;
  const void *bias = nullptr, *addend = nullptr;
  void *aux = nullptr;
  const void *lhsScale = nullptr, *rhsScale = nullptr;
};

/// The addresses of the operands of `call`, by role.
MatmulPointers readPointers(const program::Call &call,
                            std::span<void *const> arguments);

/// What a call reads.
struct ReadMemory {
  void *address;
  uint64_t bytes; ///< To the end of the last element.
};
std::vector<ReadMemory> listReads(const program::Call &call,
                                  const MatmulPointers &pointers);

/// Bytes that the addresses are multiples of, powers of two up to 256, over all
/// parts of the product. 256 for what is absent.
struct BlasAlignments {
  uint32_t a, b, c, d, bias, aux;
};
BlasAlignments findAlignments(const BlasProduct &product,
                              const MatmulPointers &pointers);

/// What stays the same between calls of one product.
class BlasDescriptors {
public:
  static Result<BlasDescriptors> create(const CublasLtApi &api,
                                        const BlasProduct &product,
                                        const MatmulPointers &pointers);

  cublasLtMatmulDesc_t operation() const { return matmul.get(); }
  cublasLtMatrixLayout_t a() const { return layouts[0].get(); }
  cublasLtMatrixLayout_t b() const { return layouts[1].get(); }
  /// Of C, too, which lies like D.
  cublasLtMatrixLayout_t d() const { return layouts[2].get(); }
  /// Says which auxiliary matrix the next call means.
  Status setAux(const void *aux);

private:
  using Operation = BlasHandle<cublasLtMatmulDesc_t>;
  using Layout = BlasHandle<cublasLtMatrixLayout_t>;
  BlasDescriptors(const CublasLtApi &api);
  Status createOperation(const BlasProduct &product,
                         const MatmulPointers &pointers);
  Status setEpilogue(const BlasProduct &product,
                     const MatmulPointers &pointers);
  Status createLayout(Layout &layout, const BlasMatrix &matrix, int32_t batch);
  template <typename Value>
  Status set(cublasLtMatmulDescAttributes_t attribute, const Value &value);

  const CublasLtApi *api;
  Operation matmul;
  std::array<Layout, 3> layouts;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_BLASDESCRIPTORS_H
