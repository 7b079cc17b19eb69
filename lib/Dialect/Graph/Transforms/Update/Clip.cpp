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
Expr buildCoefficient(ClipAttr clip, Expr norm) {
  Expr one = norm.constant(1.0), bound = norm.constant(clip->norm.value);
  Expr ratio = bound / (norm + 1e-6);
  if (clip->formula == ClipFormula::Torch)
    return minimum(ratio, one);
  return select(less(ratio, one), ratio, one);
}

void multiply(StepBuilder &b, UpdateGroup &group, Expr norm) {
  Expr coefficient = buildCoefficient(group.clip, norm);
  for (Value &gradient : group.gradients) {
    Expr g = b(gradient);
    gradient = g * b.castTo(coefficient, g.elementType());
  }
}

/// Formula optax: two roundings, and none within the bound.
void divideAndMultiply(StepBuilder &b, UpdateGroup &group, Expr norm) {
  Expr bound = norm.constant(group.clip->norm.value);
  Expr within = less(norm, bound);
  for (Value &gradient : group.gradients) {
    Expr g = b(gradient);
    Expr unit = g / b.castTo(norm, g.elementType());
    gradient = select(within, g, unit * b.castTo(bound, g.elementType()));
  }
}

void clampElements(StepBuilder &b, UpdateGroup &group) {
  double bound = group.clip->value.value;
  for (Value &gradient : group.gradients)
    gradient = minimum(maximum(b(gradient), -bound), bound);
}

void clip(StepBuilder &b, UpdateGroup &group, Expr norm) {
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
Expr isNonfinite(StepBuilder &b, Expr norm) {
  Type i1 = b.builder.getI1Type();
  return select(less(norm, kInfinity), b.constant(i1, 0), b.constant(i1, 1));
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
      nonfinite = either(b(nonfinite), isNonfinite(b, b(bounding.back())));
  }
  for (auto [group, norm] : llvm::zip_equal(groups, bounding))
    if (group.clip)
      clip(b, group, b(norm));
  return nonfinite;
}
