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

/// The policy of PyTorch's autocast (aten/src/ATen/autocast_mode.h). Apex O1
/// (apex/amp/lists) has the same classes without the two of dtypes: fp16, fp32,
/// widest, banned.
enum class TorchPolicy {
  LowerPrecisionFp, ///< Eligible operands are cast to the region's type.
  Fp32,             ///< Eligible operands are cast to f32.
  Fp32SetOptDtype,  ///< Operands stay; the op's `dtype` becomes f32 if unset.
  Fp32AppendDtype,  ///< As above through an overload that takes a dtype.
  Promote,          ///< Eligible operands are cast to the widest of them.
  Banned,           ///< An error there; runs in f32 here, with a remark.
  Fallthrough,      ///< Not listed: ordinary type promotion.
};

/// Which lists of a dispatcher that casts call by call.
enum class TorchLists { Cuda, Cpu, Apex };

/// The colour lists of TensorFlow's graph rewrite
/// (tensorflow/core/grappler/optimizers/auto_mixed_precision_lists.h).
enum class TensorFlowPolicy {
  Allow,    ///< Always 16 bits.
  Infer,    ///< Safe in 16 bits unless an upstream Deny makes it unsafe.
  Deny,     ///< Dangerous in 16 bits, and its effect is seen downstream.
  Clear,    ///< Without numeric effect.
  Unlisted, ///< Never converted; no colour passes through it.
};

/// Which lists of TensorFlow: those of fp16 on GPUs or of bf16 (oneDNN).
enum class TensorFlowLists { Fp16, Bf16 };

StringRef stringifyAutocastPolicy(AutocastPolicy policy);
StringRef stringifyTorchPolicy(TorchPolicy policy);
/// "allow", "infer", "deny", "clear", "unlisted".
StringRef stringifyTensorFlowPolicy(TensorFlowPolicy policy);
/// The place in other systems' lists that one of our words stands for, when it
/// is given by a user instead of a record.
TorchPolicy toTorchPolicy(AutocastPolicy policy);
TensorFlowPolicy toTensorFlowPolicy(AutocastPolicy policy);
/// Our word for a place in the lists of PyTorch or Apex; nothing for those that
/// say nothing of the op's arithmetic.
std::optional<AutocastPolicy> toAutocastPolicy(TorchPolicy policy);
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

/// Gives an op its places in the lists of PyTorch, Apex and TensorFlow.
template <TorchPolicy cuda, TorchPolicy cpu, TorchPolicy apex,
          TensorFlowPolicy fp16, TensorFlowPolicy bf16>
struct HasAutocastLists {
  template <typename ConcreteOp>
  struct Impl : mlir::OpTrait::TraitBase<ConcreteOp, Impl> {
    static TorchPolicy getTorchPolicy(TorchLists lists) {
      return lists == TorchLists::Cuda  ? cuda
             : lists == TorchLists::Cpu ? cpu
                                        : apex;
    }
    static TensorFlowPolicy getTensorFlowPolicy(TensorFlowLists lists) {
      return lists == TensorFlowLists::Fp16 ? fp16 : bf16;
    }
  };
};
} // namespace OpTrait
} // namespace mpc

#include "mpc/Interfaces/AutocastOpInterface.h.inc"

#endif // MPC_INTERFACES_AUTOCASTOPINTERFACE_H
