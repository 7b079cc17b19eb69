// A finite double of a setting or an attribute: hashable by its bits, written
// as the shortest decimal number that reads back as the same bits.
#ifndef MPC_DIALECT_GRAPH_SETTINGS_REAL_H
#define MPC_DIALECT_GRAPH_SETTINGS_REAL_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/Hashing.h"
#include <bit>
#include <string>

namespace mpc::graph {

struct Real {
  double value = 0.0;

  constexpr Real() = default;
  constexpr Real(double value) : value(value) {} // NOLINT: a Real is a double

  bool operator==(const Real &other) const {
    return std::bit_cast<uint64_t>(value) ==
           std::bit_cast<uint64_t>(other.value);
  }
  friend llvm::hash_code hash_value(const Real &real) {
    return llvm::hash_value(std::bit_cast<uint64_t>(real.value));
  }
};

/// "16777216.0", "0.001", "1.0e-08".
std::string formatReal(Real real);

/// Whether numbers of `format` hold `number`, rounded: as neither infinity, nor
/// NaN, nor 0 unless it is 0.
bool isHeldBy(llvm::APFloat number, const llvm::fltSemantics &format);

/// Which p-norm: p, or infinity.
struct PNorm {
  Real p = 2.0;

  bool operator==(const PNorm &) const = default;
  friend llvm::hash_code hash_value(const PNorm &norm) {
    return hash_value(norm.p);
  }
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_SETTINGS_REAL_H
