// A library call with its memory, as a session runs it.
#ifndef MPC_BENCH_CALLS_BOUNDCALL_H
#define MPC_BENCH_CALLS_BOUNDCALL_H

#include "mpc/Runtime/HostCall.h"
#include "mpc/Runtime/ThreadPool.h"

#include <array>
#include <memory>
#include <vector>

namespace mpc::bench {

class BoundCall {
public:
  BoundCall(runtime::ThreadPool &pool, uint32_t workers)
      : pool(pool), workers(workers) {}

  /// False where the call could not be made, or has no memory.
  bool bind(Result<std::unique_ptr<runtime::HostCall>> made) {
    if (!made)
      return false;
    call = std::move(*made);
    runtime::HostWorkspace needs = call->workspace();
    auto align = [](uint64_t bytes) { return (bytes + 63) / 64 * 64; };
    memory.resize(align(needs.shared) + workers * align(needs.perWorker) + 64);
    uint8_t *start = memory.data() +
                     align(reinterpret_cast<uintptr_t>(memory.data())) -
                     reinterpret_cast<uintptr_t>(memory.data());
    return call
        ->bind({start, start + align(needs.shared), align(needs.perWorker)})
        .ok();
  }
  /// The next of three operands, all of whose 16 bits are `bits`.
  void addOperand(int64_t bytes, uint16_t bits) {
    operands.emplace_back(bytes / 2, bits);
  }
  bool run() {
    void *args[] = {operands[0].data(), operands[1].data(), operands[2].data()};
    return call->run(pool, args).ok();
  }
  std::string describe() const { return call->describe(); }

private:
  runtime::ThreadPool &pool;
  uint32_t workers;
  std::unique_ptr<runtime::HostCall> call;
  std::vector<uint8_t> memory;
  std::vector<std::vector<uint16_t>> operands;
};

} // namespace mpc::bench

#endif // MPC_BENCH_CALLS_BOUNDCALL_H
