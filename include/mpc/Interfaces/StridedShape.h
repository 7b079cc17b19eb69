// How a tensor lies in the memory of another one: what transposes, slices,
// broadcasts and many reshapes are to a library that reads with strides, and
// what they and concats are to one that writes with strides. "Where can your
// library write a result?"
#ifndef MPC_INTERFACES_STRIDEDSHAPE_H
#define MPC_INTERFACES_STRIDEDSHAPE_H

#include "mpc/Interfaces/KernelOpInterfaces.h"

namespace mpc {

/// Element [i, j, ...] lies offset + i * strides[0] + j * strides[1] + ...
/// elements after the first one of the memory.
struct StridedShape {
  SmallVector<int64_t> shape, strides;
  int64_t offset = 0;
};

/// Row-major, without gaps.
StridedShape getDenseShape(ArrayRef<int64_t> shape);

/// How the result of `movement`, of shape `result`, lies where its operand lies
/// as `operand` says. Nothing if it cannot lie there: what comes from several
/// operands, and reshapes that join dims with gaps between them.
std::optional<StridedShape> moveInPlace(const StridedShape &operand,
                                        const Movement &movement,
                                        ArrayRef<int64_t> result);

/// The reverse: how operand `number` of `movement`, of shape `operand`, lies
/// where its result lies as `result` says, so that who writes the operand there
/// writes the result. Nothing if elements of the operand are not in the result,
/// or are there several times.
std::optional<StridedShape> moveBack(const StridedShape &result,
                                     const Movement &movement, unsigned number,
                                     ArrayRef<int64_t> operand);

} // namespace mpc

#include "mpc/Interfaces/StridedShape.h.inc"

#endif // MPC_INTERFACES_STRIDEDSHAPE_H
