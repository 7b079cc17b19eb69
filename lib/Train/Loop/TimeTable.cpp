#include "TimeTable.h"

#include "mpc/Train/Format.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

using namespace mpc;
using namespace mpc::train;

std::string_view mpc::train::lineOf(const mpc_record_info &record) {
  constexpr std::string_view mark = " at ";
  std::string_view name = record.name;
  size_t at = name.rfind(mark);
  return at == std::string_view::npos ? "" : name.substr(at + mark.size());
}

TimeTable::TimeTable(const RecordList &records, bool leavesOutFirst)
    : leavesOutFirst(leavesOutFirst) {
  for (const std::vector<mpc_record_info> &entry : records) {
    places.emplace_back();
    for (const mpc_record_info &record : entry) {
      std::string line(lineOf(record));
      places.back().push_back(
          {&byKind[record.kind], &byLine[line.empty() ? record.name : line],
           static_cast<double>(record.bytes_read + record.bytes_written),
           record.flops});
    }
  }
}

void TimeTable::add(uint32_t entry, std::span<const mpc_record_time> times,
                    bool isNewStep) {
  steps += isNewStep;
  const Place *place = places[entry].data();
  for (const mpc_record_time &time : times) {
    for (Sum *sum : {place->kind, place->line}) {
      sum->nanoseconds += time.end_ns - time.begin_ns;
      ++sum->runs;
      sum->bytes += place->bytes;
      sum->flops += place->flops;
    }
    ++place;
  }
}

/// The first cell of a row, as wide as all of them. Of a long name the end is
/// kept, where the number of the line stands.
static std::string makeCell(const std::string &text) {
  std::string printed = printable(text);
  std::string_view name = printed;
  constexpr size_t width = 28;
  constexpr std::string_view dots = "...";
  auto isInside = [](char c) { return (c & 0xc0) == 0x80; }; // of a character
  auto count = [&](std::string_view text) {
    return text.size() -
           static_cast<size_t>(std::ranges::count_if(text, isInside));
  };
  std::string cell;
  if (count(name) > width) {
    while (count(name) > width - dots.size() || isInside(name.front()))
      name.remove_prefix(1);
    cell = dots;
  }
  cell += name;
  return cell + std::string(width - std::min(width, count(cell)), ' ');
}

template <typename... Values>
static std::string format(const char *how, Values... values) {
  char text[128];
  std::snprintf(text, sizeof text, how, values...);
  return text;
}

std::string TimeTable::describe(const Sums &sums, const char *title) const {
  constexpr size_t most = 20;
  std::vector<std::pair<std::string, Sum>> rows;
  std::ranges::copy_if(sums, std::back_inserter(rows),
                       [](const auto &row) { return row.second.runs > 0; });
  std::ranges::sort(rows, [](const auto &a, const auto &b) {
    return std::pair(b.second.nanoseconds, a.first) <
           std::pair(a.second.nanoseconds, b.first);
  });
  uint64_t all = 0, rest = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    all += rows[i].second.nanoseconds;
    rest += i < most ? 0 : rows[i].second.nanoseconds;
  }
  auto perStep = static_cast<double>(steps);
  auto share = [&](uint64_t part) {
    return all ? 100 * static_cast<double>(part) / static_cast<double>(all) : 0;
  };
  std::string text =
      makeCell(title) + format(" %8s %10s %7s %8s %8s", "records", "ms",
                               "share", "GB/s", "GFLOP/s");
  for (size_t i = 0; i < std::min(most, rows.size()); ++i) {
    const auto &[name, sum] = rows[i];
    auto time = static_cast<double>(std::max<uint64_t>(sum.nanoseconds, 1));
    text += "\n" + makeCell(name.empty() ? "(no name)" : name) +
            format(" %8.0f %10.3f %5.1f %%",
                   static_cast<double>(sum.runs) / perStep,
                   time * 1e-6 / perStep, share(sum.nanoseconds));
    if (sum.bytes > 0 || sum.flops > 0)
      text += format(" %8.1f", sum.bytes / time);
    if (sum.flops > 0)
      text += format(" %8.1f", sum.flops / time);
  }
  if (rows.size() > most)
    text += "\n" + makeCell(std::to_string(rows.size() - most) + " others") +
            format(" %8s %10.3f %5.1f %%", "",
                   static_cast<double>(rest) * 1e-6 / perStep, share(rest));
  return text;
}

std::string TimeTable::describe() const {
  if (steps == 0)
    return "no step was timed";
  std::string title = "times of records, the mean of " + std::to_string(steps) +
                      (steps == 1 ? " step" : " steps") +
                      (leavesOutFirst ? ", the first left out\n" : "\n");
  return title + describe(byKind, "kind") + "\n\n" +
         describe(byLine, "line of the model");
}
