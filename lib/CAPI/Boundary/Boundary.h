// How C++ results cross a C interface, and structs of callers of other
// versions.
#ifndef MPC_LIB_CAPI_BOUNDARY_BOUNDARY_H
#define MPC_LIB_CAPI_BOUNDARY_BOUNDARY_H

#include "mpc-c/Types.h"
#include "mpc/Support/DType.h"
#include "mpc/Support/Status.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>

namespace mpc::capi {

/// Hands a status to the caller, cut to the room there is. What it quotes of
/// files moves no cursor. Never throws.
mpc_code give(StatusCode code, std::string_view message, mpc_status *out);
inline mpc_code give(const Status &status, mpc_status *out) {
  return give(status.code(), status.message(), out);
}

/// Runs `body` (which returns a Status) and lets no exception out.
template <typename Body>
mpc_code guard(mpc_status *out, const Body &body) noexcept {
  try {
    return give(body(), out);
  } catch (const std::bad_alloc &) {
    return give(StatusCode::OutOfMemory, "no memory for the runtime's tables",
                out);
  } catch (const std::exception &error) {
    return give(StatusCode::Internal, error.what(), out);
  } catch (...) {
    return give(StatusCode::Internal, "unknown exception of a callback", out);
  }
}

/// What the first version of an input struct was: a caller cannot know a
/// shorter one.
template <typename Struct> struct FirstVersion;
#define MPC_FIRST_VERSION(type, last)                                          \
  template <> struct FirstVersion<type> {                                      \
    static constexpr const char *name = #type;                                 \
    static constexpr size_t bytes = offsetof(type, last) + sizeof(type::last); \
  }

/// Whether the caller's struct of `given` bytes can be one of `name`, which
/// began with `first` bytes and has `known` today. What a newer header has
/// added must be zero: asking an older library for it is no silent no.
Status checkStruct(const char *name, const void *memory, size_t given,
                   size_t first, size_t known);

/// Reads the fields of `Struct` that the caller's version has; the rest keep
/// their zeros. Null gives the defaults.
template <typename Struct>
Status readStruct(const Struct *given, Struct &result) {
  result = {};
  if (!given)
    return {};
  using First = FirstVersion<Struct>;
  Status status = checkStruct(First::name, given, given->struct_size,
                              First::bytes, sizeof(Struct));
  if (status.ok())
    std::memcpy(&result, given, std::min(given->struct_size, sizeof(Struct)));
  return status;
}

/// Fills the fields of `out` that the caller's version has: one at least.
template <typename Struct>
mpc_code writeStruct(Struct *out, const Struct &value) {
  size_t room = out->struct_size;
  if (room <= sizeof(size_t))
    return MPC_INVALID_ARGUMENT;
  constexpr size_t first = sizeof(size_t);
  size_t end = std::min(room, sizeof(Struct));
  std::memcpy(reinterpret_cast<char *>(out) + first,
              reinterpret_cast<const char *>(&value) + first, end - first);
  return MPC_OK;
}

inline bool isType(mpc_type type) {
  return static_cast<unsigned>(type) < static_cast<unsigned>(kNumDTypes);
}

/// "expected <what>, but got null".
Status nullArgument(const char *what);
/// Of a field that is yes or no: what else is set was not meant as either.
Status readFlag(const char *name, uint32_t given, bool &result);

} // namespace mpc::capi

#endif // MPC_LIB_CAPI_BOUNDARY_BOUNDARY_H
