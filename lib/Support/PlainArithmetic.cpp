#include "mpc/Support/PlainArithmetic.h"

#include <immintrin.h>

using namespace mpc;

PlainArithmetic::PlainArithmetic() : before(_mm_getcsr()) {
  _mm_setcsr(0x1f80); // the state after reset
}
PlainArithmetic::~PlainArithmetic() { _mm_setcsr(before); }
