#include "Order.h"

#include <algorithm>
#include <optional>

using namespace mpc;
using namespace mpc::runtime;

/// Whether one writes what the other uses.
static bool conflict(const RecordUse &a, const RecordUse &b) {
  for (const ByteRange &x : a.ranges)
    for (const ByteRange &y : b.ranges)
      if ((x.written || y.written) && x.begin < y.end && y.begin < x.end)
        return true;
  return false;
}

/// The last of `line`, above `floor`, that conflicts with `record`.
static std::optional<uint32_t> findLast(std::span<const RecordUse> records,
                                        const std::vector<uint32_t> &line,
                                        size_t floor, const RecordUse &record) {
  for (size_t i = line.size(); i > floor; --i)
    if (conflict(records[line[i - 1]], record))
      return static_cast<uint32_t>(i - 1);
  return std::nullopt;
}

std::vector<std::vector<uint32_t>>
runtime::orderRecords(std::span<const RecordUse> records) {
  std::vector<std::vector<uint32_t>> after(records.size());
  std::vector<uint32_t> computing, collectives;
  // Collectives that the line of computation has waited for already.
  size_t joined = 0;
  for (uint32_t i = 0; i < records.size(); ++i) {
    const RecordUse &record = records[i];
    if (record.collective) {
      if (auto last = findLast(records, computing, 0, record))
        after[i].push_back(computing[*last]);
      collectives.push_back(i);
      continue;
    }
    if (auto last = findLast(records, collectives, joined, record)) {
      after[i].push_back(collectives[*last]);
      joined = *last + 1;
    }
    if (!computing.empty())
      after[i].push_back(computing.back());
    std::ranges::sort(after[i]);
    computing.push_back(i);
  }
  return after;
}
