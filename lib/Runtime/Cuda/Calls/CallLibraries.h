// The libraries that the calls of one program need, opened once each.
#ifndef MPC_LIB_RUNTIME_CUDA_CALLS_CALLLIBRARIES_H
#define MPC_LIB_RUNTIME_CUDA_CALLS_CALLLIBRARIES_H

#include "CallLibrary.h"

#include <map>

namespace mpc::runtime {

class CallLibraries {
public:
  /// One call and who made it.
  struct MadeCall {
    CallLibrary *library = nullptr;
    std::unique_ptr<LibraryCall> call;
  };

  /// Opens what the calls of `program` need.
  Status open(const program::Program &program, const LibraryContext &context);
  bool empty() const { return libraries.empty(); }
  /// Of the largest call of `program`: they do not run side by side.
  uint64_t workspaceBytes(const program::Program &program) const;

  /// See CallLibrary. `call` is one of the program.
  Result<MadeCall> makeCall(const program::Call &call,
                            std::span<void *const> args, bool mayBePlain) const;
  Status prepare(std::span<const MadeCall *const> calls, void *workspace,
                 cudaStream_t stream) const;
  std::string writePlans() const;
  Status readPlans(std::string_view text) const;

private:
  std::map<OpenLibrary, std::unique_ptr<CallLibrary>> libraries;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CALLS_CALLLIBRARIES_H
