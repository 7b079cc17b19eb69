// The elements that a TensorProto holds, in one of its many ways.
#ifndef MPC_LIB_IMPORT_ONNX_TENSORDATA_H
#define MPC_LIB_IMPORT_ONNX_TENSORDATA_H

#include "Constant.h"

#include <deque>

namespace mpc::onnx {

/// Reads tensors; what is not in the model's own bytes is kept in `storage`.
class TensorData {
public:
  TensorData(std::string folder, std::deque<std::vector<char>> &storage)
      : folder(std::move(folder)), storage(storage) {}

  /// The dims, if the tensor is a dense one of known type and not too large.
  static FailureOr<Shape> shapeOf(const ::onnx::TensorProto &tensor,
                                  std::string &error);
  /// All elements, little-endian, as raw data has them.
  FailureOr<ArrayRef<char>> bytes(const ::onnx::TensorProto &tensor,
                                  std::string &error);
  FailureOr<Constant> decode(const ::onnx::TensorProto &tensor,
                             std::string &error);

private:
  std::string folder;
  std::deque<std::vector<char>> &storage;
  uint64_t external = 0; ///< Bytes that were read from other files.
};

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_TENSORDATA_H
