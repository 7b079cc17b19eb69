#include "KeptOperands.h"
#include "mpc/Program/Operands.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::Arg;
using mpc::program::Record;
using mpc::program::RecordKind;

namespace {
/// Memory that a record reaches.
struct Range {
  Arg start;
  uint64_t bytes;

  bool meets(const Range &other) const {
    return start.space() == other.start.space() &&
           start.index() == other.start.index() &&
           start.offset() < other.start.offset() + other.bytes &&
           other.start.offset() < start.offset() + bytes;
  }
};

/// Records that run one call with one operand, which nothing writes between.
struct Series {
  uint32_t call;
  Range operand;
  std::vector<uint32_t> records;
  uint64_t keptBytes = 0, offset = 0;
};

class Planner {
public:
  Planner(const program::Program &program, const program::Entry &entry,
          std::span<const std::unique_ptr<HostCall>> calls)
      : program(program), entry(entry), calls(calls) {}

  KeptPlan plan() {
    uint32_t count = entry.records() ? entry.records()->size() : 0;
    for (uint32_t i = 0; i < count; ++i)
      visit(*entry.records()->Get(i), i);
    while (!open.empty())
      close(open.begin());
    place();
    return list();
  }

private:
  void visit(const Record &record, uint32_t number);
  void continueSeries(const Record &record, uint32_t number, uint32_t operand,
                      uint64_t bytes);
  void close(std::vector<Series>::iterator series);
  void place();
  KeptPlan list() const;

  const program::Program &program;
  const program::Entry &entry;
  std::span<const std::unique_ptr<HostCall>> calls;
  std::vector<Series> open, closed; ///< The latter by their first records.
};
} // namespace

/// Making it takes what one to six runs gain.
static constexpr size_t kLeastRuns = 6;

void Planner::visit(const Record &record, uint32_t number) {
  std::vector<program::Operand> operands =
      program::getOperands(program, record);
  if (record.kind() == RecordKind::Call)
    if (auto kept = calls[record.target()]->keptOperand())
      continueSeries(record, number, *kept, operands[*kept].bytes);
  for (uint32_t i = 0; i < record.num_args(); ++i) {
    // A kernel of a program of version 1 does not tell what it writes: all.
    bool isKnown = i < operands.size();
    if (isKnown && !operands[i].written)
      continue;
    const Arg &arg = *entry.args()->Get(record.first_arg() + i);
    for (size_t other = open.size(); other-- > 0;)
      if (!isKnown || open[other].operand.meets({arg, operands[i].bytes}))
        close(open.begin() + static_cast<ptrdiff_t>(other));
  }
}

void Planner::continueSeries(const Record &record, uint32_t number,
                             uint32_t operand, uint64_t bytes) {
  const Arg &arg = *entry.args()->Get(record.first_arg() + operand);
  auto found = std::ranges::find_if(open, [&](const Series &series) {
    const Arg &start = series.operand.start;
    return series.call == record.target() && start.space() == arg.space() &&
           start.index() == arg.index() && start.offset() == arg.offset();
  });
  if (found != open.end())
    return found->records.push_back(number);
  open.push_back({record.target(), {arg, bytes}, {number}});
}

void Planner::close(std::vector<Series>::iterator series) {
  if (series->records.size() >= kLeastRuns)
    series->keptBytes = calls[series->call]->prepareKept();
  if (series->keptBytes)
    closed.insert(std::ranges::find_if(closed,
                                       [&](const Series &other) {
                                         return other.records[0] >
                                                series->records[0];
                                       }),
                  std::move(*series));
  open.erase(series);
}

/// Each at the first place that is free from its first record to its last.
void Planner::place() {
  std::vector<const Series *> live; // by offset
  for (Series &series : closed) {
    std::erase_if(live, [&](const Series *other) {
      return other->records.back() < series.records[0];
    });
    auto next = live.begin();
    for (; next != live.end(); ++next) {
      if (series.offset + series.keptBytes <= (*next)->offset)
        break;
      series.offset = (*next)->offset + (*next)->keptBytes;
    }
    live.insert(next, &series);
  }
}

KeptPlan Planner::list() const {
  KeptPlan plan;
  for (const Series &series : closed) {
    plan.bytes = std::max(plan.bytes, series.offset + series.keptBytes);
    for (uint32_t record : series.records)
      plan.uses.push_back(
          {record, series.offset, record == series.records.front()});
  }
  std::ranges::sort(plan.uses, {}, &KeptUse::record);
  return plan;
}

KeptPlan
runtime::planKeptOperands(const program::Program &program,
                          const program::Entry &entry,
                          std::span<const std::unique_ptr<HostCall>> calls) {
  return Planner(program, entry, calls).plan();
}
