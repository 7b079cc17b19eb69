// mpc-opt --explain: what the passes do to one value, instead of the module
// that they leave.
#ifndef MPC_TOOLS_MPC_OPT_EXPLAIN_H
#define MPC_TOOLS_MPC_OPT_EXPLAIN_H

#include "Options.h"

namespace mpc::opt {

/// Runs the passes of the command line, or with none all stages to `exec`, on
/// the file `input`, and tells about `options.explain` in `output`; as far as
/// they came if one of them fails. Fails after an error.
LogicalResult explain(StringRef input, const Options &options,
                      std::string &output);

} // namespace mpc::opt

#endif // MPC_TOOLS_MPC_OPT_EXPLAIN_H
