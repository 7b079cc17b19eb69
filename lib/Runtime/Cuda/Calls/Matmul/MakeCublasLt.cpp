// Matrix products are calls of cuBLASLt.
#include "CublasLt.h"

using namespace mpc;
using namespace mpc::runtime;

static Result<std::unique_ptr<CallLibrary>>
makeCublasLt(const LibraryContext &context) {
  Result<const CublasLtApi *> library = context.platform.openCublasLt();
  if (!library)
    return library.status();
  CublasLtOptions wanted;
  wanted.deterministic = !context.options.allowNondeterministic;
  wanted.allowTf32 = context.options.allowTf32;
  wanted.tuningBudget = context.options.tuningMilliseconds;
  wanted.log = context.log;
  BlasDevice device = {context.device.name, context.device.capability()};
  auto made = CublasLt::create(**library, *context.platform.cuda, device,
                               std::move(wanted));
  if (!made)
    return made.status();
  return std::unique_ptr<CallLibrary>(std::move(*made));
}

OpenLibrary runtime::getLibrary(const program::Matmul &) {
  return makeCublasLt;
}
