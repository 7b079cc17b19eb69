// Pieces that lie beside each other in a tensor: the operands of a concat.
#ifndef MPC_EMIT_COMMON_PIECES_H
#define MPC_EMIT_COMMON_PIECES_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::emit {

/// The dim, of the first `numDims`, along which pieces follow each other in
/// their order, if there is one. Then an element's piece is found by halves.
/// Trying thousands of them one after the other takes each element as many
/// comparisons, and LLVM the square. `getPlace(i, dim)` and `getSize(i, dim)`
/// tell where piece i begins and how long it is.
template <typename Place, typename Size>
std::optional<size_t> findSortedDim(size_t numPieces, size_t numDims,
                                    Place getPlace, Size getSize) {
  for (size_t dim = 0; dim < numDims; ++dim) {
    bool isSorted = true;
    for (size_t i = 1; i < numPieces; ++i)
      isSorted &=
          getPlace(i - 1, dim) + getSize(i - 1, dim) <= getPlace(i, dim);
    if (isSorted)
      return dim;
  }
  return std::nullopt;
}

} // namespace mpc::emit

#endif // MPC_EMIT_COMMON_PIECES_H
