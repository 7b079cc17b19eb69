#include "OldFiles.h"
#include "Verifier.h"
#include "mpc/Program/Calls.h"

#include <cstring>

using namespace mpc;
using namespace mpc::program;

//===-- Version 3: products were no calls ---------------------------------===//

using Dims = std::vector<int64_t>;

static std::unique_ptr<CallOperandT> makeOperand(OperandRole role,
                                                 ElementType type, Dims shape,
                                                 bool isWritten = false) {
  auto operand = std::make_unique<CallOperandT>();
  operand->role = role;
  operand->type = type;
  operand->strides = getDenseStrides(shape);
  operand->shape = std::move(shape);
  operand->written = isWritten;
  return operand;
}

/// A stored matrix as it is read: the last two dims swapped if `isTransposed`,
/// and the batch dims of the result, those that broadcast with stride 0.
static std::unique_ptr<CallOperandT>
makeMatrix(OperandRole role, ElementType type, const Dims &stored,
           bool isTransposed, const Dims &result) {
  std::unique_ptr<CallOperandT> matrix = makeOperand(role, type, stored);
  Dims &shape = matrix->shape, &strides = matrix->strides;
  if (isTransposed) {
    std::swap(shape.end()[-1], shape.end()[-2]);
    std::swap(strides.end()[-1], strides.end()[-2]);
  }
  if (shape.size() < result.size()) {
    shape.insert(shape.begin(), result.size() - shape.size(), 1);
    strides.insert(strides.begin(), result.size() - strides.size(), 0);
  }
  for (size_t i = 0; i + 2 < result.size() && i + 2 < shape.size(); ++i)
    if (shape[i] == 1) {
      shape[i] = result[i];
      strides[i] = 0;
    }
  return matrix;
}

static CallT makeCall(const OldMatmulT &old) {
  CallT call;
  MatmulT options;
  options.epilogue = old.epilogue;
  options.derivative = old.derivative;
  options.bias_gradient = old.bias_gradient;
  options.accumulate = old.accumulate;
  call.options.Set(options);
  call.tail_kernel = old.tail_kernel;
  call.tail_args = old.tail_args;

  const Dims &shape = old.result_shape;
  ElementType type = old.result_type;
  auto add = [&](std::unique_ptr<CallOperandT> operand) {
    call.operands.push_back(std::move(operand));
  };
  add(makeMatrix(OperandRole::Lhs, old.lhs_type, old.lhs_shape,
                 old.transpose_lhs, shape));
  add(makeMatrix(OperandRole::Rhs, old.rhs_type, old.rhs_shape,
                 old.transpose_rhs, shape));
  add(makeOperand(OperandRole::Result, type, shape, true));
  if (old.has_bias)
    add(makeOperand(OperandRole::Bias, type, {shape.back()}));
  if (old.has_aux)
    add(makeOperand(OperandRole::Aux, type, shape, !old.derivative));
  if (old.has_scales) {
    add(makeOperand(OperandRole::LhsScale, ElementType::F32, {}));
    add(makeOperand(OperandRole::RhsScale, ElementType::F32, {}));
  }
  return call;
}

/// Many products may be one table of a small file: it must not ask for much
/// memory, nor for more than a FlatBuffer can hold. One product makes less than
/// 1 KB, and a model has some thousands.
static constexpr uint32_t kMostCallBytes = uint32_t(1) << 28;

/// For the same reason.
static bool isSmall(const flatbuffers::Vector<int64_t> *shape) {
  constexpr size_t fewest = 2, most = 64;
  size_t rank = toSpan(shape).size();
  return fewest <= rank && rank <= most;
}

Result<std::vector<uint8_t>> program::makeCalls(const Program &program) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<Call>> calls;
  for (const OldMatmul *old : each(program.old_matmuls())) {
    auto fail = [&](const char *what) -> Status {
      return {StatusCode::Corrupt,
              "expected matmul " + std::to_string(calls.size()) + " to have " +
                  what + "; compile the model again"};
    };
    if (!isSmall(old->lhs_shape()) || !isSmall(old->rhs_shape()) ||
        !isSmall(old->result_shape()))
      return fail("operands of 2 to 64 dims");
    if (toSpan(old->tail_args()).size() > UINT8_MAX)
      return fail("at most 255 arguments of a tail");
    OldMatmulT unpacked;
    old->UnPackTo(&unpacked);
    CallT call = makeCall(unpacked);
    calls.push_back(Call::Pack(builder, &call));
    if (builder.GetSize() > kMostCallBytes)
      return Status(StatusCode::Corrupt,
                    "expected matmuls that make at most " +
                        std::to_string(kMostCallBytes) +
                        " bytes of calls; compile the model again");
  }
  if (calls.empty())
    return std::vector<uint8_t>();
  auto list = builder.CreateVector(calls);
  builder.Finish(flatbuffers::Offset<flatbuffers::Table>(list.o));
  const uint8_t *bytes = builder.GetBufferPointer();
  return std::vector<uint8_t>(bytes, bytes + builder.GetSize());
}

void program::replaceProducts(Program &program, uint8_t *calls,
                              uint8_t *vtable) {
  auto *table = reinterpret_cast<uint8_t *>(&program);
  using Description = std::array<flatbuffers::voffset_t,
                                 kVtableBytes / sizeof(flatbuffers::voffset_t)>;
  const uint8_t *before =
      reinterpret_cast<flatbuffers::Table &>(program).GetVTable();
  Description fields = {};
  std::memcpy(fields.data(), before,
              std::min<uint64_t>(
                  kVtableBytes,
                  flatbuffers::ReadScalar<flatbuffers::voffset_t>(before)));
  constexpr size_t old = Program::VT_OLD_MATMULS / sizeof(fields[0]),
                   now = Program::VT_CALLS / sizeof(fields[0]);
  uint8_t *place = table + fields[old];
  fields[0] = kVtableBytes;
  fields[now] = fields[old];
  fields[old] = 0;
  std::memcpy(vtable, fields.data(), kVtableBytes);
  flatbuffers::WriteScalar(table,
                           static_cast<flatbuffers::soffset_t>(table - vtable));
  const uint8_t *list =
      calls + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(calls);
  flatbuffers::WriteScalar(place,
                           static_cast<flatbuffers::uoffset_t>(list - place));
}

//===-- Version 2: names of states told what roles and owners do now ------===//

namespace {

struct Meaning {
  Role role;
  std::string_view owner; ///< "": `of` says it.
};

} // namespace

/// What the name of a state said before version 3.
static Meaning readName(const State &state) {
  std::string_view name = state.name()->string_view();
  size_t dot = name.rfind('.');
  std::string_view front = name.substr(0, dot == name.npos ? 0 : dot);
  std::string_view last = name.substr(dot == name.npos ? 0 : dot + 1);
  constexpr std::string_view scaler = "scaler.";
  switch (state.role()) {
  case Role::Scaler: // "scaler.scale", "scaler.<loss>.scale"
    return {state.type() == ElementType::F32 ? Role::LossScale : Role::Scaler,
            front.starts_with(scaler) ? front.substr(scaler.size()) : ""};
  case Role::Counter: // "step", "<group>.step"
    if (last == "step")
      return {Role::StepCounter, front};
    break;
  case Role::Hyperparameter: // "optimizer.lr", "<group>.lr"
    if (last == "lr")
      return {Role::LearningRate, front == "optimizer" ? "" : front};
    break;
  default:
    break;
  }
  return {state.role(), ""};
}

/// Only for a role that is not Parameter, which may be left out.
static uint8_t *findRole(State &state) {
  auto &table = reinterpret_cast<flatbuffers::Table &>(state);
  return table.GetAddressOf(State::VT_ROLE);
}

std::vector<std::string> program::upgradeStates(Program &program) {
  std::vector<std::string> owners;
  // All are found before one is changed, which may be part of the way to the
  // next.
  std::vector<std::pair<uint8_t *, Role>> roles;
  auto *states = program.mutable_states();
  for (uint32_t i = 0; states && i < states->size(); ++i) {
    State &state = *states->GetMutableObject(i);
    Meaning meaning = readName(state);
    if (meaning.role != state.role())
      roles.emplace_back(findRole(state), meaning.role);
    // Longer names are no compiler's, and many may lie in one another.
    constexpr size_t longest = 1024;
    owners.emplace_back(meaning.owner.size() <= longest ? meaning.owner : "");
  }
  for (auto [place, role] : roles)
    *place = static_cast<uint8_t>(role);
  return owners;
}
