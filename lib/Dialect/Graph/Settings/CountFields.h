// How many fields a struct has, for assertions that none was forgotten.
#ifndef MPC_LIB_DIALECT_GRAPH_SETTINGS_COUNTFIELDS_H
#define MPC_LIB_DIALECT_GRAPH_SETTINGS_COUNTFIELDS_H

#include <cstddef>

namespace mpc::graph {

/// Converts to whatever a field is; never called.
struct AnyField {
  template <typename Value> operator Value() const;
};

/// The most values that an aggregate can be initialised with.
template <typename Struct, typename... Fields> consteval size_t countFields() {
  if constexpr (requires { Struct{Fields{}..., AnyField{}}; })
    return countFields<Struct, Fields..., AnyField>();
  else
    return sizeof...(Fields);
}

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_SETTINGS_COUNTFIELDS_H
