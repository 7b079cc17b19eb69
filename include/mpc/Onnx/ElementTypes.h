// The element types of ONNX by their numbers (TensorProto.DataType), those that
// the schema does not have yet among them.
#ifndef MPC_ONNX_ELEMENTTYPES_H
#define MPC_ONNX_ELEMENTTYPES_H

#include "mpc/Support/DType.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mpc::onnx {

/// Whether values of data type `type` are floats.
bool isFloatType(int type);
/// "float32", "int64"; "data type 99" for one that nobody knows.
std::string nameOf(int type);
/// Bytes of an element in raw data; 0 for types that are not read.
int64_t bytesOf(int type);
/// The format of a float type that weights have; nothing of others.
std::optional<DType> floatFormatOf(int type);

} // namespace mpc::onnx

#endif // MPC_ONNX_ELEMENTTYPES_H
