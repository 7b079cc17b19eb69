// Library calls of a program: what is true of all kinds. What one kind means is
// in Calls/<Kind>.h.
#ifndef MPC_PROGRAM_CALLS_H
#define MPC_PROGRAM_CALLS_H

#include "mpc/Program/Program.h"

namespace mpc::program {

/// The answer of `function` to the options of `call`, in their own type. The
/// call is of a known kind, as all calls of a verified program are.
template <typename Function>
decltype(auto) visitOptions(const Call &call, const Function &function) {
  switch (call.options_type()) {
#define MPC_CALL_KIND(kind, word)                                              \
  case CallOptions::kind:                                                      \
    return function(*call.options_as_##kind());
#include "mpc/Program/CallKinds.def"
  case CallOptions::NONE:
    break;
  }
  __builtin_unreachable();
}

/// "matmul"; "" for a kind that is not known.
const char *getName(CallOptions kind);
/// "lhs", "query_gradient": as in exec dialect and C interface.
const char *getName(OperandRole role);
/// The role of that name.
std::optional<OperandRole> parseRole(std::string_view name);

/// Whether options and operands of a call of a known kind make sense together:
/// all of what a program's call must be but its tail. Messages say what is
/// wrong with the call, not which call it is.
Status verifyCall(const Call &call, bool isForGpu);

/// What a verified call does, and how much of it, for people. A product of
/// [m, k] and [k, n] is "matmul mxkxn", after batch dims and before what is
/// done to the result: "matmul 64x784x10, bias, relu". Attention is
/// "attention <batch>x<heads>x<queries>x<keys>x<width>, causal". A convolution
/// is "convolution 8x3x32x32 to 16x16x16, kernel 3x3", perhaps "convolution,
/// gradient of the weight 8x...".
std::string describe(const Call &call);

/// The number of the operand with that role, which is that of its argument.
std::optional<uint32_t> findOperand(const Call &call, OperandRole role);

/// Whether what a call reads as `read` may be the memory that it writes as
/// `written`, if both lie alike: it is then done with an element before it
/// overwrites it.
bool mayShareMemory(OperandRole read, OperandRole written);

/// Bytes from the argument of a strided tensor to the end of its last element.
/// Nothing if ranks differ, a number is negative, or it overflows.
std::optional<uint64_t> getReach(ElementType type,
                                 std::span<const int64_t> shape,
                                 std::span<const int64_t> strides);
uint64_t getReach(const CallOperand &operand);

/// A strided tensor somewhere in some memory.
struct StridedPlace {
  uint64_t begin; ///< in bytes
  ElementType type;
  std::span<const int64_t> shape, strides;
};
/// Whether no byte of one is one of the other, as far as can be told from bytes
/// that each keeps to between multiples of one stride: that of parts of one
/// tensor always can. Both have a reach that ends within 64 bits.
bool areApart(const StridedPlace &a, const StridedPlace &b);

/// Whether the elements lie in row-major order, without gaps.
bool isDense(const CallOperand &operand);
/// The strides of a dense tensor.
std::vector<int64_t> getDenseStrides(std::span<const int64_t> shape);
/// "64x128xf32", with " strides [1, 64]" if it is not dense.
std::string formatOperand(const CallOperand &operand);

} // namespace mpc::program

#endif // MPC_PROGRAM_CALLS_H
