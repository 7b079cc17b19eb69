// Calls of attention for tests, with their data in host memory.
#ifndef MPC_TEST_RUNTIME_CUDA_ATTENTIONCASE_H
#define MPC_TEST_RUNTIME_CUDA_ATTENTIONCASE_H

#include "kernels/Attention/Reference.h"
#include "mpc/Program/Calls/Attention.h"

#include <array>
#include <map>

namespace mpc::test {

struct AttentionShape {
  DType type = DType::BF16;
  int64_t batch = 1, queries = 1, keys = 1, heads = 1, keyHeads = 1, width = 8,
          valueWidth = 8;
  bool causal = false;
  int64_t window = 0;
  bool isPacked = false; ///< query, key and value are parts of one tensor, and
                         ///< so are their gradients
  bool backward = false;
  bool storesSums = true; ///< of forward
  bool isMasked = false;  ///< the problem knows no mask
  int64_t skip = 0;       ///< elements between rows of queries
  double scale = 0.25;
};

/// "bf16 1 x 5 x 4 by 7 x 2 of 16 and 8, causal, backward".
std::string describe(const AttentionShape &shape);

class AttentionOnHost {
public:
  explicit AttentionOnHost(
      const AttentionShape &shape,
      const std::function<void(program::AttentionT &)> &change =
          [](program::AttentionT &) {});

  const program::Call &call() const {
    return *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer());
  }
  /// In the order of the call's operands.
  std::span<void *const> args() const { return addresses; }
  /// The same, as the reference sees it.
  const kernels::AttentionProblem &problem() const { return seen; }
  /// What is stored at an operand, [batch, time, head, width] or, of sums,
  /// [batch, head, time].
  std::vector<double> read(program::OperandRole role) const;

private:
  void add(program::OperandRole role, std::vector<int64_t> shape, bool written,
           std::vector<int64_t> strides = {}, void *part = nullptr);
  /// Three operands in the memory of one tensor, which gets random elements.
  void addPacked(std::vector<std::byte> &memory,
                 std::array<program::OperandRole, 3> roles, bool written);
  /// Backward reads what forward stored.
  void store(const kernels::ReferenceForward &forward);

  AttentionShape shape;
  program::CallT made;
  flatbuffers::FlatBufferBuilder builder;
  std::map<program::OperandRole, std::vector<std::byte>> buffers;
  std::vector<std::byte> packed, packedGradients;
  std::vector<void *> addresses;
  kernels::AttentionProblem seen;
};

} // namespace mpc::test

#endif // MPC_TEST_RUNTIME_CUDA_ATTENTIONCASE_H
