// Several PTX modules as one, so that one run of ptxas assembles them all.
#include "Lowering.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;

/// PTX after its directives .version, .target and .address_size, which come
/// first and once.
static StringRef bodyOf(StringRef ptx) {
  size_t last = ptx.find(".address_size");
  return last == StringRef::npos ? ptx : ptx.substr(ptx.find('\n', last) + 1);
}

std::string target::joinPtx(ArrayRef<StringRef> modules) {
  std::string joined;
  for (StringRef ptx : modules)
    joined += joined.empty() ? ptx : bodyOf(ptx);
  return joined;
}
