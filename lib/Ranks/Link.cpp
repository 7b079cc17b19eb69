#include "mpc/Ranks/Link.h"

#include "mpc/Ranks/Drift.h"

#include <algorithm>
#include <array>
#include <bit>

using namespace mpc;
using namespace mpc::ranks;

// From twice what travels whole up to what a bucket of 25 MiB comes to.
static constexpr std::array<uint64_t, 8> kBytes = {
    uint64_t(32) << 10,  uint64_t(64) << 10, uint64_t(128) << 10,
    uint64_t(256) << 10, uint64_t(1) << 20,  uint64_t(2) << 20,
    uint64_t(4) << 20,   uint64_t(16) << 20};
// Each length has its turn as often, so that a machine that slows down does so
// for all.
static constexpr uint64_t kRounds = 5;
// In a turn.
static constexpr uint64_t kLeastCalls = 3, kMostCalls = 1000;
// In front of long ones ranks say what they are, of a group's first 256.
static constexpr int kWarmUp = 256;

//===-- Times -------------------------------------------------------------===//

static double medianOf(std::vector<double> &values) {
  std::ranges::sort(values);
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half]
                           : (values[half - 1] + values[half]) / 2;
}

namespace {
/// Of one length, on this rank.
struct Probe {
  uint64_t bytes;
  uint64_t calls = kLeastCalls; ///< In a turn.
  std::vector<double> times;    ///< Microseconds.

  Status call(Group &group, std::vector<float> &values);
};
} // namespace

Status Probe::call(Group &group, std::vector<float> &values) {
  for (uint64_t i = 0; i < calls; ++i) {
    Clock::time_point begin = Clock::now();
    Status status = group.run({.reduction = Reduction::Average,
                               .count = bytes / sizeof(float),
                               .source = values.data(),
                               .result = values.data(),
                               .name = "to measure the link"});
    if (!status.ok())
      return status;
    times.push_back(
        std::chrono::duration<double, std::micro>(Clock::now() - begin)
            .count());
  }
  return {};
}

/// As many calls as rank 0 has time for in a turn, after a first one.
static Status planCalls(Group &group, std::chrono::microseconds turn,
                        std::array<Probe, kBytes.size()> &probes) {
  std::array<uint64_t, kBytes.size()> calls;
  for (size_t i = 0; i < probes.size(); ++i) {
    double fitting = static_cast<double>(turn.count()) /
                     std::max(1.0, medianOf(probes[i].times));
    calls[i] =
        std::clamp(static_cast<uint64_t>(fitting), kLeastCalls, kMostCalls);
  }
  Status status = group.run({.kind = CollectiveKind::Broadcast,
                             .type = DType::I64,
                             .count = calls.size(),
                             .source = calls.data(),
                             .result = calls.data(),
                             .name = "how often to measure the link"});
  for (size_t i = 0; i < probes.size(); ++i) {
    probes[i].calls = calls[i];
    probes[i].times.clear();
  }
  return status;
}

/// The slowest rank's, on all.
static Result<std::vector<LinkTime>>
compare(Group &group, std::array<Probe, kBytes.size()> &probes) {
  std::vector<uint64_t> own;
  for (Probe &probe : probes)
    own.push_back(std::bit_cast<uint64_t>(medianOf(probe.times)));
  auto all = gather(group, own, "times of the link");
  if (!all)
    return all.status();
  std::vector<LinkTime> times;
  for (size_t i = 0; i < probes.size(); ++i) {
    times.push_back({probes[i].bytes, probes[i].times.size()});
    for (uint32_t rank = 0; rank < group.size(); ++rank)
      times.back().microseconds =
          std::max(times.back().microseconds,
                   std::bit_cast<double>((*all)[rank * own.size() + i]));
  }
  return times;
}

Result<std::vector<LinkTime>>
ranks::measureLink(Group &group, std::chrono::milliseconds time) {
  std::vector<float> values(kBytes.back() / sizeof(float), 1);
  std::array<Probe, kBytes.size()> probes;
  for (size_t i = 0; i < kBytes.size(); ++i)
    probes[i].bytes = kBytes[i];
  Status status;
  for (int i = 0; i < kWarmUp && status.ok(); ++i)
    status = group.run({.kind = CollectiveKind::Barrier});
  auto takeTurns = [&] {
    for (Probe &probe : probes)
      if (status.ok())
        status = probe.call(group, values);
  };
  takeTurns();
  if (status.ok())
    status = planCalls(group, time / (kRounds * kBytes.size()), probes);
  for (uint64_t round = 0; round < kRounds; ++round)
    takeTurns();
  return status.ok() ? compare(group, probes) : status;
}

//===-- The link ----------------------------------------------------------===//

/// GB that a rank sends in an all-reduce.
static double gigabytesOf(uint64_t bytes, uint32_t ranks) {
  return 2e-9 * (ranks - 1) / ranks * static_cast<double>(bytes);
}

double Link::predict(uint64_t bytes, uint32_t ranks) const {
  return latency + 1e6 * gigabytesOf(bytes, ranks) / bandwidth;
}

/// t = latency + b / bandwidth, of which each side is divided by t: the two
/// normal equations of 1 = latency x + y / bandwidth.
Result<Link> ranks::fitLink(const std::vector<LinkTime> &times,
                            uint32_t ranks) {
  double xx = 0, xy = 0, yy = 0, x1 = 0, y1 = 0;
  for (const LinkTime &time : times) {
    double x = 1 / time.microseconds;
    double y = 1e6 * gigabytesOf(time.bytes, ranks) / time.microseconds;
    xx += x * x, xy += x * y, yy += y * y, x1 += x, y1 += y;
  }
  double area = xx * yy - xy * xy;
  double latency = (x1 * yy - y1 * xy) / area;
  double inverse = (y1 * xx - x1 * xy) / area;
  if (!(area > 0 && latency > 0 && inverse > 0))
    return Status(StatusCode::LibraryError,
                  "expected all-reduces that take longer the more bytes they "
                  "have, and some time for the fewest, but they do not, as on "
                  "a busy machine; measure again, and for longer");
  return Link{latency, 1 / inverse};
}
