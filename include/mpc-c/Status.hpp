// Success or failure as values, for the C++ interface (mpc-c/Runtime.hpp).
#ifndef MPC_C_STATUS_HPP
#define MPC_C_STATUS_HPP

#include "mpc-c/Types.h"

#include <optional>
#include <string>
#include <utility>

namespace mpc::rt {

/// Success or a code with a message. Converts to true on success.
class Status {
public:
  Status() = default;
  Status(mpc_code code, std::string message)
      : failure(code), text(std::move(message)) {}
  explicit operator bool() const { return failure == MPC_OK; }
  mpc_code code() const { return failure; }
  const std::string &message() const { return text; }

private:
  mpc_code failure = MPC_OK;
  std::string text;
};

/// A value, or the status that says why there is none. `Reason`: the status of
/// another library that returns values as this one does.
template <typename T, typename Reason = Status> class Expected {
public:
  Expected(T value) : held(std::move(value)) {}
  Expected(Reason status) : failure(std::move(status)) {}
  explicit operator bool() const { return held.has_value(); }
  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }
  /// Throws std::bad_optional_access, in your binary, if there is none.
  T &value() { return held.value(); }
  const Reason &status() const { return failure; }
  auto code() const { return failure.code(); }
  const std::string &message() const { return failure.message(); }

private:
  std::optional<T> held;
  Reason failure;
};

} // namespace mpc::rt

#endif // MPC_C_STATUS_HPP
