// What attention is.
#include "mpc/Program/Calls/Attention.h"
#include "../Verifier.h"
#include "Check.h"
#include "mpc/Program/Calls/Limits.h"
#include "mpc/Support/SeenKeys.h"

#include <algorithm>
#include <cmath>

using namespace mpc;
using namespace mpc::program;

static const CallOperand *getOperand(const Call &call, OperandRole role) {
  std::optional<uint32_t> index = findOperand(call, role);
  return index ? call.operands()->Get(*index) : nullptr;
}

AttentionCall::AttentionCall(const Call &call)
    : options(*call.options_as_Attention()),
      query(getOperand(call, OperandRole::Query)),
      key(getOperand(call, OperandRole::Key)),
      value(getOperand(call, OperandRole::Value)),
      mask(getOperand(call, OperandRole::Mask)),
      result(getOperand(call, OperandRole::Result)),
      logSumExp(getOperand(call, OperandRole::LogSumExp)),
      cotangent(getOperand(call, OperandRole::Cotangent)),
      queryGradient(getOperand(call, OperandRole::QueryGradient)),
      keyGradient(getOperand(call, OperandRole::KeyGradient)),
      valueGradient(getOperand(call, OperandRole::ValueGradient)),
      randomStep(getOperand(call, OperandRole::RandomStep)),
      randomSeed(getOperand(call, OperandRole::RandomSeed)) {}

int64_t AttentionCall::window() const {
  return options.window() < std::max(queries(), keys()) ? options.window() : 0;
}

static Status fail(const std::string &what) {
  return {StatusCode::InvalidProgram, what};
}

static bool isAttended(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F16 ||
         type == ElementType::BF16;
}

/// Query, key and value, from which all other shapes follow.
static Status checkTensors(const AttentionCall &call) {
  for (const CallOperand *operand : {call.query, call.key, call.value}) {
    std::span<const int64_t> shape = toSpan(operand->shape());
    bool fits = shape.size() == 4 && !std::ranges::count(shape, 0) &&
                operand->type() == call.query->type() &&
                isAttended(operand->type());
    if (!fits || (shape[3] != 1 && toSpan(operand->strides())[3] != 1))
      return fail(std::string("expected ") + getName(operand->role()) +
                  " of f32, f16 or bf16 like the query, with batch, time, head "
                  "and a dense width, but got " +
                  formatOperand(*operand));
  }
  std::span<const int64_t> query = toSpan(call.query->shape()),
                           key = toSpan(call.key->shape()),
                           value = toSpan(call.value->shape());
  bool fits = query[0] == key[0] && query[3] == key[3] &&
              std::ranges::equal(key.first(3), value.first(3)) &&
              query[2] % key[2] == 0;
  return fits ? Status()
              : fail("expected shapes of attention, but got " +
                     formatOperand(*call.query) + ", " +
                     formatOperand(*call.key) + " and " +
                     formatOperand(*call.value));
}

/// Sums of a query's place and a key's are counted in 32 bits. Bytes do not
/// bound them: keys that lie in one place, by a stride of 0, take none.
static Status checkTimes(const AttentionCall &call) {
  int64_t longest = std::max(call.queries(), call.keys());
  return longest <= kMaxAttentionTimes
             ? Status()
             : fail("expected at most 2^30 queries and keys, but got " +
                    std::to_string(longest));
}

/// Of what a device multiplies.
static Status checkDeviceSizes(const AttentionCall &call) {
  int64_t longest = std::max(call.queries(), call.keys());
  if (longest > kMaxDeviceAttentionTimes)
    return fail("expected at most 2^29 queries and keys on a device, but got " +
                std::to_string(longest));
  for (const CallOperand *operand : {call.query, call.value})
    if (toSpan(operand->shape()).back() > kMaxDeviceAttentionWidth)
      return fail("expected rows of at most " +
                  std::to_string(kMaxDeviceAttentionWidth) +
                  " elements on a device, but got " + formatOperand(*operand));
  return {};
}

/// A tensor like `shape` of `type`; dense, or with a dense last dim. No two
/// elements of what is written are one: that is checked of every call.
static Status checkLike(const CallOperand *operand, ElementType type,
                        std::vector<int64_t> shape, bool mayLieApart) {
  if (!operand)
    return {};
  bool fits = operand->type() == type &&
              std::ranges::equal(toSpan(operand->shape()), shape);
  if (fits && !isDense(*operand))
    fits = mayLieApart &&
           (shape.back() == 1 || toSpan(operand->strides()).back() == 1);
  return fits ? Status()
              : fail(std::string("expected ") + getName(operand->role()) +
                     " to be " + formatTensor(type, shape) + ", but got " +
                     formatOperand(*operand));
}

static Status checkOthers(const AttentionCall &call) {
  ElementType type = call.query->type();
  std::vector<int64_t> result = {call.batch(), call.queries(), call.heads(),
                                 call.valueWidth()};
  auto shapeOf = [](const CallOperand *operand) {
    std::span<const int64_t> shape = toSpan(operand->shape());
    return std::vector<int64_t>(shape.begin(), shape.end());
  };
  for (const Status &status :
       {checkLike(call.result, type, result, true),
        checkLike(call.cotangent, type, result, true),
        checkLike(call.logSumExp, ElementType::F32,
                  {call.batch(), call.heads(), call.queries()}, false),
        checkLike(call.queryGradient, type, shapeOf(call.query), true),
        checkLike(call.keyGradient, type, shapeOf(call.key), true),
        checkLike(call.valueGradient, type, shapeOf(call.value), true)})
    if (!status.ok())
      return status;
  if (!call.mask)
    return {};
  int64_t scores[] = {call.batch(), call.heads(), call.queries(), call.keys()};
  bool fits =
      (call.mask->type() == ElementType::I1 || isAttended(call.mask->type())) &&
      std::ranges::equal(toSpan(call.mask->shape()), scores);
  return fits ? Status()
              : fail("expected a mask of i1, f32, f16 or bf16 for each query "
                     "and key, " +
                     formatTensor(ElementType::I1, scores) + ", but got " +
                     formatOperand(*call.mask));
}

/// What is drawn from, if anything is.
static Status checkRandomKey(const AttentionCall &call) {
  for (const CallOperand *operand : {call.randomStep, call.randomSeed})
    if (operand && (operand->type() != ElementType::I32 ||
                    !toSpan(operand->shape()).empty()))
      return fail(std::string("expected ") + getName(operand->role()) +
                  " to be " + formatTensor(ElementType::I32, {}) +
                  ", but got " + formatOperand(*operand));
  return {};
}

static Status checkNumbers(const Attention &options) {
  // Of 2^16 weights at least one is left out, and one stays.
  double leftOut = std::round(options.dropout() * 0x1p16);
  if (options.dropout() != 0 && !(leftOut >= 1 && leftOut < 0x1p16))
    return fail("expected a dropout of 0, or between 2^-16 and 1 - 2^-16");
  // Scores are of f32.
  auto scale = static_cast<float>(options.scale()),
       softcap = static_cast<float>(options.softcap());
  bool isBound =
      options.softcap() == 0 || (softcap > 0 && std::isfinite(1 / softcap));
  if (options.window() < 0 || !std::isfinite(scale) ||
      !std::isfinite(softcap) || !isBound)
    return fail("expected a window and a softcap of 0 or more, and numbers "
                "that are finite in f32, as is the softcap's reciprocal");
  return {};
}

Status program::checkCall(const Attention &options, const Call &call,
                          bool isForGpu) {
  std::vector<ExpectedOperand> expected = {{OperandRole::Query, true, false},
                                           {OperandRole::Key, true, false},
                                           {OperandRole::Value, true, false},
                                           {OperandRole::Mask, false, false}};
  bool draws = options.dropout() > 0;
  if (draws)
    expected.insert(expected.end(), {{OperandRole::RandomStep, true, false},
                                     {OperandRole::RandomSeed, true, false}});
  if (options.backward())
    expected.insert(expected.end(),
                    {{OperandRole::Result, true, false},
                     {OperandRole::LogSumExp, true, false},
                     {OperandRole::Cotangent, true, false},
                     {OperandRole::QueryGradient, false, true},
                     {OperandRole::KeyGradient, false, true},
                     {OperandRole::ValueGradient, false, true}});
  else
    expected.insert(expected.end(), {{OperandRole::Result, true, true},
                                     {OperandRole::LogSumExp, false, true}});
  if (Status status = checkRoles(call, expected); !status.ok())
    return status;
  AttentionCall attention(call);
  for (auto check : {checkTensors, checkTimes, checkOthers, checkRandomKey})
    if (Status status = check(attention); !status.ok())
      return status;
  if (Status status = isForGpu ? checkDeviceSizes(attention) : Status();
      !status.ok())
    return status;
  return checkNumbers(options);
}

/// Forward scores and means of values; backward the scores again, and the
/// gradients of weights, values, keys and queries.
double program::countFlops(const Attention &options, const Call &call) {
  AttentionCall attention(call);
  auto width = static_cast<double>(attention.width()),
       valueWidth = static_cast<double>(attention.valueWidth());
  double ofPair =
      options.backward() ? 3 * width + 2 * valueWidth : width + valueWidth;
  auto heads = static_cast<double>(attention.batch() * attention.heads());
  return 2 * ofPair * heads *
         countSeenPairs(attention.queries(), attention.keys(), options.causal(),
                        attention.window());
}
