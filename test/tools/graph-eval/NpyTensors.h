// npy files as tensors of the reference interpreter.
#ifndef MPC_TEST_TOOLS_GRAPHEVAL_NPYTENSORS_H
#define MPC_TEST_TOOLS_GRAPHEVAL_NPYTENSORS_H

#include "Reference/Tensor.h"
#include "mpc/Support/Status.h"

namespace mpc::reference {

/// Reads `path` as a tensor of `type`, unrounded; its shape must be `shape`.
Result<Tensor> readNpyTensor(const std::string &path, DType type,
                             const Shape &shape);

} // namespace mpc::reference

#endif // MPC_TEST_TOOLS_GRAPHEVAL_NPYTENSORS_H
