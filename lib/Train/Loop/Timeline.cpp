#include "Timeline.h"

#include "../Failure.h"

#include "mpc/Program/RecordName.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace mpc;
using namespace mpc::train;
using Json = nlohmann::ordered_json;

Timeline::Timeline(const rt::Program &program, const RecordList &records,
                   const Predictions &predicted)
    : model(program.info().model), entries(program.entries()), records(records),
      predicted(predicted) {}

/// An entry without records has nothing to show, and took no time.
void Timeline::add(uint32_t entry, uint64_t step,
                   std::vector<mpc_record_time> times) {
  if (!times.empty())
    runs.push_back({entry, step, std::move(times)});
}

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
                      double predicted, mpc_record_time time, uint64_t origin) {
  Json event = makeEvent(*record.name ? record.name : record.kind, record.kind,
                         time, origin);
  Json &args = event["args"];
  args["record"] = number;
  if (*record.symbol)
    args["kernel"] = record.symbol;
  auto name = program::RecordName::parse(record.name);
  if (!name.phase.empty())
    args["phase"] = name.phase;
  if (!name.place.empty())
    args["line"] = name.place;
  auto nanoseconds =
      static_cast<double>(std::max<uint64_t>(time.end_ns - time.begin_ns, 1));
  args["bytes_read"] = record.bytes_read;
  args["bytes_written"] = record.bytes_written;
  if (uint64_t bytes = record.bytes_read + record.bytes_written)
    args["gb_per_s"] = static_cast<double>(bytes) / nanoseconds;
  if (record.flops > 0) {
    args["flops"] = record.flops;
    args["gflop_per_s"] = record.flops / nanoseconds;
  }
  if (predicted > 0) {
    args["predicted_us"] = predicted * 1e-3;
    args["ratio"] = nanoseconds / predicted;
  }
  return event;
}

/// How the predictions were made.
static Json describe(const MachineRates &rates) {
  Json facts;
  facts["copy_gb_per_s"] = rates.copy;
  for (auto [type, rate] : rates.product)
    facts[std::string("product_gflop_per_s_") + rt::api().type_name(type)] =
        rate;
  facts["rates"] = rates.describe();
  return facts;
}

void Timeline::write(data::OutputFile file, const MachineRates &rates) const {
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
  uint64_t origin = runs.empty() ? 0 : runs.front().times.front().begin_ns;
  for (const Run &run : runs) {
    events.push_back(makeEvent(
        std::string(entries[run.entry].name) + " " + std::to_string(run.step),
        "run", {run.times.front().begin_ns, run.times.back().end_ns}, origin));
    for (size_t i = 0; i < run.times.size(); ++i)
      events.push_back(makeEvent(records[run.entry][i], i,
                                 predicted[run.entry][i], run.times[i],
                                 origin));
  }
  Json object = {{"displayTimeUnit", "ms"},
                 {"otherData", describe(rates)},
                 {"traceEvents", events}};
  std::string text =
      object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::span<const std::byte> parts[] = {std::as_bytes(std::span(text))};
  requireWritten(data::writeFile(std::move(file), parts));
}
