// How windows lie, as convolutions and pools say it.
#ifndef MPC_LIB_IMPORT_ONNX_CONVERT_SPACE_WINDOWS_H
#define MPC_LIB_IMPORT_ONNX_CONVERT_SPACE_WINDOWS_H

#include "../../Node.h"

namespace mpc::onnx {

/// For each dim of space. `isSame`: the op chooses low and high itself.
struct Windows {
  Shape kernel, strides, dilations, low, high;
  bool isSame = false;
  bool isSameLower = false; ///< As `isSame`, the larger half in front.

  /// Fills low and high for an input of `space`, where they are to be chosen.
  void choose(ArrayRef<int64_t> space);
};

/// Reads strides, dilations, pads and auto_pad of a node over `kernel`; refuses
/// what is not possible.
FailureOr<Windows> readWindows(Node &n, ArrayRef<int64_t> kernel);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_CONVERT_SPACE_WINDOWS_H
