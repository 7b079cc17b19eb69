#include "TimeTable.h"

#include "mpc/Program/RecordName.h"
#include "mpc/Train/Format.h"

#include <algorithm>
#include <cstdio>

using namespace mpc;
using namespace mpc::train;
using program::RecordName;

/// The rows of a table that are shown.
static constexpr size_t kMostRows = 20;

/// The row of a record in the table by line: "digits.mlir:36 backward"; of a
/// record without a line its name.
static std::string rowOf(const mpc_record_info &record) {
  RecordName name = RecordName::parse(record.name);
  if (name.place.empty())
    return record.name;
  // "update of 'w'": the line says which.
  std::string_view phase = name.phase.substr(0, name.phase.find(' '));
  return std::string(name.place) + (phase.empty() ? "" : " ") +
         std::string(phase);
}

static bool isCollective(const mpc_record_info &record) {
  return std::string_view(record.kind).starts_with("all_reduce");
}

TimeTable::TimeTable(const RecordList &records, const Predictions &predicted,
                     bool leavesOutFirst, bool isOneRank)
    : leavesOutFirst(leavesOutFirst) {
  for (size_t entry = 0; entry < records.size(); ++entry) {
    places.emplace_back();
    for (size_t i = 0; i < records[entry].size(); ++i) {
      const mpc_record_info &record = records[entry][i];
      places.back().push_back(
          {*record.name ? record.name : record.kind,
           static_cast<double>(record.bytes_read + record.bytes_written),
           record.flops,
           // What others take is no matter of this machine's rates.
           isCollective(record) ? 0 : predicted[entry][i],
           isOneRank && isCollective(record),
           &byKind[record.kind],
           &byLine[rowOf(record)],
           {}});
    }
  }
}

void TimeTable::beginStep() {
  uint64_t slot = steps++ % kMostSteps;
  auto begin = [&](Sum &sum) {
    if (sum.nanoseconds.size() == slot)
      sum.nanoseconds.push_back(0);
    else
      sum.nanoseconds[slot] = 0;
  };
  begin(whole);
  for (Sums *sums : {&byKind, &byLine})
    for (auto &[name, sum] : *sums)
      begin(sum);
  for (std::vector<Place> &entry : places)
    for (Place &place : entry)
      begin(place.own);
}

void TimeTable::add(uint32_t entry, std::span<const mpc_record_time> times,
                    bool isNewStep) {
  if (isNewStep || steps == 0)
    beginStep();
  uint64_t slot = (steps - 1) % kMostSteps;
  Place *place = places[entry].data();
  for (const mpc_record_time &time : times) {
    if (place->isLeftOut) {
      ++place;
      continue;
    }
    for (Sum *sum : {&whole, place->kind, place->line, &place->own}) {
      sum->nanoseconds[slot] +=
          static_cast<double>(time.end_ns - time.begin_ns);
      ++sum->runs;
      sum->bytes += place->bytes;
      sum->flops += place->flops;
      sum->predicted += place->predicted;
    }
    ++place;
  }
}

//===-- Rows --------------------------------------------------------------===//

/// Of one value at least.
static double medianOf(std::vector<double> values) {
  std::ranges::sort(values);
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half]
                           : (values[half - 1] + values[half]) / 2;
}

TimeTable::Row TimeTable::makeRow(const std::string &name,
                                  const Sum &sum) const {
  auto perStep = [&](double all) { return all / static_cast<double>(steps); };
  return {name,
          perStep(static_cast<double>(sum.runs)),
          medianOf(sum.nanoseconds),
          *std::ranges::min_element(sum.nanoseconds),
          perStep(sum.predicted),
          perStep(sum.bytes),
          perStep(sum.flops)};
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

/// Milliseconds that are predicted, and how many times as long it took.
static std::string formatPredicted(double predicted, double median) {
  if (predicted <= 0)
    return format(" %9s %6s", "", "");
  return " " + formatSmall(predicted * 1e-6) +
         format(" %6.2f", median / predicted);
}

static std::string withoutBlanksBehind(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// The most first; what is equal by name.
template <typename Row, typename Key>
static void sortDown(std::vector<Row> &rows, const Key &keyOf) {
  std::ranges::sort(rows, [&](const Row &a, const Row &b) {
    return std::pair(keyOf(b), std::string_view(a.name)) <
           std::pair(keyOf(a), std::string_view(b.name));
  });
}

//===-- Tables ------------------------------------------------------------===//

std::string TimeTable::describe(const Sums &sums, const char *title) const {
  std::vector<Row> rows;
  for (const auto &[name, sum] : sums)
    if (sum.runs > 0)
      rows.push_back(makeRow(name.empty() ? "(no name)" : name, sum));
  sortDown(rows, [](const Row &row) { return row.median; });
  double all = medianOf(whole.nanoseconds), rest = 0;
  auto share = [&](double part) { return all > 0 ? 100 * part / all : 0; };
  std::string text =
      makeCell(title) + format(" %7s %9s %9s %7s %9s %6s %7s %8s", "records",
                               "median ms", "least ms", "share", "predicted",
                               "ratio", "GB/s", "GFLOP/s");
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row &row = rows[i];
    if (i >= kMostRows) {
      rest += row.median;
      continue;
    }
    double time = std::max(row.median, 1.0);
    std::string line = makeCell(row.name) + format(" %7.0f ", row.records) +
                       formatSmall(row.median * 1e-6) + " " +
                       formatSmall(row.least * 1e-6) +
                       format(" %5.1f %%", share(row.median)) +
                       formatPredicted(row.predicted, row.median);
    if (row.bytes > 0 || row.flops > 0)
      line += format(" %7.1f", row.bytes / time);
    if (row.flops > 0)
      line += format(" %8.1f", row.flops / time);
    text += "\n" + withoutBlanksBehind(line);
  }
  if (rows.size() > kMostRows)
    text += "\n" +
            makeCell(std::to_string(rows.size() - kMostRows) + " others") +
            format(" %7s ", "") + formatSmall(rest * 1e-6) +
            format(" %9s %5.1f %%", "", share(rest));
  return text;
}

/// Those where most time is to be gained, if what is predicted can be reached.
std::string TimeTable::describeRecords() const {
  std::vector<Row> rows;
  for (const std::vector<Place> &entry : places)
    for (const Place &place : entry)
      if (place.own.runs > 0 && place.predicted > 0)
        rows.push_back(makeRow(place.name, place.own));
  auto excess = [](const Row &row) { return row.median - row.predicted; };
  std::erase_if(rows, [&](const Row &row) { return excess(row) <= 0; });
  sortDown(rows, excess);
  rows.resize(std::min(rows.size(), kMostRows));
  if (rows.empty())
    return "";
  std::string text = "\n\nfurthest from what is predicted\n" +
                     format("%9s %9s %9s %6s  %s", "median ms", "least ms",
                            "predicted", "ratio", "record");
  for (const Row &row : rows)
    text += "\n" + formatSmall(row.median * 1e-6) + " " +
            formatSmall(row.least * 1e-6) +
            formatPredicted(row.predicted, row.median) + "  " +
            printable(row.name);
  return text;
}

std::string TimeTable::describe(const std::string &rates) const {
  if (steps == 0)
    return "no step was timed";
  std::string which = steps == 1 ? "1 step" : std::to_string(steps) + " steps";
  if (steps > kMostSteps)
    which = "the last " + std::to_string(kMostSteps) + " of " + which;
  else if (leavesOutFirst)
    which += ", the first left out";
  return "times of records in a step, median and least of " + which +
         "\npredicted: bytes as fast as a copy or operations as fast as a "
         "product, what takes longer (" +
         rates + ")\n" + describe(byKind, "kind") + "\n\n" +
         describe(byLine, "line of the model") + describeRecords();
}
