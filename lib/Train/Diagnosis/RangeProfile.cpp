#include "RangeProfile.h"

#include <algorithm>
#include <cstdio>

using namespace mpc;
using namespace mpc::train;
using Json = nlohmann::ordered_json;

void RangeProfile::add(const std::vector<ObservedValue> &values) {
  if (totals.empty())
    totals = values;
  else
    for (size_t i = 0; i < values.size(); ++i)
      totals[i].seen.merge(values[i].seen);
}

/// The part of the elements, infinities among them: an infinity is one in
/// every format.
static double overflowShare(const Observation &seen, size_t format) {
  return (seen.overflow[format] + seen.infinite) / seen.elements;
}
static double flushShare(const Observation &seen, size_t format) {
  return seen.flush[format] / seen.elements;
}

static Json describeFormats(const Observation &seen) {
  Json formats;
  for (size_t i = 0; i < kObservedFormats.size(); ++i)
    formats[std::string(getInfo(kObservedFormats[i]).name)] = {
        {"overflow", overflowShare(seen, i)}, {"flush", flushShare(seen, i)}};
  return formats;
}

/// {"exponent": count}, without empty bins.
static Json describeExponents(const Observation &seen) {
  Json bins = Json::object();
  for (size_t i = 0; i < kNumExponents; ++i)
    if (seen.exponents[i] > 0)
      bins[std::to_string(static_cast<int>(i) + kLowestExponent)] =
          static_cast<uint64_t>(seen.exponents[i]);
  return bins;
}

static Json describeValue(const ObservedValue &value) {
  const Observation &seen = value.seen;
  auto count = [](double number) { return static_cast<uint64_t>(number); };
  Json json;
  json["name"] = value.facts->name;
  json["op"] = value.facts->what;
  json["location"] = value.facts->location;
  json["type"] = getInfo(value.facts->type).name;
  json["shape"] = value.facts->shape;
  json["backward"] = value.facts->isBackward;
  json["elements"] = count(seen.elements);
  json["inf"] = count(seen.infinite);
  json["nan"] = count(seen.nan);
  json["zeros"] = count(seen.zeros);
  json["largest"] = seen.largest;
  json["smallest"] = seen.smallest;
  json["formats"] = describeFormats(seen);
  json["exponents"] = describeExponents(seen);
  return json;
}

Json RangeProfile::toJson(const std::string &model, uint64_t numSteps) const {
  Json json;
  json["version"] = kVersion;
  json["model"] = model;
  json["steps"] = numSteps;
  json["loss_scale"] = lossScale ? Json(*lossScale) : Json(nullptr);
  json["values"] = Json::array();
  for (const ObservedValue &value : totals)
    json["values"].push_back(describeValue(value));
  return json;
}

/// Worse is larger: what f16 loses, infinities first.
static double badness(const Observation &seen) {
  constexpr double overflowWeight = 1e6;
  return overflowShare(seen, 0) * overflowWeight + flushShare(seen, 0);
}

std::string RangeProfile::describeWorst(size_t count) const {
  std::vector<const ObservedValue *> worst;
  for (const ObservedValue &value : totals)
    if (!value.facts->shape.empty()) // scales and losses have f32 anyway
      worst.push_back(&value);
  std::ranges::sort(worst, {}, [](const ObservedValue *value) {
    return std::pair(-badness(value->seen), value);
  });
  worst.resize(std::min(count, worst.size()));
  std::string text = "  largest   smallest  overflow %: f16   bf16  flush %: "
                     "f16   bf16  value\n";
  char line[128];
  for (const ObservedValue *value : worst) {
    const Observation &seen = value->seen;
    std::snprintf(line, sizeof(line),
                  "  %-9.3g %-9.3g %15.4g %6.4g %12.4g %6.4g  ", seen.largest,
                  seen.smallest, 100 * overflowShare(seen, 0),
                  100 * overflowShare(seen, 1), 100 * flushShare(seen, 0),
                  100 * flushShare(seen, 1));
    text += line + value->facts->name + "\n";
  }
  return text;
}
