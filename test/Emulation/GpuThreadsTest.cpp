// What the threads of an emulated grid see of each other, and which wrong uses
// are found.
#include "Emulation/GpuThreads.h"
#include "Emulation/MemoryChecker.h"
#include <chrono>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace mpc::emulation;

namespace {
template <typename Body> std::string run(const Launch &options, Body body) {
  return launch(
      options, [](void *argument) { (*static_cast<Body *>(argument))(); },
      &body);
}
} // namespace

TEST(GpuThreads, everyThreadOfTheGridRunsOnce) {
  std::vector<int> visits(3 * 2 * 8 * 4);
  EXPECT_EQ(run({.grid = {3, 2, 1}, .block = {8, 2, 2}},
                [&] {
                  Dim3 block = getBlockIdx(), thread = getThreadIdx();
                  uint32_t inBlock = thread.x + 8 * (thread.y + 2 * thread.z);
                  EXPECT_EQ(inBlock, getThreadNumber());
                  ++visits[(block.x + 3 * block.y) * 32 + inBlock];
                }),
            "");
  EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
}

TEST(GpuThreads, barriersOrderWritesBeforeReads) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    std::vector<uint32_t> sums(5);
    auto body = [&] {
      auto *shared = static_cast<uint32_t *>(getSharedMemory());
      uint32_t thread = getThreadNumber();
      shared[thread] = thread + getBlockIdx().x;
      for (uint32_t half = 128; half > 0; half /= 2) {
        barrier(1);
        if (thread < half)
          shared[thread] += shared[thread + half];
      }
      if (thread == 0)
        sums[getBlockIdx().x] = shared[0];
    };
    for (unsigned hostThreads : {1, 2}) {
      EXPECT_EQ(run({.grid = {5},
                     .block = {256},
                     .sharedBytes = 1024,
                     .seed = seed,
                     .hostThreads = hostThreads},
                    body),
                "");
      for (uint32_t block = 0; block < 5; ++block)
        EXPECT_EQ(sums[block], 255 * 128 + 256 * block);
    }
  }
}

// Expected values as CUDA's programming guide defines __shfl_*_sync.
TEST(GpuThreads, shufflesReadTheNamedLane) {
  EXPECT_EQ(run({.block = {64}},
                [] {
                  uint32_t thread = getThreadNumber(), lane = thread % 32;
                  uint64_t big = uint64_t(thread) << 40 | 7;
                  Shuffled r = shuffle(ShuffleMode::Xor, big, 5);
                  EXPECT_EQ(r.value, uint64_t(thread ^ 5) << 40 | 7);
                  EXPECT_TRUE(r.isValid);
                  r = shuffle(ShuffleMode::Up, thread, 3);
                  EXPECT_EQ(r.value, lane < 3 ? thread : thread - 3);
                  EXPECT_EQ(r.isValid, lane >= 3);
                  r = shuffle(ShuffleMode::Down, thread, 3, 8);
                  EXPECT_EQ(r.value, lane % 8 > 4 ? thread : thread + 3);
                  EXPECT_EQ(r.isValid, lane % 8 <= 4);
                  r = shuffle(ShuffleMode::Index, thread, 18, 16);
                  EXPECT_EQ(r.value, thread / 16 * 16 + 2);
                  EXPECT_EQ(ballot(lane % 3 == 0), 0x49249249u);
                  if (lane < 4) {
                    EXPECT_EQ(
                        shuffle(ShuffleMode::Xor, thread, 1, 32, 0xf).value,
                        thread ^ 1);
                  }
                }),
            "");
}

TEST(GpuThreads, barrierThatSomeThreadsMissIsFound) {
  EXPECT_EQ(run({.block = {64}},
                [] {
                  if (getThreadNumber() < 63)
                    barrier();
                }),
            "block 0: a barrier is reached by 63 of 64 threads; the others "
            "have ended");
  EXPECT_EQ(
      run({.block = {64}}, [] { barrier(getThreadNumber() < 32 ? 1 : 2); }),
      "block 0: threads wait at different barriers");
}

TEST(GpuThreads, divergentShufflesAreFound) {
  EXPECT_EQ(run({.block = {32}, .seed = 0},
                [] {
                  if (getThreadNumber() != 7)
                    shuffle(ShuffleMode::Xor, 0, 1);
                }),
            "block 0: a shuffle of thread 0 names lane 7 of its warp, which "
            "does not take part");
  EXPECT_EQ(run({.block = {16}}, [] { shuffle(ShuffleMode::Xor, 0, 1); }),
            "block 0: a shuffle of thread 0 names lane 16 of its warp, which "
            "does not take part");
  EXPECT_EQ(run({.block = {32}},
                [] {
                  if (getThreadNumber() == 4)
                    shuffle(ShuffleMode::Index, 0, 0, 32, 0x8);
                }),
            "block 0: a shuffle of thread 4 names other lanes, but not its "
            "own");
  EXPECT_EQ(run({.block = {32}},
                [] {
                  if (getThreadNumber() < 4)
                    shuffle(ShuffleMode::Index, 0, 9, 32, 0xf);
                }),
            "block 0: a shuffle of thread 0 reads lane 9, which does not take "
            "part");
}

TEST(GpuThreads, launchesOfWrongSizesAreRefused) {
  EXPECT_EQ(run({.grid = {2}, .block = {1025}}, [] {}),
            "expected a grid and blocks of 1 to 1024 threads, but got 2 blocks "
            "of 1025 threads");
  MemoryChecker checker;
  EXPECT_EQ(run({.hostThreads = 2, .checker = &checker}, [] {}),
            "checked kernels run on one host thread");
}

TEST(GpuThreads, sharedMemoryBeginsAsNan) {
  EXPECT_EQ(run({.grid = {3}, .block = {32}, .sharedBytes = 128},
                [] {
                  auto *shared = static_cast<float *>(getSharedMemory());
                  float own = shared[getThreadNumber()];
                  EXPECT_NE(own, own);
                  shared[getThreadNumber()] = 1;
                }),
            "");
}

TEST(GpuThreads, aRoundOfBarriersOfAMillionThreadsIsFast) {
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(run({.grid = {4096}, .block = {256}}, [] { barrier(); }), "");
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  RecordProperty("milliseconds", int(seconds.count() * 1e3));
  EXPECT_LT(seconds.count(), 5); // Under a sanitizer, on a busy machine.
}

namespace {
/// Runs `body` checked, on an operand of 64 numbers, 64 results and 64 numbers
/// of shared memory.
template <typename Body> std::string check(Body body, uint32_t grid = 1) {
  std::vector<float> x(64, 1), y(64);
  MemoryChecker checker;
  checker.addBuffer("operand 0", x.data(), 256,
                    MemoryChecker::Content::ReadOnly);
  checker.addBuffer("result 0", y.data(), 256,
                    MemoryChecker::Content::Unwritten);
  return run({.grid = {grid},
              .block = {64},
              .sharedBytes = 256,
              .seed = 0,
              .checker = &checker},
             [&] {
               body(checker, x.data(), y.data(),
                    static_cast<float *>(getSharedMemory()));
             });
}
} // namespace

TEST(MemoryChecker, acceptsOrderedAccesses) {
  EXPECT_EQ(check([](MemoryChecker &memory, float *x, float *y, float *s) {
              uint32_t thread = getThreadNumber();
              memory.read(x, 256);
              memory.write(s + thread, 4);
              memory.read(s + thread, 4);
              barrier();
              memory.read(s, 256);
              barrier();
              memory.write(s + (thread ^ 1), 4);
              memory.write(y + thread, 4);
            }),
            "");
}

TEST(MemoryChecker, shufflesOrderReadsBeforeWrites) {
  auto body = [](MemoryChecker &memory, float *, float *, float *s) {
    memory.write(s + getThreadNumber(), 4);
    barrier();
    uint32_t warp = getThreadNumber() / 32;
    memory.read(s + warp, 4);
    shuffle(ShuffleMode::Xor, 0, 1);
    if (getThreadNumber() % 32 == 5)
      memory.write(s + warp, 4);
  };
  EXPECT_EQ(check(body), "");
  EXPECT_EQ(check([](MemoryChecker &memory, float *, float *, float *s) {
              if (getThreadNumber() == 5)
                memory.write(s, 4);
              shuffle(ShuffleMode::Xor, 0, 1);
              if (getThreadNumber() == 6)
                memory.read(s, 4);
            }),
            "block 0: thread 6: shared memory, byte 0: a read races with a "
            "write of thread 5");
}

TEST(MemoryChecker, findsRaces) {
  EXPECT_EQ(check([](MemoryChecker &memory, float *, float *, float *s) {
              memory.write(s + getThreadNumber(), 4);
              if (getThreadNumber() == 40)
                memory.read(s + 39, 4);
            }),
            "block 0: thread 40: shared memory, byte 156: a read races with a "
            "write of thread 39");
  EXPECT_EQ(check([](MemoryChecker &memory, float *, float *, float *s) {
              memory.write(s + getThreadNumber(), 4);
              barrier();
              memory.read(s + 7, 4);
              if (getThreadNumber() == 50)
                memory.write(s + 7, 4);
            }),
            "block 0: thread 50: shared memory, byte 28: a write races with a "
            "read of another thread");
  EXPECT_EQ(check([](MemoryChecker &memory, float *, float *y, float *) {
              memory.write(y + getThreadNumber() / 2, 4);
            }),
            "block 0: thread 1: result 0, byte 0: a write races with a write "
            "of thread 0");
  EXPECT_EQ(check([](MemoryChecker &memory, float *, float *y,
                     float *) { memory.write(y + getThreadNumber(), 4); },
                  /*grid=*/2),
            "block 1: thread 0: result 0, byte 0: a write races with a write "
            "of thread 0");
}

TEST(MemoryChecker, findsReadsOfWhatWasNeverWritten) {
  EXPECT_EQ(check([](MemoryChecker &memory, float *, float *, float *s) {
              memory.read(s + 3, 4);
            }),
            "block 0: thread 0: shared memory, byte 12: a read of what was "
            "never written");
  EXPECT_EQ(check([](MemoryChecker &memory, float *, float *y, float *) {
              memory.read(y, 4);
            }),
            "block 0: thread 0: result 0, byte 0: a read of what was never "
            "written");
}

TEST(MemoryChecker, findsAccessesOutsideOfBuffers) {
  EXPECT_EQ(check([](MemoryChecker &memory, float *x, float *, float *) {
              memory.read(x + 62, 16);
            }),
            "block 0: thread 0: operand 0, byte 248: a read of 16 bytes past "
            "the end, 256");
  EXPECT_EQ(check([](MemoryChecker &memory, float *, float *, float *) {
              memory.write(nullptr, 4);
            }),
            "block 0: thread 0: a write outside of every buffer");
  EXPECT_EQ(check([](MemoryChecker &memory, float *x, float *, float *) {
              memory.write(x, 4);
            }),
            "block 0: thread 0: operand 0, byte 0: a write to an operand");
}
