// What evaluators have in common.
#ifndef MPC_LIB_IMPORT_ONNX_FOLD_FOLD_H
#define MPC_LIB_IMPORT_ONNX_FOLD_FOLD_H

#include "../Tables.h"

namespace mpc::onnx {

using Operands = ArrayRef<ConstantPtr>;

/// Zeros of `shape`; nothing, which is refused, if that is not possible or too
/// large to compute with while a model is read.
std::optional<Constant> makeConstant(Node &n, int type,
                                     ArrayRef<int64_t> shape);
/// The shape to which operands of these broadcast; nothing, which is refused,
/// if there is none.
std::optional<Shape> broadcastAll(Node &n, ArrayRef<Shape> shapes);
/// Where element `index` of a broadcast result is in an operand of `shape`.
int64_t placeIn(ArrayRef<int64_t> shape, const Shape &index);
/// Whether operands 0 to `count` - 1 are there; refuses if not.
bool hasOperands(Node &n, Operands operands, size_t count);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_FOLD_FOLD_H
