// Attention as a call: its operands by name.
#ifndef MPC_PROGRAM_CALLS_ATTENTION_H
#define MPC_PROGRAM_CALLS_ATTENTION_H

#include "mpc/Program/Calls.h"

namespace mpc::program {

/// The operands; null where the call has none. Views the call.
struct AttentionCall {
  /// `call` is a verified attention.
  explicit AttentionCall(const Call &call);

  int64_t batch() const { return toSpan(query->shape())[0]; }
  int64_t queries() const { return toSpan(query->shape())[1]; }
  int64_t heads() const { return toSpan(query->shape())[2]; }
  int64_t width() const { return toSpan(query->shape())[3]; }
  int64_t keys() const { return toSpan(key->shape())[1]; }
  int64_t keyHeads() const { return toSpan(key->shape())[2]; }
  int64_t valueWidth() const { return toSpan(value->shape())[3]; }
  /// 0: none, or one that holds all there is.
  int64_t window() const;

  const Attention &options;
  const CallOperand *query, *key, *value, *mask, *result, *logSumExp,
      *cotangent, *queryGradient, *keyGradient, *valueGradient, *randomStep,
      *randomSeed;
};

} // namespace mpc::program

#endif // MPC_PROGRAM_CALLS_ATTENTION_H
