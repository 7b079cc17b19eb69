// What plug-ins of engines share. C++17, as Gloo's headers.
#ifndef MPC_LIB_RANKS_TRANSPORT_PLUGIN_H
#define MPC_LIB_RANKS_TRANSPORT_PLUGIN_H

#include "Engine.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace mpc_plugin {

inline void tell(mpc_failure *failure, mpc_outcome outcome,
                 const std::string &text) {
  failure->outcome = outcome;
  std::size_t length = std::min(text.size(), sizeof failure->text - 1);
  std::memcpy(failure->text, text.data(), length);
  failure->text[length] = 0;
}

/// By what messages of an exchange are told apart: its number, and the kind.
inline uint64_t mix(uint64_t number, uint64_t kind) {
  // The finalizer of splitmix64, which is one to one.
  uint64_t bits = number * 0x9e3779b97f4a7c15 + kind;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

/// The same in the tags that MPI has, 0 to `last`, however many exchanges there
/// were.
inline int tagOf(uint64_t number, uint64_t kind, int last) {
  return static_cast<int>(mix(number, kind) %
                          (static_cast<uint64_t>(last) + 1));
}

} // namespace mpc_plugin

#endif // MPC_LIB_RANKS_TRANSPORT_PLUGIN_H
