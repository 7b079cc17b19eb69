// Files beside a model, which it names itself: a name is not believed.
#ifndef MPC_LIB_IMPORT_ONNX_EXTERNALDATA_H
#define MPC_LIB_IMPORT_ONNX_EXTERNALDATA_H

#include "mpc/Interfaces/LLVM.h"
#include "onnx.pb.h"

#include <string>
#include <vector>

namespace mpc::onnx {

/// The `bytes` bytes that `tensor`, whose data lie outside, has in a file of
/// `folder`. The location must be a relative path of plain names, no part of
/// which is a symbolic link, and the part of the file that the tensor names
/// must lie within it and be as large as the tensor: all of that is asked
/// before memory is, of which this machine must have enough for them and the
/// `before` bytes that were read before. Fails with what is wrong in `error`.
FailureOr<std::vector<char>> readExternalData(const ::onnx::TensorProto &tensor,
                                              const std::string &folder,
                                              uint64_t bytes, uint64_t before,
                                              std::string &error);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_EXTERNALDATA_H
