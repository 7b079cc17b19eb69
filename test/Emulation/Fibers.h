// Flows of control that give way to each other by hand, on one host thread: a
// switch saves the registers that a call preserves and changes the stack
// pointer, about 2 ns and no system call (elsewhere than on x86-64: ucontext).
#ifndef MPC_TEST_EMULATION_FIBERS_H
#define MPC_TEST_EMULATION_FIBERS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace mpc::emulation {

/// A fixed number of fibers that run one function, and the flow that resumes
/// them, all on the thread that made them. A fiber may be abandoned where it
/// stands: prepare it anew.
class Fibers {
public:
  using Entry = void (*)(void *argument);
  static constexpr size_t kStackBytes = 128 * 1024;

  Fibers(size_t count, Entry entry, void *argument);
  ~Fibers();
  Fibers(const Fibers &) = delete;

  size_t size() const { return count; }
  /// Lets fiber `number` begin anew when it is resumed next.
  void prepare(size_t number);
  /// Runs fiber `number` until it suspends itself or its function returns.
  void resume(size_t number);
  /// From within a fiber: back to the flow that resumed it.
  void suspend() { leave(/*forEver=*/false); }

private:
  struct Switch; // Of this machine.
  static void run(void *self);
  void leave(bool forEver);
  char *getStack(size_t number) const;

  size_t count;
  Entry entry;
  void *argument;
  size_t running = 0;
  char *memory = nullptr;
  std::unique_ptr<Switch> flows;
};

} // namespace mpc::emulation

#endif // MPC_TEST_EMULATION_FIBERS_H
