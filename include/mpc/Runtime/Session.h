// A program with memory: state, arena, threads. All memory is allocated by
// create; running allocates nothing.
//
// Life: create -> initialize (or setState for every state, then refresh) ->
// run, run, ... -> output, getState. One thread at a time.
#ifndef MPC_RUNTIME_SESSION_H
#define MPC_RUNTIME_SESSION_H

#include "mpc/Runtime/Communicator.h"
#include "mpc/Runtime/Program.h"

namespace mpc::runtime {

/// Where a session's blocks come from. `allocate` returns null on failure.
struct Allocator {
  void *context = nullptr;
  void *(*allocate)(void *context, size_t bytes, size_t alignment) = nullptr;
  void (*release)(void *context, void *memory, size_t bytes) = nullptr;
};
/// The C library's aligned allocation.
Allocator getDefaultAllocator();

struct SessionOptions {
  uint32_t threads = 0; ///< 0: as many as processors may be used
  Allocator allocator = getDefaultAllocator();
  std::unique_ptr<Communicator> communicator; ///< null: a single rank
  Log log;
};

struct Input {
  const void *data;
  uint64_t bytes;
};

/// A tensor in the caller's memory, dense and row-major.
struct TensorView {
  DType type;
  std::span<const int64_t> shape;
  void *data;
  uint64_t bytes;
};

/// Bytes. `used` counts what the allocator has handed out.
struct MemoryUse {
  struct Blocks {
    uint64_t state = 0, arena = 0, workspace = 0;
  } planned, used;
};

class Session {
public:
  static Result<std::unique_ptr<Session>>
  create(std::shared_ptr<const Program> program, SessionOptions options);
  ~Session();

  /// First values of all states from `seed`, then the entry "init".
  Status initialize(uint64_t seed);
  /// Recomputes derived states after setState.
  Status refresh();
  Status run(uint32_t entry, std::span<const Input> inputs);
  /// Where an output of the last run lies; valid until the next run.
  Result<std::span<const uint8_t>> output(uint32_t entry, uint32_t index) const;
  Status getState(std::string_view name, const TensorView &destination) const;
  Status setState(std::string_view name, const TensorView &source);

  MemoryUse memory() const;
  uint32_t threads() const;
  const Program &program() const;

private:
  struct Body;
  explicit Session(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body;
};

} // namespace mpc::runtime

#endif // MPC_RUNTIME_SESSION_H
