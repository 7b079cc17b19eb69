// Masks that exporters draw by arithmetic: dropout in place, stochastic depth.
#ifndef MPC_LIB_IMPORT_ONNX_MASKS_H
#define MPC_LIB_IMPORT_ONNX_MASKS_H

#include "Node.h"

namespace mpc::onnx {

/// The quotient or product of two values where that is a mask, of elements that
/// stay with a probability p, divided by p, or times 1 / p: dropout of ones,
/// which is 1 where a model is evaluated. Also the product of such a mask and
/// of a quotient by p. Null where it is something else. Whether the mask drops
/// out is not known yet: random signs begin so, too (`dropsOut`).
///
///   uniform(0, 1) < p ? 1 : 0        Bernoulli, and how exporters write it
///   floor(uniform(0, 1) + p)         as old layers do
Expr scaledMask(Node &n, Expr a, Expr b);

/// Whether all that read `ones`, which stand for a mask, multiply it, as it is,
/// cast or of another shape, with a value that the model computes.
bool dropsOut(Value ones);

} // namespace mpc::onnx

#endif // MPC_LIB_IMPORT_ONNX_MASKS_H
