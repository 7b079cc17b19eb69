#include "RecordTimes.h"

#include "../Failure.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace mpc;
using namespace mpc::train;
using Json = nlohmann::ordered_json;

/// The line of the model that a record is named after, "digits.mlir:36" of
/// "matmul at digits.mlir:36"; of others "".
static std::string_view lineOf(const mpc_record_info &record) {
  constexpr std::string_view mark = " at ";
  std::string_view name = record.name;
  size_t at = name.rfind(mark);
  return at == std::string_view::npos ? "" : name.substr(at + mark.size());
}

RecordTimes::RecordTimes(const TrainOptions &options,
                         const rt::Program &program, rt::Session &session,
                         uint64_t steps)
    : hasTable(options.timings), hasTimeline(!options.timeline.empty()),
      timeline(options.timeline), model(program.info().model),
      entries(program.entries()), session(session),
      firstStep(steps > 1 ? 2 : 1) {
  for (const rt::Entry &entry : entries)
    records.push_back(require(program.records(entry.index)));
  if (rt::Status status = session.timeRecords(true); !status)
    throw badOptions(
        std::string("train: '") + (hasTimeline ? "--timeline" : "--timings") +
        "': " + status.message() + "; '--nvtx' names them for a profiler");
}

void RecordTimes::noteRun(uint32_t entry, uint64_t step) {
  bool isInTimeline =
      hasTimeline && step >= firstStep && step < firstStep + kSteps;
  if (step < firstStep || !(hasTable || isInTimeline))
    return;
  std::vector<mpc_record_time> times = require(session.recordTimes(entry));
  steps += step != lastNoted;
  lastNoted = step;
  for (size_t i = 0; i < times.size(); ++i) {
    const mpc_record_info &record = records[entry][i];
    std::string_view line = lineOf(record);
    for (Sum *sum : {&byKind[record.kind],
                     &byLine[line.empty() ? record.name : std::string(line)]}) {
      sum->nanoseconds += times[i].end_ns - times[i].begin_ns;
      ++sum->runs;
      sum->bytes +=
          static_cast<double>(record.bytes_read + record.bytes_written);
      sum->flops += record.flops;
    }
  }
  if (isInTimeline)
    runs.push_back({entry, step, std::move(times)});
}

//===-- The table ---------------------------------------------------------===//

std::string RecordTimes::describe(const Sums &sums, const char *title) const {
  constexpr size_t most = 20;
  std::vector<std::pair<std::string, Sum>> rows(sums.begin(), sums.end());
  std::ranges::sort(rows, [](const auto &a, const auto &b) {
    return std::pair(b.second.nanoseconds, a.first) <
           std::pair(a.second.nanoseconds, b.first);
  });
  uint64_t all = 0, rest = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    all += rows[i].second.nanoseconds;
    rest += i < most ? 0 : rows[i].second.nanoseconds;
  }
  auto perStep = static_cast<double>(std::max<uint64_t>(steps, 1));
  auto share = [&](uint64_t part) {
    return all ? 100 * static_cast<double>(part) / static_cast<double>(all) : 0;
  };
  char line[512];
  std::snprintf(line, sizeof line, "%-28s %8s %10s %7s %8s %8s", title,
                "records", "ms", "share", "GB/s", "GFLOP/s");
  std::string text = line;
  for (size_t i = 0; i < std::min(most, rows.size()); ++i) {
    const auto &[name, sum] = rows[i];
    auto time = static_cast<double>(std::max<uint64_t>(sum.nanoseconds, 1));
    std::snprintf(line, sizeof line, "\n%-28s %8.0f %10.3f %5.1f %% %8.1f",
                  name.empty() ? "(no name)" : name.c_str(),
                  static_cast<double>(sum.runs) / perStep,
                  time * 1e-6 / perStep, share(sum.nanoseconds),
                  sum.bytes / time);
    text += line;
    if (sum.flops > 0) {
      std::snprintf(line, sizeof line, " %8.1f", sum.flops / time);
      text += line;
    }
  }
  if (rows.size() <= most)
    return text;
  std::snprintf(line, sizeof line, "\n%-28s %8s %10.3f %5.1f %%",
                (std::to_string(rows.size() - most) + " others").c_str(), "",
                static_cast<double>(rest) * 1e-6 / perStep, share(rest));
  return text + line;
}

std::string RecordTimes::table() const {
  if (steps == 0)
    return "no step was timed";
  std::string title = "times of records, the mean of " + std::to_string(steps) +
                      (steps == 1 ? " step" : " steps") +
                      (firstStep > 1 ? ", the first left out\n" : "\n");
  return title + describe(byKind, "kind") + "\n\n" +
         describe(byLine, "line of the model");
}

//===-- The timeline ------------------------------------------------------===//

/// One event of the run's track; times in microseconds from `origin` on.
static Json makeEvent(const std::string &name, const char *category,
                      mpc_record_time time, uint64_t origin) {
  return {{"name", name},
          {"cat", category},
          {"ph", "X"},
          {"ts", static_cast<double>(time.begin_ns - origin) * 1e-3},
          {"dur", static_cast<double>(time.end_ns - time.begin_ns) * 1e-3},
          {"pid", 1},
          {"tid", 1}};
}

static Json makeEvent(const mpc_record_info &record, size_t number,
                      mpc_record_time time, uint64_t origin) {
  Json event = makeEvent(*record.name ? record.name : record.kind, record.kind,
                         time, origin);
  Json &args = event["args"];
  args["record"] = number;
  if (*record.symbol)
    args["kernel"] = record.symbol;
  if (std::string_view line = lineOf(record); !line.empty())
    args["line"] = line;
  auto nanoseconds =
      static_cast<double>(std::max<uint64_t>(time.end_ns - time.begin_ns, 1));
  args["bytes_read"] = record.bytes_read;
  args["bytes_written"] = record.bytes_written;
  args["gb_per_s"] =
      static_cast<double>(record.bytes_read + record.bytes_written) /
      nanoseconds;
  if (record.flops > 0) {
    args["flops"] = record.flops;
    args["gflop_per_s"] = record.flops / nanoseconds;
  }
  return event;
}

void RecordTimes::writeTimeline(data::OutputFile file) const {
  Json events = Json::array();
  events.push_back({{"name", "process_name"},
                    {"ph", "M"},
                    {"pid", 1},
                    {"args", {{"name", "mpc: " + model}}}});
  events.push_back({{"name", "thread_name"},
                    {"ph", "M"},
                    {"pid", 1},
                    {"tid", 1},
                    {"args", {{"name", "records"}}}});
  for (const Run &run : runs) {
    if (run.times.empty())
      continue;
    uint64_t origin = runs.front().times.front().begin_ns;
    events.push_back(makeEvent(
        std::string(entries[run.entry].name) + " " + std::to_string(run.step),
        "run", {run.times.front().begin_ns, run.times.back().end_ns}, origin));
    for (size_t i = 0; i < run.times.size(); ++i)
      events.push_back(
          makeEvent(records[run.entry][i], i, run.times[i], origin));
  }
  Json object = {{"displayTimeUnit", "ms"}, {"traceEvents", events}};
  std::string text =
      object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::span<const std::byte> parts[] = {std::as_bytes(std::span(text))};
  requireWritten(data::writeFile(std::move(file), parts));
}

void RecordTimes::tell(OutputFiles &files, Observer &observer) const {
  if (hasTimeline)
    writeTimeline(files.take(timeline));
  if (hasTable)
    observer.onNote(table());
}
