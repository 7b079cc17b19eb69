#include "mpc/Runtime/MachineRates.h"

#include "Block.h"
#include "mpc/Program/Calls.h"
#include "mpc/Runtime/HostCall.h"
#include "mpc/Runtime/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <limits>

using namespace mpc;
using namespace mpc::runtime;

/// Such as a session would have.
static Result<std::unique_ptr<ThreadPool>> makePool(uint32_t threads) {
  Result<uint32_t> count = decideThreads(threads);
  if (!count)
    return count.status();
  return ThreadPool::create(*count, useOneThread);
}

/// Of the fastest run after the first, which makes caches and pages warm: what
/// else the machine does only makes runs slower. One run, where it is slow.
static double leastSeconds(const std::function<void()> &run) {
  using Clock = std::chrono::steady_clock;
  constexpr double kEnough = 20e-3;
  constexpr int kMostRuns = 4;
  auto secondsSince = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  run();
  auto start = Clock::now();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMostRuns && (i == 0 || secondsSince(start) < kEnough);
       ++i) {
    auto begin = Clock::now();
    run();
    least = std::min(least, secondsSince(begin));
  }
  return std::max(least, 1e-9);
}

static Status noMemory(uint64_t bytes) {
  return {StatusCode::OutOfMemory,
          "no memory for " + std::to_string(bytes) +
              " bytes to measure the rates of this machine with"};
}

Result<double> runtime::measureCopyRate(uint32_t threads) {
  Result<std::unique_ptr<ThreadPool>> pool = makePool(threads);
  if (!pool)
    return pool.status();
  return measureCopyRate(**pool);
}

Result<double> runtime::measureCopyRate(ThreadPool &pool) {
  // For each eight threads, which may share a cache of their own, up to a
  // gigabyte: no machine has so much cache.
  constexpr uint64_t kBytes = uint64_t(1) << 25, kThreads = 8, kMost = 32;
  uint32_t parts = pool.size();
  struct Job {
    uint8_t *from, *to;
    uint64_t bytes;
  };
  uint64_t groups = std::min((parts + kThreads - 1) / kThreads, kMost),
           each = kBytes * groups / parts;
  Block memory(getDefaultAllocator());
  if (!memory.allocate(2 * each * parts))
    return noMemory(2 * each * parts);
  Job job = {memory.data(), memory.data() + each * parts, each};
  auto touch = [](void *context, uint32_t part, uint32_t) {
    const Job &own = *static_cast<const Job *>(context);
    std::memset(own.from + part * own.bytes, 1, own.bytes);
  };
  auto copy = [](void *context, uint32_t part, uint32_t) {
    const Job &own = *static_cast<const Job *>(context);
    std::memcpy(own.to + part * own.bytes, own.from + part * own.bytes,
                own.bytes);
  };
  pool.run(parts, touch, &job);
  double seconds = leastSeconds([&] { pool.run(parts, copy, &job); });
  return static_cast<double>(2 * each * parts) / seconds;
}

static program::CallT makeProduct(DType type, int64_t size) {
  program::CallT call;
  call.options.Set(program::MatmulT());
  auto add = [&](program::OperandRole role, bool isWritten) {
    auto operand = std::make_unique<program::CallOperandT>();
    operand->role = role;
    operand->type = static_cast<program::ElementType>(type);
    operand->shape = {size, size};
    operand->strides = {size, 1};
    operand->written = isWritten;
    call.operands.push_back(std::move(operand));
  };
  add(program::OperandRole::Lhs, false);
  add(program::OperandRole::Rhs, false);
  add(program::OperandRole::Result, true);
  return call;
}

Result<double> runtime::measureProductRate(DType type, uint32_t threads) {
  Result<std::unique_ptr<ThreadPool>> pool = makePool(threads);
  if (!pool)
    return pool.status();
  return measureProductRate(type, **pool);
}

Result<double> runtime::measureProductRate(DType type, ThreadPool &pool) {
  constexpr int64_t kSize = 512;
  const DTypeInfo &info = getInfo(type);
  if (type > DType::BF16)
    return Status(StatusCode::InvalidArgument,
                  "expected a type that products compute with, f64, f32, f16 "
                  "or bf16, but got " +
                      std::string(info.name));
  flatbuffers::FlatBufferBuilder builder;
  program::CallT product = makeProduct(type, kSize);
  builder.Finish(program::CreateCall(builder, &product));
  const auto &call =
      *flatbuffers::GetRoot<program::Call>(builder.GetBufferPointer());
  OneThread guard;
  PlainArithmetic arithmetic;
  auto made = makeHostCall(call, pool.size());
  if (!made)
    return made.status();
  HostWorkspace needs = (*made)->workspace();
  uint64_t perWorker =
      needs.perWorker * countBuffers(needs.pieces, pool.size());
  uint64_t matrix = uint64_t(kSize * kSize) * info.bytes;
  Block memory(getDefaultAllocator());
  uint64_t bytes = 3 * matrix + needs.shared + perWorker;
  if (!memory.allocate(bytes))
    return noMemory(bytes);
  // Zeros, which no type computes with faster than with other numbers.
  std::memset(memory.data(), 0, bytes);
  uint8_t *workspace = memory.data() + 3 * matrix;
  if (Status status =
          (*made)->bind({workspace, workspace + needs.shared, needs.perWorker});
      !status.ok())
    return status;
  void *args[] = {memory.data(), memory.data() + matrix,
                  memory.data() + 2 * matrix};
  Status status;
  double seconds = leastSeconds([&] {
    if (Status ran = (*made)->run(pool, args); !ran.ok())
      status = ran;
  });
  if (!status.ok())
    return status;
  return 2.0 * kSize * kSize * kSize / seconds;
}
