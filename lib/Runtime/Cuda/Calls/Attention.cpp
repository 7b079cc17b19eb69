// Attention is no call on devices: programs for them hold none, and one that
// does is refused before anything is opened.
#include "CallLibrary.h"

using namespace mpc;
using namespace mpc::runtime;

static Result<std::unique_ptr<CallLibrary>> refuse(const LibraryContext &) {
  return Status(StatusCode::DeviceUnsupported,
                "expected no attention calls on a device; compile the model "
                "for target 'cuda', which makes products of them");
}

OpenLibrary runtime::getLibrary(const program::Attention &) { return refuse; }
