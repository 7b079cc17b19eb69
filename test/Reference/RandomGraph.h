// Random functions of elementwise ops, broadcasts, reductions and movements, as
// text: values of one to four dims, some of size 1, that branch, join and are
// reduced along different dims, so that whatever may share a kernel meets what
// may not. Depends on the seed alone.
#ifndef MPC_TEST_REFERENCE_RANDOMGRAPH_H
#define MPC_TEST_REFERENCE_RANDOMGRAPH_H

#include <cstdint>
#include <string>

namespace mpc::reference {

struct RandomGraphOptions {
  int ops = 14;
  /// A model: arguments are parameters and inputs, the result is a loss.
  bool isModel = false;
  /// Among the ops are whole patterns: parts of a value that are joined again,
  /// sums that 16 bits hold from one addition to the next, reductions of one
  /// value along each of its dims. And sizes that nothing divides.
  bool hasPatterns = false;
  /// Reductions that wait for each other, in a chain at the beginning. With 0,
  /// seven of eight functions have none.
  int shortestChain = 0, longestChain = 6;
  /// Which values are results: every so manieth, from the last one; 0: at
  /// random. Other results, other groups.
  int resultStride = 0;
  /// Attributes of the functions.
  std::string attributes = "";
};

/// A module of `count` functions @random<seed>_<number>.
std::string makeRandomGraphs(uint64_t seed, int count,
                             const RandomGraphOptions &options = {});

} // namespace mpc::reference

#endif // MPC_TEST_REFERENCE_RANDOMGRAPH_H
