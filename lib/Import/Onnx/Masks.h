// Masks that exporters draw by arithmetic, as mpc/Onnx/Masks.h finds them.
#ifndef MPC_LIB_IMPORT_ONNX_MASKS_H
#define MPC_LIB_IMPORT_ONNX_MASKS_H

#include "Node.h"

namespace mpc::onnx {

/// The result of a Mul or Div that is part of a mask which is dropout: dropout
/// of ones, which is 1 where a model is evaluated. Null of another node.
Expr maskOf(Node &n, Expr a, Expr b);

/// The same of a Where.
Expr choiceOf(Node &n, Expr flags, Expr a, Expr b);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_MASKS_H
