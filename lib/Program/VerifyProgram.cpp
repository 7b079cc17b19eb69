// Semantic checks of the tables: state and collectives here; the others have
// files of their own.
#include "Verifier.h"
#include "mpc/Support/Number.h"
#include "mpc/Support/Ranges.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

using namespace mpc;
using namespace mpc::program;

std::optional<uint64_t>
program::getTensorBytes(ElementType type, std::span<const int64_t> shape) {
  uint64_t bytes = getInfo(static_cast<DType>(type)).bytes;
  for (int64_t dim : shape)
    if (dim < 0 ||
        __builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes) ||
        bytes > kMaxBytes)
      return std::nullopt;
  return bytes;
}

std::string program::formatTensor(ElementType type,
                                  std::span<const int64_t> shape) {
  std::string text;
  for (int64_t dim : shape)
    text += std::to_string(dim) + "x";
  return text + std::string(getInfo(static_cast<DType>(type)).name);
}

std::optional<LabelRange> program::labelRangeOf(const Tensor &input) {
  const Classes *classes = input.classes();
  if (!classes)
    return std::nullopt;
  LabelRange range{classes->count(), std::nullopt};
  if (classes->has_ignored())
    range.ignored = classes->ignored();
  return range;
}

Status Verifier::fail(const std::string &what) const {
  return {StatusCode::InvalidProgram,
          what + "; the file was not written by mpc-compile"};
}

Status Verifier::checkTensor(const std::string &who, ElementType type,
                             const flatbuffers::Vector<int64_t> *shape,
                             uint64_t &bytes) const {
  if (!isKnown(type))
    return fail(who + ": expected an element type, but got number " +
                std::to_string(static_cast<int>(type)));
  std::optional<uint64_t> size = getTensorBytes(type, toSpan(shape));
  if (!size)
    return fail(who + ": shape " + formatTensor(type, toSpan(shape)) +
                " has a negative dim or too many bytes");
  bytes = *size;
  return {};
}

Status Verifier::checkState(const State &state) const {
  std::string who = "state '" + state.name()->str() + "'";
  uint64_t bytes = 0;
  if (Status status = checkTensor(who, state.type(), state.shape(), bytes);
      !status.ok())
    return status;
  if (state.bytes() != bytes)
    return fail(who + ": expected " + std::to_string(bytes) + " bytes for " +
                formatTensor(state.type(), toSpan(state.shape())) +
                ", but got " + std::to_string(state.bytes()));
  if (state.offset() % kAlignment != 0)
    return fail(who +
                ": expected an offset that is a multiple of 256, but "
                "got " +
                std::to_string(state.offset()));
  if (!fits(state.offset(), bytes, program.state_bytes()))
    return fail(who + ": ends beyond the " +
                std::to_string(program.state_bytes()) +
                " bytes of the state block");
  if (!isKnown(state.role()))
    return fail(who + ": unknown role");
  return checkInitialiser(state, who);
}

/// What a session refuses when it is set, a program must not begin with. Older
/// compilers let it pass: an infinite rate, a scale that is 0 in f32.
static Status checkFirstNumber(const State &state, const std::string &who) {
  bool isScale = state.role() == Role::LossScale;
  bool isRate = state.role() == Role::LearningRate;
  if (!(isScale || isRate) || state.type() != ElementType::F32)
    return {};
  InitKind kind = state.init()->kind();
  bool isFixed = kind == InitKind::Zeros || kind == InitKind::Fill;
  double first = kind == InitKind::Fill ? state.init()->a() : 0;
  if (isFixed && (isScale ? isLossScale(first)
                          : isLearningRate(static_cast<float>(first))))
    return {};
  return {StatusCode::InvalidProgram,
          who + ": expected " +
              std::string(isScale ? kLossScaleRange : kLearningRateRange) +
              " at first, but got " +
              (isFixed ? formatNumber(first) : "a random one") +
              "; compile the model again with another"};
}

/// What an integer is filled with is converted from f64, and a counter counts
/// from 0 on.
static Status checkFirstInteger(const State &state, const std::string &who) {
  ElementType type = state.type();
  bool isInteger = type == ElementType::I64 || type == ElementType::I32 ||
                   type == ElementType::I1;
  if (!isInteger || state.init()->kind() != InitKind::Fill)
    return {};
  bool isCount =
      state.role() == Role::StepCounter || state.role() == Role::Counter;
  double end = type == ElementType::I64   ? 0x1p63
               : type == ElementType::I32 ? 0x1p31
                                          : 2;
  double begin = isCount || type == ElementType::I1 ? 0 : -end;
  double first = state.init()->a();
  if (first >= begin && first < end && first == std::trunc(first))
    return {};
  return {StatusCode::InvalidProgram,
          who + ": expected a whole number in [" + formatNumber(begin) + ", " +
              formatNumber(end) + ") at first, but got " + formatNumber(first)};
}

Status Verifier::checkInitialiser(const State &state,
                                  const std::string &who) const {
  if (!state.init() || !isKnown(state.init()->kind()))
    return fail(who + ": expected an initialiser");
  InitKind kind = state.init()->kind();
  bool random = kind == InitKind::Normal || kind == InitKind::Uniform;
  bool real = state.type() <= ElementType::BF16;
  if (random && !real)
    return fail(who +
                ": expected a type of f64, f32, f16 or bf16 for a "
                "random initialiser, but got " +
                formatTensor(state.type(), {}));
  bool eight = state.type() >= ElementType::F8E4M3;
  if (kind == InitKind::Fill && eight)
    return fail(who + ": no fill initialiser for 8-bit floats");
  // Checkpoints leave out what the entry 'init' computes again. All else that a
  // step changes must be in them.
  if (kind == InitKind::Derived && state.role() != Role::WeightCopy)
    return fail(who + ": expected a weight copy where the first value is "
                      "derived, but got another role");
  if (state.role() == Role::Accumulator && kind != InitKind::Zeros)
    return fail(who + ": expected an accumulator to start at zero");
  bool isNumber = !state.shape() || state.shape()->size() == 0;
  if (state.role() == Role::RandomSeed &&
      (kind != InitKind::Zeros || state.type() != ElementType::I32 ||
       !isNumber))
    return fail(who + ": expected a seed to be one number of i32 that starts "
                      "at zero");
  if (Status status = checkFirstInteger(state, who); !status.ok())
    return status;
  return checkFirstNumber(state, who);
}

/// Whether `of` names a parameter; else it names a loss or a parameter group,
/// which the program does not list.
static bool isOfParameter(Role role) {
  switch (role) {
  case Role::Parameter:
  case Role::WeightCopy:
  case Role::Moment:
  case Role::Accumulator:
  case Role::Compensation:
    return true;
  case Role::Scaler:
  case Role::Counter:
  case Role::Hyperparameter:
  case Role::LossScale:
  case Role::StepCounter:
  case Role::LearningRate:
  case Role::RandomSeed:
  case Role::RandomStep:
  case Role::RunningStatistic:
    return false;
  }
  return true;
}

Status Verifier::checkStates() const {
  std::unordered_set<std::string_view> names;
  std::vector<const State *> byOffset;
  for (const State *state : each(program.states())) {
    if (Status status = checkState(*state); !status.ok())
      return status;
    if (!names.insert(state->name()->string_view()).second)
      return fail("state '" + state->name()->str() + "': defined twice");
    if (state->bytes() != 0)
      byOffset.push_back(state);
  }
  for (const State *state : each(program.states()))
    if (state->of() && state->of()->size() && isOfParameter(state->role()) &&
        !names.contains(state->of()->string_view()))
      return fail("state '" + state->name()->str() + "': belongs to '" +
                  state->of()->str() + "', which is no state");
  std::ranges::sort(byOffset, {}, &State::offset);
  for (size_t i = 1; i < byOffset.size(); ++i)
    if (byOffset[i - 1]->offset() + byOffset[i - 1]->bytes() >
        byOffset[i]->offset())
      return fail("states '" + byOffset[i - 1]->name()->str() + "' and '" +
                  byOffset[i]->name()->str() + "' overlap");
  return {};
}

Status Verifier::checkCollectives() const {
  for (const Collective *collective : each(program.collectives())) {
    bool real = collective->type() <= ElementType::BF16;
    bool integer = collective->type() == ElementType::I64 ||
                   collective->type() == ElementType::I32;
    if (!(real || integer) || collective->kind() > ReduceKind::MAX)
      return fail("collective: unknown kind or element type");
    if (toSpan(collective->counts()).size() > UINT16_MAX / 2)
      return fail("collective: too many tensors");
    for (uint64_t count : toSpan(collective->counts()))
      if (count > kMaxBytes / 8)
        return fail("collective: too many elements");
  }
  return {};
}

Status Verifier::checkTables() const {
  if (program.state_bytes() > kMaxBytes || program.arena_bytes() > kMaxBytes)
    return fail("state or arena of more than 2^48 bytes");
  if (Status status = checkStates(); !status.ok())
    return status;
  if (Status status = checkKernels(); !status.ok())
    return status;
  if (Status status = checkCode(); !status.ok())
    return status;
  for (size_t i = 0; i < each(program.calls()).size(); ++i)
    if (Status status = checkCall(*program.calls()->Get(i), i); !status.ok())
      return status;
  for (size_t i = 0; i < each(program.multi_tensors()).size(); ++i)
    if (Status status = checkMultiTensor(*program.multi_tensors()->Get(i), i);
        !status.ok())
      return status;
  return checkCollectives();
}

Status program::verifyProgram(const Program &program) {
  Verifier verifier(program);
  Status status = verifier.checkTables();
  return status.ok() ? verifier.checkEntries() : status;
}
