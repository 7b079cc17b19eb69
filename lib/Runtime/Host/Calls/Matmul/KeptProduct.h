// A product of few rows whose right matrix stays from run to run: a step of
// time of a recurrent layer. The matrix is brought into the layout that the
// library asks for once for all runs, and blocks of rows share it. Where it
// lies plainly the library does that in each run, in each block, and takes up
// to half of its time for it.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_KEPTPRODUCT_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_KEPTPRODUCT_H

#include "../Dnnl/Reorder.h"
#include "DnnlPrimitive.h"
#include "MatmulOperands.h"
#include "mpc/Runtime/HostCall.h"

#include <array>
#include <atomic>

namespace mpc::runtime {

class KeptProduct {
public:
  /// `product` is all of it. Null where nothing is gained: of many rows, or
  /// where the library reads the right matrix as it lies; and where it fails.
  /// In the state of OneThread.
  static std::unique_ptr<KeptProduct>
  create(dnnl_engine_t engine, const DnnlProduct &product, uint32_t workers);
  /// Of the right matrix in its layout; a multiple of 64.
  uint64_t bytes() const;
  uint64_t scratchBytes() const { return scratch; } ///< of a block
  uint32_t countBlocks() const;
  /// "2 blocks of 16 rows where the right matrix stays".
  std::string describe() const;
  Status bind(dnnl_engine_t engine, const HostMemory &memory);
  /// Brings `right` into its layout, in `memory`.
  Status keep(ThreadPool &pool, const void *right, uint8_t *memory);
  /// `operands.rhs` is what keep() has made.
  Status run(ThreadPool &pool, const MatmulOperands &operands);

private:
  KeptProduct(const DnnlProduct &product, uint32_t workers)
      : product(product), workers(workers) {}
  bool make(dnnl_engine_t engine);
  bool makeBlock(dnnl_engine_t engine, int64_t rows,
                 std::unique_ptr<DnnlPrimitive> &made);
  void runBlock(uint32_t block, uint32_t buffer);
  void reorderPart(uint32_t part, uint32_t buffer);
  Status takeFailure(const char *what);

  DnnlProduct product;
  uint32_t workers;
  int64_t blockRows = 0;
  /// Of a whole block, and of a last one that is shorter.
  std::array<std::unique_ptr<DnnlPrimitive>, 2> primitives;
  std::unique_ptr<Reorder> reorder;
  uint64_t scratch = 0;

  // Of the run in progress.
  MatmulOperands operands = {};
  std::atomic<int> failure{dnnl_success};
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_KEPTPRODUCT_H
