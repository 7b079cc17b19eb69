// What an all-reduce costs: one of the ranks that bench/ranks.py starts.
//
//   CollectivesBench ELEMENTS...
//
// Rank 0 prints a line for each number of elements of f32: their bytes, and
// the median, the least and the most microseconds of an all-reduce, and how
// many there were.
#include "mpc/Ranks/World.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mpc;
using namespace mpc::ranks;

namespace {

constexpr int kWarmUp = 20;
constexpr std::chrono::seconds kTime{2}; // of each number of elements

int fail(const Status &status) {
  std::fprintf(stderr, "CollectivesBench: %s\n", status.message().c_str());
  return 1;
}

double microsecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin)
      .count();
}

/// All ranks make as many calls: as rank 0 has time for.
Status measure(Group &group, uint64_t count) {
  std::vector<float> values(count, 1);
  std::vector<double> times;
  uint64_t calls = kWarmUp;
  auto call = [&] {
    Clock::time_point begin = Clock::now();
    Status status = group.run({.reduction = Reduction::Average,
                               .count = count,
                               .source = values.data(),
                               .result = values.data()});
    times.push_back(microsecondsSince(begin));
    return status;
  };
  auto repeat = [&] {
    times.clear();
    Status status;
    for (uint64_t i = 0; i < calls && status.ok(); ++i)
      status = call();
    std::ranges::sort(times);
    return status;
  };
  if (Status status = repeat(); !status.ok())
    return status;
  calls = static_cast<uint64_t>(std::clamp(
      kTime /
          std::chrono::duration<double, std::micro>(times[times.size() / 2]),
      50.0, 20000.0));
  if (Status status = group.run({.kind = CollectiveKind::Broadcast,
                                 .type = DType::I64,
                                 .count = 1,
                                 .source = &calls,
                                 .result = &calls});
      !status.ok())
    return status;
  if (Status status = repeat(); !status.ok())
    return status;
  if (group.rank() == 0)
    std::printf("%llu %.2f %.2f %.2f %zu\n",
                static_cast<unsigned long long>(count * sizeof(float)),
                times[times.size() / 2], times.front(), times.back(),
                times.size());
  return {};
}

} // namespace

int main(int argc, char **argv) {
  Result<Launch> launch = readLaunch();
  if (!launch)
    return fail(launch.status());
  auto world = World::join(*launch, {"bench", "", ""}, {});
  if (!world)
    return fail(world.status());
  for (int i = 1; i < argc; ++i)
    if (Status status =
            measure((*world)->group(), std::strtoull(argv[i], nullptr, 10));
        !status.ok())
      return fail(status);
  if (Status status = (*world)->group().run({.kind = CollectiveKind::Barrier});
      !status.ok())
    return fail(status);
  (*world)->leave();
  return 0;
}
