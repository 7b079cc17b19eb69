// A device plug-in without a device: state in ordinary memory, and an entry
// that runs does nothing but count. The elements of output i of run number n
// (from 1) are n + i if they are f32, else bytes of n modulo 2. What the
// session was asked for goes to the log. Device 9 is the one that this machine
// does not have.
// The plans that it exports are those that it was given, and "plan".
#include "mpc/Runtime/Plugin.h"

#include <cstring>

using namespace mpc;
using namespace mpc::runtime;
using mpc::program::toSpan;

namespace {

class FakeExecutor final : public Executor {
public:
  FakeExecutor(const program::Program &program,
               const std::vector<uint8_t> &plans)
      : program(program), plans(plans), state(program.state_bytes()),
        runs(program.entries() ? program.entries()->size() : 0) {}

  Status run(uint32_t entry, std::span<const Input>) override {
    ++runs[entry];
    return {};
  }
  Status readState(uint64_t offset, std::span<uint8_t> bytes) override {
    ++counts.synchronizations;
    if (!bytes.empty())
      std::memcpy(bytes.data(), state.data() + offset, bytes.size());
    return {};
  }
  Status writeState(uint64_t offset, std::span<const uint8_t> bytes) override {
    if (!bytes.empty())
      std::memcpy(state.data() + offset, bytes.data(), bytes.size());
    return {};
  }
  Result<std::span<const uint8_t>> output(uint32_t entry,
                                          uint32_t index) override {
    ++counts.synchronizations;
    return make(entry, index, 0);
  }
  Result<std::span<const uint8_t>> result(uint32_t entry, uint32_t index,
                                          uint32_t age) override {
    counts.waits += age == 0;
    return make(entry, index, age);
  }
  Status synchronize() override {
    ++counts.synchronizations;
    return {};
  }
  Result<std::vector<uint8_t>> exportPlans() override {
    std::vector<uint8_t> all = plans;
    for (char letter : {'p', 'l', 'a', 'n'})
      all.push_back(static_cast<uint8_t>(letter));
    return all;
  }
  MemoryUse memory() const override {
    MemoryUse::Blocks blocks = {program.state_bytes(), program.arena_bytes(),
                                0};
    return {blocks, blocks};
  }
  WaitCounts waitCounts() const override { return counts; }
  uint32_t rank() const override { return 0; }
  uint32_t threads() const override { return 1; }

private:
  std::span<const uint8_t> make(uint32_t entry, uint32_t index, uint32_t age) {
    const program::Tensor &output =
        *program.entries()->Get(entry)->outputs()->Get(index);
    uint64_t bytes =
        *program::getTensorBytes(output.type(), toSpan(output.shape()));
    uint64_t run = runs[entry] - age;
    auto value = static_cast<float>(run + index);
    staging.assign(bytes, run % 2);
    if (output.type() == program::ElementType::F32)
      for (uint64_t at = 0; at < bytes; at += sizeof value)
        std::memcpy(staging.data() + at, &value, sizeof value);
    return staging;
  }

  const program::Program &program;
  std::vector<uint8_t> plans;
  std::vector<uint8_t> state;
  std::vector<uint64_t> runs; ///< by entry
  std::vector<uint8_t> staging;
  WaitCounts counts;
};

std::string describe(const DeviceOptions &options) {
  std::string text = "fake device " + std::to_string(options.ordinal);
  if (options.stream)
    text += ", stream";
  if (options.allowNondeterministic)
    text += ", nondeterministic";
  if (options.allowTf32)
    text += ", tf32";
  if (options.ownAttention)
    text += ", own attention";
  if (options.nvtx)
    text += ", nvtx";
  if (options.tuningMilliseconds)
    text += ", tuning " + std::to_string(options.tuningMilliseconds);
  if (!options.plans.empty())
    text +=
        ", plans " + std::string(options.plans.begin(), options.plans.end());
  if (options.ranks.given())
    text += ", rank " + std::to_string(options.ranks.rank) + " of " +
            std::to_string(options.ranks.size) + " within " +
            std::to_string(options.ranks.timeoutMilliseconds);
  return text;
}

Result<std::unique_ptr<Executor>> create(const program::Program &program,
                                         const DeviceOptions &options,
                                         const Log &log) {
  if (options.ordinal == 9)
    return Status(StatusCode::DeviceUnsupported,
                  "expected device 9, but found 1 device");
  if (log)
    log(LogLevel::Info, describe(options));
  return std::unique_ptr<Executor>(
      std::make_unique<FakeExecutor>(program, options.plans));
}

Result<std::vector<uint8_t>> makeId() { return std::vector<uint8_t>(128, 42); }

} // namespace

extern "C" __attribute__((visibility("default"))) const Plugin *
mpc_runtime_plugin() {
  static const Plugin plugin = {MPC_TEST_PLUGIN_VERSION, create, makeId};
  return &plugin;
}
