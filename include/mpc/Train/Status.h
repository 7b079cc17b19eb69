// Success or failure of the training library, as values: nothing here throws.
// Messages say what was expected, what was found, and what to do; they call a
// field of an options struct by the option of mpc-run that sets it ("--retry").
#ifndef MPC_TRAIN_STATUS_H
#define MPC_TRAIN_STATUS_H

#include "mpc-c/Status.hpp"

#include <string>
#include <utility>

namespace mpc::train {

/// Who can cure a failure.
enum class Fault {
  None,    ///< It is a success.
  Options, ///< Who asked: options that contradict each other or the program.
  Input,   ///< Who made a file: a program, data or weights not as expected.
  System,  ///< The machine: no memory, a full disk, a device that failed.
  Busy, ///< Who runs another process, which writes what this one is to write.
  Interrupted, ///< Nobody: the caller's `stop` ended what gives no half result.
};

/// Success, or a fault with a message. Converts to true on success.
class Status {
public:
  Status() = default;
  Status(Fault fault, std::string message)
      : cause(fault), text(std::move(message)) {}
  explicit operator bool() const { return cause == Fault::None; }
  Fault fault() const { return cause; }
  const std::string &message() const { return text; }

private:
  Fault cause = Fault::None;
  std::string text;
};

/// A value, or the status that says why there is none.
template <typename T> using Expected = rt::Expected<T, Status>;

/// Who can cure it that a program file could not be loaded.
Fault faultOfProgram(mpc_code code);

} // namespace mpc::train

#endif // MPC_TRAIN_STATUS_H
