// How both wings report failure where no diagnostic engine is at hand: a code
// for programs, a message for people. No exceptions.
//
//   Result<ProgramFile> file = ProgramFile::open(path, "cpu");
//   if (!file)
//     return file.status();
//   use(*file);
#ifndef MPC_SUPPORT_STATUS_H
#define MPC_SUPPORT_STATUS_H

#include "mpc/Support/Assert.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mpc {

/// The numbers are those of mpc_code in mpc-c/Types.h, which explains them.
enum class StatusCode : int {
  Ok = 0,
  InvalidArgument = 1,
  NotFound = 2,
  IoError = 3,
  OutOfMemory = 4,
  Internal = 5,
  BadMagic = 10,
  Truncated = 11,
  ChecksumMismatch = 12,
  Corrupt = 13,
  VersionTooNew = 14,
  VersionTooOld = 15,
  WrongTarget = 16,
  InvalidProgram = 17,
  CodeNotAllowed = 20,
  CodeUnusable = 21,
  CpuUnsupported = 22,
  DeviceUnsupported = 23,
  TypeMismatch = 30,
  ShapeMismatch = 31,
  SizeMismatch = 32,
  NotInitialized = 33,
  LibraryError = 40,
  CollectiveFailed = 41,
  DeviceFailed = 42,
  CollectiveTimedOut = 43,
};

/// "out of memory"; "unknown code" for a number that is none.
std::string_view getName(StatusCode code);

/// Success, or a code with a message: what was found, what was expected, what
/// to do; lower case, no final stop. Success allocates nothing.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : failure(code), text(std::move(message)) {}

  bool ok() const { return failure == StatusCode::Ok; }
  StatusCode code() const { return failure; }
  const std::string &message() const { return text; }

private:
  StatusCode failure = StatusCode::Ok;
  std::string text;
};

/// A value, or the status that says why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}
  Result(Status status) : failure(std::move(status)) {
    MPC_ASSERT(!failure.ok(), "a result without a value needs a failure");
  }

  explicit operator bool() const { return held.has_value(); }
  T &operator*() { return get(*this); }
  const T &operator*() const { return get(*this); }
  T *operator->() { return &get(*this); }
  const T *operator->() const { return &get(*this); }
  const Status &status() const { return failure; }

private:
  template <typename Self> static auto &get(Self &self) {
    MPC_ASSERT(self.held.has_value(), "only a result that was asked is read");
    return *self.held;
  }

  std::optional<T> held;
  Status failure;
};

} // namespace mpc

#endif // MPC_SUPPORT_STATUS_H
