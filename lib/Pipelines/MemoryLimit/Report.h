// The table of what was chosen for a memory limit.
#ifndef MPC_LIB_PIPELINES_MEMORYLIMIT_REPORT_H
#define MPC_LIB_PIPELINES_MEMORYLIMIT_REPORT_H

#include "Choices.h"
#include "ForwardOutputs.h"
#include "llvm/Support/raw_ostream.h"

namespace mpc::memory_limit {

struct Chosen {
  const Choices &choices;
  Choice choice;
  int64_t limit;
  int64_t before;                     ///< Bytes with nothing done,
  int64_t after;                      ///< and with the choice.
  ArrayRef<NamedOutput> dropped = {}; ///< From `forward`.
};

/// The bytes, the products and the values, with places in the model and costs.
void print(const Chosen &chosen, llvm::raw_ostream &stream);

/// What a planned module needs its bytes for: state, and the largest of what
/// lives when most of the work block is in use.
std::string describeNeed(ModuleOp planned);

} // namespace mpc::memory_limit

#endif // MPC_LIB_PIPELINES_MEMORYLIMIT_REPORT_H
