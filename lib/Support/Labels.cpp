#include "mpc/Support/Labels.h"
#include "mpc/Support/Assert.h"

#include <cstring>

using namespace mpc;

template <typename Int>
static std::optional<BadLabel> findBad(std::span<const std::byte> elements,
                                       const LabelRange &range) {
  auto load = [&](size_t index) {
    Int value;
    std::memcpy(&value, elements.data() + index * sizeof(Int), sizeof(Int));
    return value;
  };
  for (size_t i = 0, count = elements.size() / sizeof(Int); i < count; ++i)
    if (!range.contains(load(i)))
      return BadLabel{i, load(i)};
  return std::nullopt;
}

std::optional<BadLabel> mpc::findBadLabel(std::span<const std::byte> elements,
                                          DType type, const LabelRange &range) {
  MPC_ASSERT(type == DType::I32 || type == DType::I64, "labels are integers");
  return type == DType::I32 ? findBad<int32_t>(elements, range)
                            : findBad<int64_t>(elements, range);
}

std::string mpc::describeBadLabel(const BadLabel &bad,
                                  const LabelRange &range) {
  std::string text = "expected a label, index or length in [0, " +
                     std::to_string(range.classes) + ")";
  if (range.ignored)
    text += ", or " + std::to_string(*range.ignored) + ", which does not count";
  return text + ", but got " + std::to_string(bad.value);
}

std::string mpc::describeBadLabel(const BadLabel &bad, const LabelRange &range,
                                  uint64_t labelsPerSample) {
  std::string text = describeBadLabel(bad, range) + " in sample " +
                     std::to_string(bad.index / labelsPerSample);
  if (labelsPerSample != 1)
    text += ", element " + std::to_string(bad.index % labelsPerSample);
  return text;
}
