// Quotients of integers, which the graph dialect has of floats alone.
#ifndef MPC_LIB_IMPORT_ONNX_CONVERT_INTEGERS_H
#define MPC_LIB_IMPORT_ONNX_CONVERT_INTEGERS_H

#include "../Node.h"

namespace mpc::onnx {

/// a / b, both int32 or int64, toward zero; what is divided by 0 may be any
/// number. Null for null, and for other types, which is refused.
Expr quotientOf(Node &n, Expr a, Expr b);
/// a - a / b * b, which has the sign of a; or, `isFloored`, of b.
Expr remainderOf(Node &n, Expr a, Expr b, bool isFloored);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_CONVERT_INTEGERS_H
