// Convolutions on a device: there are none yet. The compiler makes no program
// with them, but a file may have been written by hand.
#include "../CallLibrary.h"

using namespace mpc;
using namespace mpc::runtime;

static Result<std::unique_ptr<CallLibrary>> open(const LibraryContext &) {
  return Status(StatusCode::DeviceUnsupported,
                "expected a program without convolutions on a device; compile "
                "it for target 'cpu'");
}

OpenLibrary runtime::getLibrary(const program::Convolution &) { return open; }
