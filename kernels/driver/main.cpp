// kernels-check: all multi-tensor kernels on the GPU of this machine, against
// their references and against the clock.
#include "kernels/driver/Bench.h"
#include "kernels/driver/Problem.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>

using namespace mpc;
using namespace mpc::kernels;

static constexpr const char *kUsage =
    R"(usage: kernels-check [check|bench|serve] [--json] [--rounds N] [--seconds S]

  check   compares every kernel with its reference
  bench   times every kernel, N rounds (10) of S seconds (0.1) each, in turns
          with a copy of device memory
  serve   answers lines 'list' and 'run NAME SECONDS' with a line of JSON each
  --json  one object per line instead of a table

Without a command: check, then bench. Exit codes: 0 all is right, 1 something is
not, 2 wrong usage, 3 no GPU.
)";

namespace {
enum ExitCode { Right = 0, Wrong = 1, Usage = 2, NoGpu = 3 };

struct Options {
  std::string command;
  bool json = false;
  int rounds = 10;
  double seconds = 0.1;
};

/// What was measured of one benchmark.
struct Measured {
  std::vector<double> seconds; ///< per run, one per round
  double quantile(double fraction) const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[size_t(fraction * double(sorted.size() - 1) + 0.5)];
  }
};
} // namespace

static bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    bool hasValue = i + 1 < argc;
    if (word == "--json")
      options.json = true;
    else if (word == "--rounds" && hasValue)
      options.rounds = std::atoi(argv[++i]);
    else if (word == "--seconds" && hasValue)
      options.seconds = std::atof(argv[++i]);
    else if (options.command.empty() &&
             (word == "check" || word == "bench" || word == "serve"))
      options.command = word;
    else
      return false;
  }
  return options.rounds > 0 && options.seconds > 0;
}

static int fail(const Status &status) {
  std::fprintf(stderr, "kernels-check: %s\n", status.message().c_str());
  return Wrong;
}

//===-- check -------------------------------------------------------------===//

static int runChecks(CudaDevice &device, bool json) {
  std::vector<Case> cases = makeCases();
  // The list that training has, once per kernel.
  for (MultiTensor op : {MultiTensor{.kind = Kind::UnscaleL2Norm},
                         MultiTensor{.kind = Kind::AdamW}}) {
    Case large;
    large.op = op;
    large.op.gradientType = DType::F16;
    large.op.hasScale = true;
    large.scale = 1024;
    if (op.kind == Kind::AdamW) {
      large.op.copyType = DType::F16;
      large.op.beta1 = 0.9;
      large.op.beta2 = 0.999;
      large.op.epsilon = 1e-8;
    }
    large.counts = gpt2Counts(192, 50257);
    large.name = describe(large.op) + ", the list of GPT-2 at a quarter width";
    cases.push_back(std::move(large));
  }
  size_t wrong = 0;
  for (const Case &which : cases) {
    std::string failure = check(device, which);
    if (failure.empty())
      continue;
    ++wrong;
    std::fprintf(stderr, "%s: %s\n", which.name.c_str(), failure.c_str());
  }
  if (json)
    std::printf("{\"cases\": %zu, \"wrong\": %zu}\n", cases.size(), wrong);
  else
    std::printf("%zu of %zu cases are right\n", cases.size() - wrong,
                cases.size());
  return wrong ? Wrong : Right;
}

//===-- bench -------------------------------------------------------------===//

static void print(const Timed &timed, const Measured &measured,
                  double copyBytesPerSecond, bool json) {
  double seconds = measured.quantile(0.5);
  double rate = double(timed.bytes) / seconds;
  const char *format =
      json ? "{\"kernel\": \"%s\", \"us\": %.3f, \"iqr us\": %.3f, \"GB/s\": "
             "%.1f, \"of copy\": %.3f}\n"
           : "%-28s %10.2f us +- %-8.2f %8.1f GB/s %6.1f %% of a copy\n";
  std::printf(format, timed.name.c_str(), seconds * 1e6,
              (measured.quantile(0.75) - measured.quantile(0.25)) * 1e6,
              rate * 1e-9, rate / copyBytesPerSecond * (json ? 1 : 100));
}

static int runBenchmarks(CudaDevice &device, const Options &options) {
  auto benchmarks = makeBenchmarks(device);
  if (!benchmarks)
    return fail(benchmarks.status());
  std::vector<Measured> measured(benchmarks->size());
  // Round -1 warms up.
  for (int round = -1; round < options.rounds; ++round)
    for (size_t i = 0; i < benchmarks->size(); ++i) {
      Result<double> seconds =
          (*benchmarks)[i]->time(device.stream(), options.seconds);
      if (!seconds)
        return fail(seconds.status());
      if (round >= 0)
        measured[i].seconds.push_back(*seconds);
    }
  if (!options.json)
    std::printf("%s\n", device.name().c_str());
  const Timed &copy = *benchmarks->front();
  double copyRate = double(copy.bytes) / measured.front().quantile(0.5);
  for (size_t i = 0; i < benchmarks->size(); ++i)
    print(*(*benchmarks)[i], measured[i], copyRate, options.json);
  return Right;
}

//===-- serve -------------------------------------------------------------===//

/// One line in, one line out, so that another program can take turns with us.
static std::string answer(CudaDevice &device, const std::string &line,
                          std::vector<std::unique_ptr<Timed>> &benchmarks) {
  if (line == "list") {
    std::string names;
    for (auto &each : benchmarks)
      names += (names.empty() ? "\"" : ", \"") + each->name + "\"";
    return "{\"names\": [" + names + "]}";
  }
  size_t first = line.find(' '), last = line.rfind(' ');
  if (line.rfind("run ", 0) != 0 || last <= first)
    return "{\"error\": \"expected 'list' or 'run NAME SECONDS'\"}";
  std::string name = line.substr(first + 1, last - first - 1);
  for (auto &each : benchmarks)
    if (each->name == name) {
      Result<double> seconds =
          each->time(device.stream(), std::atof(line.c_str() + last));
      if (!seconds)
        return "{\"error\": \"" + seconds.status().message() + "\"}";
      std::ostringstream text;
      text.precision(9);
      text << "{\"seconds\": " << *seconds << ", \"bytes\": " << each->bytes
           << "}";
      return text.str();
    }
  return "{\"error\": \"there is no benchmark of that name\"}";
}

static int serve(CudaDevice &device) {
  auto benchmarks = makeBenchmarks(device);
  if (!benchmarks)
    return fail(benchmarks.status());
  for (std::string line; std::getline(std::cin, line);)
    std::cout << answer(device, line, *benchmarks) << std::endl;
  return Right;
}

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs(kUsage, stderr);
    return Usage;
  }
  Result<CudaDevice> device = CudaDevice::open();
  if (!device) {
    fail(device.status());
    return device.status().code() == StatusCode::DeviceUnsupported ? NoGpu
                                                                   : Wrong;
  }
  if (options.command == "serve")
    return serve(*device);
  int result = Right;
  if (options.command != "bench")
    result = runChecks(*device, options.json);
  if (options.command != "check" && result == Right)
    result = runBenchmarks(*device, options);
  return result;
}
