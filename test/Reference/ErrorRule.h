// How far off a compiled program may be.
//
// Error rule: with e the exact result (f64), the error of what is compiled may
// be twice the error of evaluating op by op in the same formats, plus a floor
// of eight units in the last place of the largest element of any result: vector
// math is good to five. The oracle is no better than f64 itself, so the floor
// of f64 is a thousand units. Integers are equal.
//
// A few numbers may come out right by luck where each op is rounded, as two
// roundings to bf16 that cancel. So where they break the rule it is asked of
// the largest errors over more inputs: luck does not last, and an error does.
#ifndef MPC_TEST_REFERENCE_ERRORRULE_H
#define MPC_TEST_REFERENCE_ERRORRULE_H

#include "Reference/Tensor.h"

namespace mpc::reference {

/// Of one result.
struct Errors {
  double actual = 0, plain = 0, floor = 0;
  size_t count = 0; ///< Of different numbers.

  bool areBounded() const { return actual <= 2 * plain + floor; }
  bool areFew() const { return count <= 16; }
  /// The largest of these and of `other`, of other inputs.
  void join(const Errors &other);
};

/// The magnitude of the largest finite element of all `results`.
double getLargest(const std::vector<Tensor> &results);

/// Of `actual`, where `plain` is evaluated op by op, and `largest` is that of
/// all exact results.
Errors getErrors(const Tensor &actual, const Tensor &plain, const Tensor &exact,
                 double largest);

} // namespace mpc::reference

#endif // MPC_TEST_REFERENCE_ERRORRULE_H
