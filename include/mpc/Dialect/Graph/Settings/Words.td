// The words that a setting may be, a list each. The enum, and its texts both
// ways, are generated: a word is written here and nowhere else.
#ifndef MPC_DIALECT_GRAPH_SETTINGS_WORDS_TD
#define MPC_DIALECT_GRAPH_SETTINGS_WORDS_TD

include "mlir/IR/EnumAttr.td"

/// Numbers count from 0 and leave none out: listOf (Words.h) counts with them.
class Words<string name, string summary, list<I32EnumAttrCase> words>
    : I32EnumAttr<name, summary, words> {
  let cppNamespace = "::mpc::graph";
  let genSpecializedAttr = 0;
}
class Word<string symbol, int number, string text>
    : I32EnumAttrCase<symbol, number, text>;

//===-- Numerics -----------------------------------------------------------===//

def Precision : Words<"Precision", "type that ops may run in, beside f32", [
  Word<"Fp32", 0, "fp32">, Word<"Bf16", 1, "bf16">, Word<"Fp16", 2, "fp16">]>;

def PrecisionMode : Words<"PrecisionMode", "how precisions are decided", [
  Word<"Cheapest", 0, "cheapest">, Word<"Torch", 1, "torch">, Word<"TensorFlow", 2, "tf">,
  Word<"Whole", 3, "whole">]>;

def OutputType : Words<"OutputType", "type of what leaves the model", [
  Word<"F32", 0, "f32">, Word<"F16", 1, "f16">, Word<"Bf16", 2, "bf16">]>;

def RoundingMode : Words<"RoundingMode", "whether ops that are fused round between each other", [
  Word<"Fused", 0, "fused">, Word<"Strict", 1, "strict">]>;

def WeightCopies : Words<"WeightCopies", "where 16-bit weights come from", [
  Word<"Persistent", 0, "persistent">, Word<"OnTheFly", 1, "on-the-fly">]>;

//===-- Ranks --------------------------------------------------------------===//

def ReduceType : Words<"ReduceType", "type in which gradients travel", [
  Word<"Gradient", 0, "gradient">, Word<"F32", 1, "f32">, Word<"F16", 2, "f16">,
  Word<"Bf16", 3, "bf16">]>;

def ReduceEach : Words<"ReduceEach", "how often ranks combine the gradients of a step", [
  Word<"Step", 0, "step">, Word<"MicroBatch", 1, "micro-batch">]>;

//===-- Loss scale ---------------------------------------------------------===//

def ScaleMode : Words<"ScaleMode", "what becomes of the loss scale", [
  Word<"None", 0, "none">, Word<"Static", 1, "static">, Word<"Dynamic", 2, "dynamic">]>;

def HysteresisRefill : Words<"HysteresisRefill", "what restores the hysteresis", [
  Word<"Growth", 0, "growth">, Word<"Clean", 1, "clean">]>;

def OnFloor : Words<"OnFloor", "what to do when the scale cannot shrink", [
  Word<"Hold", 0, "hold">, Word<"Warn", 1, "warn">, Word<"Error", 2, "error">]>;

def ScaleScope : Words<"ScaleScope", "losses that share a scale", [
  Word<"Shared", 0, "shared">, Word<"PerLoss", 1, "per_loss">]>;

//===-- Update -------------------------------------------------------------===//

def SkippedStatistics : Words<"SkippedStatistics", "what a skipped step does to running statistics", [
  Word<"Keep", 0, "keep">, Word<"Update", 1, "update">]>;

def MasterType : Words<"MasterType", "what parameters are between steps", [
  Word<"F32", 0, "f32">, Word<"Bf16", 1, "bf16">, Word<"F16", 2, "f16">,
  Word<"Bf16Kahan", 3, "bf16_kahan">, Word<"Bf16Stochastic", 4, "bf16_stochastic">]>;

def ClipFormula : Words<"ClipFormula", "whose formula of the factor", [
  Word<"Torch", 0, "torch">, Word<"Optax", 1, "optax">, Word<"Megatron", 2, "megatron">]>;

def NormScope : Words<"NormScope", "gradients that share a norm", [
  Word<"Global", 0, "global">, Word<"Group", 1, "group">]>;

def NonfiniteNorm : Words<"NonfiniteNorm", "what to do about a norm that is not finite", [
  Word<"Propagate", 0, "propagate">, Word<"Error", 1, "error">]>;

def ScheduleKind : Words<"ScheduleKind", "how the learning rate follows the steps", [
  Word<"Constant", 0, "constant">, Word<"Linear", 1, "linear">, Word<"Cosine", 2, "cosine">,
  Word<"Step", 3, "step">, Word<"InverseSqrt", 4, "inverse_sqrt">]>;

#endif // MPC_DIALECT_GRAPH_SETTINGS_WORDS_TD
