// A 16-bit operand as a dense tensor of f32: what lies apart in memory is
// packed on the way, so that a slice costs what it holds and not what it spans.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_WIDENING_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_WIDENING_H

#include "mpc/Program/Calls.h"
#include "mpc/Runtime/ThreadPool.h"

#include <string>
#include <vector>

namespace mpc::runtime {

class Widening {
public:
  Widening() = default;
  /// `operand` is of f16 or bf16.
  explicit Widening(const program::CallOperand &operand);

  /// Fails with OutOfMemory for an operand whose elements no memory holds:
  /// those that lie in one another get a place each. To be asked before all
  /// else.
  Status check() const;

  /// How many f32 there will be; what is read many times by a stride of 0 is
  /// there once.
  int64_t elements() const { return rows * width; }
  /// By dim of the operand.
  std::span<const int64_t> strides() const { return packed; }
  /// Widens to `result`, in pieces that the pool distributes.
  void run(ThreadPool &pool, const void *source, float *result);

private:
  void widenPiece(uint32_t piece) const;

  /// What could not be widened; "" if nothing.
  std::string tooLarge;
  DType type = DType::F16;
  std::vector<int64_t> packed;
  /// Rows that lie dense: how many, how long, and the dims that lead from one
  /// to the next, outermost first.
  int64_t rows = 1, width = 1;
  std::vector<int64_t> extents, distances;
  int64_t rowsOfPiece = 1;
  // Of the run in progress.
  const uint16_t *source = nullptr;
  float *result = nullptr;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_WIDENING_H
