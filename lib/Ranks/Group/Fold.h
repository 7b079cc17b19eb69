// What ranks have is folded element by element. Private to this room.
#ifndef MPC_LIB_RANKS_GROUP_FOLD_H
#define MPC_LIB_RANKS_GROUP_FOLD_H

#include "mpc/Ranks/Group.h"

namespace mpc::ranks {

/// Whether elements of `type` can be folded so.
bool canFold(DType type, Reduction reduction);

/// `result` = the fold of `sources`, one of each rank in their order, of
/// `count` elements each. `result` may be one of them.
void fold(DType type, Reduction reduction,
          std::span<const std::byte *const> sources, std::byte *result,
          uint64_t count);

} // namespace mpc::ranks

#endif // MPC_LIB_RANKS_GROUP_FOLD_H
