// What a record reads and writes: the one place that knows the argument lists
// of Program.fbs. The verifier checks records against it, a runtime that runs
// records side by side orders them by it.
#ifndef MPC_PROGRAM_OPERANDS_H
#define MPC_PROGRAM_OPERANDS_H

#include "mpc/Program/Program.h"

namespace mpc::program {

/// How far a record reaches from one of its arguments.
struct Operand {
  uint64_t bytes;
  bool written;           ///< else only read
  uint64_t alignment = 1; ///< on a processor, whose kernels have none
};

/// One operand per argument that the record should have. Its kind and target
/// are known to be right. Nothing for a launch of a kernel without arg_bytes.
std::vector<Operand> getOperands(const Program &program, const Record &record);
/// The same of a library call.
std::vector<Operand> getOperands(const Call &call);

} // namespace mpc::program

#endif // MPC_PROGRAM_OPERANDS_H
