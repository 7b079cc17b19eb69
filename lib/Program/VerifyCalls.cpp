// Semantic checks of library calls of any kind: that operands are tensors, and
// that the tail fits. What one kind asks for besides is in Calls/.
#include "Calls/Check.h"
#include "Verifier.h"

#include <algorithm>
#include <numeric>

using namespace mpc;
using namespace mpc::program;

static constexpr int kCallKinds = 0
#define MPC_CALL_KIND(kind, word) +1
#include "mpc/Program/CallKinds.def"
    ;
static_assert(static_cast<int>(CallOptions::MAX) == kCallKinds,
              "a kind of CallOptions is missing in CallKinds.def");

Status program::checkRoles(const Call &call,
                           std::span<const ExpectedOperand> expected) {
  auto fail = [](const std::string &what) -> Status {
    return {StatusCode::InvalidProgram, what};
  };
  for (const ExpectedOperand &one : expected)
    if (one.isRequired && !findOperand(call, one.role))
      return fail(std::string("expected an operand ") + getName(one.role));
  for (const CallOperand *operand : each(call.operands())) {
    auto known =
        std::ranges::find(expected, operand->role(), &ExpectedOperand::role);
    if (known == expected.end())
      return fail(std::string("takes no operand ") + getName(operand->role()));
    if (known->isWritten != operand->written())
      return fail(std::string("expected ") + getName(operand->role()) +
                  " to be " + (known->isWritten ? "written" : "read"));
  }
  return {};
}

/// No two elements of a tensor that is written are one. Its reach is known to
/// be a number of bytes.
static bool hasOverlap(const CallOperand &operand) {
  std::span<const int64_t> shape = toSpan(operand.shape()),
                           strides = toSpan(operand.strides());
  if (std::ranges::count(shape, 0))
    return false;
  std::vector<size_t> byStride(shape.size());
  std::iota(byStride.begin(), byStride.end(), size_t(0));
  std::ranges::sort(byStride, {}, [&](size_t dim) { return strides[dim]; });
  int64_t reach = 1; // elements up to the end of what the dims so far cover
  for (size_t dim : byStride) {
    if (shape[dim] <= 1)
      continue;
    if (strides[dim] < reach)
      return true;
    reach += (shape[dim] - 1) * strides[dim];
  }
  return false;
}

static Status checkOperand(const CallOperand &operand) {
  auto fail = [&](const std::string &what) -> Status {
    return {StatusCode::InvalidProgram,
            std::string("operand ") + getName(operand.role()) + ": " + what};
  };
  if (!isKnown(operand.role()))
    return fail("unknown role");
  if (!isKnown(operand.type()))
    return fail("expected an element type, but got number " +
                std::to_string(static_cast<int>(operand.type())));
  std::optional<uint64_t> reach = getReach(
      operand.type(), toSpan(operand.shape()), toSpan(operand.strides()));
  if (!reach || *reach > kMaxBytes)
    return fail("expected a stride of 0 or more for each dim of " +
                formatTensor(operand.type(), toSpan(operand.shape())) +
                " and at most 2^48 bytes");
  if (operand.written() && hasOverlap(operand))
    return fail("writes elements of " + formatOperand(operand) +
                " that are one");
  return {};
}

Status program::verifyCall(const Call &call, bool isForGpu) {
  uint32_t seen = 0; // roles
  for (const CallOperand *operand : each(call.operands())) {
    if (Status status = checkOperand(*operand); !status.ok())
      return status;
    uint32_t role = uint32_t(1) << static_cast<unsigned>(operand->role());
    if (seen & role)
      return {StatusCode::InvalidProgram, std::string("operand ") +
                                              getName(operand->role()) +
                                              ": is there twice"};
    seen |= role;
  }
  return visitOptions(call, [&](const auto &options) {
    return checkCall(options, call, isForGpu);
  });
}

/// The tail reads and writes what the call does anyway.
Status Verifier::checkTail(const Call &call, const std::string &who) const {
  if (call.tail_kernel() == kNoKernel)
    return {};
  if (!isForGpu())
    return fail(who + ": a tail needs target 'cuda'");
  size_t kernels = each(program.kernels()).size();
  if (call.tail_kernel() >= kernels)
    return fail(who + ": its tail is kernel " +
                std::to_string(call.tail_kernel()) + " of " +
                std::to_string(kernels));
  const Kernel &kernel = *program.kernels()->Get(call.tail_kernel());
  std::span<const uint64_t> reach = toSpan(kernel.arg_bytes());
  std::span<const uint8_t> args = toSpan(call.tail_args());
  if (reach.empty()) // of version 1, say
    return fail(who + ": expected its tail, kernel '" + kernel.symbol()->str() +
                "', to say what it takes, but it has no arg_bytes");
  if (args.size() != reach.size())
    return fail(who + ": expected " + std::to_string(reach.size()) +
                " arguments for its tail, but got " +
                std::to_string(args.size()));
  for (size_t i = 0; i < args.size(); ++i) {
    std::string which =
        who + ", argument " + std::to_string(i) + " of its tail";
    if (args[i] >= call.operands()->size())
      return fail(which + ": is operand " + std::to_string(args[i]) + " of " +
                  std::to_string(call.operands()->size()));
    const CallOperand &operand = *call.operands()->Get(args[i]);
    if (reach[i] > getReach(operand))
      return fail(which + ": needs " + std::to_string(reach[i]) +
                  " bytes, but there are " + std::to_string(getReach(operand)));
    if (i + kernel.num_results() >= args.size() && !operand.written())
      return fail(which + ": writes what the call only reads");
  }
  return {};
}

Status Verifier::checkCall(const Call &call, size_t index) const {
  std::string who = "call " + std::to_string(index);
  if (call.options_type() == CallOptions::NONE || !isKnown(call.options_type()))
    return fail(who + ": unknown kind");
  who += std::string(" (") + getName(call.options_type()) + ")";
  Status status = verifyCall(call, isForGpu());
  std::string what = who + ": " + status.message();
  if (status.code() == StatusCode::VersionTooOld)
    return {status.code(), what};
  return status.ok() ? checkTail(call, who) : fail(what);
}

Status Verifier::checkApart(const Entry &entry, const Record &record,
                            const std::string &who) const {
  const auto &operands = *program.calls()->Get(record.target())->operands();
  auto argOf = [&](uint32_t i) {
    return entry.args()->Get(record.first_arg() + i);
  };
  auto placeOf = [&](uint32_t i) {
    const CallOperand &operand = *operands.Get(i);
    return StridedPlace{argOf(i)->offset(), operand.type(),
                        toSpan(operand.shape()), toSpan(operand.strides())};
  };
  auto areOne = [&](uint32_t read, uint32_t written) {
    return mayShareMemory(operands.Get(read)->role(),
                          operands.Get(written)->role()) &&
           argOf(read)->offset() == argOf(written)->offset() &&
           isDense(*operands.Get(read)) && isDense(*operands.Get(written));
  };
  for (uint32_t i = 0; i < operands.size(); ++i)
    for (uint32_t j = 0; j < i; ++j) {
      bool isWritten = operands.Get(i)->written() || operands.Get(j)->written();
      if (!isWritten || argOf(i)->space() != argOf(j)->space() ||
          areOne(i, j) || areOne(j, i) || areApart(placeOf(i), placeOf(j)))
        continue;
      return fail(who +
                  ": expected what it writes to lie apart from what else "
                  "it uses, but " +
                  getName(operands.Get(j)->role()) + " and " +
                  getName(operands.Get(i)->role()) + " overlap");
    }
  return {};
}
