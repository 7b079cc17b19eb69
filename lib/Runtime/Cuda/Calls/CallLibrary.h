// Library calls on a device: what cuBLASLt and its like have in common. One
// kind of call is one file or folder beside this one; openLibrary says which
// library makes it.
//
// Everything is decided when a call is made: on fixed addresses, so that it may
// be captured. `prepare` runs each call once, so that nothing is loaded for the
// first time inside a capture, and on request times what the library proposes.
#ifndef MPC_LIB_RUNTIME_CUDA_CALLS_CALLLIBRARY_H
#define MPC_LIB_RUNTIME_CUDA_CALLS_CALLLIBRARY_H

#include "../Api/Platform.h"
#include "../Device.h"
#include "mpc/Program/Calls.h"
#include "mpc/Runtime/DeviceOptions.h"
#include "mpc/Runtime/Log.h"

#include <memory>
#include <span>

namespace mpc::runtime {

/// A call on fixed addresses, ready to be enqueued.
class LibraryCall {
public:
  virtual ~LibraryCall() = default;
  /// Allocates nothing, may be captured. `workspace`: of
  /// CallLibrary::workspaceBytes, used by nothing else on another stream.
  virtual Status enqueue(cudaStream_t stream, void *workspace) = 0;
  /// Whether what stands beside the call is left to the program's tail.
  virtual bool isPlain() const { return false; }
};

class CallLibrary {
public:
  virtual ~CallLibrary() = default;
  /// What `call` may need while it runs: all calls on one stream share a block,
  /// at a multiple of 256.
  virtual uint64_t workspaceBytes(const program::Call &call) const = 0;
  /// `args`: the address of each operand. `mayBePlain`: where the library has
  /// no algorithm for the whole call, somebody else does what stands beside it.
  virtual Result<std::unique_ptr<LibraryCall>>
  makeCall(const program::Call &call, std::span<void *const> args,
           bool mayBePlain) = 0;
  /// Runs each of its calls, and writes to their results, so states must not
  /// have their values yet. Waits for `stream`.
  virtual Status prepare(std::span<LibraryCall *const> calls, void *workspace,
                         cudaStream_t stream) = 0;
  /// What was found out about the device, as text to be read the next time; ""
  /// if there is nothing. Reading has an effect on what is made afterwards.
  virtual std::string writePlans() const { return {}; }
  virtual Status readPlans(std::string_view) { return {}; }
};

/// What a library is opened with. All of it outlives the library, but `log`.
struct LibraryContext {
  const Platform &platform;
  const Device &device;
  const DeviceOptions &options;
  Log log;
};
using OpenLibrary =
    Result<std::unique_ptr<CallLibrary>> (*)(const LibraryContext &context);

/// How the library of a kind is opened: one overload for each, in the file of
/// the kind. Kinds with the same answer share a library.
#define MPC_CALL_KIND(kind, word)                                              \
  OpenLibrary getLibrary(const program::kind &options);
#include "mpc/Program/CallKinds.def"

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CALLS_CALLLIBRARY_H
