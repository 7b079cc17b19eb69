// How the optimizers see a gradient: gradient / scale * coefficient. Private to
// this room.
#ifndef MPC_KERNELS_GRADIENT_H
#define MPC_KERNELS_GRADIENT_H

#include "kernels/Formats.h"
#include "kernels/Parameters.h"

namespace mpc::kernels {

/// The factor that takes the scale off. Rounding 1 / scale once to f32 and
/// rounding it to f64 and then to f32 is the same number: a quotient of f32
/// numbers is never so near to a middle of two f32 numbers.
__host__ __device__ inline float inverseOf(const float *scale) {
  return scale ? 1.0f / *scale : 1.0f;
}

/// Applies scale and coefficient; a missing one is 1, which changes nothing.
struct GradientFactors {
  float inverse, coefficient;

  __host__ __device__ explicit GradientFactors(const Parameters &p)
      : inverse(inverseOf(p.scale)),
        coefficient(p.coefficient ? *p.coefficient : 1.0f) {}

  template <typename G> __host__ __device__ float operator()(G gradient) const {
    return widen(gradient) * inverse * coefficient;
  }
};

__host__ __device__ inline bool isSkipped(const Parameters &p) {
  return p.foundInf && *p.foundInf != 0;
}

} // namespace mpc::kernels

#endif // MPC_KERNELS_GRADIENT_H
