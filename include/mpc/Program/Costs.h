// What a record has to do, counted from the program alone: what its time is
// compared with.
#ifndef MPC_PROGRAM_COSTS_H
#define MPC_PROGRAM_COSTS_H

#include "mpc/Program/Program.h"

namespace mpc::program {

struct Cost {
  /// Of its operands, each element once: what no cache saves. 0 of collectives:
  /// what they move depends on the ranks, of which there may be one.
  uint64_t bytesRead = 0, bytesWritten = 0;
  /// Operations of products and attention, of any type, a product and a sum
  /// being two; 0 where nobody counts them: of kernels, copies, collectives.
  double flops = 0;
};

/// Of a record of a verified program.
Cost getCost(const Program &program, const Record &record);

} // namespace mpc::program

#endif // MPC_PROGRAM_COSTS_H
