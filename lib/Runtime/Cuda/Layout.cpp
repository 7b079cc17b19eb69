#include "Layout.h"

#include <algorithm>

using namespace mpc;
using namespace mpc::runtime;
using program::Space;

/// Two small outputs with less than this between them are fetched together:
/// bytes cost less than a copy of their own.
static constexpr uint64_t kGap = 4096;

static uint64_t align(uint64_t bytes) {
  return (bytes + program::kAlignment - 1) / program::kAlignment *
         program::kAlignment;
}

/// Puts a region after what is planned so far.
static Region append(uint64_t &end, uint64_t bytes) {
  Region region = {end, bytes};
  end += align(bytes);
  return region;
}

static uint64_t tensorBytes(const program::Tensor &tensor) {
  return program::getTensorBytes(tensor.type(), program::toSpan(tensor.shape()))
      .value_or(0);
}

InputPlan Layout::planInputs(const program::Entry &entry) const {
  InputPlan plan;
  for (uint32_t i = 0; entry.inputs() && i < entry.inputs()->size(); ++i)
    plan.offsets.push_back(
        append(plan.bytes, tensorBytes(*entry.inputs()->Get(i))).offset);
  return plan;
}

uint64_t Layout::resolve(uint32_t entry, const program::Arg &arg) const {
  switch (arg.space()) {
  case Space::State:
    return state.offset + arg.offset();
  case Space::Arena:
    return arena.offset + arg.offset();
  case Space::Constant:
    return constants.offset + arg.offset();
  case Space::Input:
    return inputs.offset + inputPlans[entry].offsets[arg.index()] +
           arg.offset();
  }
  return 0;
}

ResultPlan Layout::planResults(const program::Entry &entry,
                               uint32_t index) const {
  struct Place {
    uint64_t begin, bytes;
    uint32_t output;
  };
  ResultPlan plan;
  std::vector<Place> places;
  for (uint32_t i = 0; entry.outputs() && i < entry.outputs()->size(); ++i) {
    const program::Tensor &output = *entry.outputs()->Get(i);
    plan.outputs.emplace_back();
    if (uint64_t bytes = tensorBytes(output); bytes <= Executor::kResultBytes)
      places.push_back({resolve(index, *output.location()), bytes, i});
  }
  std::ranges::sort(places, {}, &Place::begin);
  for (const Place &place : places) {
    auto end = [](const ResultPlan::Fetch &fetch) {
      return fetch.device + fetch.bytes;
    };
    if (plan.fetches.empty() || place.begin > end(plan.fetches.back()) + kGap) {
      plan.bytes = align(plan.bytes);
      plan.fetches.push_back({place.begin, plan.bytes, 0});
    }
    ResultPlan::Fetch &fetch = plan.fetches.back();
    fetch.bytes =
        std::max(fetch.bytes, place.begin + place.bytes - fetch.device);
    plan.bytes = fetch.host + fetch.bytes;
    plan.outputs[place.output] = {fetch.host + place.begin - fetch.device,
                                  place.bytes};
  }
  std::erase_if(plan.fetches, [](const auto &fetch) { return !fetch.bytes; });
  plan.bytes = align(plan.bytes);
  return plan;
}

Layout::Layout(const program::Program &program, const WorkspaceNeeds &needs) {
  state = append(deviceBytes, program.state_bytes());
  arena = append(deviceBytes, program.arena_bytes());
  constants = append(deviceBytes, program::toSpan(program.constants()).size());
  uint64_t inputBytes = 0, arrivalBytes = 0, stagingBytes = 0;
  uint32_t entries = program.entries() ? program.entries()->size() : 0;
  for (uint32_t i = 0; i < entries; ++i) {
    inputPlans.push_back(planInputs(*program.entries()->Get(i)));
    const InputPlan &plan = inputPlans.back();
    inputBytes = std::max(inputBytes, plan.bytes);
    if (plan.arriveBeside())
      arrivalBytes = std::max(arrivalBytes, plan.bytes);
  }
  inputs = append(deviceBytes, inputBytes);
  for (Region &arrival : arrivals)
    arrival = append(deviceBytes, arrivalBytes);
  tables = append(deviceBytes, needs.tables);
  kernelWorkspace = append(deviceBytes, needs.kernels);
  callWorkspace = append(deviceBytes, needs.calls);

  for (Region &slot : inputSlots)
    slot = append(pinnedBytes, inputBytes);
  for (uint32_t i = 0; i < entries; ++i) {
    const program::Entry &entry = *program.entries()->Get(i);
    resultPlans.push_back(planResults(entry, i));
    rings.push_back(
        append(pinnedBytes, resultPlans.back().bytes * Executor::kResultRuns));
    for (uint32_t k = 0; entry.outputs() && k < entry.outputs()->size(); ++k)
      stagingBytes =
          std::max(stagingBytes, tensorBytes(*entry.outputs()->Get(k)));
  }
  staging = append(pinnedBytes, stagingBytes);
}

std::string Layout::describe() const {
  const std::pair<const char *, uint64_t> parts[] = {
      {"state", state.bytes},
      {"arena", arena.bytes},
      {"constants", constants.bytes},
      {"inputs", inputs.bytes},
      {"inputs on their way", arrivals[0].bytes + arrivals[1].bytes},
      {"multi-tensor tables", tables.bytes},
      {"kernel workspace", kernelWorkspace.bytes},
      {"workspace of library calls", callWorkspace.bytes},
      {"pinned host memory", pinnedBytes}};
  std::string text;
  for (const auto &[name, bytes] : parts)
    text += (text.empty() ? "" : ", ") + std::string(name) + " " +
            std::to_string(bytes);
  return text;
}
