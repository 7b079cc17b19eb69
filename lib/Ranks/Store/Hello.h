// What a rank says of itself when it comes to the store.
#ifndef MPC_LIB_RANKS_STORE_HELLO_H
#define MPC_LIB_RANKS_STORE_HELLO_H

#include "mpc/Ranks/Store.h"

#include <optional>

namespace mpc::ranks {

struct Hello {
  std::string run;
  uint32_t rank = 0, size = 0;
  Agreement agreement;
};

/// As one line of JSON, whatever bytes its texts are.
std::string encodeHello(const Launch &launch, const Agreement &agreement);
/// Nothing: no rank of this protocol has sent it.
std::optional<Hello> decodeHello(const std::string &text);
/// In what `hello` differs from rank 0; empty: in nothing.
std::string findDifference(const Hello &hello, uint32_t size,
                           const Agreement &ours);

} // namespace mpc::ranks

#endif // MPC_LIB_RANKS_STORE_HELLO_H
