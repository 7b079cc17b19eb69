// One oneDNN product of fixed shape, made for one thread.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_DNNLPRIMITIVE_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_DNNLPRIMITIVE_H

#include "../Dnnl/Dnnl.h"
#include "mpc/Program/Program.h"

#include <optional>
#include <vector>

namespace mpc::runtime {

/// What distinguishes one product from another. Strides in elements.
/// Several matrices lie at one distance from each other, results one after the
/// other.
struct DnnlProduct {
  dnnl_data_type_t operandType, resultType;
  int64_t rows, columns, inner;
  int64_t lhsRow, lhsInner, rhsInner, rhsColumn, resultRow;
  bool hasBias;
  program::Epilogue epilogue;
  /// How the right matrix lies, instead of its strides; of format `any` the
  /// library chooses.
  std::optional<dnnl_memory_desc_t> right = std::nullopt;
  int64_t matrices = 1, lhsMatrix = 0, rhsMatrix = 0;
};

/// The right matrix where it lies by its strides.
dnnl_status_t describeRight(const DnnlProduct &product,
                            dnnl_memory_desc_t &right);

/// The library computes all epilogues but relu: its own is one instruction that
/// makes NaN 0. Ours goes over the result when it is there, which takes up to
/// six hundredths of the time of a product of 256 to 2048 terms (Zen 5).
class DnnlPrimitive {
public:
  /// Unsupported types give LibraryError with `unsupported` set.
  static Result<std::unique_ptr<DnnlPrimitive>>
  create(dnnl_engine_t engine, const DnnlProduct &product, bool &unsupported);

  uint64_t scratchBytes() const;
  /// What the library calls the kernels that it has chosen.
  const char *implementation() const { return chosen; }
  /// As the product said, or the library has chosen.
  const dnnl_memory_desc_t &right() const { return rhs; }
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
  /// Of the result, whose rows lie `distance` elements apart.
  struct Relu {
    int64_t rows, columns, distance;
    bool isNarrow; ///< bf16, else f32
    void apply(void *result) const;
  };
  dnnl_status_t make(dnnl_engine_t engine, const DnnlProduct &product);
  dnnl_status_t makeArguments(dnnl_engine_t engine, Arguments &own,
                              uint8_t *scratchMemory);

  DnnlPrimitiveHandle primitive;
  dnnl_memory_desc_t lhs, rhs, result, bias, scratch;
  bool hasBias = false;
  std::optional<Relu> relu;
  const char *chosen = ""; ///< The library's, for ever.
  std::vector<Arguments> arguments;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_DNNLPRIMITIVE_H
