#include "mpc/Program/Calls.h"
#include "Calls/Check.h"
#include "mpc/Support/DType.h"

#include <algorithm>
#include <cctype>

using namespace mpc;
using namespace mpc::program;

const char *program::getName(CallOptions kind) {
  switch (kind) {
#define MPC_CALL_KIND(kind, word)                                              \
  case CallOptions::kind:                                                      \
    return word;
#include "mpc/Program/CallKinds.def"
  case CallOptions::NONE:
    break;
  }
  return "";
}

std::string program::toWord(std::string_view name) {
  std::string word;
  for (char c : name) {
    if (std::isupper(static_cast<unsigned char>(c)) && !word.empty())
      word += '_';
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return word;
}

const char *program::getName(OperandRole role) {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> made;
    for (OperandRole each : EnumValuesOperandRole())
      made.push_back(toWord(EnumNameOperandRole(each)));
    return made;
  }();
  auto number = static_cast<size_t>(role);
  return number < words.size() ? words[number].c_str() : "";
}

std::optional<OperandRole> program::parseRole(std::string_view name) {
  for (OperandRole role : EnumValuesOperandRole())
    if (name == getName(role))
      return role;
  return std::nullopt;
}

std::optional<uint32_t> program::findOperand(const Call &call,
                                             OperandRole role) {
  uint32_t count = call.operands() ? call.operands()->size() : 0;
  for (uint32_t i = 0; i < count; ++i)
    if (call.operands()->Get(i)->role() == role)
      return i;
  return std::nullopt;
}

bool program::mayShareMemory(OperandRole read, OperandRole written) {
  return read == OperandRole::Addend && written == OperandRole::Result;
}

std::optional<uint64_t> program::getReach(ElementType type,
                                          std::span<const int64_t> shape,
                                          std::span<const int64_t> strides) {
  if (shape.size() != strides.size())
    return std::nullopt;
  uint64_t last = 0; // number of the last element
  bool isEmpty = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0 || strides[i] < 0)
      return std::nullopt;
    isEmpty |= shape[i] == 0;
    uint64_t steps = shape[i] ? static_cast<uint64_t>(shape[i]) - 1 : 0, reach;
    if (__builtin_mul_overflow(steps, static_cast<uint64_t>(strides[i]),
                               &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return std::nullopt;
  }
  uint64_t bytes = getInfo(static_cast<DType>(type)).bytes;
  if (isEmpty)
    return 0;
  if (__builtin_add_overflow(last, 1, &last) ||
      __builtin_mul_overflow(last, bytes, &bytes))
    return std::nullopt;
  return bytes;
}

uint64_t program::getReach(const CallOperand &operand) {
  return getReach(operand.type(), toSpan(operand.shape()),
                  toSpan(operand.strides()))
      .value_or(0);
}

namespace {
/// A StridedPlace in bytes, without dims of one element.
struct Bytes {
  explicit Bytes(const StridedPlace &place) : begin(place.begin) {
    isEmpty = std::ranges::count(place.shape, 0) > 0;
    width = getInfo(static_cast<DType>(place.type)).bytes;
    for (size_t dim = 0; dim < place.shape.size(); ++dim)
      if (place.shape[dim] > 1)
        dims.push_back({static_cast<uint64_t>(place.strides[dim]) * width,
                        static_cast<uint64_t>(place.shape[dim]) - 1});
  }

  /// What is used of each `stride` bytes, counted from `base` on; nothing if
  /// that is not the same bytes each time.
  std::optional<std::pair<uint64_t, uint64_t>> within(uint64_t stride,
                                                      uint64_t base) const {
    uint64_t first = begin >= base
                         ? (begin - base) % stride
                         : (stride - (base - begin) % stride) % stride;
    uint64_t end = first + width;
    for (auto [step, steps] : dims)
      if (step < stride)
        end += step * steps;
      else if (step % stride != 0)
        return std::nullopt;
    if (end > stride)
      return std::nullopt;
    return std::pair(first, end);
  }
  uint64_t end() const {
    uint64_t last = begin + width;
    for (auto [step, steps] : dims)
      last += step * steps;
    return last;
  }

  uint64_t begin, width;
  bool isEmpty;
  std::vector<std::pair<uint64_t, uint64_t>> dims; ///< strides, and how often
};
} // namespace

bool program::areApart(const StridedPlace &one, const StridedPlace &other) {
  Bytes a(one), b(other);
  if (a.isEmpty || b.isEmpty || a.end() <= b.begin || b.end() <= a.begin)
    return true;
  auto lieBeside = [&](uint64_t stride, uint64_t base) {
    auto inA = a.within(stride, base), inB = b.within(stride, base);
    return inA && inB &&
           (inA->second <= inB->first || inB->second <= inA->first);
  };
  for (const Bytes *strides : {&a, &b})
    for (auto [stride, _] : strides->dims)
      if (stride && (lieBeside(stride, a.begin) || lieBeside(stride, b.begin)))
        return true;
  return false;
}

std::vector<int64_t> program::getDenseStrides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    if (__builtin_mul_overflow(strides[i], shape[i], &strides[i - 1]))
      strides[i - 1] = INT64_MAX; // of a tensor that only repeats elements
  return strides;
}

bool program::isDense(const CallOperand &operand) {
  std::span<const int64_t> shape = toSpan(operand.shape()),
                           strides = toSpan(operand.strides());
  std::vector<int64_t> dense = getDenseStrides(shape);
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != 1 && strides[i] != dense[i])
      return false;
  return true;
}

std::string program::formatOperand(const CallOperand &operand) {
  std::string text = formatTensor(operand.type(), toSpan(operand.shape()));
  if (isDense(operand))
    return text;
  std::string strides;
  for (int64_t stride : toSpan(operand.strides()))
    strides += (strides.empty() ? "" : ", ") + std::to_string(stride);
  return text + " strides [" + strides + "]";
}
