// The pointers of a multi-tensor operation by name, out of the order in which
// Program.fbs has them. Private to this room.
#ifndef MPC_KERNELS_ARGUMENTS_H
#define MPC_KERNELS_ARGUMENTS_H

#include "kernels/MultiTensor.h"

namespace mpc::kernels {

/// Which list of a chunk holds what. A list of results follows the order of the
/// operands.
namespace adamw {
enum List { P, G, M, V, NextP, NextM, NextV, Copy, NumLists };
}
namespace sgd {
enum List { P, G, Buffer, NextP, NextBuffer, Copy, NumLists };
}
namespace norm {
enum List { G, NumLists };
}

/// Pointers of one operation; what it does not have is null or empty.
struct Arguments {
  const uint8_t *foundInf = nullptr;
  const float *scale = nullptr, *coefficient = nullptr;
  const float *learningRate = nullptr;
  const int32_t *step = nullptr;
  uint8_t *foundInfResult = nullptr;
  float *normResult = nullptr;
  /// lists[k][i]: tensor i of list k.
  std::span<void *const> lists[kMaxLists];

  /// `arguments` has op.argumentCount(tensors) pointers.
  Arguments(const MultiTensor &op, size_t tensors,
            std::span<void *const> arguments);

  template <typename T> T *tensor(int list, size_t index) const {
    return static_cast<T *>(lists[list][index]);
  }
};

} // namespace mpc::kernels

#endif // MPC_KERNELS_ARGUMENTS_H
