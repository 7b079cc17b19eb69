// Semantic checks, part 1: state, kernels, matmuls, collectives, code.
#include "Verifier.h"

#include <algorithm>
#include <unordered_set>

using namespace mpc;
using namespace mpc::program;

/// No block is larger than this; sums of two offsets never overflow.
static constexpr uint64_t kMaxBytes = uint64_t(1) << 48;

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
  return {};
}

Status Verifier::checkStates() {
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
    if (state->of() && state->of()->size() &&
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

Status Verifier::checkKernels() const {
  std::unordered_set<std::string_view> symbols;
  for (const Kernel *kernel : each(program.kernels())) {
    std::string who = "kernel '" + kernel->symbol()->str() + "'";
    if (kernel->symbol()->size() == 0 ||
        !symbols.insert(kernel->symbol()->string_view()).second)
      return fail(who + ": expected a symbol of its own");
    uint64_t args = toSpan(kernel->arg_bytes()).size();
    if (kernel->num_results() > args)
      return fail(who + ": expected at most " + std::to_string(args) +
                  " results, but got " + std::to_string(kernel->num_results()));
  }
  bool code = false;
  for (const CodeSection *section : each(program.code())) {
    if (section->format() > CodeFormat::MAX)
      return fail("code section '" + section->target()->str() +
                  "': unknown format");
    code |= section->format() == CodeFormat::ElfSharedObject;
  }
  if (!symbols.empty() && !code)
    return fail("expected a code section with the " +
                std::to_string(symbols.size()) +
                " kernels of the program, but got none");
  return {};
}

/// The result's shape of lhs x rhs after transposes, batch dims broadcast;
/// empty if they do not fit.
static std::vector<int64_t> inferMatmul(std::vector<int64_t> lhs,
                                        std::vector<int64_t> rhs) {
  if (lhs.size() < rhs.size())
    lhs.insert(lhs.begin(), rhs.size() - lhs.size(), 1);
  if (rhs.size() < lhs.size())
    rhs.insert(rhs.begin(), lhs.size() - rhs.size(), 1);
  size_t rank = lhs.size();
  if (lhs[rank - 1] != rhs[rank - 2])
    return {};
  std::vector<int64_t> result(rank);
  for (size_t i = 0; i + 2 < rank; ++i) {
    if (lhs[i] != rhs[i] && lhs[i] != 1 && rhs[i] != 1)
      return {};
    result[i] = lhs[i] == 1 ? rhs[i] : lhs[i];
  }
  result[rank - 2] = lhs[rank - 2];
  result[rank - 1] = rhs[rank - 1];
  return result;
}

static std::vector<int64_t> readShape(const flatbuffers::Vector<int64_t> *shape,
                                      bool transpose) {
  std::span<const int64_t> dims = toSpan(shape);
  std::vector<int64_t> result(dims.begin(), dims.end());
  if (transpose && result.size() >= 2)
    std::swap(result[result.size() - 1], result[result.size() - 2]);
  return result;
}

Status Verifier::checkMatmul(const Matmul &matmul, size_t index) const {
  std::string who = "matmul " + std::to_string(index);
  uint64_t bytes = 0;
  for (auto [type, shape] :
       {std::pair(matmul.lhs_type(), matmul.lhs_shape()),
        std::pair(matmul.rhs_type(), matmul.rhs_shape()),
        std::pair(matmul.result_type(), matmul.result_shape())}) {
    if (Status status = checkTensor(who, type, shape, bytes); !status.ok())
      return status;
    if (toSpan(shape).size() < 2 || bytes == 0)
      return fail(who +
                  ": expected operands of at least two dims, none of "
                  "them 0, but got " +
                  formatTensor(type, toSpan(shape)));
  }
  ElementType operand = matmul.lhs_type(), result = matmul.result_type();
  bool half = operand == ElementType::F16 || operand == ElementType::BF16;
  if (operand != matmul.rhs_type() || operand > ElementType::BF16 ||
      (result != operand && !(half && result == ElementType::F32)))
    return fail(who + ": no product " + formatTensor(operand, {}) + " x " +
                formatTensor(matmul.rhs_type(), {}) + " -> " +
                formatTensor(result, {}));
  std::vector<int64_t> expected =
      inferMatmul(readShape(matmul.lhs_shape(), matmul.transpose_lhs()),
                  readShape(matmul.rhs_shape(), matmul.transpose_rhs()));
  if (expected.empty() || expected != readShape(matmul.result_shape(), false))
    return fail(who + ": " + formatTensor(operand, toSpan(matmul.lhs_shape())) +
                " x " + formatTensor(operand, toSpan(matmul.rhs_shape())) +
                " does not make " +
                formatTensor(result, toSpan(matmul.result_shape())));
  if (matmul.epilogue() > Epilogue::MAX)
    return fail(who + ": unknown epilogue");
  return {};
}

Status Verifier::checkTables() {
  if (program.state_bytes() > kMaxBytes || program.arena_bytes() > kMaxBytes)
    return fail("state or arena of more than 2^48 bytes");
  if (Status status = checkStates(); !status.ok())
    return status;
  if (Status status = checkKernels(); !status.ok())
    return status;
  for (size_t i = 0; i < each(program.matmuls()).size(); ++i)
    if (Status status = checkMatmul(*program.matmuls()->Get(i), i);
        !status.ok())
      return status;
  for (const Collective *collective : each(program.collectives())) {
    bool real = collective->type() <= ElementType::BF16;
    bool integer = collective->type() == ElementType::I64 ||
                   collective->type() == ElementType::I32;
    if (!(real || integer) || collective->kind() > ReduceKind::MAX)
      return fail("collective: unknown kind or element type");
    for (uint64_t count : toSpan(collective->counts()))
      if (count > kMaxBytes / 8)
        return fail("collective: too many elements");
  }
  return {};
}

Status program::verifyProgram(const Program &program) {
  Verifier verifier(program);
  Status status = verifier.checkTables();
  return status.ok() ? verifier.checkEntries() : status;
}
