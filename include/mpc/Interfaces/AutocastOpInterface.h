// "At which precision may this op run?" The words that every op record of the
// graph dialect must carry, and the interface through which passes ask.
//
// Two questions stay apart: what an op *may* do without losing accuracy (the
// policy words below, a fact of the op) and what a target *can* do (a
// capability object, a fact of the target).
#ifndef MPC_INTERFACES_AUTOCASTOPINTERFACE_H
#define MPC_INTERFACES_AUTOCASTOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeUtilities.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc {

/// Our policy: how an op takes part in automatic mixed precision.
enum class AutocastPolicy {
  Allow,   ///< 16-bit operands and results, f32 accumulation inside.
  Deny,    ///< f32 operands and results.
  DenyIO,  ///< 16-bit may enter and leave, arithmetic is f32 inside.
  Promote, ///< All float operands at the widest operand's type.
  Infer,   ///< Follows its neighbours; harmless in 16 bits, but not blind.
  Clear,   ///< Moves or selects bits; follows anything.
};

/// The policy of PyTorch's autocast (aten/src/ATen/autocast_mode.h).
enum class TorchPolicy {
  LowerPrecisionFp, ///< Eligible operands are cast to the region's type.
  Fp32,             ///< Eligible operands are cast to f32.
  Fp32SetOptDtype,  ///< Operands stay; the op's `dtype` becomes f32 if unset.
  Fp32AppendDtype,  ///< As above through an overload that takes a dtype.
  Promote,          ///< Eligible operands are cast to the widest of them.
  Fallthrough,      ///< Not listed: ordinary type promotion.
};

/// Which of PyTorch's two canonical lists is meant.
enum class TorchDevice { Cuda, Cpu };

StringRef stringifyAutocastPolicy(AutocastPolicy policy);
StringRef stringifyTorchPolicy(TorchPolicy policy);
/// The policy named by `word` ("Allow", ...), or nothing.
std::optional<AutocastPolicy> symbolizeAutocastPolicy(StringRef word);

namespace OpTrait {
/// Gives an op the static getter that AutocastOpInterface asks for.
template <AutocastPolicy policy> struct HasAutocastPolicy {
  template <typename ConcreteOp>
  struct Impl : mlir::OpTrait::TraitBase<ConcreteOp, Impl> {
    static AutocastPolicy getAutocastPolicy() { return policy; }
  };
};

/// Gives an op its place in PyTorch's CUDA and CPU lists.
template <TorchPolicy cuda, TorchPolicy cpu> struct HasTorchPolicy {
  template <typename ConcreteOp>
  struct Impl : mlir::OpTrait::TraitBase<ConcreteOp, Impl> {
    static TorchPolicy getTorchPolicy(TorchDevice device) {
      return device == TorchDevice::Cuda ? cuda : cpu;
    }
  };
};
} // namespace OpTrait
} // namespace mpc

#include "mpc/Interfaces/AutocastOpInterface.h.inc"

#endif // MPC_INTERFACES_AUTOCASTOPINTERFACE_H
