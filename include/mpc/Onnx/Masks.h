// Masks that are drawn by arithmetic: dropout in place, stochastic depth, and
// dropout as people write it.
//
//   uniform(0, 1) < p ? 1 : 0        Bernoulli, and how exporters write it
//   uniform(0, 1) > 1 - p, or not <  flags, which may also choose x or 0
//   floor(uniform(0, 1) + p)         as old layers do
#ifndef MPC_ONNX_MASKS_H
#define MPC_ONNX_MASKS_H

#include "onnx.pb.h"

#include <map>
#include <vector>

namespace mpc::onnx {

/// Whether the model says of a node that draws, a Dropout among them, that it
/// does so wherever the model is run, and not in training alone: metadata of
/// the node, "mpc.drawn" of "always".
bool isDrawnAlways(const ::onnx::NodeProto &node);

/// What a node is to a mask of zeros and ones.
enum class MaskPart {
  Kept,     ///< It makes them: a comparison, a Floor, a Bernoulli.
  Scaled,   ///< It divides them by the probability of a one.
  Weight,   ///< It chooses 1 / that probability, or zero.
  Quotient, ///< It divides by it a value for a Product or a Choice, or of one.
  Product,  ///< It multiplies them and a value.
  Choice    ///< It chooses a value, or zero.
};

struct MaskNode {
  MaskPart part = MaskPart::Kept;
  /// The operand that is the mask; of a Quotient, a Choice and a Weight that
  /// which is not the probability or zero.
  int operand = 0;
  const ::onnx::NodeProto *draw = nullptr; ///< Of the numbers it is made of.
  double keep = 1;                         ///< The probability of a one.
  bool isKept = true; ///< Of Kept: whether it is true of what is kept.
};

/// Nodes of masks that are dropout: 1 where a model is evaluated. All that
/// read such a mask, scaled by its probability, multiply it, as it is, cast or
/// of another shape, with a value that the model computes; one that is not
/// scaled they multiply or choose by, and scale the value, before or behind.
/// Random signs, sums and choices of two values begin so, too, and are none.
/// Each graph and each function is looked at alone. The model must stay as it
/// is meanwhile.
class Masks {
public:
  explicit Masks(const ::onnx::ModelProto &model);

  /// Null of a node that is no part of such a mask.
  const MaskNode *find(const ::onnx::NodeProto &node) const {
    auto found = nodes.find(&node);
    return found == nodes.end() ? nullptr : &found->second;
  }
  bool empty() const { return nodes.empty(); }

private:
  std::map<const ::onnx::NodeProto *, MaskNode> nodes;
};

/// Makes masks that are dropout ones, and what draws them goes. Those stay that
/// the version of the opset has no words for.
void foldMasks(::onnx::ModelProto &model);

} // namespace mpc::onnx

#endif // MPC_ONNX_MASKS_H
