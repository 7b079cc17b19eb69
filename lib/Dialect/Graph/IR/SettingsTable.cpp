// The settings of `graph.training`: one row each. A row is an option of every
// tool, of mpc-apply-options and of the passes that may override it.
#include "mpc/Dialect/Graph/IR/LossScalePresets.h"

using namespace mpc;
using namespace mpc::graph;
using TS = TrainingSettings;

//===-- The table --------------------------------------------------------===//

ArrayRef<Setting> graph::trainingSettings() {
  constexpr auto precision = SettingKind::Precision;
  constexpr auto scale = SettingKind::Scale, update = SettingKind::Update;
  static const Setting settings[] = {
      {precision, "precision", "fp32, bf16 or fp16", &TS::precision},
      {precision, "autocast",
       "how precisions are decided: cheapest, torch, tf or whole",
       &TS::autocast},
      {precision, "lists", "op lists of autocast=torch: cuda, cpu or apex",
       &TS::lists},
      {precision, "output",
       "type of what leaves a model with autocast=whole: f32, f16 or bf16",
       &TS::output},
      {precision, "keep-normalization",
       "true or false: autocast=whole leaves normalization in f32",
       &TS::keepNormalization},
      {precision, "rounding", "fused or strict", &TS::rounding},

      {scale, "loss-scale",
       "none, dynamic, static, a number (static), or the name of a system's "
       "scaler (docs/LossScaling.md)",
       SettingPreset{applyLossScale, &TS::scaleMode}},
      {scale, "scale-init", "first loss scale", &TS::scaleInit},
      {scale, "scale-growth", "factor after scale-interval finite steps",
       &TS::scaleGrowth},
      {scale, "scale-backoff", "factor after a skipped step",
       &TS::scaleBackoff},
      {scale, "scale-interval", "finite steps before the scale grows",
       &TS::scaleInterval},
      {scale, "scale-hysteresis", "overflows before the scale shrinks",
       &TS::scaleHysteresis},
      {scale, "scale-refill",
       "what restores scale-hysteresis: growth or clean (a finite step)",
       &TS::scaleRefill},
      {scale, "scale-delay",
       "finite steps more before the first growth after an overflow",
       &TS::scaleDelay},
      {scale, "scale-floor", "smallest loss scale, 0 for none",
       &TS::scaleFloor},
      {scale, "scale-ceiling", "largest loss scale, 0 for none",
       &TS::scaleCeiling},
      {scale, "scale-growth-guard", "true or false: refuse growth to infinity",
       &TS::scaleGrowthGuard},
      {scale, "scale-divide-by-next",
       "true or false: unscale by the updated scale, as DeepSpeed does",
       &TS::scaleDivideByNext},
      {scale, "scale-on-floor",
       "when the scale cannot shrink: hold, warn or error", &TS::scaleOnFloor},
      {scale, "scale-scope", "one scale for all losses: shared, or per_loss",
       &TS::scaleScope},

      {update, "optimizer", "sgd or adamw", &TS::optimizer},
      {update, "lr", "learning rate", &TS::lr},
      {update, "weight-decay", "weight decay", &TS::weightDecay},
      {update, "momentum", "momentum of sgd", &TS::momentum},
      {update, "dampening", "dampening of sgd's momentum", &TS::dampening},
      {update, "nesterov", "true or false, for sgd", &TS::nesterov},
      {update, "beta1", "first decay of adamw", &TS::beta1},
      {update, "beta2", "second decay of adamw", &TS::beta2},
      {update, "epsilon", "term of the denominator of adamw", &TS::epsilon},
      {update, "alpha", "smoothing of rmsprop", &TS::alpha},
      {update, "centered", "true or false, for rmsprop", &TS::centered},
      {update, "lr-decay", "decay of adagrad's learning rate", &TS::lrDecay},
      {update, "initial-accumulator", "first sum of squares of adagrad",
       &TS::initialAccumulator},
      {update, "master",
       "parameters between steps: f32, bf16, f16, bf16_kahan, "
       "bf16_stochastic",
       &TS::master},
      {update, "clip-norm", "largest norm of all gradients, 0 for none",
       &TS::clipNorm},
      {update, "clip-norm-type", "which norm: a number > 0, or inf",
       &TS::clipNormType},
      {update, "clip-value", "largest element of a gradient, 0 for none",
       &TS::clipValue},
      {update, "clip-formula", "torch, optax or megatron", &TS::clipFormula},
      {update, "clip-scope", "gradients that share a norm: global or group",
       &TS::clipScope},
      {update, "clip-nonfinite", "a norm that is not finite: propagate, error",
       &TS::clipNonfinite},
      {update, "schedule", "constant, linear, cosine, step or inverse_sqrt",
       &TS::schedule},
      {update, "warmup-steps", "steps of linear warm-up", &TS::warmupSteps},
      {update, "total-steps", "step at which linear and cosine end",
       &TS::totalSteps},
      {update, "final-factor", "rate at the end, as a factor",
       &TS::finalFactor},
      {update, "decay-period", "steps between decays of schedule=step",
       &TS::decayPeriod},
      {update, "decay-gamma", "factor of schedule=step", &TS::decayGamma},
      {update, "weight-copies",
       "16-bit weights: persistent (written by the update) or on-the-fly",
       &TS::weightCopies},

      {SettingKind::Accumulate, "accumulate", "micro-batches of a step",
       &TS::accumulate},
      {SettingKind::Reduce, "bucket-bytes", "bytes of one all-reduce",
       &TS::bucketBytes},
  };
  return settings;
}
