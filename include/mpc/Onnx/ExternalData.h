// Files beside a model, which it names itself: a name is not believed.
#ifndef MPC_ONNX_EXTERNALDATA_H
#define MPC_ONNX_EXTERNALDATA_H

#include "mpc/Support/Status.h"
#include "onnx.pb.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mpc::onnx {

/// What a tensor says of where its data lie.
struct ExternalPlace {
  std::string location; ///< A path, relative to the model's folder.
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

Result<ExternalPlace> placeOf(const ::onnx::TensorProto &tensor);

/// The `bytes` bytes that `tensor`, whose data lie outside, has in a file of
/// `folder`. The location must be a relative path of plain names, no part of
/// which is a symbolic link, and the part of the file that the tensor names
/// must lie within it and be as large as the tensor: all of that is asked
/// before memory is, of which this machine must have enough for them and the
/// `before` bytes that were read before. An empty folder is none.
Result<std::vector<char>> readExternalData(const ::onnx::TensorProto &tensor,
                                           const std::string &folder,
                                           uint64_t bytes, uint64_t before);

} // namespace mpc::onnx

#endif // MPC_ONNX_EXTERNALDATA_H
