// The checks and costs of library calls: overloads for each kind, in the
// file of the kind. Private to this room.
#ifndef MPC_LIB_PROGRAM_CALLS_CHECK_H
#define MPC_LIB_PROGRAM_CALLS_CHECK_H

#include "mpc/Program/Calls.h"

namespace mpc::program {

/// Operands that a kind takes, each at most once.
struct ExpectedOperand {
  OperandRole role;
  bool isRequired, isWritten;
};

/// "QueryGradient" as "query_gradient".
std::string toWord(std::string_view name);

/// Whether `call` has the required and no others of `expected`, each read or
/// written as it says.
Status checkRoles(const Call &call, std::span<const ExpectedOperand> expected);

/// Whether the options and the operands of a call make sense together. Its
/// operands are known to be tensors, each role at most once. Messages say what
/// is wrong with the call, not which call it is.
#define MPC_CALL_KIND(kind, word)                                              \
  Status checkCall(const kind &options, const Call &call, bool isForGpu);
#include "mpc/Program/CallKinds.def"

/// Operations of a verified call, a product and a sum being two.
#define MPC_CALL_KIND(kind, word)                                              \
  double countFlops(const kind &options, const Call &call);
#include "mpc/Program/CallKinds.def"

} // namespace mpc::program

#endif // MPC_LIB_PROGRAM_CALLS_CHECK_H
