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
  // Another rank may have begun before this one.
  auto after = static_cast<int64_t>(time.begin_ns - origin);
  return {{"name", name},
          {"cat", category},
          {"ph", "X"},
          {"ts", static_cast<double>(after) * 1e-3},
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

static Json makeName(uint32_t track, const std::string &name) {
  return {{"name", "thread_name"},
          {"ph", "M"},
          {"pid", 1},
          {"tid", track},
          {"args", {{"name", name}}}};
}

/// The buckets of a rank in a step, on its track.
static void addBuckets(Json &events, uint32_t track, const StepTimes &step,
                       uint64_t origin) {
  for (size_t i = 0; i < step.buckets.size(); ++i) {
    const BucketTime &bucket = step.buckets[i];
    Json event = makeEvent("bucket " + std::to_string(i + 1), "all_reduce",
                           {bucket.begun, bucket.done}, origin);
    event["tid"] = track;
    auto nanoseconds =
        static_cast<double>(std::max<uint64_t>(bucket.done - bucket.begun, 1));
    event["args"] = {
        {"step", step.step},
        {"bytes", bucket.bytes},
        {"waited_us", static_cast<double>(bucket.begun - bucket.ready) * 1e-3},
        {"exposed_us", static_cast<double>(bucket.exposed) * 1e-3},
        {"gb_per_s", static_cast<double>(bucket.bytes) / nanoseconds}};
    events.push_back(std::move(event));
  }
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

void Timeline::write(data::OutputFile file, const MachineRates &rates,
                     const RanksTimes &ranks) const {
  Json events = Json::array();
  events.push_back({{"name", "process_name"},
                    {"ph", "M"},
                    {"pid", 1},
                    {"args", {{"name", "mpc: " + model}}}});
  events.push_back(makeName(1, "records"));
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
  for (uint32_t rank = 0; rank < ranks.size(); ++rank) {
    events.push_back(
        makeName(2 + rank, "all-reduces of rank " + std::to_string(rank)));
    for (const StepTimes &step : ranks[rank])
      if (!runs.empty() && step.step >= runs.front().step &&
          step.step <= runs.back().step)
        addBuckets(events, 2 + rank, step, origin);
  }
  Json object = {{"displayTimeUnit", "ms"},
                 {"otherData", describe(rates)},
                 {"traceEvents", events}};
  std::string text =
      object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::span<const std::byte> parts[] = {std::as_bytes(std::span(text))};
  requireWritten(data::writeFile(std::move(file), parts));
}
