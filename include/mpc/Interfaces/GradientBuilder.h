// What a gradient rule may ask for, and where it leaves its answer.
//
// A rule is the op's method `buildVjp(GradientBuilder &)`. It multiplies the
// cotangents of the results with the transposed Jacobian of the op. Rules know
// nothing of the engine: they ask for what they need and answer per operand.
//
//   g.operand(i)    value of operand i         asking means keeping it for the
//   g.result(i)     value of result i          backward pass
//   g.cotangent(i)  cotangent of result i      zeros if nobody uses result i
//   g.needs(i)      false: operand i wants no gradient, skip the work
//   g.set(i, v)     cotangent of operand i
//
// Types: for an op whose policy is Deny or DenyIO, operands, results and
// cotangents arrive in f32 (f64 stays f64), so the rule computes in f32
// whatever the op's storage type is; otherwise in their own type. The answer
// may still have the *result's* shape and any float type: the engine undoes
// broadcasting and casts to the operand's type, in one place.
#ifndef MPC_INTERFACES_GRADIENTBUILDER_H
#define MPC_INTERFACES_GRADIENTBUILDER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc {

class GradientBuilder {
public:
  virtual ~GradientBuilder() = default;

  virtual Value operand(unsigned index) = 0;
  virtual Value result(unsigned index) = 0;
  virtual Value cotangent(unsigned index) = 0;
  virtual bool needs(unsigned index) const = 0;
  virtual void set(unsigned index, Value cotangent) = 0;

  /// Builds at the current end of the backward pass, at the primal's location.
  virtual mlir::ImplicitLocOpBuilder &builder() = 0;
};

} // namespace mpc

#endif // MPC_INTERFACES_GRADIENTBUILDER_H
