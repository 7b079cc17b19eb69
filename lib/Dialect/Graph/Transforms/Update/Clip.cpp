// Norms of the unscaled gradients, and clipping by them.
//
// By norm, with N the p-norm and M the bound, in the formula that is asked for:
// - torch (clip_grad_norm_): g * min(1, M / (N + 1e-6)), always multiplied, so
//   that N = M gives 0.999999 and an infinite N gives 0, NaN where g is inf;
// - optax (clip_by_global_norm): g if N < M, else g / N * M;
// - megatron (clip_grad_by_total_norm): torch's, only where the coefficient is
//   below 1. A NaN is not, and clips nothing.
// Then by value: each element to [-v, v]; a NaN stays.
//
// The norm of all gradients is the norm of the groups' norms, as torch takes it
// from the tensors' norms: gradients are read once.
#include "UpdateGroup.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mpc/Program/Names.h"
#include <cmath>
#include <limits>
#include <map>

using namespace mpc;
using namespace mpc::graph;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double normTypeOf(ClipAttr clip) {
  return (clip ? clip->normType : PNorm()).p.value;
}

bool isClippedByNorm(const UpdateGroup &group) {
  return group.clip && group.clip->norm.value > 0;
}

/// Norms of the gradients as they were when this was made, each built once.
class GradientNorms {
public:
  GradientNorms(StepBuilder &b, ArrayRef<UpdateGroup> groups) : b(b) {
    for (const UpdateGroup &group : groups)
      gradients.push_back(group.gradients);
  }
  Value ofGroup(size_t index, double p) {
    return once({index, p}, [&] { return norm(gradients[index], p); });
  }
  Value ofAll(double p) {
    return once({gradients.size(), p}, [&] {
      SmallVector<Value> norms;
      for (size_t index = 0; index < gradients.size(); ++index)
        if (!gradients[index].empty())
          norms.push_back(ofGroup(index, p));
      return norms.size() == 1 ? norms.front() : norm(norms, p);
    });
  }

private:
  Value norm(ValueRange values, double p) {
    return GlobalNormOp::create(b.builder, values,
                                b.builder.getF64FloatAttr(p));
  }
  Value once(std::pair<size_t, double> key, function_ref<Value()> build) {
    Value &value = known[key];
    return value ? value : value = build();
  }

  StepBuilder &b;
  SmallVector<SmallVector<Value>> gradients;
  std::map<std::pair<size_t, double>, Value> known;
};

/// What gradients are multiplied by; formulas torch and megatron.
Value buildCoefficient(StepBuilder &b, ClipAttr clip, Value norm) {
  Type f32 = b.builder.getF32Type();
  Value one = b.constant(f32, 1.0), bound = b.constant(f32, clip->norm.value);
  Value sum = AddOp::create(b.builder, norm, b.constant(f32, 1e-6));
  Value ratio = DivOp::create(b.builder, bound, sum);
  if (clip->formula == ClipFormula::Torch)
    return MinimumOp::create(b.builder, ratio, one);
  Value clips = CompareOp::create(b.builder, ComparePredicate::Lt, ratio, one);
  return b.select(clips, ratio, one);
}

void multiply(StepBuilder &b, UpdateGroup &group, Value norm) {
  Value coefficient = buildCoefficient(b, group.clip, norm);
  for (Value &gradient : group.gradients)
    gradient = MulOp::create(
        b.builder, gradient,
        b.castTo(coefficient, mlir::getElementTypeOrSelf(gradient)));
}

/// Formula optax: two roundings, and none within the bound.
void divideAndMultiply(StepBuilder &b, UpdateGroup &group, Value norm) {
  Value bound = b.constant(b.builder.getF32Type(), group.clip->norm.value);
  Value within =
      CompareOp::create(b.builder, ComparePredicate::Lt, norm, bound);
  for (Value &gradient : group.gradients) {
    Type element = mlir::getElementTypeOrSelf(gradient);
    Value unit = DivOp::create(b.builder, gradient, b.castTo(norm, element));
    Value clipped = MulOp::create(b.builder, unit, b.castTo(bound, element));
    gradient = b.select(within, gradient, clipped);
  }
}

void clampElements(StepBuilder &b, UpdateGroup &group) {
  double bound = group.clip->value.value;
  for (Value &gradient : group.gradients) {
    Type element = mlir::getElementTypeOrSelf(gradient);
    Value low =
        MaximumOp::create(b.builder, gradient, b.constant(element, -bound));
    gradient = MinimumOp::create(b.builder, low, b.constant(element, bound));
  }
}

void clip(StepBuilder &b, UpdateGroup &group, Value norm) {
  if (isClippedByNorm(group)) {
    if (group.clip->formula == ClipFormula::Optax)
      divideAndMultiply(b, group, norm);
    else
      multiply(b, group, norm);
  }
  if (group.clip->value.value > 0)
    clampElements(b, group);
}

/// i1: the norm is inf or NaN.
Value isNonfinite(StepBuilder &b, Value norm) {
  Type i1 = b.builder.getI1Type();
  Value finite =
      CompareOp::create(b.builder, ComparePredicate::Lt, norm,
                        b.constant(b.builder.getF32Type(), kInfinity));
  return b.select(finite, b.constant(i1, 0), b.constant(i1, 1));
}

} // namespace

bool graph::sharesNorm(const UpdateGroup &group) {
  return isClippedByNorm(group) && group.clip->scope == NormScope::Global;
}

Value graph::clipGradients(StepBuilder &b, TrainingAttr training,
                           MutableArrayRef<UpdateGroup> groups) {
  GradientNorms norms(b, groups);
  b.signature.addResult(norms.ofAll(normTypeOf(training.getClip())),
                        kOutputAttr, program::kGradNormOutput);
  SmallVector<Value> bounding;
  Value nonfinite;
  for (auto [index, group] : llvm::enumerate(groups)) {
    double p = normTypeOf(group.clip);
    if (!group.name.empty())
      b.signature.addResult(norms.ofGroup(index, p), kOutputAttr,
                            group.nameOf(program::kGradNormOutput));
    bool ofAll = !group.clip || group.clip->scope == NormScope::Global ||
                 group.gradients.empty();
    bounding.push_back(ofAll ? norms.ofAll(p) : norms.ofGroup(index, p));
    if (group.clip && group.clip->nonfinite == NonfiniteNorm::Error)
      nonfinite = b.either(nonfinite, isNonfinite(b, bounding.back()));
  }
  for (auto [group, norm] : llvm::zip_equal(groups, bounding))
    if (group.clip)
      clip(b, group, norm);
  return nonfinite;
}
