// What an application has set up for floating point on its threads does not
// change what mpc computes there.
#ifndef MPC_SUPPORT_PLAINARITHMETIC_H
#define MPC_SUPPORT_PLAINARITHMETIC_H

#include <cstdint>

namespace mpc {

/// While it lives, floating point on this thread is IEEE's: rounding to
/// nearest, subnormals kept, no traps. Then it is again as it was.
class PlainArithmetic {
public:
  PlainArithmetic();
  ~PlainArithmetic();
  PlainArithmetic(const PlainArithmetic &) = delete;
  PlainArithmetic &operator=(const PlainArithmetic &) = delete;

private:
  uint32_t before;
};

} // namespace mpc

#endif // MPC_SUPPORT_PLAINARITHMETIC_H
