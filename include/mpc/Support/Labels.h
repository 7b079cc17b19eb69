// Labels: integers that name classes. Known to both wings: the compiler finds
// out how many classes there are, the runtime and the readers of data check.
#ifndef MPC_SUPPORT_LABELS_H
#define MPC_SUPPORT_LABELS_H

#include "mpc/Support/DType.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace mpc {

/// A label is in [0, classes), or `ignored` if there is one that does not
/// count.
struct LabelRange {
  int64_t classes;
  std::optional<int64_t> ignored;

  bool contains(int64_t label) const {
    return (label >= 0 && label < classes) || label == ignored;
  }
  bool operator==(const LabelRange &) const = default;
};

struct BadLabel {
  uint64_t index; ///< Of the element.
  int64_t value;
};

/// The first of the i32 or i64 elements that is no label; they need not be
/// aligned.
std::optional<BadLabel> findBadLabel(std::span<const std::byte> elements,
                                     DType type, const LabelRange &range);

/// "expected a label, index or length in [0, 10), or -100, which does not
/// count, but got 11".
std::string describeBadLabel(const BadLabel &bad, const LabelRange &range);
/// The same, and " in sample 37"; a sample has `labelsPerSample` elements, and
/// where that is not one the message says which.
std::string describeBadLabel(const BadLabel &bad, const LabelRange &range,
                             uint64_t labelsPerSample);

} // namespace mpc

#endif // MPC_SUPPORT_LABELS_H
