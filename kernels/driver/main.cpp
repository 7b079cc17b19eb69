// kernels-check: all kernels on the GPU of this machine, against their
// references and against the clock.
#include "kernels/driver/AttentionCases.h"
#include "kernels/driver/Bench.h"
#include "kernels/driver/Problem.h"
#include "mpc/Support/Number.h"
#include <cstdio>
#include <cstdlib>
#include <iostream>

using namespace mpc;
using namespace mpc::kernels;

static constexpr const char *kUsage =
    R"(usage: kernels-check [check|bench|serve] [--json] [--every N] [--rounds N]
                     [--seconds S]

  check   compares every kernel with its reference, on every Nth case (1)
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
  uint32_t every = 1; ///< of the cases: one is checked
  TurnOptions turns;
};
} // namespace

static bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    bool hasValue = i + 1 < argc;
    if (word == "--json")
      options.turns.json = true;
    else if (hasValue && word == "--every" &&
             parseNumber(argv[i + 1], options.every))
      ++i;
    else if (hasValue && options.turns.read(word, argv[i + 1]))
      ++i;
    else if (options.command.empty() &&
             (word == "check" || word == "bench" || word == "serve"))
      options.command = word;
    else
      return false;
  }
  return options.every > 0 && options.turns.rounds > 0 &&
         options.turns.seconds > 0;
}

static int fail(const Status &status) {
  std::fprintf(stderr, "kernels-check: %s\n", status.message().c_str());
  return Wrong;
}

/// Those of tests, and the list that training has, once per kernel.
static std::vector<Case> gatherCases() {
  std::vector<Case> cases = makeCases();
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
  return cases;
}

static int runChecks(CudaDevice &device, const Options &options) {
  size_t seen = 0, count = 0, wrong = 0;
  auto isChosen = [&] { return seen++ % options.every == 0; };
  auto tell = [&](const std::string &name, const std::string &failure) {
    ++count;
    if (failure.empty())
      return;
    ++wrong;
    std::fprintf(stderr, "%s: %s\n", name.c_str(), failure.c_str());
  };
  for (const Case &which : gatherCases())
    if (isChosen())
      tell(which.name, check(device, which));
  for (const AttentionCase &which : makeAttentionCases(288, 300))
    if (isChosen())
      tell("attention, " + describe(which), check(device, which));
  if (options.turns.json)
    std::printf("{\"cases\": %zu, \"wrong\": %zu}\n", count, wrong);
  else
    std::printf("%zu of %zu cases are right\n", count - wrong, count);
  return wrong ? Wrong : Right;
}

static int runBenchmarks(CudaDevice &device, const Options &options) {
  Result<TimedList> list = makeBenchmarks(device);
  if (!list)
    return fail(list.status());
  if (options.command == "serve") {
    serve(*list, std::cin, std::cout);
    return Right;
  }
  if (!options.turns.json)
    std::printf("%s\n", device.name().c_str());
  Status status = timeInTurns(*list, options.turns);
  return status.ok() ? Right : fail(status);
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
  int result = Right;
  if (options.command.empty() || options.command == "check")
    result = runChecks(*device, options);
  if (options.command != "check" && result == Right)
    result = runBenchmarks(*device, options);
  return result;
}
