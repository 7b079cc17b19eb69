// What a session consists of. Session.cpp makes and runs it, SessionState.cpp
// gives access to its states.
#ifndef MPC_LIB_RUNTIME_HOST_SESSIONBODY_H
#define MPC_LIB_RUNTIME_HOST_SESSIONBODY_H

#include "Block.h"
#include "Interpreter.h"
#include "mpc/Runtime/Matmul.h"
#include "mpc/Runtime/Session.h"
#include "mpc/Runtime/ThreadPool.h"

namespace mpc::runtime {

struct Session::Body {
  Body(std::shared_ptr<const runtime::Program> program, SessionOptions options);

  Status allocate();
  Status makeMatmuls();
  void resolveEntries();
  Status runInit();
  Status requireStates() const;
  Status checkInputs(const program::Entry &entry,
                     std::span<const Input> inputs) const;
  const program::State *findState(std::string_view name,
                                  uint32_t *index = nullptr) const;

  std::shared_ptr<const runtime::Program> program;
  std::unique_ptr<Communicator> communicator;
  Log log;
  uint32_t wantedThreads;
  Block state, arena, workspace;
  uint64_t plannedWorkspace = 0;
  std::vector<std::unique_ptr<Matmul>> matmuls; // before the pool: it uses them
  std::unique_ptr<ThreadPool> pool;
  std::vector<EntryTable> entries;
  std::vector<bool> given; ///< by state: set by the caller
  bool initialized = false;
  uint32_t lastEntry = UINT32_MAX;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_SESSIONBODY_H
